// Traces and comparisons as columns compared with JSON, counts of log records, and attributes for completion.
import type { Spans, TraceSpan } from '@hearth/client'
import { exactSum } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainSample } from '../../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START } from '../../../query/testing/plain-profiles.ts'
import type { SignalServer } from '../testing/signal-server.ts'
import { attributesJson, openSignalServer, settled } from '../testing/signal-server.ts'

const SECOND = 1_000_000_000n
const MS = 1_000_000n
const RANGE = { from: String(START), to: String(START + 3600n * SECOND) }
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
const BIG = 2n ** 61n + 3n

interface Given {
  readonly id: number
  readonly parent: number
  readonly service: string
  /** Milliseconds. */
  readonly from: number
  /** Undefined for a span without an end. */
  readonly to: number | undefined
}

/** One span is a second ahead of its parent, one has no end, and one has no stored parent. */
const SPANS: readonly Given[] = [
  { id: 1, parent: 0, service: 'front', from: 0, to: 100 },
  { id: 2, parent: 1, service: 'back', from: 1040, to: 1060 },
  { id: 3, parent: 1, service: 'front', from: 10, to: undefined },
  { id: 4, parent: 77, service: 'back', from: 50, to: 60 },
  { id: 0xffff_ffff_ffff, parent: 2, service: 'back', from: 1045, to: 1050 },
]

function tracesJson(trace: number, spans: readonly Given[], at: bigint, name: string): object {
  const services = [...new Set(spans.map(({ service }) => service))]
  return {
    resourceSpans: services.map(service => ({
      resource: { attributes: attributesJson({ 'service.name': service, region: 'eu' }) },
      scopeSpans: [
        {
          scope: { name: 'lib', attributes: attributesJson({ flavour: 'sweet' }) },
          spans: spans
            .filter(span => span.service === service)
            .map(({ id, parent, from, to }) => ({
              traceId: hex(trace, 32),
              spanId: hex(id, 16),
              parentSpanId: parent === 0 ? '' : hex(parent, 16),
              name: id === 1 ? name : `part ${id % 100}`,
              kind: 2,
              startTimeUnixNano: String(at + BigInt(from) * MS),
              endTimeUnixNano: to === undefined ? '0' : String(at + BigInt(to) * MS),
              attributes: attributesJson({ 'thread.id': 7n, 'user.name': `user ${trace}` }),
              events: [{ timeUnixNano: String(at), name: 'began', attributes: [] }],
              status: id === 3 ? { code: 2, message: 'broken' } : {},
            })),
        },
      ],
    })),
  }
}

const sample = (trace: number, span: number, value: bigint, leaf = 'work'): PlainSample => ({
  frames: [{ name: 'main' }, { name: leaf }],
  values: [value],
  link: [hex(trace, 32), hex(span, 16)],
})

