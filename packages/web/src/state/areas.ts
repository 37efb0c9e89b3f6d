// The areas remember what the user looked at. A link to another area keeps service, range, filters and normalisation.
import { computed, effect, signal } from '@preact/signals'
import type { Context } from '../address/context.ts'
import { DEFAULT_CONTEXT, contextAfter, withContext } from '../address/context.ts'
import type { Route } from '../address/route.ts'
import { loadTime } from './load-time.ts'
import { route } from './navigation.ts'

/** The last route of each screen. */
const last = signal<ReadonlyMap<Route['screen'], Route>>(new Map())

/** The service, range, filters and normalisation that links to other areas keep. */
export const context = signal<Context>(DEFAULT_CONTEXT)

effect(() => {
  const now = route.value
  context.value = contextAfter(now, context.peek())
  last.value = new Map([...last.peek(), [now.screen, now]])
})

/**
 * The route of a link to an area: the state in which the user left it, with the current context. The current area starts
 * again.
 */
export function linkTo(area: Route): Route {
  const isCurrent = route.value.screen === area.screen
  return withContext(isCurrent ? area : (last.value.get(area.screen) ?? area), context.value, loadTime.peek())
}

/** Whether the current route shows data of a range that ends now. */
export const endsNow = computed(() => context.value.to === 'now')
