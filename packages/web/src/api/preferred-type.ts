// The type to show first: the most common one to look for, otherwise the one with the most profiles.
import type { ProfileTypesResponse } from '@hearth/client'

/** The service name of the server's own profiles. */
export const OWN_SERVICE = 'hearth'

const FIRST = ['cpu', 'process_cpu', 'wall', 'samples']

/** Such as `cpu:ns`; undefined if there are no profiles. */
export function preferredType(types: ProfileTypesResponse['profileTypes']): string | undefined {
  const place = (type: string): number => {
    const at = FIRST.indexOf(type)
    return at < 0 ? FIRST.length : at
  }
  const [best] = types.toSorted((a, b) => place(a.type) - place(b.type) || b.profiles - a.profiles)
  return best === undefined ? undefined : `${best.type}:${best.unit}`
}
