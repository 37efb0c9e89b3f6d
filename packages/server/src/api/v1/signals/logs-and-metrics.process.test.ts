// Logs and metrics over real sockets. Responses are compared with a computation in memory.
import type { LogsRequest, MetricSeriesRequest } from '@hearth/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { START } from '../../../query/testing/plain-profiles.ts'
import type { SignalServer } from '../testing/signal-server.ts'
import { attributesJson, faultOf, openSignalServer, settled } from '../testing/signal-server.ts'

const SECOND = 1_000_000_000n
const RANGE = { from: String(START), to: String(START + 600n * SECOND) }
const TRACE = 'ab'.repeat(16)
const SPAN = 'cd'.repeat(8)

let at: SignalServer
beforeAll(async () => {
  at = await openSignalServer()
})
afterAll(async () => {
  await at.close()
})

describe('logs', () => {
  interface PlainLog {
    readonly service: string
    readonly seconds: number
    readonly body: string
    readonly severity: number
    readonly thread: bigint
    readonly traced: boolean
    readonly profile: string
  }
  const [LOGS] = fc.sample(
    fc.array(
      fc.record({
        service: fc.constantFrom('front', 'back'),
        seconds: fc.integer({ min: 0, max: 599 }),
        body: fc.constantFrom('payment REFUSED: card', 'payment refused by bank', 'ok', 'ÄRGER im (Lager)', ''),
        severity: fc.constantFrom(0, 5, 9, 13, 17, 21),
        thread: fc.constantFrom(1n, 2n),
        traced: fc.boolean(),
        profile: fc.constantFrom('', 'aabb', 'AACC'),
      }),
      { minLength: 80, maxLength: 80 },
    ),
    { seed: 3, numRuns: 1 },
  ) as [PlainLog[]]
  const timeOf = ({ seconds }: PlainLog): bigint => START + BigInt(seconds) * SECOND

  beforeAll(async () => {
    for (const service of ['front', 'back']) {
      await at.send('logs', {
        resourceLogs: [
          {
            resource: { attributes: attributesJson({ 'service.name': service, 'process.pid': 4n }) },
            scopeLogs: [
              {
                scope: { name: 'logger' },
                logRecords: LOGS.filter(log => log.service === service).map(log => ({
                  timeUnixNano: String(timeOf(log)),
                  severityNumber: log.severity,
                  severityText: `S${log.severity}`,
                  body: { stringValue: log.body },
                  attributes: attributesJson({
                    'thread.id': log.thread,
                    ...(log.profile === '' ? {} : { profile_id: log.profile }),
                  }),
                  ...(log.traced ? { traceId: TRACE, spanId: SPAN, flags: 1 } : {}),
                  droppedAttributesCount: log.seconds,
                })),
              },
            ],
          },
        ],
      })
    }
    await settled(async () => (await at.client.query('logs', { ...RANGE, limit: 1000 })).logs.length, LOGS.length)
  })

  const told = (list: readonly PlainLog[]): string[] =>
    list.map(
      log => `${timeOf(log)} ${log.service} ${log.severity} ${log.body} ${log.traced} ${log.profile.toLowerCase()}`,
    )

  async function linesOf(request: LogsRequest): Promise<string[]> {
    const { logs, resources } = await at.client.query('logs', { ...RANGE, limit: 1000, ...request })
    return logs.map(log => {
      expect(resources[log.resource].service).toBe(log.service)
      expect(log.spanId).toBe(log.traceId === '' ? '' : SPAN)
      expect(log.flags).toBe(log.traceId === '' ? undefined : 1)
      expect(START + BigInt(log.droppedAttributes ?? 0) * SECOND).toBe(BigInt(log.time))
      const traced = log.traceId === TRACE
      return `${log.time} ${log.service} ${log.severity} ${log.body.stringValue} ${traced} ${log.profileId}`
    })
  }

  test.each<[string, LogsRequest, (log: PlainLog) => boolean]>([
    ['everything', {}, () => true],
    ['with a text', { text: 'payment refused' }, ({ body }) => body.includes('payment refused')],
    [
      'with a text in any case',
      { text: 'ärger', ignoreCase: true },
      ({ body }) => body.toLowerCase().includes('ärger'),
    ],
    ['with a text that is no regular expression', { text: '(Lager)' }, ({ body }) => body.includes('(Lager)')],
    ['with a regular expression', { regex: 'refused (by|for)' }, ({ body }) => body.includes('refused by')],
    [
      'with a regular expression in any case',
      { regex: '^PAYMENT', ignoreCase: true },
      ({ body }) => body.startsWith('payment'),
    ],
    ['with a minimum severity', { severity: 'warn' }, ({ severity }) => severity >= 13],
    ['of a service', { service: 'back' }, ({ service }) => service === 'back'],
    [
      'with attributes',
      { selector: '{thread.id=2, service.name="front"}' },
      log => log.thread === 2n && log.service === 'front',
    ],
    ['of a trace', { traceId: TRACE }, ({ traced }) => traced],
    ['of a span by selector', { selector: `{span.id="${SPAN}"}` }, ({ traced }) => traced],
    ['that name a profile', { profileId: 'AABB' }, ({ profile }) => profile === 'aabb'],
    ['that name a profile, by selector', { selector: '{profile.id="aacc"}' }, ({ profile }) => profile === 'AACC'],
    ['of a thread', { thread: '1', severity: 'error' }, log => log.thread === 1n && log.severity >= 17],
    [
      'of a range',
      { from: String(START + 100n * SECOND), to: String(START + 200n * SECOND) },
      ({ seconds }) => seconds >= 100 && seconds < 200,
    ],
  ])('%s', async (_, request, fits) => {
    const expected = told(LOGS.filter(fits)).sort()
    expect(expected.length).toBeGreaterThan(0)
    const [newest, oldest] = [await linesOf(request), await linesOf({ ...request, order: 'oldest' })]
    expect([...newest].sort()).toEqual(expected)
    expect(oldest).toEqual(newest.toReversed())
    const times = newest.map(line => BigInt(line.split(' ')[0]))
    expect(times).toEqual(times.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
  })

  test('pages forward and back from any record', async () => {
    const { logs: all } = await at.client.query('logs', { ...RANGE, limit: 1000 })
    const cursors = all.map(({ cursor }) => cursor)
    const paged: string[] = []
    for await (const { cursor } of at.client.everyLog({ ...RANGE, limit: 9 })) paged.push(cursor)
    expect(paged).toEqual(cursors)
    const back = await at.client.query('logs', { ...RANGE, order: 'oldest', after: cursors[20], limit: 1000 })
    expect(back.logs.map(({ cursor }) => cursor)).toEqual(cursors.slice(0, 20).reverse())
    expect(back.next).toBeUndefined()
  })

  test('finds records of a process by any resource that describes it', async () => {
    const { logs, resources } = await at.client.query('logs', { ...RANGE, service: 'back', limit: 1 })
    const { id } = resources[logs[0].resource]
    expect(await linesOf({ resource: id })).toHaveLength(LOGS.filter(({ service }) => service === 'back').length)
    expect(await linesOf({ resource: '12345' })).toEqual([])
  })

  test('rejects invalid requests', async () => {
    const ask = (request: LogsRequest) => faultOf(at.client.query('logs', { ...RANGE, ...request }))
    expect(await ask({ regex: '(' })).toBe('400 regex')
    expect(await ask({ regex: ')|(' })).toBe('400 regex')
    expect(await ask({ traceId: 'ab' })).toBe('400 argument')
    expect(await ask({ after: '1.2' })).toBe('400 argument')
    expect(await ask({ resource: 'x' })).toBe('400 argument')
    expect(await ask({ selector: '{thraed.id=1}' })).toBe('422 unknown-attribute')
  })
})

interface PlainPoint {
  readonly host: string
  readonly seconds: number
  readonly start: number | undefined
  readonly value: number
}

const STEP = 60
const [FIRST, LAST] = [-300, 599]

/** Streams of points in order of time. Counters increase and reset now and then. */
const counters = fc
  .array(
    fc.array(
      fc.record({
        gap: fc.integer({ min: 1, max: 90 }),
        more: fc.integer({ min: 0, max: 50 }),
        anew: fc.constantFrom('no', 'no', 'no', 'no', 'start', 'less'),
      }),
      { minLength: 3, maxLength: 30 },
    ),
    { minLength: 4, maxLength: 4 },
  )
  .map(streams =>
    streams.flatMap((list, s) => {
      let [seconds, value, start] = [FIRST, 0, s % 2 === 0 ? FIRST - 1 : undefined] as [
        number,
        number,
        number | undefined,
      ]
      return list.flatMap(({ gap, more, anew }): PlainPoint[] => {
        const before = seconds
        seconds += gap
        if (anew === 'start' && start !== undefined) {
          start = before + 1
          value = more
        } else if (anew === 'less') value = Math.min(more, Math.max(0, value - 1))
        else value += more
        return seconds > LAST ? [] : [{ host: `h${s}`, seconds, start, value }]
      })
    }),
  )

/** The increase in each step of 60 s, computed point by point by the rules in metric-numbers.ts. */
function increases(points: readonly PlainPoint[], hosts: readonly string[]): Map<number, number> {
  const steps = new Map<number, number>()
  for (const host of hosts) {
    let was: PlainPoint | undefined
    for (const point of points.filter(each => each.host === host)) {
      const before = was
      was = point
      if (point.seconds < 0) continue
      const isFirst = before === undefined
      if (isFirst && (point.start === undefined || point.start < 0)) continue
      const later = before?.start !== undefined && point.start !== undefined && point.start > before.start
      const anew = isFirst || later || point.value < before.value
      const step = Math.floor(point.seconds / STEP)
      steps.set(step, (steps.get(step) ?? 0) + (anew ? point.value : point.value - before.value))
    }
  }
  return steps
}

const nano = (seconds: number | undefined): string =>
  seconds === undefined ? '0' : String(START + BigInt(seconds) * SECOND)

function metricsJson(name: string, body: object, unit = '1'): object {
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesJson({ 'service.name': 'front' }) },
        scopeMetrics: [{ scope: { name: 'meter' }, metrics: [{ name, unit, description: `of ${name}`, ...body }] }],
      },
    ],
  }
}

