// Which profiles of a payload go into a folded file. It holds one, but two kinds of profiles come in two pieces: a
// differential one, and one of which only some samples have timestamps, as a profile has one shape throughout.
import type { Profiles } from '../../model/profiles.ts'
import { AFTER, BEFORE } from './dialect.ts'

export interface Choice {
  /** One after the other in the same lines; empty where the payload has no profiles. */
  readonly profiles: readonly number[]
  /** The second column of a differential file. */
  readonly after: number | undefined
  readonly leftOut: number
}

export function chooseProfiles(payload: Profiles, type: string | undefined, extended: boolean): Choice {
  const { profiles, scopes } = payload
  if (profiles.length === 0) return { profiles: [], after: undefined, leftOut: 0 }
  const first = type === undefined ? 0 : findType(payload, type)
  let scope = 0
  while (scopes.to(scope) <= first) scope++
  let piece: number | undefined
  for (let i = first + 1; i < scopes.to(scope) && piece === undefined; i++) if (isOtherPiece(payload, first, i)) piece = i
  const after = type === undefined && !extended ? columnAfter(payload, first, scopes.to(scope)) : undefined
  const chosen = piece === undefined ? [first] : [first, piece]
  return { profiles: chosen, after, leftOut: profiles.length - chosen.length - (after === undefined ? 0 : 1) }
}

function findType(payload: Profiles, type: string): number {
  const { profiles } = payload
  const types = Array.from({ length: profiles.length }, (_, i) => typeOf(payload, i))
  const found = types.indexOf(type)
  if (found >= 0) return found
  throw new RangeError(`there is no profile of type ${JSON.stringify(type)}, only ${[...new Set(types)].join(', ')}`)
}

function columnAfter(payload: Profiles, first: number, to: number): number | undefined {
  if (first + 1 >= to || unitOf(payload, first) !== unitOf(payload, first + 1)) return undefined
  return typeOf(payload, first) === BEFORE && typeOf(payload, first + 1) === AFTER ? first + 1 : undefined
}

function isOtherPiece(payload: Profiles, a: number, b: number): boolean {
  const { profiles, dictionary } = payload
  return (
    typeOf(payload, a) === typeOf(payload, b) &&
    unitOf(payload, a) === unitOf(payload, b) &&
    profiles.period(a) === profiles.period(b) &&
    dictionary.strings.text(profiles.periodType(a)) === dictionary.strings.text(profiles.periodType(b)) &&
    hasTimestamps(payload, a) !== hasTimestamps(payload, b)
  )
}

function typeOf({ dictionary, profiles }: Profiles, i: number): string {
  return dictionary.strings.text(profiles.type(i))
}

function unitOf({ dictionary, profiles }: Profiles, i: number): string {
  return dictionary.strings.text(profiles.unit(i))
}

/** A profile has one shape, so its first sample tells. */
function hasTimestamps({ profiles, samples }: Profiles, i: number): boolean {
  const sample = profiles.samplesFrom(i)
  return sample < profiles.samplesTo(i) && samples.timestampsTo(sample) > samples.timestampsFrom(sample)
}
