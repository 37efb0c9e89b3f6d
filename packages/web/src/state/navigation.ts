// The address and the route are one thing: the route is read from the address, and changing it changes the address.
import { signal } from '@preact/signals'
import type { Route } from '../address/route.ts'
import { readRoute, writeRoute } from '../address/route.ts'

/** The page's own path, with a slash at its end: `/`, or what a proxy has it below. */
const BASE = new URL('.', document.baseURI).pathname

export const route = signal<Route>(current())

addEventListener('popstate', () => {
  route.value = current()
})

function current(): Route {
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : ''
  return readRoute(decodeURIComponent(path), location.search)
}

/** As links have it. */
export function hrefOf(to: Route): string {
  return BASE + writeRoute(to)
}

/** `replace` where it is no step of its own for the back button: typing, dragging. */
export function navigate(to: Route, how: 'push' | 'replace' = 'push'): void {
  const href = hrefOf(to)
  if (href === location.pathname + location.search) return
  if (how === 'push') history.pushState(steps() + 1, '', href)
  else history.replaceState(steps(), '', href)
  route.value = to
}

/** To where one came from; a page that was opened by a link has no such place, and goes up instead. */
export function goBack(up: Route): void {
  if (steps() > 0) history.back()
  else navigate(up)
}

/** How many steps into the page the address is; the browser keeps it with each of them, reloads included. */
function steps(): number {
  const { state } = history as { readonly state: unknown }
  return typeof state === 'number' ? state : 0
}

/** The server that the page came from, and that it asks. */
export const SERVER = new URL('.', document.baseURI).href