async function pointsOf(name: string): Promise<number> {
  const wide = { from: String(START - 3600n * SECOND), to: RANGE.to }
  const { metrics } = await at.client.query('metrics', { ...wide, prefix: name })
  return metrics.filter(row => row.name === name).reduce((sum, { points }) => sum + points, 0)
}

async function series(name: string, request: Partial<MetricSeriesRequest> = {}) {
  return await at.client.query('metricSeries', { ...RANGE, name, step: '60s', ...request })
}

const stepOf = (time: string): number => Number((BigInt(time) - START) / (BigInt(STEP) * SECOND))

describe('counters and gauges', () => {
  test('computes rates of any counters like a point-by-point count, in total and by host', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(counters, fc.boolean(), async (points, isInt) => {
        const name = `requests.${++runs}`
        const dataPoints = points.map(({ host, seconds, start, value }) => ({
          attributes: attributesJson({ host, zone: 'a' }),
          startTimeUnixNano: nano(start),
          timeUnixNano: String(START + BigInt(seconds) * SECOND),
          ...(isInt ? { asInt: String(value) } : { asDouble: value }),
        }))
        // The points of a stream in any order, with their attributes in any order.
        const shuffled = dataPoints.map((point, i) =>
          i % 3 === 0 ? { ...point, attributes: point.attributes.toReversed() } : point,
        )
        await at.send(
          'metrics',
          metricsJson(name, {
            sum: { dataPoints: shuffled.toReversed(), aggregationTemporality: 2, isMonotonic: true },
          }),
        )
        await settled(() => pointsOf(name), points.length)
        const hosts = [...new Set(points.map(({ host }) => host))].sort()
        if (!points.some(({ seconds }) => seconds >= 0)) return
        const whole = increases(points, hosts)
        const response = await series(name, { aggregation: 'increase' })
        expect(response).toMatchObject({
          kind: 'sum',
          temporality: 'cumulative',
          monotonic: true,
          unit: '1',
          description: `of ${name}`,
        })
        const found = new Map(
          response.groups[0].points.flatMap(({ time, value }) =>
            value === undefined ? [] : [[stepOf(time), value] as const],
          ),
        )
        expect([...found].sort(([a], [b]) => a - b)).toEqual([...whole].sort(([a], [b]) => a - b))
        const byHost = await series(name, { groupBy: ['host', 'service.name'] })
        expect(byHost.aggregation).toBe('rate')
        for (const { labels, points: own } of byHost.groups) {
          expect(labels[1]).toEqual({ stringValue: 'front' })
          const rates = increases(points, [labels[0].stringValue!])
          for (const { time, value } of own) {
            const more = rates.get(stepOf(time))
            expect(value).toEqual(more === undefined ? undefined : more / STEP)
          }
        }
      }),
    )
  })

  test('subtracts integers above 2^53 exactly', async () => {
    const value = (seconds: number, more: bigint, host: string) => ({
      attributes: attributesJson({ host }),
      startTimeUnixNano: nano(-400),
      timeUnixNano: String(START + BigInt(seconds) * SECOND),
      asInt: String(2n ** 62n + more),
    })
    const dataPoints = [
      value(-30, 1n, 'a'),
      value(30, 2n, 'a'),
      value(90, 5n, 'a'),
      value(-1, 0n, 'b'),
      value(95, 7n, 'b'),
    ]
    await at.send(
      'metrics',
      metricsJson('large', { sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }),
    )
    await settled(() => pointsOf('large'), 5)
    const { groups } = await series('large', { aggregation: 'increase' })
    expect(groups[0].points.map(({ time, value: each }) => [stepOf(time), each])).toEqual([
      [0, 1],
      [1, 10],
    ])
  })

  test('returns integers above 2^53 exactly', async () => {
    const value = (seconds: number, asInt: bigint, host: string) => ({
      attributes: attributesJson({ host }),
      startTimeUnixNano: nano(1),
      timeUnixNano: String(START + BigInt(seconds) * SECOND),
      asInt: String(asInt),
    })
    const dataPoints = [value(30, 2n ** 62n + 1n, 'a'), value(40, 2n ** 62n + 3n, 'a'), value(30, 2n ** 62n, 'b')]
    const sum = { dataPoints, aggregationTemporality: 2 }
    await at.send('metrics', metricsJson('exact.counter', { sum: { ...sum, isMonotonic: true } }))
    await at.send('metrics', metricsJson('exact.sum', { sum }))
    await at.send('metrics', metricsJson('exact.gauge', { gauge: { dataPoints: dataPoints.slice(0, 2) } }))
    await settled(() => pointsOf('exact.gauge'), 2)
    const exact = async (name: string, aggregation: NonNullable<MetricSeriesRequest['aggregation']>) => {
      const { groups } = await series(name, { aggregation })
      return groups[0].points.map(each => each.exact)
    }
    await settled(() => pointsOf('exact.counter'), 3)
    await settled(() => pointsOf('exact.sum'), 3)
    expect(await exact('exact.counter', 'increase')).toEqual([String(2n ** 63n + 3n)])
    expect(await exact('exact.sum', 'last')).toEqual([String(2n ** 63n + 3n)])
    expect(await exact('exact.sum', 'max')).toEqual([String(2n ** 62n + 3n)])
    expect(await exact('exact.gauge', 'last')).toEqual([String(2n ** 62n + 3n)])
    expect(await exact('exact.gauge', 'min')).toEqual([String(2n ** 62n + 1n)])
    // A double represents it exactly.
    const { groups } = await series('exact.sum', { aggregation: 'min' })
    expect(groups[0].points).toMatchObject([{ value: 2 ** 62 }])
    expect(groups[0].points[0].exact).toBeUndefined()
  })

  const point = (seconds: number, value: number | string, host = 'a', more: object = {}) => ({
    attributes: attributesJson({ host }),
    timeUnixNano: String(START + BigInt(seconds) * SECOND),
    asDouble: value,
    ...more,
  })

  test('handles deltas, gauges, sums that may decrease, and points without a value', async () => {
    const deltas = [point(1, 4), point(59, 6, 'b'), point(60, 3)]
    await at.send(
      'metrics',
      metricsJson('deltas', { sum: { dataPoints: deltas, aggregationTemporality: 1, isMonotonic: true } }),
    )
    const gauges = [point(1, 4), point(2, 8), point(3, 30, 'b'), point(4, 99, 'b', { flags: 1 }), point(70, 'NaN')]
    await at.send('metrics', metricsJson('silent', { gauge: { dataPoints: [point(1, 0, 'a', { flags: 1 })] } }))
    await at.send('metrics', metricsJson('heat', { gauge: { dataPoints: gauges } }, 'Cel'))
    const queue = [point(1, 4), point(2, 2), point(3, 30, 'b')]
    await at.send(
      'metrics',
      metricsJson('queue', { sum: { dataPoints: queue, aggregationTemporality: 2, isMonotonic: false } }),
    )
    await settled(
      async () => (await pointsOf('deltas')) + (await pointsOf('heat')) + (await pointsOf('queue')),
      3 + 4 + 3,
    )
    const values = async (name: string, aggregation?: MetricSeriesRequest['aggregation']) => {
      const { groups } = await series(name, aggregation === undefined ? {} : { aggregation })
      return groups[0].points.map(({ time, value }) => [stepOf(time), value])
    }
    expect(await values('deltas')).toEqual([
      [0, 10 / 60],
      [1, 3 / 60],
    ])
    expect(await values('deltas', 'increase')).toEqual([
      [0, 10],
      [1, 3],
    ])
    expect((await values('heat'))[0]).toEqual([0, 14])
    expect((await values('heat'))[1]).toEqual([1, 'NaN'])
    // The values of a and b: 8 and 30.
    expect((await values('heat', 'last'))[0]).toEqual([0, 19])
    expect((await values('heat', 'min'))[0]).toEqual([0, 4])
    expect((await values('heat', 'max'))[0]).toEqual([0, 30])
    expect((await values('heat', 'count'))[0]).toEqual([0, 3])
    expect(await values('queue')).toEqual([[0, 32]])
    expect(await values('queue', 'average')).toEqual([[0, 12]])
  })

  test('lists metrics and rejects invalid requests', async () => {
    const { metrics } = await at.client.query('metrics', { ...RANGE, selector: '{service.name="front"}', limit: 1000 })
    expect(metrics.find(({ name }) => name === 'silent')).toMatchObject({ kind: 'gauge', points: 0 })
    expect(metrics.find(({ name }) => name === 'heat')).toEqual({
      name: 'heat',
      unit: 'Cel',
      kind: 'gauge',
      temporality: 'unspecified',
      monotonic: false,
      description: 'of heat',
      services: ['front'],
      points: 4,
      first: String(START + SECOND),
      last: String(START + 70n * SECOND),
    })
    const page = await at.client.query('metrics', { ...RANGE, limit: 1, prefix: 'd' })
    expect([page.metrics.map(({ name }) => name), page.next]).toEqual([['deltas'], undefined])
    const first = await at.client.query('metrics', { ...RANGE, limit: 2 })
    const second = await at.client.query('metrics', { ...RANGE, limit: 1000, after: first.next! })
    expect([...first.metrics, ...second.metrics].map(({ name }) => name)).toEqual(metrics.map(({ name }) => name))
    expect(await faultOf(series('nothing'))).toBe('404 not-found')
    expect(await faultOf(series('heat', { aggregation: 'rate' }))).toBe('400 argument')
    expect(await faultOf(series('heat', { step: '1ns' }))).toBe('400 argument')
    expect(await faultOf(series('heat', { groupBy: ['sample:x'] }))).toBe('400 argument')
    expect(await faultOf(series('heat', { selector: '{trace.id}' }))).toBe('400 argument')
    await at.send('metrics', metricsJson('heat', { gauge: { dataPoints: [point(5, 1)] } }, 'K'))
    await settled(() => pointsOf('heat'), 5)
    expect(await faultOf(series('heat'))).toBe('422 mixed-units')
    expect((await series('heat', { unit: 'K' })).groups[0].points).toHaveLength(1)
  })
})

