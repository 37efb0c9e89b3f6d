import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { StateFiles } from '../../broker/state-file.ts'
import { findingFile } from '../findings/finding.ts'
import { Findings } from '../findings/findings.ts'
import { Outbox, outboxFile } from '../notify/outbox.ts'
import type { AlertRule, AlertReceiver } from './alert-rule.ts'
import { alertRule } from './alert-rule.ts'
import { Alerts, alertFile } from './alerts.ts'
import type { GroupValue } from './breaches.ts'
import { breachesOf } from './breaches.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-alerts-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const MINUTE = 60_000
const TENANT = 'default'

const ruleOf = (fields: Partial<AlertRule>): AlertRule =>
  alertRule.parse({ name: 'busy', condition: { kind: 'profile', selector: 'cpu:ns{}' }, ...fields })
const group = (service: string, value: number): GroupValue => ({ labels: { 'service.name': service }, value })

/** `values` are the groups of the latest window. Windows before have those of `earlier`. */
function opened(rule: AlertRule, receivers: readonly AlertReceiver[] = [{ name: 'team', kind: 'webhook' }]) {
  const state = { now: Date.parse('2026-01-01T00:00:00Z'), values: [] as GroupValue[], earlier: [] as GroupValue[] }
  const rules = [rule]
  const captures: string[] = []
  const errors: unknown[] = []
  const now = (): number => state.now
  const open = () => {
    const outbox = new Outbox({
      files: new StateFiles(directory, 'outbox', outboxFile),
      receiver: () => undefined,
      publicUrl: '',
      storeLogs: async () => {},
      now,
    })
    const alerts = new Alerts({
      files: new StateFiles(directory, 'alerts', alertFile),
      rules: () => rules,
      receivers: () => receivers,
      findings: new Findings({ files: new StateFiles(directory, 'findings', findingFile) }),
      outbox,
      values: async ({ to }) => ({ unit: 'ns/s', groups: to > state.now - MINUTE ? state.values : state.earlier }),
      capture: async (_, { name }, { labels }) => `${name} ${labels['service.name']} ${captures.push(name)}`,
      onError: error => errors.push(error),
      now,
    })
    return { alerts, outbox }
  }
  const { alerts, outbox } = open()
  const evaluate = async (later = 0): Promise<string[]> => {
    state.now += later
    await alerts.evaluate(TENANT, new AbortController().signal)
    return alerts.list(TENANT).map(each => `${each.labels['service.name'] ?? ''} ${each.state}`)
  }
  /** The messages since the last call. */
  let read = 0
  const messages = (): string[] => {
    const all = outbox.waiting(TENANT).slice(read)
    read += all.length
    return all.map(
      ({ receiver, alerts: list }) =>
        `${receiver}: ${list.map(each => `${each.labels['service.name'] ?? ''} ${each.state}`).join(', ')}`,
    )
  }
  return { state, rules, captures, errors, alerts, open, evaluate, messages }
}

