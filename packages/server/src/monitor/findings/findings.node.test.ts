import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { StateFiles } from '../../broker/state-file.ts'
import { breachesOf } from '../alerts/breaches.ts'
import type { AlertRule } from '../alerts/alert-rule.ts'
import type { ComparisonState, FindingFunction } from './finding.ts'
import { findingFile } from './finding.ts'
import { findingSentence } from './finding-text.ts'
import type { NewFinding } from './findings.ts'
import { Findings } from './findings.ts'
import { showsVariation } from './regressions.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-findings-'))
afterAll(() => rmSync(directory, { recursive: true }))

const SHARES = { before: 0.1, after: 0.2, margin: 0.01, q: 0.001 }
const named = (name: string): FindingFunction => ({ name, file: 'a.ts', self: SHARES, total: SHARES })

function found(name: string, over: Partial<NewFinding> = {}): NewFinding {
  const range = { selector: 'cpu:ns{}', from: '0', to: '1' }
  return {
    service: 'shop',
    type: 'cpu:ns',
    comparison: 'version',
    cause: named(name),
    callers: ['main'],
    functions: [named(name), named('main')],
    decreased: [],
    change: 0.12,
    margin: 0.01,
    before: 0.4,
    unit: 'cores',
    q: 0.001,
    since: '2026-01-01T00:00:00.000Z',
    version: '2',
    previousVersion: '1',
    baseline: range,
    current: range,
    traces: [],
    ...over,
  }
}

const COMPARED: ComparisonState = {
  service: 'shop',
  type: 'cpu:ns',
  comparison: 'version',
  version: '2',
  previousVersion: '1',
  time: '2026-01-01T00:00:00.000Z',
  observations: [1000, 1000],
  instances: [1, 1],
  variation: 0.02,
  found: 1,
}
const CURSOR = { version: '2', looks: 1, hour: 0 }

function opened(name: string) {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const changes: string[] = []
  const files = new StateFiles(directory, name, findingFile)
  const open = (): Findings =>
    new Findings({ files, now: () => now, onChange: (_, { cause, state }) => changes.push(`${cause.name} ${state}`) })
  const record = (findings: Findings, ...list: NewFinding[]) =>
    findings.record('default', 'key', CURSOR, COMPARED, list)
  return { open, record, changes, later: (ms: number) => (now += ms) }
}

describe('showsVariation', () => {
  it('needs two instances on a side, or several blocks of time', () => {
    expect(showsVariation({ runs: [1, 1] })).toBe(false)
    expect(showsVariation({ runs: [2, 1] })).toBe(true)
  })
})

describe('Findings', () => {
  it('updates a known finding instead of opening another one, and survives a restart', async () => {
    const { open, record, later } = opened('update')
    const findings = open()
    await record(findings, found('rank'))
    await record(findings, found('rank', { change: 0.13 }))
    // A later look names another function of the same group.
    await record(findings, found('main', { functions: [named('main'), named('rank')] }))
    expect(findings.list('default')).toHaveLength(1)
    later(3_600_000)
    await record(findings, found('main', { functions: [named('main'), named('rank')], change: 0.14 }))
    const again = open()
    expect(again.list('default')).toMatchObject([{ change: 0.14, state: 'open' }])
    expect(again.list('default')[0].history.map(({ event }) => event)).toEqual(['opened', 'confirmed'])
    expect([again.cursors('default'), again.comparisons('default')]).toEqual([{ key: CURSOR }, [COMPARED]])
  })

  it('forgets everything about a service, and keeps the others', async () => {
    const findings = opened('forget').open()
    for (const service of ['shop', 'search']) {
      const key = JSON.stringify([service, 'cpu', 'ns'])
      await findings.record('t', key, CURSOR, { ...COMPARED, service }, [found('slow', { service })])
      await findings.addDeployment('t', { service, version: '2', time: '2026-01-01T00:00:00.000Z' })
    }
    await findings.forget('t', ['shop'])
    const services = [findings.list('t'), findings.comparisons('t'), findings.deployments('t')].map(list =>
      list.map(({ service }) => service),
    )
    expect(services).toEqual([['search'], ['search'], ['search']])
    expect(Object.keys(findings.cursors('t'))).toEqual([JSON.stringify(['search', 'cpu', 'ns'])])
  })

  it('keeps an accepted finding closed unless it grows, and reopens a fixed one', async () => {
    const { open, record, changes } = opened('states')
    const findings = open()
    await record(findings, found('rank'))
    const [{ id }] = findings.list('default')
    await findings.setState('default', id, 'accepted', { by: 'me', note: 'known' })
    await record(findings, found('rank', { change: 0.15 }))
    expect(findings.list('default')).toMatchObject([{ state: 'accepted', change: 0.12 }])
    await record(findings, found('rank', { change: 0.5 }))
    expect(findings.list('default')).toMatchObject([{ state: 'open', change: 0.5 }])
    await findings.setState('default', id, 'fixed')
    await record(findings, found('rank', { version: '3' }))
    expect(findings.get('default', id)?.history.map(({ event }) => event)).toEqual([
      'opened',
      'accepted',
      'reopened',
      'fixed',
      'reopened',
    ])
    expect(changes).toEqual(['rank open', 'rank accepted', 'rank open', 'rank fixed', 'rank open'])
    expect(await findings.setState('default', 'unknown', 'fixed')).toBeUndefined()
  })
})

