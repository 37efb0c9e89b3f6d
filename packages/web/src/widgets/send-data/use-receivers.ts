// Loads the addresses of this server.
import { SERVER } from '../../state/navigation.ts'
import { client, session } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { Receivers } from './receivers.ts'
import { receiversAt } from './receivers.ts'

/** Undefined until the server has responded. */
export function useReceivers(): Receivers | undefined {
  const loaded = useLoaded('receivers', async signal => (await client.peek().query('status', {}, { signal })).receivers)
  if (loaded.value === undefined && loaded.error === undefined) return undefined
  return receiversAt(location.hostname, loaded.value ?? [], SERVER, session.value?.required === true)
}
