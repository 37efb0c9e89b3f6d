// The part of a route that stays when the user switches areas: service, range, filters and normalisation.
import type { Normalisation } from './normalisation.ts'
import type { Filter, Query } from './query.ts'
import { DEFAULT_FROM, DEFAULT_TO } from './query.ts'
import type { Route } from './route.ts'
import { lengthOf, shifted } from './time-range.ts'

export interface Context {
  readonly service: string
  readonly from: string
  readonly to: string
  readonly filters: readonly Filter[]
  readonly per: Normalisation
}

export const DEFAULT_CONTEXT: Context = { service: '', from: DEFAULT_FROM, to: DEFAULT_TO, filters: [], per: 'total' }

/** The fields that all selections have in common. */
type Selection = Pick<Query, 'service' | 'filters' | 'from' | 'to'>

/** The context after the user has seen `route`. A screen without a selection keeps the context before. */
export function contextAfter(route: Route, before: Context): Context {
  if (route.screen === 'symbols') return { ...before, from: route.from, to: route.to }
  if (route.screen === 'services') {
    // Services shows values per second by default, other screens totals. Only a choice of the user is kept.
    const per = route.per === 'second' && before.per === 'total' ? 'total' : route.per
    return { ...before, per, from: route.from, to: route.to }
  }
  const per = !('per' in route) || isDefaultOfCompare(route, before) ? before.per : route.per
  const selection = selectionOf(route)
  if (selection === undefined) return before
  const { service, from, to, filters } = selection
  // Other signals do not have the filters by profile and sample. They stay until the user returns to profiles.
  const own = before.filters.filter(each => isOfProfiles(each) && !showsProfiles(route))
  return { service, from, to, filters: [...filters, ...own], per }
}

/** The route with the selection of the context. */
export function withContext(route: Route, context: Context, now: number): Route {
  const { service, from, to, per, filters } = context
  switch (route.screen) {
    case 'services':
      return { ...route, from, to, per: per === 'total' ? route.per : per }
    case 'symbols':
      return { ...route, from, to }
    case 'explore':
      return { ...route, query: selected(route.query, context), per }
    case 'breakdown':
    case 'function':
      return { ...route, query: { ...selected(route.query, context), type: route.query.type }, per }
    case 'profiles':
      return { ...route, query: selected(route.query, context), after: '' }
    case 'compare': {
      if (isSame(route.after, context) && comparedPer(route, per) === route.per) return route
      if (isSame(route.after, context)) return { ...route, per: comparedPer(route, per) }
      const after = selected(route.after, context)
      const before = { ...shifted(after, lengthOf(after, now) ?? HOUR, now), service, filters }
      return { ...route, before: { ...route.before, ...before, type: after.type }, after, per: comparedPer(route, per) }
    }
    case 'traces':
      return {
        ...route,
        search: searched(route.search, context),
        after: isSame(route.search, context) ? route.after : '',
      }
    case 'slow':
    case 'operation':
    case 'logs':
    case 'metric':
      return { ...route, search: searched(route.search, context) } as Route
    case 'alerts':
    case 'broker':
    case 'capture':
    case 'file':
    case 'missing':
    case 'profile':
    case 'status':
    case 'targets':
    case 'trace':
      return route
  }
}

/** Compare shows shares by default. Only a choice of the user is kept. */
function isDefaultOfCompare(route: Route, before: Context): boolean {
  return route.screen === 'compare' && route.per === 'share' && before.per === 'total'
}

function comparedPer(route: Extract<Route, { screen: 'compare' }>, per: Normalisation): Normalisation {
  return per === 'total' ? route.per : per
}

const HOUR = 3_600_000

/** Another service may not have the profile type, so its preferred type is shown. */
function selected(query: Query, { service, from, to, filters }: Context): Query {
  return { ...query, service, from, to, filters, type: service === query.service ? query.type : '' }
}

function searched<Search extends Selection>(search: Search, { service, from, to, filters }: Context): Search {
  return { ...search, service, from, to, filters: filters.filter(each => !isOfProfiles(each)) }
}

function selectionOf(route: Route): Selection | undefined {
  if (route.screen === 'compare') return route.after
  if ('query' in route) return route.query
  return 'search' in route ? route.search : undefined
}

function showsProfiles(route: Route): boolean {
  return 'query' in route || route.screen === 'compare'
}

function isOfProfiles({ key }: Filter): boolean {
  return key.startsWith('profile:') || key.startsWith('sample:')
}

function isSame(a: Selection, b: Selection): boolean {
  const keyOf = ({ service, from, to, filters }: Selection): string => JSON.stringify([service, from, to, filters])
  return keyOf(a) === keyOf(b)
}
