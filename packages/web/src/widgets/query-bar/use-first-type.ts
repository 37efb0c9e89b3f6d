// Selects a profile type for a query that has none, such as after the choice of another service.
import { useLayoutEffect } from 'preact/hooks'
import { OWN_SERVICE, preferredType } from '../../api/preferred-type.ts'
import type { Query } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { absolute } from '../../address/time-range.ts'
import { loadTime } from '../../state/load-time.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'

/** The type to show first for a service in the range of a query. Undefined if the service has no profiles. */
export async function firstType(query: Query, signal: AbortSignal): Promise<string | undefined> {
  const { service } = query
  const { from, to, receivedBefore } = absolute(query, loadTime.peek())
  const typeIn = async (selector: string): Promise<string | undefined> => {
    const request = { selector, from, to, receivedBefore }
    return preferredType((await client.peek().query('profileTypes', request, { signal })).profileTypes)
  }
  // The server's own profiles are the first ones, and not what users look for once they have others.
  const ofUsers = service === '' ? await typeIn(`{resource:service.name!="${OWN_SERVICE}"}`) : undefined
  return ofUsers ?? (await typeIn(selectorOf({ ...EMPTY_QUERY, service })))
}

/** Returns true once it is known that the service has no types in the range. `onType` should add no history entry. */
export function useFirstType(query: Query, onType: (type: string) => void): boolean {
  const { service, type } = query
  const { from, to } = absolute(query, loadTime.value)
  const found = useLoaded(
    type === '' ? `first-type:${service}:${from}:${to}:${loadTime.value}` : undefined,
    async signal => ({ service, type: await firstType(query, signal) }),
  )
  useLayoutEffect(() => {
    // The types of the previous service stay loaded until those of the current one arrive.
    const first = found.value?.service === service ? found.value.type : undefined
    if (type === '' && !found.loading && first !== undefined) onType(first)
  }, [found.value, found.loading, type, service])
  const isKnown = !found.loading && (found.error !== undefined || found.value?.service === service)
  return isKnown && found.value?.type === undefined
}
