import { describe, expect, test } from 'vitest'
import { logs, metrics, traces } from '@hearth/signals'
import { checkedLogs, checkedMetrics, checkedTraces } from './check-items.ts'
import { Rejects } from './rejects.ts'

const limits = { maxAttributes: 2 }
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const many = [1, 2, 3].map(n => ({ key: `k${n}`, value: { intValue: n } }))
const few = many.slice(0, 2)

/** A request as a sender writes it in JSON, without fields that are not set. */
const bytes = (content: object): Uint8Array => Buffer.from(JSON.stringify(content))
const spans = (...list: readonly object[]) =>
  traces.decodeJson(bytes({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] }))
const records = (...list: readonly object[]) =>
  logs.decodeJson(bytes({ resourceLogs: [{ scopeLogs: [{ logRecords: list }] }] }))
const points = (...list: readonly object[]) =>
  metrics.decodeJson(bytes({ resourceMetrics: [{ scopeMetrics: [{ metrics: list }] }] }))

describe('checkedTraces', () => {
  const good = { traceId: TRACE, spanId: SPAN, name: 'good' }

  test('returns valid spans unchanged', () => {
    const rejects = new Rejects()
    const data = spans(good, {
      ...good,
      parentSpanId: SPAN,
      attributes: few,
      links: [{ traceId: TRACE, spanId: SPAN }],
    })
    const checked = checkedTraces(data, limits, rejects)
    expect(checked).toEqual(data)
    expect(checked.resourceSpans[0].scopeSpans[0].spans).toBe(data.resourceSpans[0].scopeSpans[0].spans)
    expect(rejects.count).toBe(0)
  })

  test.each([
    ['trace-id', { traceId: '' }],
    ['trace-id', { traceId: SPAN }],
    ['trace-id', { traceId: '0'.repeat(32) }],
    ['span-id', { spanId: '' }],
    ['span-id', { spanId: '0'.repeat(16) }],
    ['span-id', { spanId: TRACE }],
    ['span-id', { parentSpanId: 'aa' }],
    ['link-id', { links: [{ traceId: 'aa', spanId: SPAN }] }],
    ['link-id', { links: [{ traceId: TRACE, spanId: 'aa' }] }],
    ['attributes', { attributes: many }],
    ['attributes', { events: [{ name: 'e' }, { attributes: many }] }],
    ['attributes', { links: [{ traceId: TRACE, spanId: SPAN, attributes: many }] }],
  ])('rejects a span for %s: %j', (reason, change) => {
    const rejects = new Rejects()
    const checked = checkedTraces(spans(good, { ...good, ...change }, { ...good, name: 'too' }), limits, rejects)
    expect(checked.resourceSpans[0].scopeSpans[0].spans.map(span => span.name)).toEqual(['good', 'too'])
    expect([...rejects.reasons]).toEqual([[reason, 1]])
    expect(rejects.message()).toMatch(/^resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[1\]: /)
  })
})

describe('repeated attribute keys', () => {
  const twice = [{ key: 'k', value: { intValue: 1 } }, { key: 'k' }]

  test('are accepted in spans, their events and links, with a warning', () => {
    const rejects = new Rejects()
    const link = { traceId: TRACE, spanId: SPAN, attributes: twice }
    const span = { traceId: TRACE, spanId: SPAN, attributes: twice, events: [{}, { attributes: twice }], links: [link] }
    const data = spans(span)
    expect(checkedTraces(data, limits, rejects)).toEqual(data)
    expect([rejects.count, rejects.message()]).toEqual([
      0,
      'accepted with problems: ' +
        ['attributes[1]', 'events[1].attributes[1]', 'links[0].attributes[1]']
          .map(part => `resourceSpans[0].scopeSpans[0].spans[0].${part}: the key "k" is repeated`)
          .join('; '),
    ])
  })

  test('are accepted in log records and long lists, with a warning', () => {
    const rejects = new Rejects()
    const long = Array.from({ length: 40 }, (_, i) => ({ key: `k${i % 39}` }))
    checkedLogs(records({ attributes: long }), { maxAttributes: 100 }, rejects)
    expect(rejects.message()).toBe(
      'accepted with problems: resourceLogs[0].scopeLogs[0].logRecords[0].attributes[39]: the key "k0" is repeated',
    )
  })
})

