// Chooses the profiles of a payload for a folded file. Plain text sums all profiles of one type, like `top` and flame
// graphs. Extended text is one profile that can be read back. Two kinds of profiles consist of two parts: differential
// ones, and those in which only some samples have timestamps, because a profile has one shape throughout.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { hasTimestamps } from '../../../model/columns/time-range.ts'
import { AFTER, BEFORE } from '../dialect.ts'

export interface FoldedChoice {
  /** Profiles that are written one after the other into the same lines. Empty if the payload has no profiles. */
  readonly profiles: readonly number[]
  /** The second column of a differential file. */
  readonly after: number | undefined
  readonly leftOut: number
}

export function chooseProfiles(payload: Profiles, type: string | undefined, extended: boolean): FoldedChoice {
  const { profiles, scopes } = payload
  if (profiles.length === 0) return { profiles: [], after: undefined, leftOut: 0 }
  const first = type === undefined ? 0 : findType(payload, type)
  let scope = 0
  while (scopes.to(scope) <= first) scope++
  const after = type === undefined && !extended ? columnAfter(payload, first, scopes.to(scope)) : undefined
  const chosen = extended
    ? pieces(payload, first, scopes.to(scope))
    : after === undefined
      ? allLike(payload, first)
      : [first]
  return { profiles: chosen, after, leftOut: profiles.length - chosen.length - (after === undefined ? 0 : 1) }
}

function findType(payload: Profiles, type: string): number {
  const { profiles } = payload
  const types = Array.from({ length: profiles.length }, (_, i) => typeOf(payload, i))
  const found = types.indexOf(type)
  if (found >= 0) return found
  throw new RangeError(
    `no profile has the type ${JSON.stringify(type)}; available types: ${[...new Set(types)].join(', ')}`,
  )
}

function columnAfter(payload: Profiles, first: number, to: number): number | undefined {
  if (first + 1 >= to || unitOf(payload, first) !== unitOf(payload, first + 1)) return undefined
  return typeOf(payload, first) === BEFORE && typeOf(payload, first + 1) === AFTER ? first + 1 : undefined
}

function allLike(payload: Profiles, first: number): number[] {
  return Array.from({ length: payload.profiles.length }, (_, i) => i).filter(i => isLike(payload, first, i))
}

function pieces(payload: Profiles, first: number, to: number): number[] {
  for (let i = first + 1; i < to; i++) {
    if (isLike(payload, first, i) && hasTimestamps(payload, first) !== hasTimestamps(payload, i)) return [first, i]
  }
  return [first]
}

/** Values of different periods cannot be summed. */
function isLike(payload: Profiles, a: number, b: number): boolean {
  const { profiles, dictionary } = payload
  return (
    typeOf(payload, a) === typeOf(payload, b) &&
    unitOf(payload, a) === unitOf(payload, b) &&
    profiles.period(a) === profiles.period(b) &&
    dictionary.strings.text(profiles.periodType(a)) === dictionary.strings.text(profiles.periodType(b))
  )
}

function typeOf({ dictionary, profiles }: Profiles, i: number): string {
  return dictionary.strings.text(profiles.type(i))
}

function unitOf({ dictionary, profiles }: Profiles, i: number): string {
  return dictionary.strings.text(profiles.unit(i))
}