let at: SignalServer
beforeAll(async () => {
  at = await openSignalServer()
  await at.send('traces', tracesJson(1, SPANS, START, 'GET /'))
  for (let trace = 2; trace < 12; trace++) {
    const to = trace === 11 ? 900 : 10 * trace
    const spans = [{ id: 1, parent: 0, service: 'front', from: 0, to }]
    await at.send('traces', tracesJson(trace, spans, START + BigInt(trace) * SECOND, 'POST /'))
  }
  await at.sendProfiles([
    {
      resource: { 'service.name': 'front' },
      scope: NO_SCOPE,
      type: 'cpu',
      unit: 'ns',
      time: START,
      attributes: {},
      samples: [
        sample(1, 1, BIG),
        sample(1, 2, BIG),
        sample(1, 2, 5n),
        ...Array.from({ length: 10 }, (_, i) => sample(i + 2, 1, 10n, i === 9 ? 'gc' : 'work')),
      ],
    },
    {
      resource: { 'service.name': 'front' },
      scope: NO_SCOPE,
      type: 'alloc',
      unit: 'By',
      time: START,
      attributes: {},
      samples: [sample(1, 4, 4096n)],
    },
    // Stored samples that the profiler took several times: by timestamps, by value in periods, and by count.
    ...[
      { type: 'observed', unit: 'ns', periodUnit: 'ns', period: 10n, timestamps: [START + 1n, START + 2n, START + 3n] },
      { type: 'periodic', unit: 'ns', periodUnit: 'nanoseconds', period: 10n },
      { type: 'samples', unit: 'count', periodUnit: 'ns', period: 10n },
      { type: 'unknown', unit: 'By', periodUnit: 'ns', period: 10n },
    ].map(({ timestamps = [], ...profile }) => ({
      resource: { 'service.name': 'front' },
      scope: NO_SCOPE,
      time: START,
      attributes: {},
      ...profile,
      samples: [2, 3].map(trace => ({ ...sample(trace, 1, 60n), timestamps })),
    })),
    {
      resource: { 'service.name': 'front' },
      scope: NO_SCOPE,
      type: 'wall',
      unit: 'ns',
      time: START,
      attributes: {},
      samples: [
        { ...sample(1, 1, 7n, 'linked'), timestamps: [START + 5n] },
        { frames: [{ name: 'main' }, { name: 'loose' }], values: [3n, 4n], timestamps: [START + 6n, START + SECOND] },
      ],
    },
  ])
  const records = Array.from({ length: 40 }, (_, i) => ({
    timeUnixNano: String(START + BigInt(i) * SECOND),
    // 0 and numbers above 24 mean no severity.
    severityNumber: i === 0 ? 0 : i === 1 ? 30 : (i % 24) + 1,
    body: { stringValue: i % 2 === 0 ? 'Even' : 'odd' },
    attributes: attributesJson({ 'thread.id': BigInt(i % 3), note: `n${i}` }),
  }))
  await at.send('logs', {
    resourceLogs: [
      {
        resource: { attributes: attributesJson({ 'service.name': 'front' }) },
        scopeLogs: [{ scope: {}, logRecords: records }],
      },
    ],
  })
  await settled(async () => (await at.client.query('traces', RANGE)).traces.length, 11)
  await settled(async () => (await at.client.query('logs', RANGE)).logs.length, 40)
  await settled(
    async () => (await at.client.query('traces', RANGE)).traces.filter(({ samples }) => samples > 0).length,
    11,
  )
})
afterAll(async () => {
  await at.close()
})

/** Columns in the form of JSON. */
function spansJson(spans: Spans): TraceSpan[] {
  const samplesOf = (of: Spans['samples'], row: number) =>
    Array.from(of.span.keys())
      .filter(i => of.span[i] === row)
      .map(i => ({
        type: of.type[i],
        samples: of.samples[i],
        value: String(exactSum(of.value[i], of.valueExact?.[i])),
        subtreeSamples: of.subtreeSamples[i],
        subtreeValue: String(exactSum(of.subtreeValue[i], of.subtreeValueExact?.[i])),
      }))
  return Array.from({ length: spans.length }, (_, i) => ({
    spanId: spans.id(i),
    parentSpanId: spans.parentId(i),
    parent: spans.parent[i],
    depth: spans.depth[i],
    service: spans.service(i),
    name: spans.name(i),
    kind: spans.kind(i),
    status: spans.status(i),
    ...(spans.statusMessage(i) === '' ? {} : { statusMessage: spans.statusMessage(i) }),
    start: String(spans.start[i]),
    ...(spans.hasEnd(i) ? { end: String(spans.start[i] + spans.duration[i]) } : {}),
    duration: String(spans.duration[i]),
    self: String(spans.self[i]),
    oddities: spans.oddities(i),
    ...(spans.skew[i] === 0n ? {} : { skew: String(spans.skew[i]) }),
    resource: spans.resource[i],
    scope: spans.scope[i],
    hiddenChildren: spans.hiddenChildren[i],
    samples: samplesOf(spans.samples, i),
    ...(spans.unlinked === undefined ? {} : { unlinked: samplesOf(spans.unlinked, i) }),
    ...spans.details(i),
  }))
}

