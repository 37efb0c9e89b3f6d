import { describe, expect, it } from 'vitest'
import type { AlertRule } from './alert-rule.ts'
import { alertRule, isSilenced } from './alert-rule.ts'
import { nextAlerts } from './alert-states.ts'

const rule: AlertRule = alertRule.parse({
  name: 'busy',
  condition: { kind: 'metric', metric: 'cpu' },
  test: { kind: 'above', value: 1 },
  for: '60s',
  labels: { severity: 'page' },
})
const breach = { labels: { service: 'shop' }, value: 2, summary: 'busy' }

describe('nextAlerts', () => {
  it('fires after the condition held for the given time, and resolves when it ends', () => {
    const first = nextAlerts([], rule, [breach], 0)
    expect(first.alerts).toMatchObject([{ state: 'pending', labels: { service: 'shop', severity: 'page' } }])
    expect(first.changed).toEqual([])
    const fired = nextAlerts(first.alerts, rule, [breach], 60_000)
    expect(fired.changed).toMatchObject([{ state: 'firing', since: '1970-01-01T00:00:00.000Z' }])
    expect(nextAlerts(fired.alerts, rule, [breach], 90_000).changed).toEqual([])
    const resolved = nextAlerts(fired.alerts, rule, [], 120_000)
    expect(resolved.changed).toMatchObject([{ state: 'resolved', resolved: '1970-01-01T00:02:00.000Z' }])
    // It is shown for a day, and fires again after the same time.
    expect(nextAlerts(resolved.alerts, rule, [], 130_000).alerts).toHaveLength(1)
    expect(nextAlerts(resolved.alerts, rule, [], 90_000_000).alerts).toEqual([])
    expect(nextAlerts(resolved.alerts, rule, [breach], 130_000).alerts).toMatchObject([{ state: 'pending' }])
  })

  it('drops a pending alert whose condition ends, and keeps alerts of other rules', () => {
    const other = nextAlerts([], { ...rule, name: 'other', for: '0s' }, [breach], 0)
    const { alerts } = nextAlerts(other.alerts, rule, [breach], 0)
    expect(nextAlerts(alerts, rule, [], 1000).alerts).toMatchObject([{ rule: 'other', state: 'firing' }])
  })
})

it('a silence applies to alerts with all of its labels until it ends', () => {
  const silence = {
    id: '1',
    by: 'me',
    created: '1970-01-01T00:00:00.000Z',
    until: '1970-01-01T00:01:00.000Z',
    matchers: { alertname: 'busy', service: 'shop' },
  }
  expect(isSilenced({ alertname: 'busy', service: 'shop' }, [silence], 0)).toBe(true)
  expect(isSilenced({ alertname: 'busy', service: 'cart' }, [silence], 0)).toBe(false)
  expect(isSilenced({ alertname: 'busy', service: 'shop' }, [silence], 60_000)).toBe(false)
})
