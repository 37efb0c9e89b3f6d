// The saved views of the tenant.
import type { SavedView } from '@hearth/client'
import { signal } from '@preact/signals'
import type { Route } from '../address/route.ts'
import { readRoute, writeRoute } from '../address/route.ts'
import { client } from './session.ts'

/** Undefined until they are loaded. */
export const savedViews = signal<readonly SavedView[] | undefined>(undefined)

/** Failures leave the list as it is: a server without views shows none. */
export async function loadViews(): Promise<void> {
  try {
    savedViews.value = (await client.peek().act('views', {})).views
  } catch {
    savedViews.value ??= []
  }
}

export async function saveView(name: string, route: Route): Promise<void> {
  const added = await client.peek().act('addView', { name, address: writeRoute(route) })
  savedViews.value = [...(savedViews.peek() ?? []), added]
}

export async function deleteView(id: string): Promise<void> {
  await client.peek().act('removeView', {}, { of: id })
  savedViews.value = (savedViews.peek() ?? []).filter(each => each.id !== id)
}

export function routeOfView({ address }: Pick<SavedView, 'address'>): Route {
  const [path, search = ''] = address.split('?', 2)
  return readRoute(path, search)
}
