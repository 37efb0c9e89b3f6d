// Loads the items of the command palette: commands, saved views, and the names in the current data.
import { useEffect, useMemo } from 'preact/hooks'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { EXPLORE, TRACES, functionRoute } from '../../address/route.ts'
import { EMPTY_TRACE_SEARCH } from '../../address/signal-searches.ts'
import { absolute } from '../../address/time-range.ts'
import { preferredType } from '../../api/preferred-type.ts'
import { context } from '../../state/areas.ts'
import { commands } from '../../state/commands.ts'
import { loadTime } from '../../state/load-time.ts'
import { navigate, route } from '../../state/navigation.ts'
import { loadViews, routeOfView, savedViews } from '../../state/saved-views.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { PaletteItem } from './palette-items.ts'

const MAX_FUNCTIONS = 2000
const MAX_OPERATIONS = 1000
const MAX_LABELS = 500

/** `withData` is false if there is no server to query. */
export function usePaletteItems(withData: boolean): readonly PaletteItem[] {
  useEffect(() => void (withData && savedViews.peek() === undefined && loadViews()), [withData])
  const { service, from, to, per } = context.value
  const query = { ...EMPTY_QUERY, service, from, to }
  const range = absolute({ from, to }, loadTime.value)
  const key = `${service}:${range.from}:${range.to}`
  const services = useLoaded(withData ? `palette-services:${key}` : undefined, async signal => {
    return (await client.peek().query('services', range, { signal })).services
  })
  const operations = useLoaded(withData ? `palette-operations:${key}` : undefined, async signal => {
    const request = { ...range, ...(service === '' ? {} : { service }), limit: MAX_OPERATIONS }
    return (await client.peek().query('operations', request, { signal })).operations
  })
  const labels = useLoaded(withData ? `palette-labels:${key}` : undefined, async signal => {
    const request = { selector: selectorOf(query), ...range, limit: MAX_LABELS }
    return (await client.peek().query('attributes', request, { signal })).attributes
  })
  const shown = route.value
  const ofRoute = 'query' in shown && shown.query.service === service ? shown.query.type : ''
  const functions = useLoaded(withData ? `palette-functions:${key}:${ofRoute}` : undefined, async signal => {
    const selector = selectorOf(query)
    const types =
      ofRoute === '' ? (await client.peek().query('profileTypes', { selector, ...range }, { signal })).profileTypes : []
    const type = ofRoute === '' ? preferredType(types) : ofRoute
    if (type === undefined) return { type: '', rows: [] }
    const request = { selector: selectorOf({ ...query, type }), ...range, limit: MAX_FUNCTIONS }
    return { type, rows: (await client.peek().query('top', request, { signal })).rows }
  })
  const own = commands.value
  const views = savedViews.value
  return useMemo((): readonly PaletteItem[] => {
    const type = functions.value?.type ?? ''
    return [
      ...own.flatMap(({ title, group, keys, run }) =>
        run === undefined ? [] : [{ title, group: 'Commands' as const, note: group, keys, run }],
      ),
      ...(views ?? []).map(view => ({
        title: view.name,
        group: 'Views' as const,
        note: 'saved view',
        run: () => navigate(routeOfView(view)),
      })),
      ...(services.value ?? [])
        .filter(each => each.service !== '')
        .map(each => ({
          title: each.service,
          group: 'Services' as const,
          note: 'service',
          run: () => navigate({ ...EXPLORE, query: { ...query, service: each.service }, per }),
        })),
      ...(operations.value ?? []).map(each => ({
        title: each.name,
        group: 'Operations' as const,
        note: `${each.service} ${each.kind}`,
        run: () =>
          navigate({ ...TRACES, search: { ...EMPTY_TRACE_SEARCH, service: each.service, name: each.name, from, to } }),
      })),
      ...(functions.value?.rows ?? []).map(({ frame: { name, file = '' } }) => ({
        title: name,
        group: 'Functions' as const,
        note: file,
        run: () => navigate(functionRoute({ name, file }, { ...query, type }, per)),
      })),
      ...(labels.value ?? []).map(each => ({
        title: each.key,
        group: 'Labels' as const,
        note: 'break down',
        run: () => navigate({ screen: 'breakdown', query: { ...query, type }, key: each.key, show: 'bars', per }),
      })),
    ]
  }, [own, views, services.value, operations.value, functions.value, labels.value])
}
