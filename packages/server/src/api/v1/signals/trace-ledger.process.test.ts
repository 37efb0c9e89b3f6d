// Ledgers over real sockets: spans and samples of an event loop whose ledger is known by construction.
import type { TraceLedgerResponse } from '@hearth/client'
import { ApiError } from '@hearth/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlainProfile, PlainSample } from '../../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START } from '../../../query/testing/plain-profiles.ts'
import type { SignalServer } from '../testing/signal-server.ts'
import { attributesJson, openSignalServer, settled } from '../testing/signal-server.ts'

const MS = 1_000_000n
const ORDER = 'a'.repeat(32)
const SEARCHES = ['b'.repeat(32), 'c'.repeat(32)] as const
const IDS = { order: '1'.repeat(16), charge: '2'.repeat(16), first: '3'.repeat(16), second: '4'.repeat(16) }
const RESOURCE = { 'service.name': 'storefront', 'process.pid': 7n }

function span(traceId: string, spanId: string, name: string, from: bigint, to: bigint, parentSpanId = ''): object {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: 2,
    startTimeUnixNano: String(START + from * MS),
    endTimeUnixNano: String(START + to * MS),
  }
}

/** A wall sample at `at` stands for the `length` before it. Both are milliseconds. */
function sample(at: bigint, length: bigint, name: string, link?: readonly [string, string]): PlainSample {
  return {
    frames: [{ name: 'main' }, { name }],
    values: [length * MS],
    timestamps: [START + at * MS],
    attributes: { 'thread.id': 1n, 'thread.name': 'main' },
    ...(link === undefined ? {} : { link }),
  }
}

function profile(type: string, samples: readonly PlainSample[], period: bigint): PlainProfile {
  return {
    resource: RESOURCE,
    scope: NO_SCOPE,
    type,
    unit: 'ns',
    periodType: type,
    periodUnit: 'ns',
    period,
    time: START,
    duration: 2000n * MS,
    attributes: {},
    samples,
  }
}

/** The event loop from 0 to 1000 ms: own 0-20, searches 20-420, idle 420-900 with a child 500-800, a collection 900-950. */
const WALL = [
  sample(10n, 10n, 'placeOrder', [ORDER, IDS.order]),
  sample(20n, 10n, 'placeOrder', [ORDER, IDS.order]),
  ...Array.from({ length: 40 }, (_, i) =>
    sample(30n + 10n * BigInt(i), 10n, 'editDistance', [SEARCHES[i < 20 ? 0 : 1], i < 20 ? IDS.first : IDS.second]),
  ),
  sample(900n, 480n, '(idle)'),
]

let at: SignalServer
let ledger: TraceLedgerResponse

beforeAll(async () => {
  at = await openSignalServer()
  await at.send('traces', {
    resourceSpans: [
      {
        resource: { attributes: attributesJson(RESOURCE) },
        scopeSpans: [
          {
            spans: [
              span(ORDER, IDS.order, 'POST /orders', 0n, 1000n),
              span(ORDER, IDS.charge, 'charge', 500n, 800n, IDS.order),
              span(SEARCHES[0], IDS.first, 'GET /search', 15n, 230n),
              span(SEARCHES[1], IDS.second, 'GET /search', 16n, 430n),
            ],
          },
        ],
      },
    ],
  })
  await at.sendProfiles([
    profile('wall', WALL, 10n * MS),
    profile('gc', [sample(900n, 50n, '(garbage collector)')], 1n),
  ])
  const observed = async () => {
    ledger = await at.client.traceLedger(ORDER)
    return ledger.observations + ledger.spans.length
  }
  await settled(observed, WALL.length + 1 + 2)
})
afterAll(async () => {
  await at.close()
})

const nanosOf = (entries: TraceLedgerResponse['entries']) =>
  Object.fromEntries(entries.map(({ kind, nanos }) => [kind, Number(BigInt(nanos) / MS)]))