describe('checkedLogs', () => {
  test('keeps a log record with an invalid id without the id, and warns', () => {
    const rejects = new Rejects()
    const checked = checkedLogs(
      records({ traceId: 'aa', spanId: SPAN }, { traceId: TRACE, spanId: 'aa' }, { traceId: TRACE, spanId: SPAN }),
      limits,
      rejects,
    )
    const ids = checked.resourceLogs[0].scopeLogs[0].logRecords.map(({ traceId, spanId }) => [
      traceId.length,
      spanId.length,
    ])
    expect(ids).toEqual([
      [0, 0],
      [16, 0],
      [16, 8],
    ])
    expect(rejects.count).toBe(0)
    expect(rejects.message()).toBe(
      'accepted with problems: resourceLogs[0].scopeLogs[0].logRecords[0]: traceId must be empty or 16 bytes; stored without it; ' +
        'resourceLogs[0].scopeLogs[0].logRecords[1]: spanId must be empty or 8 bytes; stored without it',
    )
  })

  test.each([['attributes', { attributes: many }]])('rejects a log record for %s', (reason, change) => {
    const rejects = new Rejects()
    const checked = checkedLogs(records(change, {}, { traceId: TRACE, spanId: SPAN }), limits, rejects)
    expect(checked.resourceLogs[0].scopeLogs[0].logRecords).toHaveLength(2)
    expect([...rejects.reasons]).toEqual([[reason, 1]])
  })
})

describe('checkedMetrics', () => {
  const kinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const

  test.each(kinds)('rejects a point of a %s with too many attributes', kind => {
    const rejects = new Rejects()
    const dataPoints = [
      { attributes: many, timeUnixNano: '1' },
      { timeUnixNano: '1' },
      { attributes: few, timeUnixNano: '2' },
    ]
    const { resourceMetrics } = checkedMetrics(points({ name: 'm', [kind]: { dataPoints } }), limits, rejects)
    const [metric] = resourceMetrics[0].scopeMetrics[0].metrics
    expect(metric[kind]?.dataPoints.map(point => point.timeUnixNano)).toEqual([1n, 2n])
    expect(rejects.message()).toBe(
      'resourceMetrics[0].scopeMetrics[0].metrics[0].dataPoints[0]: 3 attributes; the limit is 2 (max-attributes)',
    )
  })

  test('checks exemplars', () => {
    const rejects = new Rejects()
    const dataPoints = [
      { timeUnixNano: '1', exemplars: [{ traceId: TRACE, spanId: SPAN }] },
      { timeUnixNano: '1', exemplars: [{}, { spanId: 'aa' }] },
      { timeUnixNano: '1', exemplars: [{ filteredAttributes: many }] },
    ]
    const { resourceMetrics } = checkedMetrics(points({ gauge: { dataPoints } }), limits, rejects)
    expect(resourceMetrics[0].scopeMetrics[0].metrics[0].gauge?.dataPoints).toHaveLength(1)
    expect([...rejects.reasons.keys()]).toEqual(['exemplar-id', 'attributes'])
  })

  test.each(kinds)('rejects a point of a %s without a time', kind => {
    const rejects = new Rejects()
    const dataPoints = [{}, { timeUnixNano: '1' }]
    const { resourceMetrics } = checkedMetrics(points({ name: 'm', [kind]: { dataPoints } }), limits, rejects)
    expect(resourceMetrics[0].scopeMetrics[0].metrics[0][kind]?.dataPoints).toHaveLength(1)
    expect([...rejects.reasons]).toEqual([['time', 1]])
    expect(rejects.message()).toMatch(/dataPoints\[0\]: timeUnixNano must be set$/)
  })

  test.each([
    [
      'histogram',
      { bucketCounts: ['1', '2'], explicitBounds: [1, 2], count: '3' },
      '2 bucketCounts for 2 explicitBounds',
    ],
    ['histogram', { bucketCounts: ['1', '2', '0'], explicitBounds: [2, 2], count: '3' }, 'must increase strictly'],
    [
      'histogram',
      { bucketCounts: ['1', '2'], explicitBounds: [1], count: '4' },
      'count is 4, but the buckets contain 3',
    ],
    ['exponentialHistogram', { positive: { bucketCounts: ['2'] }, zeroCount: '1', count: '2' }, 'contain 3'],
    ['summary', { quantileValues: [{ quantile: 1.5, value: 3 }] }, 'quantile 1.5 must be between 0 and 1'],
    ['summary', { quantileValues: [{ quantile: 0.5, value: -3 }] }, 'value -3 of quantile 0.5 must not be negative'],
  ] as const)('warns of a malformed %s and keeps it: %j', (kind, point, message) => {
    const rejects = new Rejects()
    const data = points({ name: 'm', [kind]: { dataPoints: [{ timeUnixNano: '1', ...point }] } })
    expect(checkedMetrics(data, limits, rejects)).toEqual(data)
    expect(rejects.count).toBe(0)
    expect(rejects.message()).toContain('metrics[0].dataPoints[0]')
    expect(rejects.message()).toContain(message)
  })

  test('accepts a metric without points', () => {
    const rejects = new Rejects()
    const data = points({ name: 'nothing' }, { name: 'empty', sum: {} })
    expect(checkedMetrics(data, limits, rejects)).toEqual(data)
    expect(rejects.count).toBe(0)
  })
})

