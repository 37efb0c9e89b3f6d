// Deletions in the real store: items, empty requests and symbols go, others stay, and a restart continues.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { logs, traces } from '@hearth/signals'
import { readOtlpJson } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Payload } from '../../store/keeper.ts'
import { Store } from '../../store/store.ts'
import type { DeletionRecord } from './deletions.ts'
import { Deletions } from './deletions.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-deletions-'))
const changes: DeletionRecord[] = []
const forgotten: string[] = []
const errors: unknown[] = []
let store: Store
let deletions: Deletions

const newDeletions = (): Deletions =>
  new Deletions({
    store,
    dataDirectory: directory,
    onDeleting: tenant => forgotten.push(tenant),
    onChange: record => changes.push(record),
    onError: error => errors.push(error),
  })

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })
const TIME = '1700000000000000000'
const RANGE = { from: '1600000000000000000', to: '1800000000000000000' }

/** Profiles, spans and log records of two users, each with a resource of its own. */
function payloadsOf(user: string): readonly Payload[] {
  const resource = { attributes: [attribute('service.name', 'shop'), attribute('user', user)] }
  const dictionary = {
    mappingTable: [{}],
    locationTable: [{}, { lines: [{ functionIndex: 1 }] }],
    functionTable: [{}, { nameStrindex: 3 }],
    linkTable: [{}],
    stringTable: ['', 'cpu', 'ns', `work of ${user}`, 'note'],
    attributeTable: [{}, { keyStrindex: 4, value: { stringValue: `note of ${user}` } }],
    stackTable: [{}, { locationIndices: [1] }],
  }
  const profile = {
    timeUnixNano: TIME,
    sampleType: { typeStrindex: 1, unitStrindex: 2 },
    samples: [{ stackIndex: 1, values: ['3'], attributeIndices: [1] }],
  }
  const span = { traceId: '01'.repeat(16), spanId: '02'.repeat(8), name: 'buy', startTimeUnixNano: TIME }
  return [
    {
      signal: 'profiles',
      profiles: readOtlpJson(
        json({ dictionary, resourceProfiles: [{ resource, scopeProfiles: [{ profiles: [profile] }] }] }),
      ).profiles,
    },
    {
      signal: 'traces',
      traces: traces.decodeJson(json({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })),
    },
    {
      signal: 'logs',
      logs: logs.decodeJson(
        json({
          resourceLogs: [
            { resource, scopeLogs: [{ logRecords: [{ timeUnixNano: TIME, body: { stringValue: user } }] }] },
          ],
        }),
      ),
    },
  ]
}

async function keep(user: string): Promise<void> {
  for (const payload of payloadsOf(user))
    await store.keep({
      tenant: 'default',
      client: '',
      id: randomBytes(16),
      bytes: 1,
      generation: '',
      rejected: 0,
      payload,
    })
}

async function countsOf(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of ['profiles', 'spans', 'logs', 'requests', 'resources', 'functions', 'attribute_sets']) {
    const block = await store.engine.select(
      `SELECT count() AS n FROM ${table} FINAL`.replace(
        ' FINAL',
        table === 'resources' || table === 'functions' || table === 'attribute_sets' ? ' FINAL' : '',
      ),
    )
    counts[table] = Number(block.column('n').bigint(0))
  }
  return counts
}

async function ended(id: string, state: DeletionRecord['state']): Promise<DeletionRecord> {
  return await new Promise(resolve => {
    const check = (): void => {
      const record = deletions.find('default', id)
      if (record !== undefined && (record.state === state || record.state === 'failed')) resolve(record)
      else setTimeout(check, 20)
    }
    check()
  })
}

beforeAll(async () => {
  store = await Store.open({
    dataDirectory: directory,
    windowMs: 1,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  deletions = newDeletions()
})
afterAll(async () => {
  await deletions.close()
  await store.close(5000)
  rmSync(directory, { recursive: true })
})

const wanted = (selector: string) => ({
  tenant: 'default',
  by: 'ops',
  signals: ['profiles', 'traces', 'logs', 'metrics'] as ('profiles' | 'traces' | 'logs' | 'metrics')[],
  selector,
  ...RANGE,
})

describe('Deletions', () => {
  it('deletes matching data of every signal with its symbols, and keeps the rest', async () => {
    await keep('ada')
    await keep('eve')
    expect(await deletions.count(wanted('{user="ada"}'))).toEqual({ profiles: 1, traces: 1, logs: 1, metrics: 0 })
    const before = await countsOf()
    const { id, state } = await deletions.start(wanted('{user="ada"}'))
    expect(state).toBe('running')
    const record = await ended(id, 'deleted')
    expect(record).toMatchObject({
      by: 'ops',
      remaining: 0,
      rows: { profiles: 1, spans: 1, logs: 1, requests: 3, resources: 1, functions: 1, attribute_sets: 1 },
    })
    expect(await deletions.count(wanted('{user="ada"}'))).toEqual({ profiles: 0, traces: 0, logs: 0, metrics: 0 })
    expect(await deletions.count(wanted('{user="eve"}'))).toEqual({ profiles: 1, traces: 1, logs: 1, metrics: 0 })
    const after = await countsOf()
    for (const [table, count] of Object.entries(record.rows)) {
      if (table in after) expect([table, after[table]]).toEqual([table, before[table] - count])
    }
    const block = await store.engine.select('SELECT name FROM functions')
    expect(block.rows).toBe(1)
    expect(block.column('name').text(0)).toBe('work of eve')
    expect([errors, forgotten.length > 1]).toEqual([[], true])
    expect(changes.map(change => change.state)).toEqual(['running'])
  })

  it('stores symbols again that arrive after a deletion', async () => {
    await keep('ada')
    await store.visible()
    const block = await store.engine.select('SELECT count() AS n FROM functions FINAL')
    expect(block.column('n').bigint(0)).toBe(2n)
  })

  it('says when the data is gone from disk, also after a restart', async () => {
    const [first] = deletions.list('default')
    await deletions.close()
    // The store keeps replaced parts for eight minutes.
    const tables = Object.keys(first.rows)
    for (const table of tables) await store.engine.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 0`)
    deletions = newDeletions()
    // It looks for them only once in a minute, unless it is told to.
    const stateNow = async (): Promise<string | undefined> => {
      for (const table of tables) await store.engine.command(`SYSTEM START CLEANUP ${table}`)
      return deletions.find('default', first.id)?.state
    }
    await expect.poll(stateNow).toBe('gone')
    const record = await ended(first.id, 'gone')
    expect(record.state).toBe('gone')
    expect(Date.parse(record.gone ?? '')).toBeGreaterThanOrEqual(Date.parse(record.deleted ?? ''))
    expect(changes.at(-1)).toMatchObject({ id: first.id, state: 'gone' })
  }, 120_000)

  it('uses the previous version of a damaged file, and keeps the damaged one', async () => {
    await deletions.close()
    const file = join(directory, 'deletions.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"gone"', '"fine"'))
    deletions = newDeletions()
    const [first] = deletions.list('default')
    // The previous version does not know yet that the data is gone.
    expect(first.state).toBe('deleted')
    expect((await ended(first.id, 'gone')).state).toBe('gone')
    expect(readdirSync(directory).some(name => name.startsWith('deletions.json.damaged-'))).toBe(true)
  })

  it('rejects an invalid selector before it starts', async () => {
    await expect(deletions.start(wanted('{user='))).rejects.toThrow(/./)
    expect(deletions.list('default')).toHaveLength(1)
  })
})
