// The address of a new comparison of two queries.
import type { Normalisation } from './normalisation.ts'
import type { Query } from './query.ts'
import type { CompareRoute } from './route.ts'
import type { View } from './view.ts'
import { DEFAULT_VIEW } from './view.ts'

/** The comparison of two queries. Totals of other screens become shares. */
export function compareRoute(
  before: Query,
  after: Query,
  per: Normalisation = 'share',
  view: View = DEFAULT_VIEW,
): CompareRoute {
  const comparison = { shows: 'diff', filter: '', sort: 'change' } as const
  return { screen: 'compare', before, after, per: per === 'total' ? 'share' : per, comparison, view }
}
