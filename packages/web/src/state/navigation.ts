// The route signal and the browser's address. The route is read from the address, and changing it changes the address.
import { batch, signal } from '@preact/signals'
import type { Route } from '../address/route.ts'
import { readRoute, writeRoute } from '../address/route.ts'
import { refresh } from './load-time.ts'

/** The number of path segments between the UI and the first page, which the server states if there are some. */
const DEPTH = Number(document.documentElement.dataset['depth'] ?? 0)

/** The address of the UI and of its server, with a slash at its end. Its path is `/`, or the prefix of a proxy. */
export const SERVER = new URL(`./${'../'.repeat(DEPTH)}`, document.baseURI).href
const BASE = new URL(SERVER).pathname

export const route = signal<Route>(current())

addEventListener('popstate', () => {
  go(current())
})

function current(): Route {
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : ''
  return readRoute(decoded(path), location.search)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The href of a link. */
export function hrefOf(to: Route): string {
  return BASE + writeRoute(to)
}

/** Use `replace` for changes that are no step for the back button, such as typing and dragging. */
export function navigate(to: Route, how: 'push' | 'replace' = 'push'): void {
  const href = hrefOf(to)
  if (href === location.pathname + location.search) return
  if (how === 'push') history.pushState(steps() + 1, '', href)
  else history.replaceState(steps(), '', href)
  if (how === 'push') go(to)
  else route.value = to
}

/** A route that selects other data is a new load. Changes of the view keep the range of the data on screen. */
function go(to: Route): void {
  batch(() => {
    if (JSON.stringify(selectionOf(to)) !== JSON.stringify(selectionOf(route.peek()))) refresh()
    route.value = to
  })
}

function selectionOf(of: Route): readonly unknown[] {
  return [
    of.screen,
    'query' in of ? of.query : undefined,
    'search' in of ? of.search : undefined,
    of.screen === 'compare' ? [of.before, of.after] : undefined,
  ]
}

/** Goes to the previous screen, or to `up` if the first page was opened by a link. */
export function goBack(up: Route): void {
  if (steps() > 0) history.back()
  else navigate(up)
}

/** The number of steps from the first page. The browser keeps it for each step, also across reloads. */
function steps(): number {
  const { state } = history as { readonly state: unknown }
  return typeof state === 'number' ? state : 0
}