describe('distributions', () => {
  const BOUNDS = [10, 20, 50]
  const histogram = (seconds: number, counts: readonly number[], sum: number, more: object = {}) => ({
    startTimeUnixNano: nano(-400),
    timeUnixNano: String(START + BigInt(seconds) * SECOND),
    count: String(counts.reduce((all, count) => all + count, 0)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: BOUNDS,
    ...more,
  })

  test('returns histograms per step with quantiles, buckets and exemplars', async () => {
    const exemplar = {
      timeUnixNano: String(START + 5n * SECOND),
      asDouble: 17.5,
      traceId: TRACE,
      spanId: SPAN,
      filteredAttributes: attributesJson({ user: 'u1' }),
    }
    const plain = { timeUnixNano: String(START + 9n * SECOND), asInt: '9007199254740993' }
    const dataPoints = [
      histogram(-20, [1, 1, 1, 1], 100),
      histogram(10, [1, 6, 1, 1], 175, { exemplars: [plain, exemplar] }),
      histogram(50, [1, 11, 1, 1], 250),
      // The counter was reset.
      histogram(70, [0, 4, 0, 0], 60, { startTimeUnixNano: nano(60) }),
    ]
    await at.send('metrics', metricsJson('took', { histogram: { dataPoints, aggregationTemporality: 2 } }, 'ms'))
    await settled(() => pointsOf('took'), 4)
    const response = await series('took', { quantiles: [0, 0.5, 1], buckets: true, exemplars: 5 })
    expect(response).toMatchObject({ kind: 'histogram', aggregation: 'rate', quantiles: [0, 0.5, 1] })
    const [{ points, cells, exemplars }] = response.groups
    expect(points.map(({ time, value, quantiles, buckets }) => [stepOf(time), value, quantiles, buckets])).toEqual([
      [0, 10 / 60, [10, 15, 20], [0, 10, 0, 0]],
      [1, 4 / 60, [10, 15, 20], [0, 4, 0, 0]],
    ])
    expect(cells).toEqual([
      { lower: '-Infinity', upper: 10 },
      { lower: 10, upper: 20 },
      { lower: 20, upper: 50 },
      { lower: 50, upper: 'Infinity' },
    ])
    expect(exemplars).toEqual([
      {
        time: exemplar.timeUnixNano,
        value: { doubleValue: 17.5 },
        traceId: TRACE,
        spanId: SPAN,
        attributes: attributesJson({ user: 'u1' }),
      },
      { time: plain.timeUnixNano, value: { intValue: plain.asInt }, traceId: '', spanId: '', attributes: [] },
    ])
    const average = await series('took', { aggregation: 'average' })
    expect(average.groups[0].points.map(({ value }) => value)).toEqual([15, 15])
  })

  test('merges exponential histograms of two scales', async () => {
    const at0 = (seconds: number, scale: number, offset: number, counts: readonly number[]) => ({
      timeUnixNano: String(START + BigInt(seconds) * SECOND),
      count: String(counts.reduce((all, count) => all + count, 0)),
      scale,
      zeroCount: '0',
      positive: { offset, bucketCounts: counts.map(String) },
      sum: 1,
      min: 1,
      max: seconds,
    })
    // Scale 0: bucket i is (2^i, 2^(i+1)]. Scale 1 has two buckets in each.
    const dataPoints = [at0(1, 0, 0, [4, 4]), at0(2, 1, 0, [0, 2, 2, 0]), at0(61, 1, 4, [1])]
    await at.send(
      'metrics',
      metricsJson('sizes', { exponentialHistogram: { dataPoints, aggregationTemporality: 1 } }, 'By'),
    )
    await settled(() => pointsOf('sizes'), 3)
    const { groups } = await series('sizes', { quantiles: [0.5], buckets: true, aggregation: 'increase' })
    const [{ points, cells }] = groups
    expect(cells).toEqual([
      { lower: 1, upper: 2 },
      { lower: 2, upper: 4 },
      { lower: 4, upper: 8 },
    ])
    expect(points.map(({ value, buckets }) => [value, buckets])).toEqual([
      [12, [6, 6, 0]],
      [1, [0, 0, 1]],
    ])
    expect(points[0].quantiles).toEqual([2])
    const most = await series('sizes', { aggregation: 'max' })
    expect(most.groups[0].points.map(({ value }) => value)).toEqual([2, 61])
  })

  test('returns the quantiles of summaries as sent', async () => {
    const summary = (seconds: number, count: number, median: number) => ({
      startTimeUnixNano: nano(-10),
      timeUnixNano: String(START + BigInt(seconds) * SECOND),
      count: String(count),
      sum: count * 2,
      quantileValues: [
        { quantile: 0.5, value: median },
        { quantile: 0.99, value: 2 * median },
      ],
    })
    await at.send(
      'metrics',
      metricsJson('rpc', { summary: { dataPoints: [summary(-5, 10, 3), summary(5, 14, 5), summary(65, 15, 7)] } }),
    )
    await settled(() => pointsOf('rpc'), 3)
    const response = await series('rpc', { aggregation: 'increase' })
    expect(response.quantiles).toEqual([0.5, 0.99])
    expect(response.groups[0].points.map(({ value, quantiles }) => [value, quantiles])).toEqual([
      [4, [5, 10]],
      [1, [7, 14]],
    ])
  })
})
