// The functions that cost more in new runs than in base runs, beyond a tolerated increase and beyond chance.
import type { ComparedValues, Profiles, RunsComparison } from '@hearth/profile'
import { compareRuns, concat, profilesAsRuns } from '@hearth/profile'
import { CliError } from '../errors.ts'
import type { Input } from '../files/input.ts'
import type { SelectedProfiles } from '../files/select-profiles.ts'
import { selectProfiles } from '../files/select-profiles.ts'
import type { FrameOptions, SnapshotsOption, TypeOption } from '../options.ts'
import { snapshotsOf } from '../options.ts'
import { placeText } from '../render/frame-text.ts'

export interface GateLimits {
  /** The tolerated increase of a function, in percent of its base value. */
  readonly maxIncrease: number
  /** Functions with a smaller share of the new runs are not reported, in percent. */
  readonly minShare: number
  /** Only functions whose name matches. */
  readonly function?: RegExp
  /** Compares values per run instead of shares. */
  readonly absolute?: boolean
}

/** A significant increase. Values are shares from 0 to 1, or values per run. */
export interface Increase {
  readonly name: string
  readonly place: string
  readonly kind: 'self' | 'total'
  readonly base: number
  readonly new: number
  /** Half the width of the 95 % confidence interval of the change. */
  readonly margin: number
  /** The false discovery rate. */
  readonly q: number
}

export interface GateResult {
  readonly type: string
  readonly unit: string
  readonly compare: 'share' | 'value'
  readonly baseRuns: number
  readonly newRuns: number
  /** How much the runs of a side differ beyond sampling, relative to the value of a function. */
  readonly variation: number
  /** The number of functions that were compared. */
  readonly functions: number
  /** The largest first. */
  readonly increases: readonly Increase[]
}

export interface GateOptions
  extends GateLimits, TypeOption, SnapshotsOption, Pick<FrameOptions, 'by' | 'inlined' | 'addresses'> {}

/** Among the reported increases, at most this share is expected to be chance. */
const MAX_FALSE_DISCOVERIES = 0.01

/** Throws CliError if the sides cannot be compared. */
export function findIncreases(base: readonly Input[], fresh: readonly Input[], options: GateOptions): GateResult {
  const was = sideOf(base, options.type, options)
  const is = sideOf(fresh, options.type ?? `${was.selected.type}:${was.selected.unit}`, options)
  const { by, inlined, addresses, absolute = false } = options
  const result = compareRuns(was, is, {
    by,
    inlined,
    addresses,
    compare: absolute ? 'value' : 'share',
    tolerance: Math.max(options.maxIncrease / 100, Number.MIN_VALUE),
    ...snapshotsOf(options),
  })
  const [baseRuns, newRuns] = result.runs
  checkRuns(baseRuns, newRuns, absolute)
  const { frames, frame } = result
  const isWanted = (f: number): boolean => options.function?.test(frames.name[f]) ?? true
  const whole = absolute ? result.self.after.reduce((sum, value) => sum + value, 0) : 1
  const minimum = (options.minShare / 100) * whole
  const found = (['self', 'total'] as const).flatMap(kind => increasesOf(result, kind, minimum))
  return {
    type: is.selected.type,
    unit: is.selected.unit,
    compare: absolute ? 'value' : 'share',
    baseRuns,
    newRuns,
    variation: result.variation,
    functions: frame.filter(isWanted).length,
    increases: found
      .filter(({ frame: f }) => isWanted(f))
      .map(({ frame: f, ...increase }) => ({ name: frames.name[f], place: placeText(frames, f), ...increase }))
      .sort((a, b) => b.new - b.base - (a.new - a.base) || (a.name < b.name ? -1 : 1)),
  }
}

interface Side {
  readonly profiles: Profiles
  readonly runs: readonly (readonly number[])[]
  readonly selected: SelectedProfiles
}

/** Each input is a run. The profiles of a single input are runs of their own. */
function sideOf(inputs: readonly Input[], type: string | undefined, options: SnapshotsOption): Side {
  const profiles = concat(inputs.map(input => input.profiles))
  const name = inputs.map(({ file }) => file).join(', ')
  const selected = selectProfiles(profiles, type, name, options.snapshots)
  if (inputs.length === 1) return { profiles, selected, runs: profilesAsRuns(profiles, selected.rows) }
  let from = 0
  const runs = inputs.map(input => {
    const to = from + input.profiles.profiles.length
    const rows = selected.rows.filter(row => row >= from && row < to)
    from = to
    return rows
  })
  return { profiles, selected, runs: runs.filter(rows => rows.length > 0) }
}

function checkRuns(baseRuns: number, newRuns: number, absolute: boolean): void {
  for (const [option, runs] of [
    ['--base', baseRuns],
    ['--new', newRuns],
  ] as const) {
    if (runs === 0)
      throw new CliError(1, `${option}: all values are zero`, '`hearth inspect` shows the content of a file.')
    if (!absolute || runs > 1) continue
    const advice = 'One run does not show how much runs differ. Give more files, or compare shares without --absolute.'
    throw new CliError(2, `--absolute requires at least two runs, and ${option} has one`, advice)
  }
}

function increasesOf(
  { frame, ...result }: RunsComparison,
  kind: 'self' | 'total',
  minimum: number,
): (Omit<Increase, 'name' | 'place'> & { readonly frame: number })[] {
  const { before, after, margin, q }: ComparedValues = result[kind]
  return (
    Array.from(frame, (f, i) => ({ frame: f, kind, base: before[i], new: after[i], margin: margin[i], q: q[i] }))
      .filter(increase => increase.q <= MAX_FALSE_DISCOVERIES && increase.new >= minimum)
      // An interval that contains no change is no evidence, whatever the test says.
      .filter(increase => increase.new - increase.base > increase.margin)
  )
}