describe('traces as columns', () => {
  test.each([{}, { unlinked: true }, { details: false }, { limit: 3 }, { spanId: hex(2, 16) }])(
    'equal JSON: %j',
    async request => {
      const json = await at.client.trace(hex(1, 32), request)
      const { spans, ...rest } = await at.client.traceColumns(hex(1, 32), request)
      expect({ ...rest, spans: spansJson(spans) }).toEqual(json)
    },
  )

  test('have rows in the order of the ids', async () => {
    const { spans } = await at.client.traceColumns(hex(1, 32))
    for (let i = 0; i < spans.length; i++) expect(spans.rowOf(spans.id(i))).toBe(i)
    expect([spans.rowOf(hex(99, 16)), spans.rowOf('')]).toEqual([-1, -1])
    expect(spans.skew.some(each => each !== 0n)).toBe(true)
  })

  test('equal JSON for comparisons', async () => {
    const request = { ...RANGE, name: 'POST /', quantile: 0.9, profiles: 'cpu' }
    const { diff, ...json } = await at.client.query('compareTraces', request)
    const { diff: columns, ...rest } = await at.client.columns('compareTraces', request)
    const plain = JSON.stringify(rest, (_key, value: unknown) =>
      value instanceof Float64Array ? Array.from(value) : value,
    )
    expect(JSON.parse(plain)).toEqual(json)
    expect([...columns.nodes.parent]).toEqual(diff.nodes.parent)
    expect(columns.frames.name).toEqual(diff.frames.map(({ name }) => name))
    expect(Array.from(columns.after.total, String)).toEqual(diff.after.total)
    expect(diff.frames.map(({ name }) => name)).toContain('gc')
  })

  test('count a sample as often as the profiler took it', async () => {
    const counted = async (profiles: string) => {
      const sets = { slow: [hex(2, 32)], fast: [hex(3, 32)] }
      const { slow, fast, deviations } = await at.client.query('compareTraces', { ...RANGE, ...sets, profiles })
      expect(deviations.every(each => each === 0)).toBe(true)
      return [slow.samples, fast.samples]
    }
    expect(await counted('observed')).toEqual([3, 3])
    expect(await counted('periodic')).toEqual([6, 6])
    expect(await counted('samples')).toEqual([60, 60])
    expect(await counted('unknown')).toEqual([1, 1])
  })

  test('lists contain the profile samples by type', async () => {
    const { traces } = await at.client.query('traces', RANGE)
    expect(traces.find(({ traceId }) => traceId === hex(1, 32))?.profiles).toEqual([
      { type: 'alloc', unit: 'By', samples: 1, value: '4096' },
      { type: 'cpu', unit: 'ns', samples: 3, value: String(2n * BIG + 5n) },
      { type: 'wall', unit: 'ns', samples: 1, value: '7' },
    ])
  })
})

describe('samples without a span', () => {
  const request = { from: String(START), to: String(START + 10n), selector: 'wall' }

  test('are selected for exactly the requested time', async () => {
    const names = async (more: object) => {
      const { rows } = await at.client.query('top', { ...request, ...more })
      return rows.map(({ frame, total }) => `${frame.name} ${total}`).sort()
    }
    // The linked sample takes 7, of which 2 are after the end.
    expect(await names({ exact: true })).toEqual(['linked 5', 'loose 3', 'main 8'])
    expect(await names({ exact: true, unlinked: true })).toEqual(['loose 3', 'main 3'])
    // The sample of the other type has no link at all.
    const cpu = await at.client.query('top', { ...request, selector: 'cpu', exact: true, unlinked: true })
    expect(cpu.rows).toEqual([])
    const { count } = await at.client.query('heatMap', { ...request, unlinked: true })
    expect(count).toEqual([1])
    const { time } = await at.client.query('events', { ...request, unlinked: true })
    expect(time).toEqual([String(START + 6n)])
  })

  test('cannot be selected by trace', async () => {
    const pending = at.client.query('top', { ...request, exact: true, unlinked: true, traceId: hex(1, 32) })
    await expect(pending).rejects.toThrow(/excludes traceId/)
  })
})

