// Opens the trace or the profile with an id.
import { ApiError } from '@hearth/client'
import { EMPTY_QUERY, selectorOf } from '../address/query.ts'
import type { Route } from '../address/route.ts'
import { TRACE } from '../address/route.ts'
import { DEFAULT_VIEW } from '../address/view.ts'
import { client } from './session.ts'

/** The route of the trace or the profile with this id, in 32 hex digits. Undefined if there is neither. */
export async function routeOfId(id: string): Promise<Route | undefined> {
  const query = { ...EMPTY_QUERY, filters: [{ key: 'profile.id', operator: '=', value: id }] as const }
  const [trace, profiles] = await Promise.all([
    client.peek().trace(id, { limit: 1 }).catch(undefinedIfMissing),
    client.peek().query('profiles', { selector: selectorOf(query), from: '0', to: 'now+1d', limit: 1 }),
  ])
  if (trace !== undefined && trace.spans.length > 0) return { ...TRACE, traceId: id }
  const profile = profiles.profiles.at(0)
  return profile === undefined ? undefined : { screen: 'profile', profile: profile.profile, view: DEFAULT_VIEW }
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}
