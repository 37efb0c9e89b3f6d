// Selects the profiles of a command: all of one type and unit. A file may contain hundreds, one per process, container or
// minute. Profiles of the same type and unit can be summed.
import type { CountedRows, Profiles, SnapshotMode } from '@hearth/profile'
import { canonicalUnit, countedRows, defaultProfile, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { CliError, shownName } from '../errors.ts'
import { printable } from '../terminal/printable.ts'

export interface SelectedProfiles {
  /** Rows of the profile table, at least one. */
  readonly rows: readonly number[]
  /** As spelled in the first profile. */
  readonly type: string
  readonly unit: string
  /** How snapshots of a state are combined. Undefined if no instance has several. */
  readonly snapshots?: SnapshotMode
}

/** `wanted` is a type, such as `cpu`, or a type and a unit, such as `cpu:ns`. Without it, the default profile decides. */
export function selectProfiles(
  profiles: Profiles,
  wanted: string | undefined,
  file: string,
  mode?: SnapshotMode,
): SelectedProfiles {
  const measures = measuresOf(profiles)
  if (measures.length === 0) {
    throw new CliError(1, `${shownName(file)}: contains no profiles`, '`hearth inspect` shows the content of a file.')
  }
  const shownFirst = defaultProfile(profiles)
  const found =
    wanted === undefined ? measures.find(({ rows }) => rows.includes(shownFirst)) : findMeasure(measures, wanted)
  if (found !== undefined) {
    const { snapshots } = checkedRows(profiles, found.rows, file, mode)
    return snapshots === undefined ? found : { ...found, snapshots }
  }
  const names = measures.map(({ type, unit }) => `${type}:${unit}`).join(', ')
  throw new CliError(1, `${shownName(file)}: no profile of type ${JSON.stringify(wanted)}`, `Types: ${names}.`)
}

/** Throws CliError if a series has both delta and cumulative profiles. */
export function checkedRows(
  profiles: Profiles,
  rows: readonly number[],
  file: string,
  mode?: SnapshotMode,
): CountedRows {
  try {
    return countedRows(profiles, rows, mode)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const advice = 'Use either the delta or the cumulative profiles of a series.'
    throw new CliError(1, `${shownName(file)}: ${error.message}`, advice, { cause: error })
  }
}

function findMeasure(measures: readonly SelectedProfiles[], wanted: string): SelectedProfiles | undefined {
  // A type may contain a colon, so the whole text is tried first.
  const whole = measures.find(({ type }) => type === wanted)
  if (whole !== undefined) return whole
  const colon = wanted.lastIndexOf(':')
  if (colon === -1) return undefined
  const unit = canonicalUnit(wanted.slice(colon + 1))
  return measures.find(measure => measure.type === wanted.slice(0, colon) && canonicalUnit(measure.unit) === unit)
}

/** The types and units of the profiles, in order of appearance. Different spellings of a unit are one. */
export function measuresOf(profiles: Profiles): SelectedProfiles[] {
  const { strings } = profiles.dictionary
  const table = profiles.profiles
  const measures = new Map<string, SelectedProfiles & { readonly rows: number[] }>()
  for (let i = 0; i < table.length; i++) {
    const type = strings.text(table.type(i))
    const unit = strings.text(table.unit(i))
    const key = JSON.stringify([type, canonicalUnit(unit)])
    const known = measures.get(key)
    if (known === undefined) measures.set(key, { rows: [i], type, unit })
    else known.rows.push(i)
  }
  return [...measures.values()]
}

/** `cpu: 53.2 s in 77 profiles`, `inuse_space: 4.00 MiB (average over time) in 60 profiles` */
export function selectionText({ rows, type, unit, snapshots }: SelectedProfiles, sum: bigint): string {
  return sumText(type, unit, sum, rows.length, snapshots)
}

/** How the snapshots of a range were combined. */
const SNAPSHOT_TEXTS: Readonly<Record<SnapshotMode, string>> = {
  average: 'average over time',
  latest: 'latest',
  maximum: 'maximum',
  sum: 'sum of all snapshots',
}

/** `sum` is a number if it is an average. */
export function sumText(
  type: string,
  unit: string,
  sum: bigint | number,
  profiles: number,
  snapshots?: SnapshotMode,
): string {
  if (profiles === 0) return 'no profiles'
  const value = `${formatValue(sum, unit)}${snapshots === undefined ? '' : ` (${SNAPSHOT_TEXTS[snapshots]})`}`
  return printable(`${type === '' ? 'profile' : type}: ${value} in ${countOf(profiles, 'profile')}`)
}