describe('counts of log records', () => {
  test('are grouped by step and severity, and filtered', async () => {
    const { step, severities, points } = await at.client.query('logCounts', { ...RANGE, step: '10s' })
    expect(step).toBe(String(10n * SECOND))
    expect(points.map(({ time }) => time)).toEqual([0n, 10n, 20n, 30n].map(s => String(START + s * SECOND)))
    expect(points.map(({ counts }) => counts.reduce((sum, each) => sum + each))).toEqual([10, 10, 10, 10])
    // Severities 2 to 9, and two without.
    expect(points[0].counts).toEqual([2, 2, 4, 2, 0, 0, 0])
    expect(severities).toEqual(['none', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    const even = await at.client.query('logCounts', { ...RANGE, step: '1h', text: 'even', ignoreCase: true })
    expect(even.points[0].counts.reduce((sum, each) => sum + each)).toBe(20)
    const none = await at.client.query('logCounts', { ...RANGE, service: 'nobody' })
    expect(none.points).toEqual([])
  })

  test('have a limited number of steps', async () => {
    await expect(at.client.query('logCounts', { ...RANGE, step: '1ms' })).rejects.toThrow(/more than 10000 steps/)
    await expect(at.client.query('logCounts', { ...RANGE, step: '0s' })).rejects.toThrow(/the step is 0 ns/)
  })
})

describe('attributes for completion', () => {
  test('include the keys of spans and log records with their level', async () => {
    const spans = await at.client.query('signalAttributes', { ...RANGE, signal: 'traces' })
    expect(spans).toEqual({
      attributes: [
        { key: 'flavour', levels: ['scope'] },
        { key: 'region', levels: ['resource'] },
        { key: 'service.name', levels: ['resource'] },
        { key: 'thread.id', levels: ['item'] },
        { key: 'user.name', levels: ['item'] },
      ],
      truncated: false,
    })
    const logs = await at.client.query('signalAttributes', { ...RANGE, signal: 'logs', prefix: 'n' })
    expect(logs.attributes).toEqual([{ key: 'note', levels: ['item'] }])
    const one = await at.client.query('signalAttributes', { ...RANGE, signal: 'traces', limit: 1 })
    expect(one).toEqual({ attributes: [{ key: 'flavour', levels: ['scope'] }], truncated: true })
    const none = await at.client.query('signalAttributes', { ...RANGE, signal: 'metrics' })
    expect(none.attributes).toEqual([])
  })

  test('include the values of a key within the selection', async () => {
    const values = async (key: string, more: object = {}) =>
      (await at.client.signalAttributeValues(key, { ...RANGE, signal: 'traces', ...more })).values.map(
        ({ text }) => text,
      )
    expect(await values('service.name')).toEqual(['back', 'front'])
    expect(await values('user.name', { service: 'back' })).toEqual(['user 1'])
    expect(await values('user.name', { prefix: 'user 1' })).toEqual(['user 1', 'user 10', 'user 11'])
    expect(await values('resource:region', { selector: '{user.name="user 3"}' })).toEqual(['eu'])
    expect(await values('nothing')).toEqual([])
    const threads = await at.client.signalAttributeValues('thread.id', { ...RANGE, signal: 'logs' })
    expect(threads.values.map(({ value }) => value)).toEqual([{ intValue: '0' }, { intValue: '1' }, { intValue: '2' }])
  })
})

test('receivedBefore excludes data that arrives later from the parts of every screen', async () => {
  const later = START + 1800n * SECOND
  const range = { from: String(later), to: String(later + 60n * SECOND) }
  const sendAll = async (trace: number) => {
    const span = { id: 1, parent: 0, service: 'late', from: 0, to: 10 }
    await at.send('traces', tracesJson(trace, [span], later, 'late'))
    const record = { timeUnixNano: String(later + 1n), body: { stringValue: `late ${trace}` } }
    await at.send('logs', { resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: [record] }] }] })
    const late = { resource: { 'service.name': 'late' }, scope: NO_SCOPE, type: 'late', unit: 'ns', attributes: {} }
    await at.sendProfiles([{ ...late, time: later, samples: [sample(trace, 1, 10n)] }])
  }
  const seen = async (more: { readonly receivedBefore?: string } = {}) => {
    const [{ traces }, { logs }, { sum }, { points }] = await Promise.all([
      at.client.query('traces', { ...range, ...more }),
      at.client.query('logs', { ...range, ...more }),
      at.client.query('flameGraph', { ...range, ...more, selector: 'late' }),
      at.client.query('logCounts', { ...range, ...more, step: '1h' }),
    ])
    return [traces.length, logs.length, Number(sum), points.flatMap(({ counts }) => counts).reduce((a, b) => a + b, 0)]
  }
  const point = (value: number) => ({ timeUnixNano: String(later + 1n), asInt: String(value) })
  const sendMore = async (trace: number) => {
    await sendAll(trace)
    const gauge = { dataPoints: [point(trace)] }
    await at.send('metrics', {
      resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics: [{ name: 'late', gauge }] }] }],
    })
    // A further span and sample of the first trace.
    const span = { id: trace, parent: 0, service: 'late', from: 0, to: 10 }
    await at.send('traces', tracesJson(600, [span], later, 'late'))
    const late = { resource: { 'service.name': 'late' }, scope: NO_SCOPE, type: 'late', unit: 'ns', attributes: {} }
    await at.sendProfiles([{ ...late, time: later + BigInt(trace), samples: [sample(600, trace, 10n)] }])
  }
  /** The parts of Explore, Compare, the trace page, Metrics, Threads, and slow vs. fast. */
  const parts = async (more: { readonly receivedBefore?: string }) => {
    const profiles = { ...range, ...more, selector: 'late' }
    const { client } = at
    const traceId = hex(600, 32)
    return JSON.stringify(
      await Promise.all([
        client.query('flameGraph', profiles),
        client.query('top', profiles),
        client.query('series', { ...profiles, step: '1m' }),
        client.query('sandwich', { ...profiles, function: 'work' }),
        client.query('profiles', profiles),
        client.query('diff', { ...profiles, beforeFrom: range.from, beforeTo: range.to }),
        client.trace(traceId, more),
        client.query('flameGraph', { ...profiles, traceId }),
        client.query('metrics', { ...range, ...more }),
        client.query('metricSeries', { ...range, ...more, name: 'late', step: '1m' }),
        client.query('events', profiles),
        client.query('heatMap', profiles),
        client.query('spans', { ...range, ...more }),
        client.query('logMarks', { ...range, ...more }),
        client.query('operations', { ...range, ...more }),
        client.query('compareTraces', { ...range, ...more, profiles: 'late', slow: [traceId], fast: [hex(501, 32)] }),
      ]),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    )
  }
  await sendMore(501)
  const limit = Date.now() + 1
  await expect.poll(() => Date.now()).toBeGreaterThan(limit)
  const receivedBefore = String(limit)
  expect(await seen({ receivedBefore })).toEqual([2, 1, 20, 1])
  const before = await parts({ receivedBefore })
  await sendMore(502)
  await expect.poll(async () => (await parts({})) === before).toBe(false)
  await expect.poll(() => seen()).toEqual([3, 2, 40, 2])
  expect(await seen({ receivedBefore })).toEqual([2, 1, 20, 1])
  expect(await parts({ receivedBefore })).toBe(before)
  await expect(seen({ receivedBefore: 'soon' })).rejects.toThrow(/not a time/)
})