describe('too many attributes on a container', () => {
  test('reject the items of a resource and a scope of traces', () => {
    const rejects = new Rejects()
    const span = { traceId: TRACE, spanId: SPAN }
    const data = traces.decodeJson(
      bytes({
        resourceSpans: [
          { resource: { attributes: many }, scopeSpans: [{ spans: [span, span] }, { spans: [span] }] },
          {
            scopeSpans: [
              { scope: { attributes: many }, spans: [span, span] },
              { scope: { name: 's' }, spans: [span] },
            ],
          },
        ],
      }),
    )
    const { resourceSpans } = checkedTraces(data, limits, rejects)
    expect(resourceSpans.map(resource => resource.scopeSpans.map(scope => scope.spans.length))).toEqual([[1]])
    expect(resourceSpans[0].scopeSpans[0].scope?.name).toBe('s')
    expect(rejects.count).toBe(5)
    expect(rejects.message()).toMatch(/^resourceSpans\[0\]: .*; resourceSpans\[1\]\.scopeSpans\[0\]: .*; and 3 more$/)
  })

  test('reject the points of a metric', () => {
    const rejects = new Rejects()
    const dataPoints = [{ timeUnixNano: '1' }, { timeUnixNano: '2' }]
    const data = points({ name: 'a', metadata: many, gauge: { dataPoints } }, { name: 'b', sum: { dataPoints } })
    const { resourceMetrics } = checkedMetrics(data, limits, rejects)
    expect(resourceMetrics[0].scopeMetrics[0].metrics.map(metric => metric.name)).toEqual(['b'])
    expect(rejects.count).toBe(2)
  })

  test('reject the records of a resource of logs', () => {
    const rejects = new Rejects()
    const data = logs.decodeJson(
      bytes({
        resourceLogs: [
          { resource: { attributes: many }, scopeLogs: [{ logRecords: [{}, {}] }] },
          { scopeLogs: [{ scope: { attributes: many }, logRecords: [{}] }] },
        ],
      }),
    )
    expect(checkedLogs(data, limits, rejects).resourceLogs).toMatchObject([{ scopeLogs: [] }])
    expect(rejects.count).toBe(3)
  })
})