describe('breachesOf', () => {
  const base = { tenant: 'default', now: 1_000_000, signal: new AbortController().signal, findings: [] }
  const values =
    (now: readonly number[], before: readonly number[] = []) =>
    async ({ to }: { readonly to: number }) => ({
      unit: 'count',
      groups: (to === 1_000_000 ? now : before).map((value, i) => ({ labels: { region: `r${i}` }, value })),
    })
  const rule = (test: AlertRule['test']): AlertRule => ({
    name: 'busy',
    condition: { kind: 'metric', metric: 'load' },
    ...(test === undefined ? {} : { test }),
  })

  it('compares values with a limit, with an earlier time, or finds none', async () => {
    const above = await breachesOf(rule({ kind: 'above', value: 5 }), { ...base, values: values([4, 6]) })
    expect(above).toMatchObject([{ labels: { region: 'r1' }, value: 6, summary: 'load is 6, above 5' }])
    expect(await breachesOf(rule({ kind: 'below', value: 5 }), { ...base, values: values([4, 6]) })).toHaveLength(1)
    const change = rule({ kind: 'change', percent: 30, against: '1h' })
    expect(await breachesOf(change, { ...base, values: values([12, 14], [10, 10]) })).toMatchObject([
      { labels: { region: 'r1' }, summary: 'load is 14, +40.0 % against 1h ago' },
    ])
    expect(await breachesOf(rule({ kind: 'absent' }), { ...base, values: values([]) })).toMatchObject([
      { labels: {}, summary: 'load has no values in the last 5m' },
    ])
    expect(await breachesOf(rule({ kind: 'absent' }), { ...base, values: values([1]) })).toEqual([])
  })

  it('holds for open findings of the service above the minimum', async () => {
    const { open, record } = opened('breaches')
    const findings = open()
    await record(findings, found('rank'))
    const breaches = async (condition: AlertRule['condition']) =>
      breachesOf({ name: 'slower', condition }, { ...base, findings: findings.list('default'), values: values([]) })
    const [finding] = findings.list('default')
    expect(await breaches({ kind: 'regression', minIncrease: 20 })).toMatchObject([
      { finding: finding.id, labels: { 'service.name': 'shop', function: 'rank' }, summary: findingSentence(finding) },
    ])
    expect(findingSentence(finding)).toBe('shop 2: rank costs 0.12 cores ± 0.01 cores more than in 1 (+30 %)')
    expect(await breaches({ kind: 'regression', minIncrease: 50 })).toEqual([])
    expect(await breaches({ kind: 'regression', service: 'cart' })).toEqual([])
  })
})
