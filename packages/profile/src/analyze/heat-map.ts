// Heat maps of the times of observations. A column is a second (or another interval), a row is a part of it, so events that
// happen at the same moment of every second form a line.
//
//   column 0 is 12 s    column 1 is 13 s         rows 4, so each is 250 ms; row 0 is the first
//   12.10 s -> (0, 0)   13.99 s -> (1, 3)        origin: the first observation, down to a whole column
import type { Profiles } from '../model/columns/profiles.ts'
import { int64 } from '../model/columns/int64.ts'
import type { ProfileSelection } from './stacks/stack-weights.ts'

export interface HeatMapOptions {
  /** Nanoseconds per column. Default: a second. */
  readonly column?: bigint
  /** The number of parts of a column. Default: 50. */
  readonly rows?: number
  /** Selects rows of the sample table. Default: all. */
  readonly samples?: (sample: number) => boolean
  /** The maximum number of columns. heatMap throws RangeError beyond it. */
  readonly maxColumns?: number
}

/** The cell of a column and row has the index `column * rows + row`. */
export interface HeatMap {
  /** The start of column 0 in nanoseconds of the payload's clock, a multiple of `column`. */
  readonly origin: bigint
  readonly column: bigint
  readonly rows: number
  readonly columns: number
  /** The number of observations in each cell. */
  readonly count: Float64Array
  /** The sum of their values. Without values, each observation counts 1. */
  readonly value: Float64Array
}

const SECOND = 1_000_000_000n

export function heatMap(profiles: Profiles, selection: ProfileSelection, options: HeatMapOptions = {}): HeatMap {
  const { column = SECOND, rows = 50, maxColumns = Infinity, samples: isChosen } = options
  const selected = typeof selection === 'number' ? [selection] : selection
  const { samples, profiles: table } = profiles
  const span = observedSpan(profiles, selected)
  if (span === undefined) return { origin: 0n, column, rows, columns: 0, count: NONE, value: NONE }
  const origin = span.first - (span.first % column)
  const columns = (span.last - origin) / column + 1n
  if (columns > maxColumns) throw new RangeError(`${columns} columns exceed the limit of ${maxColumns}`)
  const cells = Number(columns) * rows
  const count = new Float64Array(cells)
  const value = new Float64Array(cells)
  const cellOf = cellsFrom(origin, column, rows, span.last)
  const { timestamps } = samples
  const values = samples.values.signed()
  for (const row of selected) {
    for (let i = table.samplesFrom(row), to = table.samplesTo(row); i < to; i++) {
      const first = samples.timestampsFrom(i)
      const end = samples.timestampsTo(i)
      if (first === end || (isChosen !== undefined && !isChosen(i))) continue
      const valuesFrom = samples.valuesFrom(i)
      const valueCount = samples.valuesTo(i) - valuesFrom
      for (let k = first; k < end; k++) {
        const cell = cellOf(timestamps.lo(k) >>> 0, timestamps.hi(k) >>> 0)
        count[cell]++
        const own = k - first
        value[cell] += valueCount === 0 ? 1 : own < valueCount ? Number(values[valuesFrom + own]) : 0
      }
    }
  }
  return { origin, column, rows, columns: Number(columns), count, value }
}

const NONE = new Float64Array(0)

/** The times of the first and the last observation, or undefined without any. */
export function observedSpan(
  { samples, profiles }: Profiles,
  selected: readonly number[],
): { readonly first: bigint; readonly last: bigint } | undefined {
  const { timestamps } = samples
  let [firstLo, firstHi, lastLo, lastHi] = [Infinity, Infinity, -1, -1]
  for (const row of selected) {
    const [from, to] = [profiles.samplesFrom(row), profiles.samplesTo(row)]
    if (from === to) continue
    for (let k = samples.timestampsFrom(from), end = samples.timestampsTo(to - 1); k < end; k++) {
      const lo = timestamps.lo(k) >>> 0
      const hi = timestamps.hi(k) >>> 0
      if (hi < firstHi || (hi === firstHi && lo < firstLo)) [firstLo, firstHi] = [lo, hi]
      if (hi > lastHi || (hi === lastHi && lo > lastLo)) [lastLo, lastHi] = [lo, hi]
    }
  }
  return lastHi < 0 ? undefined : { first: int64(firstLo, firstHi), last: int64(lastLo, lastHi) }
}

/** Returns the cell of a time, given as halves. Doubles are exact up to 104 days after the origin. Later times use bigints. */
function cellsFrom(origin: bigint, column: bigint, rows: number, last: bigint): (lo: number, hi: number) => number {
  const width = Number(column)
  const cell = (whole: number, rest: number): number => whole * rows + Math.floor((rest * rows) / width)
  if (last - origin > BigInt(Number.MAX_SAFE_INTEGER) || width * rows > Number.MAX_SAFE_INTEGER) {
    return (lo, hi) => {
      const after = int64(lo, hi) - origin
      return Number(after / column) * rows + Number(((after % column) * BigInt(rows)) / column)
    }
  }
  const originLo = Number(origin & 0xffffffffn)
  const originHi = Number(origin >> 32n)
  return (lo, hi) => {
    const after = (hi - originHi) * 2 ** 32 + (lo - originLo)
    const whole = Math.floor(after / width)
    return cell(whole, after - whole * width)
  }
}