describe('Alerts', () => {
  it('fires after the condition held for a time, and resolves', async () => {
    const { state, evaluate, messages, alerts } = opened(ruleOf({ test: { kind: 'above', value: 5e8 }, for: '2m' }))
    state.values = [group('shop', 6e8), group('idle', 1e8)]
    expect(await evaluate()).toEqual(['shop pending'])
    expect(await evaluate(MINUTE)).toEqual(['shop pending'])
    expect(messages()).toEqual([])
    expect(await evaluate(MINUTE)).toEqual(['shop firing'])
    expect(messages()).toEqual(['team: shop firing'])
    expect(alerts.list(TENANT)[0].summary).toMatch(/^busy is .*, above /)
    expect(await evaluate(MINUTE)).toEqual(['shop firing'])
    expect(messages()).toEqual([])
    state.values = []
    expect(await evaluate(MINUTE)).toEqual(['shop resolved'])
    expect(messages()).toEqual(['team: shop resolved'])
  })

  it('forgets the alerts of a rule that is removed while it is evaluated', async () => {
    const { state, rules, evaluate, messages, alerts } = opened(ruleOf({ test: { kind: 'above', value: 5e8 } }))
    state.values = [group('shop', 6e8)]
    expect(await evaluate()).toEqual(['shop firing'])
    expect(messages()).toEqual(['team: shop firing'])
    state.values = []
    const evaluation = evaluate(MINUTE)
    rules.length = 0
    await alerts.forget(TENANT, 'busy')
    expect(await evaluation).toEqual([])
    expect(await evaluate(MINUTE)).toEqual([])
    expect(messages()).toEqual([])
  })

  it('fires on a change against an earlier time, and on missing values', async () => {
    const change = opened(ruleOf({ test: { kind: 'change', percent: 30, against: '1d' } }))
    change.state.earlier = [group('shop', 100), group('other', 100)]
    change.state.values = [group('shop', 140), group('other', 120), group('new', 1)]
    expect(await change.evaluate()).toEqual(['shop firing'])
    expect(change.alerts.list(TENANT)[0].summary).toContain('+40.0 % against 1d ago')
    const absent = opened(ruleOf({ name: 'silent', test: { kind: 'absent' } }))
    absent.state.values = [group('shop', 0)]
    expect(await absent.evaluate()).not.toContain(' firing')
    absent.state.values = []
    expect(await absent.evaluate(MINUTE)).toContain(' firing')
  })

  it('averages profiles up to the time by which they have arrived, and metrics up to now', async () => {
    const ends: number[] = []
    const endOf = async (condition: AlertRule['condition']): Promise<void> => {
      const values = async ({ to }: { readonly to: number }) => {
        ends.push(MINUTE - to)
        return { unit: '', groups: [] }
      }
      const rule = ruleOf({ condition, test: { kind: 'above', value: 1 } })
      const signal = new AbortController().signal
      await breachesOf(rule, { tenant: TENANT, findings: [], values, now: MINUTE, signal })
    }
    await endOf({ kind: 'profile', selector: 'cpu:ns{}' })
    await endOf({ kind: 'ledger', service: 'shop', operation: 'GET /search', entry: 'lock' })
    await endOf({ kind: 'metric', metric: 'queue.length' })
    expect(ends).toEqual([30_000, 30_000, 0])
  })

  it('sends the alerts of a group together, to the receivers of the rule', async () => {
    const receivers: AlertReceiver[] = [
      { name: 'team', kind: 'webhook' },
      { name: 'each', kind: 'slack', groupBy: ['service.name'] },
      { name: 'other', kind: 'webhook' },
    ]
    const rule = ruleOf({ test: { kind: 'above', value: 1 }, receivers: ['team', 'each'] })
    const { state, evaluate, messages } = opened(rule, receivers)
    state.values = [group('a', 2), group('b', 2)]
    await evaluate()
    expect(messages()).toEqual(['team: a firing, b firing', 'each: a firing', 'each: b firing'])
    // Firing alerts are sent again after four hours.
    await evaluate(4 * 60 * MINUTE)
    expect(messages()).toHaveLength(3)
  })

  it('sends nothing about silenced alerts, and sends them when the silence ends', async () => {
    const { state, evaluate, messages, alerts } = opened(ruleOf({ test: { kind: 'above', value: 1 } }))
    const until = new Date(state.now + 10 * MINUTE).toISOString()
    await alerts.addSilence(TENANT, { matchers: { 'service.name': 'shop' }, until, by: 'ann' })
    state.values = [group('shop', 2), group('other', 2)]
    await evaluate()
    expect(messages()).toEqual(['team: other firing'])
    await evaluate(11 * MINUTE)
    expect(messages()[0]).toContain('shop firing')
  })

  it('starts one capture when an alert fires', async () => {
    const { state, evaluate, captures, alerts } = opened(
      ruleOf({ test: { kind: 'above', value: 1 }, groupBy: ['service.name'], capture: {} }),
    )
    expect(() => ruleOf({ test: { kind: 'above', value: 1 }, capture: {} })).toThrow('a capture needs a service')
    state.values = [group('shop', 2)]
    await evaluate()
    await evaluate(MINUTE)
    expect(captures).toEqual(['busy'])
    expect(alerts.list(TENANT)[0]).toMatchObject({ state: 'firing', capture: 'busy shop 1' })
  })

  it('keeps states and due messages over a restart', async () => {
    const { state, evaluate, open } = opened(ruleOf({ test: { kind: 'above', value: 1 } }))
    state.values = [group('shop', 2)]
    await evaluate()
    const again = open()
    expect(again.outbox.waiting(TENANT)).toHaveLength(1)
    await again.alerts.evaluate(TENANT, new AbortController().signal)
    expect(again.alerts.list(TENANT)).toMatchObject([{ state: 'firing' }])
    // The message is not sent twice.
    expect(again.outbox.waiting(TENANT)).toHaveLength(1)
  })

  it('keeps alerts if their values cannot be read, and ends those of removed rules', async () => {
    const { state, evaluate, rules, errors } = opened(ruleOf({ test: { kind: 'above', value: 1 } }))
    state.values = [group('shop', 2)]
    await evaluate()
    const { values } = state
    Object.defineProperty(state, 'values', {
      get: () => {
        throw new Error('the store is away')
      },
      configurable: true,
    })
    expect(await evaluate(MINUTE)).toEqual(['shop firing'])
    expect(errors).toHaveLength(1)
    Object.defineProperty(state, 'values', { value: values })
    rules.pop()
    expect(await evaluate(MINUTE)).toEqual(['shop resolved'])
  })
})
