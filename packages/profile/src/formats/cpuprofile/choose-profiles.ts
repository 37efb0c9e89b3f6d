// Chooses the profiles for a file: one of time and, if it came from V8, the counts beside it.
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { HITS_TYPE, HITS_UNIT, SCOPE_NAME } from './attribute-names.ts'

export interface CpuProfileChoice {
  /** NONE if there is no profile. */
  readonly main: number
  /** NONE if no profile counts the hits of nodes. The same as `main` if it is the only profile. */
  readonly hits: number
  /** Whether it was read from a V8 profile, so that the writer need not derive the counts. */
  readonly isOurs: boolean
  readonly leftOut: number
}

export function chooseProfiles(payload: Profiles, type: string | undefined): CpuProfileChoice {
  const { profiles, scopes } = payload
  if (profiles.length === 0) return { main: NONE, hits: NONE, isOurs: true, leftOut: 0 }
  const main = type === undefined ? 0 : findType(payload, type)
  let scope = 0
  while (scopes.to(scope) <= main) scope++
  if (scopes.scope(scope).name !== SCOPE_NAME) return { main, hits: NONE, isOurs: false, leftOut: profiles.length - 1 }
  if (isHits(payload, main)) return { main, hits: main, isOurs: true, leftOut: profiles.length - 1 }
  const next = main + 1
  const hits = next < scopes.to(scope) && isHits(payload, next) ? next : NONE
  return { main, hits, isOurs: true, leftOut: profiles.length - (hits === NONE ? 1 : 2) }
}

function isHits({ profiles, samples, dictionary: { strings } }: Profiles, i: number): boolean {
  if (strings.text(profiles.type(i)) !== HITS_TYPE || strings.text(profiles.unit(i)) !== HITS_UNIT) return false
  for (let k = profiles.samplesFrom(i); k < profiles.samplesTo(i); k++) {
    if (samples.timestampsTo(k) > samples.timestampsFrom(k)) return false
  }
  return true
}

export function findType({ profiles, dictionary: { strings } }: Profiles, type: string): number {
  const types = Array.from({ length: profiles.length }, (_, i) => strings.text(profiles.type(i)))
  const found = types.indexOf(type)
  if (found >= 0) return found
  throw new RangeError(
    `no profile has the type ${JSON.stringify(type)}; available types: ${[...new Set(types)].join(', ')}`,
  )
}
