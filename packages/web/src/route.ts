// Addresses of the page and what they mean: one codec, both ways. Paths have one segment, so that links to scripts and
// styles, which are relative, hold on every screen.
import type { Query } from './query.ts'
import { EMPTY_QUERY, queryFields } from './query.ts'
import type { Fields } from './route-fields.ts'
import { choice, flag, readFields, text, texts, writeFields } from './route-fields.ts'
import type { View } from './view.ts'
import { DEFAULT_VIEW, viewFields } from './view.ts'

export interface ExploreRoute {
  readonly screen: 'explore'
  readonly query: Query
  /** Attributes that the chart has a line for each value of. */
  readonly groupBy: readonly string[]
  readonly view: View
}

export const COMPARISONS = ['diff', 'side', 'table'] as const
export type ShownComparison = (typeof COMPARISONS)[number]

export interface Comparison {
  readonly shows: ShownComparison
  /** Values as they are instead of shares of each side's total. */
  readonly absolute: boolean
  readonly filter: string
}

export interface CompareRoute {
  readonly screen: 'compare'
  readonly before: Query
  readonly after: Query
  readonly comparison: Comparison
  readonly view: View
}

export interface FileRoute {
  readonly screen: 'file'
  /** What files were kept under; two are a comparison, the first being the one before. */
  readonly files: readonly string[]
  /** Addresses of files on the page's own server, which are fetched and become `files`. */
  readonly open: readonly string[]
  /** As `cpu:ns`; the first unless chosen. */
  readonly type: string
  readonly comparison: Comparison
  readonly view: View
}

export interface ProfilesRoute {
  readonly screen: 'profiles'
  readonly query: Query
  /** The page: `after` of the request. */
  readonly after: string
}

export interface ProfileRoute {
  readonly screen: 'profile'
  readonly profile: string
  readonly view: View
}

export interface StatusRoute {
  readonly screen: 'status'
}

export interface MissingRoute {
  readonly screen: 'missing'
  readonly path: string
}

export type Route = ExploreRoute | CompareRoute | FileRoute | ProfilesRoute | ProfileRoute | StatusRoute | MissingRoute

const exploreFields: Fields<Pick<ExploreRoute, 'groupBy'>> = { groupBy: ['group', texts] }
const comparisonFields: Fields<Comparison> = {
  shows: ['show', choice(COMPARISONS, 'diff')],
  absolute: ['absolute', flag()],
  filter: ['filter', text()],
}
const fileFields: Fields<Pick<FileRoute, 'files' | 'open' | 'type'>> = {
  files: ['file', texts],
  open: ['open', texts],
  type: ['type', text()],
}
const profilesFields: Fields<Pick<ProfilesRoute, 'after'>> = { after: ['after', text()] }
const profileFields: Fields<Pick<ProfileRoute, 'profile'>> = { profile: ['id', text()] }

/** Unless another is chosen, what is compared with is the hour before. */
const beforeFields: Fields<Query> = { ...queryFields, from: ['from', text('now-2h')], to: ['to', text('now-1h')] }

/** Of the two sides of a comparison. */
const BEFORE = 'a.'
const AFTER = 'b.'

export const DEFAULT_COMPARISON: Comparison = { shows: 'diff', absolute: false, filter: '' }
export const FILES: FileRoute = {
  screen: 'file',
  files: [],
  open: [],
  type: '',
  comparison: DEFAULT_COMPARISON,
  view: DEFAULT_VIEW,
}
export const EXPLORE: ExploreRoute = { screen: 'explore', query: EMPTY_QUERY, groupBy: [], view: DEFAULT_VIEW }

/** `path` is what follows the page's own, without a slash: empty, `explore`, `compare`. `search` may begin with its `?`. */
export function readRoute(path: string, search: string): Route {
  const query = new URLSearchParams(search)
  switch (path) {
    case '':
    case 'explore':
      return {
        screen: 'explore',
        query: readFields(queryFields, query),
        ...readFields(exploreFields, query),
        view: readFields(viewFields, query),
      }
    case 'compare':
      return {
        screen: 'compare',
        before: readFields(beforeFields, query, BEFORE),
        after: readFields(queryFields, query, AFTER),
        comparison: readFields(comparisonFields, query),
        view: readFields(viewFields, query),
      }
    case 'file':
      return {
        screen: 'file',
        ...readFields(fileFields, query),
        comparison: readFields(comparisonFields, query),
        view: readFields(viewFields, query),
      }
    case 'profiles':
      return { screen: 'profiles', query: readFields(queryFields, query), ...readFields(profilesFields, query) }
    case 'profile':
      return { screen: 'profile', ...readFields(profileFields, query), view: readFields(viewFields, query) }
    case 'status':
      return { screen: 'status' }
    default:
      return { screen: 'missing', path }
  }
}

/** Relative to the page: `explore?service=checkout`. */
export function writeRoute(route: Route): string {
  const query = new URLSearchParams()
  switch (route.screen) {
    case 'explore':
      writeFields(queryFields, route.query, query)
      writeFields(exploreFields, route, query)
      writeFields(viewFields, route.view, query)
      break
    case 'compare':
      writeFields(beforeFields, route.before, query, BEFORE)
      writeFields(queryFields, route.after, query, AFTER)
      writeFields(comparisonFields, route.comparison, query)
      writeFields(viewFields, route.view, query)
      break
    case 'file':
      writeFields(fileFields, route, query)
      writeFields(comparisonFields, route.comparison, query)
      writeFields(viewFields, route.view, query)
      break
    case 'profiles':
      writeFields(queryFields, route.query, query)
      writeFields(profilesFields, route, query)
      break
    case 'profile':
      writeFields(profileFields, route, query)
      writeFields(viewFields, route.view, query)
      break
    case 'status':
      break
    case 'missing':
      return route.path
  }
  const written = query.toString()
  return written === '' ? route.screen : `${route.screen}?${written}`
}