describe('GET /traces/{trace}/ledger', () => {
  it('divides the time of the root exactly', () => {
    expect(ledger.span).toEqual({ traceId: ORDER, spanId: IDS.order, name: 'POST /orders', service: 'storefront' })
    expect(nanosOf(ledger.entries)).toEqual({
      children: 300,
      'own-cpu': 20,
      others: 400,
      runtime: 50,
      io: 180,
      unknown: 50,
    })
    const sum = ledger.entries.reduce((all, { nanos }) => all + BigInt(nanos), 0n)
    expect(sum).toBe(BigInt(ledger.durationNano))
  })

  it('names the requests that kept the event loop busy, with their traces', () => {
    const [detail] = ledger.entries.find(({ kind }) => kind === 'others')?.details ?? []
    expect(detail).toMatchObject({ what: 'operation', name: 'GET /search', count: 2, mostly: 'editDistance' })
    expect(detail.spans.map(({ traceId }) => traceId).sort()).toEqual([...SEARCHES])
    expect(ledger.sentence).toContain('busy with 2 GET /search requests, mostly in editDistance.')
  })

  it('explains the children on the critical path', () => {
    expect(nanosOf(ledger.critical)).toEqual({ 'own-cpu': 20, others: 400, runtime: 50, io: 480, unknown: 50 })
  })

  it('returns the ledger of every span and the stacks of each entry', () => {
    const child = ledger.spans.find(({ spanId }) => spanId === IDS.charge)
    expect(child?.nanos[ledger.kinds.indexOf('io')]).toBe(String(300n * MS))
    expect(child?.criticalNano).toBe(String(300n * MS))
    const slice = ledger.slices.find(({ kind }) => kind === 'others')
    const names = slice?.node.map(node => ledger.frames[ledger.frame[node]].name)
    expect(names).toEqual(['editDistance'])
    expect(slice?.nanos).toEqual([String(400n * MS)])
  })

  it('selects a span by its id', async () => {
    const child = await at.client.traceLedger(ORDER, { spanId: IDS.charge })
    expect(nanosOf(child.entries)).toEqual({ io: 300 })
    const unknown = await at.client.traceLedger(ORDER, { spanId: 'f'.repeat(16) }).catch((error: unknown) => error)
    expect(unknown).toBeInstanceOf(ApiError)
  })

  it('responds that a trace is missing', async () => {
    await expect(at.client.traceLedger('d'.repeat(32))).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('ledger of a request that waits for a lock', () => {
  const LOCKED = 'e'.repeat(32)
  const RESOURCE_OF_LOCKS = { 'service.name': 'payments', 'process.pid': 8n }
  const RANGE_OF_LOCKS = { from: String(START), to: String(START + 10_000n * MS), service: 'payments' }

  beforeAll(async () => {
    const onThread = (id: number) => ({ attributes: [{ key: 'thread.id', value: { intValue: String(id) } }] })
    await at.send('traces', {
      resourceSpans: [
        {
          resource: { attributes: attributesJson(RESOURCE_OF_LOCKS) },
          scopeSpans: [
            {
              spans: [
                { ...span(LOCKED, '5'.repeat(16), 'POST /pay', 5000n, 5400n), ...onThread(2) },
                { ...span('9'.repeat(32), '6'.repeat(16), 'rebuild cache', 5000n, 5300n), ...onThread(3) },
              ],
            },
          ],
        },
      ],
    })
    const waiting = { 'thread.id': 2n, 'thread.name': 'worker 2', 'lock.owner.thread.id': 3n }
    const cache = { 'thread.id': 3n, 'thread.name': 'worker 3' }
    await at.sendProfiles([
      {
        ...profile('mutex_delay', [{ ...sample(5050n, 240n, 'charge'), attributes: waiting }], 1n),
        resource: RESOURCE_OF_LOCKS,
      },
      {
        ...profile('cpu', [{ ...sample(5290n, 290n, 'rebuild'), attributes: cache }], 10n * MS),
        resource: RESOURCE_OF_LOCKS,
      },
    ])
    await settled(async () => (await at.client.traceLedger(LOCKED)).observations, 2)
  })

  it('names the request whose thread had the lock', async () => {
    const { entries, sentence } = await at.client.traceLedger(LOCKED)
    expect(nanosOf(entries)).toEqual({ lock: 240, unknown: 160 })
    const [detail] = entries.find(({ kind }) => kind === 'lock')?.details ?? []
    expect(detail).toMatchObject({ what: 'lock', name: 'monitor held by rebuild cache', count: 1 })
    expect(detail.spans.map(({ traceId }) => traceId)).toEqual(['9'.repeat(32)])
    expect(sentence).toContain('it waited for a monitor held by rebuild cache, in charge.')
  })

  it('counts the wait as interference', async () => {
    const { operations, pairs } = await at.client.query('interference', RANGE_OF_LOCKS)
    const named = pairs.map(({ delayed, by, reason, nanos }) => [
      operations[delayed].name,
      operations[by].name,
      reason,
      BigInt(nanos) / MS,
    ])
    expect(named).toEqual([['POST /pay', 'rebuild cache', 'lock', 240n]])
  })
})

describe('ledger of two instances of a service', () => {
  it('keeps their evidence separate if logs name only the service', async () => {
    const instance = (id: string) => ({ 'service.name': 'replicas', 'service.instance.id': id })
    const trace = '8'.repeat(32)
    const ids = { root: '7'.repeat(16), child: '8'.repeat(16) }
    const spansOn = (id: string, spans: readonly object[]) => ({
      resource: { attributes: attributesJson(instance(id)) },
      scopeSpans: [{ spans }],
    })
    await at.send('logs', {
      resourceLogs: [
        {
          resource: { attributes: attributesJson({ 'service.name': 'replicas' }) },
          scopeLogs: [{ logRecords: [{ timeUnixNano: String(START), body: { stringValue: 'ready' } }] }],
        },
      ],
    })
    await at.send('traces', {
      resourceSpans: [
        spansOn('a', [span(trace, ids.root, 'POST /copy', 6000n, 6400n)]),
        spansOn('b', [span(trace, ids.child, 'copy', 6100n, 6300n, ids.root)]),
      ],
    })
    const pause = profile('gc_pause_time', [sample(6200n, 250n, '(collector)')], 1n)
    await at.sendProfiles([{ ...pause, resource: instance('a') }])
    await settled(async () => (await at.client.traceLedger(trace)).observations, 1)
    expect(nanosOf((await at.client.traceLedger(trace)).entries)).toMatchObject({ children: 200, runtime: 100 })
    expect(nanosOf((await at.client.traceLedger(trace, { spanId: ids.child })).entries)).toEqual({ unknown: 200 })
  })
})

const RANGE = { from: String(START), to: String(START + 10_000n * MS) }

describe('GET /ledger', () => {
  it('averages the requests of an operation so that entries add up', async () => {
    const found = await at.client.query('ledger', { operation: 'GET /search', by: 'process.pid', ...RANGE })
    expect(found).toMatchObject({ requests: 2, found: 2, span: { name: 'GET /search', service: 'storefront' } })
    expect(found.entries.reduce((sum, { nanos }) => sum + BigInt(nanos), 0n)).toBe(BigInt(found.durationNano))
    // The searches take 215 and 414 ms, of which 200 ms each are their own.
    expect(found.durationNano).toBe(String(314n * MS + MS / 2n))
    expect(found.entries.find(({ kind }) => kind === 'own-cpu')?.nanos).toBe(String(200n * MS))
    expect(found.groups.map(({ name, requests }) => [name, requests])).toEqual([['7', 2]])
    expect(found.percentiles.map(({ name }) => name)).toEqual(['p50', 'p95', 'p99', 'slowest 1 %'])
    expect(found.sentence).toContain('its own code ran, mostly editDistance')
  })

  it('counts a call of the same name in another service as part of the request', async () => {
    const trace = 'ab'.repeat(16)
    const root = span(trace, '8'.repeat(16), 'GET /stock', 9000n, 9400n)
    const calls = ['GET /stock', 'SELECT stock'].map((name, i) => ({
      ...span(trace, String(i + 1).repeat(16), name, 9100n, 9300n, '8'.repeat(16)),
      kind: 3,
    }))
    const resource = { attributes: attributesJson({ 'service.name': 'stock' }) }
    await at.send('traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [root, ...calls] }] }] })
    await settled(async () => (await at.client.traceLedger(trace)).spans.length, 3)
    const requests = await at.client.query('ledger', { operation: 'GET /stock', ...RANGE })
    expect([requests.found, requests.requests, requests.durationNano]).toEqual([1, 1, String(400n * MS)])
    expect((await at.client.query('ledger', { operation: 'SELECT stock', ...RANGE })).requests).toBe(1)
  })

  it('compares slow and fast requests', async () => {
    const { comparison } = await at.client.query('ledger', { operation: 'GET /search', threshold: '300ms', ...RANGE })
    expect(comparison?.slow.requests).toBe(1)
    // The second search waited 200 ms for the first and 4 ms for the order. The first waited 10 ms for the second and 5 ms for the order.
    expect(comparison?.differences[0]).toMatchObject({ kind: 'others', nanos: String(189n * MS) })
  })

  it('rejects a request without an operation and reports an unknown one', async () => {
    await expect(at.client.query('ledger', RANGE)).rejects.toMatchObject({ code: 'argument' })
    await expect(at.client.query('ledger', { operation: 'GET /x', ...RANGE })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('GET /interference', () => {
  it('ranks which operations delay which', async () => {
    const { operations, pairs } = await at.client.query('interference', RANGE)
    const named = pairs.map(({ delayed, by, nanos }) => [
      operations[delayed].name,
      operations[by].name,
      BigInt(nanos) / MS,
    ])
    expect(named[0]).toEqual(['POST /orders', 'GET /search', 400n])
    expect(named).toContainEqual(['GET /search', 'GET /search', expect.any(BigInt)])
    // 0.4 s in a range of 10 s.
    expect(pairs[0].secondsPerHour).toBeCloseTo(144, 3)
  })

  it('returns the pairs of an operation that waits or makes others wait', async () => {
    const namesOf = async (name: string) => {
      const { operations, pairs } = await at.client.query('interference', { ...RANGE, name })
      return pairs.map(({ delayed, by }) => `${operations[delayed].name} by ${operations[by].name}`)
    }
    expect(await namesOf('GET /search')).toEqual(
      expect.arrayContaining(['POST /orders by GET /search', 'GET /search by GET /search']),
    )
    expect(await namesOf('POST /orders')).toContain('POST /orders by GET /search')
    expect(await namesOf('POST /orders')).not.toContain('GET /search by GET /search')
    expect(await namesOf('GET /nothing')).toEqual([])
  })
})
