import { describe, expect, it } from 'vitest'
import { DEFAULT_CONTEXT, contextAfter, withContext } from './context.ts'
import type { CompareRoute, Route } from './route.ts'
import { compareRoute } from './compare-route.ts'
import { EXPLORE, LOGS, METRICS, SERVICES, SYMBOLS, TRACES } from './route.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const region = { key: 'resource:region', operator: '=', value: 'eu' } as const
const thread = { key: 'sample:thread.name', operator: '=', value: 'main' } as const
const explore = {
  ...EXPLORE,
  query: { ...EXPLORE.query, service: 'checkout', type: 'cpu:ns', from: 'now-3h', filters: [region, thread] },
  per: 'request',
} as const
const seen = contextAfter(explore, DEFAULT_CONTEXT)

describe('withContext', () => {
  it('keeps service, range and filters in every area', () => {
    for (const area of [TRACES, LOGS, METRICS]) {
      expect(withContext(area, seen, NOW)).toMatchObject({
        search: { service: 'checkout', from: 'now-3h', to: 'now', filters: [region] },
      })
    }
    expect(withContext(SERVICES, seen, NOW)).toMatchObject({ from: 'now-3h', per: 'request' })
    expect(withContext(SYMBOLS, seen, NOW)).toMatchObject({ from: 'now-3h' })
  })

  it('returns to profiles with the filters that other signals do not have', () => {
    const traces = withContext(TRACES, seen, NOW)
    const after = contextAfter(traces, seen)
    expect(withContext(explore, after, NOW)).toEqual(explore)
  })

  it('keeps a filter that was removed in another area removed', () => {
    const traces = withContext(TRACES, seen, NOW) as typeof TRACES
    const after = contextAfter({ ...traces, search: { ...traces.search, filters: [] } }, seen)
    expect(withContext(explore, after, NOW)).toMatchObject({ query: { filters: [thread] } })
  })

  it('lets another service choose its profile type', () => {
    const after = contextAfter({ ...TRACES, search: { ...TRACES.search, service: 'search' } }, seen)
    expect(withContext(explore, after, NOW)).toMatchObject({ query: { service: 'search', type: '' } })
  })

  it('compares with the period before, and keeps a comparison of the same selection', () => {
    const empty = compareRoute(EXPLORE.query, EXPLORE.query)
    const made = withContext(empty, seen, NOW) as CompareRoute
    expect(made.before).toMatchObject({ service: 'checkout', from: 'now-6h', to: 'now-3h' })
    expect(made.after).toMatchObject({ service: 'checkout', from: 'now-3h', to: 'now' })
    const own = { ...made, before: { ...made.before, from: 'now-27h', to: 'now-1d' } }
    expect(withContext(own, contextAfter(own, seen), NOW)).toBe(own)
  })
})

describe('contextAfter', () => {
  it('keeps the context on screens without a selection', () => {
    expect(contextAfter({ screen: 'status' } as Route, seen)).toBe(seen)
  })

  it('does not take the default normalisation of Services for a choice', () => {
    expect(contextAfter(SERVICES, DEFAULT_CONTEXT).per).toBe('total')
    expect(contextAfter({ ...SERVICES, per: 'share' }, DEFAULT_CONTEXT).per).toBe('share')
  })

  it('keeps a normalisation that was chosen in Compare, but not its default', () => {
    const shares = compareRoute(EXPLORE.query, EXPLORE.query)
    expect(contextAfter(shares, DEFAULT_CONTEXT).per).toBe('total')
    const perSecond = contextAfter({ ...shares, per: 'second' }, DEFAULT_CONTEXT)
    expect(withContext(EXPLORE, perSecond, NOW)).toMatchObject({ per: 'second' })
    expect(withContext(shares, perSecond, NOW)).toMatchObject({ per: 'second' })
  })
})
