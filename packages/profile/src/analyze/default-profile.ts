// The profile that a viewer shows first.
import { ATTRIBUTES } from '../model/attributes/semantic-conventions.ts'
import { NONE } from '../model/columns/brand.ts'
import type { Profiles } from '../model/columns/profiles.ts'

/**
 * Returns the row of the profile to show first: the default type of the first scope with profiles if it names one, as pprof and
 * OTEP 0239 do, otherwise the first profile. Returns NONE if there is no profile.
 */
export function defaultProfile(profiles: Profiles): number {
  const { scopes, dictionary } = profiles
  for (let scope = 0; scope < scopes.length; scope++) {
    const from = scopes.from(scope)
    if (from === scopes.to(scope)) continue
    const { attributes } = scopes.scope(scope)
    const named = attributes.find(({ key }) => key === ATTRIBUTES.pprofScopeDefaultSampleType)?.value
    for (let i = from; i < scopes.to(scope); i++) {
      if (dictionary.strings.text(profiles.profiles.type(i)) === named) return i
    }
    return from
  }
  return NONE
}
