// Describes cells and ranges of a heat map in words.
import { formatValue } from '@hearth/profile'
import type { HeatMapResponse } from '../../api/profile-source.ts'
import { cellStart } from '../../draw/heat-map/heat-map.ts'
import type { HeatRange } from '../../address/heat-view.ts'
import { formatClock } from '../format-time.ts'

const SECOND = 1_000_000_000n
const DAY_IN_1971 = 365n * 86_400n * SECOND

/** `112 s, 340–360 ms: 17 samples, 170 ms`. */
export function cellText(map: HeatMapResponse, cell: number): string {
  const column = Math.floor(cell / map.rows)
  const started = BigInt(column) * map.column
  const [from, until] = [cellStart(map, cell), cellStart(map, cell + 1)].map(time => time - map.origin - started)
  const at = `${clockText(map.origin + started)}${offsetText(started)}, ${partText(from, until, map.column)}`
  return `${at}: ${amountText(map, map.count[cell], map.value[cell])}`
}

/** `17 samples, 170 ms`; the value only if it differs from the count. */
export function amountText({ unit }: Pick<HeatMapResponse, 'unit'>, count: number, value: number): string {
  const samples = `${count.toLocaleString('en')} ${count === 1 ? 'sample' : 'samples'}`
  return value === count ? samples : `${samples}, ${formatValue(value, unit)}`
}

/** Relative to the start of the map: `112.34 s – 113.02 s`. */
export function rangeText({ origin }: Pick<HeatMapResponse, 'origin'>, { from, until }: HeatRange): string {
  return `${offsetText(from - origin)} – ${offsetText(until - origin)}`
}

/** In seconds, with the necessary digits up to microseconds. */
function offsetText(nanos: bigint): string {
  const micros = (nanos + 500n) / 1000n
  const rest = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${micros / 1_000_000n}${rest === '' ? '' : `.${rest}`} s`
}

/** A part of a column, in a unit that suits the length of a column. */
function partText(from: bigint, until: bigint, column: bigint): string {
  const [unit, scale] =
    column > 60n * SECOND ? ['s', SECOND] : column > SECOND / 10n ? ['ms', 1_000_000n] : ['µs', 1000n]
  const text = (nanos: bigint): string => (Number((nanos * 10n) / scale) / 10).toLocaleString('en')
  return `${text(from)}–${text(until)} ${unit}`
}

/** The time of day, if the clock counts from 1970. */
function clockText(time: bigint): string {
  return time < DAY_IN_1971 ? '' : `${formatClock(Number(time / 1_000_000n), true)} · `
}
