// Cumulative profiles: each one covers everything since its start time, so profiles of one start must not be added up. The
// one with the latest end counts. A new start time means that the process was reset, and the parts of several starts add up.
//
//   start   end   total
//   0       10    4      superseded
//   0       20    6      superseded
//   0       30    10     counts
//   30      40    2      counts: the sum is 12
//
// A series is one resource, scope, type, unit and set of attributes. Order never matters.
import { partitionPoint } from '../columns/binary-search.ts'
import { ATTRIBUTES } from '../attributes/semantic-conventions.ts'
import { valueText } from '../attributes/value-text.ts'
import type { AttributeIndex, StringIndex } from '../columns/brand.ts'
import type { Profiles } from '../columns/profiles.ts'
import { compareTexts } from '../columns/order.ts'
import { plainResource, plainScope } from '../compare/plain-content.ts'
import { canonicalUnit } from '../text/units.ts'
import type { Replacement } from './latest-profiles.ts'
import { MixedProfilesError } from './mixed-profiles-error.ts'

export type Temporality = 'delta' | 'cumulative'

/** A profile without a temporality is a delta, as in the current data format. */
export function temporalityOf({ profiles, dictionary }: Profiles, i: number): Temporality {
  const { attributes, strings } = dictionary
  for (let k = profiles.attributesFrom(i); k < profiles.attributesTo(i); k++) {
    const row = profiles.attributes.at(k)
    if (strings.text(attributes.key(row)) !== ATTRIBUTES.aggregationTemporality) continue
    return attributes.value(row) === 'cumulative' ? 'cumulative' : 'delta'
  }
  return 'delta'
}

/** Equal texts mean the same series with the same attributes, in any payload. The temporality is not part of it. */
export function seriesKey(all: Profiles, i: number): string {
  const { series, attributes } = seriesKeys(all, i)
  return `${series} ${attributes}`
}

/** The two parts of a key: the resource, scope, type and unit of a profile, and its attributes. */
export function seriesKeys(all: Profiles, i: number): { readonly series: string; readonly attributes: string } {
  const { profiles, dictionary, resources, scopes } = all
  const { attributes, strings } = dictionary
  const scope = parentOf(scopes, i)
  const pairs = profiles
    .attributesOf(i)
    .map((row: AttributeIndex) => [strings.text(attributes.key(row)), valueText(attributes.value(row))] as const)
    .filter(([key]) => key !== ATTRIBUTES.aggregationTemporality)
    .sort(([a], [b]) => compareTexts(a, b))
  const text = (string: StringIndex): string => strings.text(string)
  const series = [
    plainResource(all, parentOf(resources, scope)),
    plainScope(all, scope),
    text(profiles.type(i)),
    canonicalUnit(text(profiles.unit(i))),
  ]
  return { series: JSON.stringify(series), attributes: JSON.stringify(pairs) }
}

/** The parts of a profile that decide whether another one of the same series and start supersedes it. */
export interface CumulativeState {
  readonly end: bigint
  readonly total: bigint
}

export function cumulativeState({ profiles, samples }: Profiles, i: number): CumulativeState {
  let total = 0n
  for (let s = profiles.samplesFrom(i); s < profiles.samplesTo(i); s++) total += samples.total(s)
  return { end: profiles.time(i) + profiles.duration(i), total }
}

/** Cumulative profiles of one series and start replace each other. */
export const CUMULATIVE_PROFILES: Replacement<CumulativeState> = {
  keyOf: (profiles, i) => `${profiles.profiles.time(i)} ${seriesKey(profiles, i)}`,
  stateOf: cumulativeState,
  replaces: supersedes,
}

/** Whether `a` supersedes `b`. If both have the same end, the larger one is the later one. */
function supersedes(a: CumulativeState, b: CumulativeState): boolean {
  return a.end > b.end || (a.end === b.end && a.total > b.total)
}

/**
 * Returns the rows that may be added up: all delta profiles, and the last cumulative profile of each series and start. Throws
 * MixedProfilesError if one series has both temporalities, because their times may overlap.
 */
export function summableRows(profiles: Profiles, rows: readonly number[]): readonly number[] {
  if (!hasCumulative(profiles)) return rows
  const kinds = new Map<string, Temporality>()
  const latest = new Map<string, CumulativeState & { readonly row: number }>()
  for (const row of rows) {
    const temporality = temporalityOf(profiles, row)
    const series = seriesKey(profiles, row)
    if ((kinds.get(series) ?? temporality) !== temporality) throw new MixedProfilesError(mixedMessage(profiles, row))
    kinds.set(series, temporality)
    if (temporality === 'delta') continue
    const key = `${profiles.profiles.time(row)} ${series}`
    const state = cumulativeState(profiles, row)
    const known = latest.get(key)
    if (known === undefined || supersedes(state, known)) latest.set(key, { ...state, row })
  }
  const counted = new Set(Array.from(latest.values(), ({ row }) => row))
  const seen = new Set<number>()
  return rows.filter(row => {
    if (temporalityOf(profiles, row) === 'delta') return true
    if (!counted.has(row) || seen.has(row)) return false
    seen.add(row)
    return true
  })
}

function mixedMessage({ profiles, dictionary }: Profiles, row: number): string {
  const type = dictionary.strings.text(profiles.type(row))
  return `a series of ${type} has both delta and cumulative profiles, which cannot be added up`
}

/** Whether the dictionary has a cumulative temporality at all. Most do not, and then no profile needs a look. */
function hasCumulative({ dictionary }: Profiles): boolean {
  const { attributes, strings } = dictionary
  for (let i = 1; i < attributes.length; i++) {
    const row = i as AttributeIndex
    if (
      strings.text(attributes.key(row)) === ATTRIBUTES.aggregationTemporality &&
      attributes.value(row) === 'cumulative'
    )
      return true
  }
  return false
}

/** The row that contains child `i`. */
function parentOf(table: { readonly length: number; to(i: number): number }, i: number): number {
  return partitionPoint(0, table.length - 1, row => table.to(row) <= i)
}
