// Files of traces, logs and metrics: recognised, read, written and checked by the rules of the data model.
import fc from 'fast-check'
import { ProfilesBuilder, encodeOtlp, writeProfile } from '@hearth/profile'
import { describe, expect, it, test } from 'vitest'
import type { ProtoField } from '../../../profile/src/wire/testing/proto-message.ts'
import { packedVarints, protoMessage as message } from '../../../profile/src/wire/testing/proto-message.ts'
import { logs, metrics, traces } from '../otlp/codecs.ts'
import { EXPORT_SERVICES } from '../otlp/export-services.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'
import { signalOf } from './detect-signal.ts'
import type { SignalContent, SignalKind } from './signal-content.ts'
import { SIGNAL_NAMES } from './signal-content.ts'
import { encodeSignal, joinSignals, readSignalFile } from './signal-file.ts'
import { SIGNAL_RULES } from './signal-rules.ts'
import { validateSignal } from './validate-signal.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const START = '1700000000000000000'
const END = '1700000001000000000'
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }
const SPAN_JSON = { traceId: TRACE, spanId: SPAN, name: 'GET', startTimeUnixNano: START, endTimeUnixNano: END }
const POINT = { timeUnixNano: START, asInt: '1' }
const COUNTER = { name: 'hits', sum: { aggregationTemporality: 2, dataPoints: [POINT] } }

const bytesOf = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json))
const tracesOf = (...spans: object[]): SignalContent => ({
  signal: 'traces',
  data: traces.decodeJson(bytesOf({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })),
})
const logsOf = (...logRecords: object[]): SignalContent => ({
  signal: 'logs',
  data: logs.decodeJson(bytesOf({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })),
})
const metricsOf = (...list: object[]): SignalContent => ({
  signal: 'metrics',
  data: metrics.decodeJson(bytesOf({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics: list }] }] })),
})

const VALID: readonly SignalContent[] = [
  tracesOf(SPAN_JSON),
  logsOf({ timeUnixNano: START, body: { stringValue: 'a' } }),
  metricsOf(COUNTER),
]
const ENCODINGS = ['protobuf', 'json'] as const

/** Messages with their length, as the Collector's file exporter writes them. */
function framed(...messages: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(messages.flatMap(each => [0, 0, each.length >> 8, each.length & 255, ...each]))
}

describe('signalOf', () => {
  test.each(VALID)('recognises $signal in both encodings, alone and with lengths', content => {
    for (const encoding of ENCODINGS) {
      const bytes = encodeSignal(content, encoding).bytes
      const kind: SignalKind = { signal: content.signal, encoding }
      expect(signalOf(bytes)).toEqual(kind)
      expect(signalOf(framed(bytes, bytes))).toEqual(kind)
    }
  })

  test.each([
    ['logs', logsOf({ body: { stringValue: 'only a body' } })],
    ['logs', logsOf({ attributes: resource.attributes })],
    ['traces', tracesOf({ name: 'no ids and times' })],
    ['traces', tracesOf({ traceId: TRACE, spanId: SPAN, name: 'no times' })],
    ['metrics', metricsOf({ name: 'a', unit: 's', gauge: { dataPoints: [{ ...POINT, timeUnixNano: '0' }] } })],
    ['metrics', metricsOf({ name: 'empty' }, { name: 'a', summary: { dataPoints: [{ timeUnixNano: START }] } })],
  ])('recognises %s without their typical fields', (signal, content) => {
    expect(signalOf(encodeSignal(content, 'protobuf').bytes)).toEqual({ signal, encoding: 'protobuf' })
  })

  it('does not recognise profiles, other content and messages without items', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BigInt(START) })
    const frame = builder.location({ lines: [{ function: builder.function({ name: 'gc' }), line: 1 }] })
    builder.sample({ stack: builder.stack([frame]), values: [1n], timestamps: [BigInt(START)] })
    const profiles = builder.build()
    for (const format of ['otlp', 'otlp-json', 'otep239', 'arrays-draft', 'events', 'pprof', 'folded', 'speedscope'])
      expect([format, signalOf(writeProfile(profiles, format).bytes)]).toEqual([format, undefined])
    expect(signalOf(framed(encodeOtlp(profiles)))).toBeUndefined()
    for (const text of ['', '{', '{}', '[]', '{"resourceSpans":1}', 'a;b 1\n'])
      expect(signalOf(new TextEncoder().encode(text))).toBeUndefined()
    expect(signalOf(encodeSignal(tracesOf(), 'protobuf').bytes)).toBeUndefined()
  })

  it('does not take stacks and links of former drafts for the points of a metric', () => {
    const id = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i)
    const typeAndUnit = packedVarints(8, 1, 16, 2)
    // Both 17 and 33 are the tag of a fixed64 field.
    const stack = packedVarints(17, 5, 6, 7, 8, 9, 10, 11, 12, 33, 4)
    const link = Uint8Array.of(33, 1, 2, 3, 4, 5, 6, 7, 8, 17, 1, 2, 3, 4, 5, 6)
    const inside = (table: number, row: Uint8Array): ProtoField => [table, message([1, row])]
    for (const fields of [
      [[1, id], inside(7, stack)],
      [[1, id], inside(11, link)],
      [[1, typeAndUnit], inside(9, link)],
    ] satisfies ProtoField[][]) {
      expect(signalOf(message([1, message([2, message([2, message(...fields)])])]))).toBeUndefined()
    }
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), bytes => void signalOf(bytes)))
  })
})

describe('readSignalFile', () => {
  test.each(SIGNAL_NAMES)('returns %s equal to the input after each conversion', signal => {
    const arbitrary = arbitraryMessage<SignalContent['data']>(EXPORT_SERVICES[signal].request as never)
    fc.assert(
      fc.property(arbitrary, data => {
        const content = { signal, data } as SignalContent
        for (const first of ENCODINGS) {
          for (const second of ENCODINGS) {
            const read = readSignalFile(encodeSignal(content, first).bytes, { signal, encoding: first }).content
            const again = readSignalFile(encodeSignal(read, second).bytes, { signal, encoding: second })
            expect(again).toEqual({ content, messages: 1, notes: [] })
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  it('joins the messages of a file', () => {
    const [content] = VALID
    const twice = joinSignals([content, content])
    const bytes = encodeSignal(content, 'protobuf').bytes
    const read = readSignalFile(framed(bytes, bytes), { signal: 'traces', encoding: 'protobuf' })
    expect(read).toEqual({ content: twice, messages: 2, notes: [] })
    const lines = new TextEncoder().encode(`${text(encodeSignal(content, 'json').bytes)}\n`.repeat(2))
    expect(readSignalFile(lines, { signal: 'traces', encoding: 'json' })).toEqual(read)
  })

  it('counts unknown fields that it keeps and those that it drops', () => {
    const body = { x: 1, arrayValue: { values: [{ y: 1 }] } }
    const json = bytesOf({ resourceLogs: [{ new: 1, scopeLogs: [{ logRecords: [{ flagz: {}, body }] }] }] })
    const { notes } = readSignalFile(json, { signal: 'logs', encoding: 'json' })
    expect(notes).toMatchObject([
      { code: 'unknown-fields-kept', count: 3 },
      { code: 'unknown-fields', count: 1 },
    ])
    const message = Uint8Array.of(...encodeSignal(VALID[1], 'protobuf').bytes, 0x7a, 1, 0)
    const read = readSignalFile(message, { signal: 'logs', encoding: 'protobuf' })
    expect(read).toMatchObject({ content: VALID[1], notes: [{ code: 'unknown-fields-kept', count: 1 }] })
    expect(encodeSignal(read.content, 'protobuf')).toEqual({ bytes: message, notes: [] })
    expect(encodeSignal(read.content, 'json').notes).toMatchObject([{ code: 'unknown-fields', count: 1 }])
  })

  it('reports the path of a broken field, and reads what precedes it if lenient', () => {
    const good = encodeSignal(VALID[2], 'protobuf').bytes
    const bad = Uint8Array.of(10, 2, 18, 9)
    const kind: SignalKind = { signal: 'metrics', encoding: 'protobuf' }
    expect(() => readSignalFile(framed(good, bad), kind)).toThrow('message[1].resource_metrics[0].scope_metrics[0]')
    const read = readSignalFile(framed(good, bad), kind, { lenient: true })
    expect(read).toMatchObject({ content: VALID[2], messages: 1, notes: [{ code: 'skipped-messages' }] })
  })
})

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('validateSignal', () => {
  const duplicate = [resource.attributes[0], resource.attributes[0]]
  const point = (fields: object): SignalContent =>
    metricsOf({ name: 'a', histogram: { aggregationTemporality: 1, dataPoints: [{ timeUnixNano: START, ...fields }] } })
  const exponential = (fields: object): SignalContent => {
    const dataPoints = [{ timeUnixNano: START, ...fields }]
    return metricsOf({ name: 'a', exponentialHistogram: { aggregationTemporality: 1, dataPoints } })
  }
  const summary = (fields: object): SignalContent =>
    metricsOf({ name: 'a', summary: { dataPoints: [{ timeUnixNano: START, ...fields }] } })
  const gauge = (fields: object): SignalContent =>
    metricsOf({ name: 'a', gauge: { dataPoints: [{ ...POINT, ...fields }] } })
  const span = (fields: object): SignalContent => tracesOf({ ...SPAN_JSON, ...fields })
  const log = (fields: object): SignalContent => logsOf({ timeUnixNano: START, ...fields })

  test.each(VALID)('finds nothing in valid $signal', content => {
    expect(validateSignal(content, { encoding: 'json', strict: true })).toEqual([])
  })

  test.each<readonly [rule: string, path: string, content: SignalContent]>([
    ['span-trace-id', 'trace_id', span({ traceId: 'ab' })],
    ['span-trace-id', 'trace_id', span({ traceId: '0'.repeat(32) })],
    ['span-id', 'span_id', span({ spanId: '' })],
    ['span-parent-id', 'parent_span_id', span({ parentSpanId: 'abcd' })],
    ['span-name', 'name', span({ name: '' })],
    ['span-start', 'start_time_unix_nano', span({ startTimeUnixNano: '0' })],
    ['span-end', 'end_time_unix_nano', span({ endTimeUnixNano: '5' })],
    ['span-end', 'end_time_unix_nano', span({ endTimeUnixNano: '0' })],
    ['span-event-name', 'events[0].name', span({ events: [{ timeUnixNano: START }] })],
    ['span-link-id', 'links[0].span_id', span({ links: [{ traceId: TRACE }] })],
    ['trace-state', 'trace_state', span({ traceState: 'no value' })],
    ['trace-state', 'trace_state', span({ traceState: 'a=1,a=2' })],
    ['enum-known', 'kind', span({ kind: 77 })],
    ['attribute-keys-unique', 'attributes[1].key', span({ attributes: duplicate })],
    ['attribute-key-empty', 'attributes[0].key', span({ attributes: [{ value: { intValue: '1' } }] })],
    [
      'value-keys-unique',
      'body.array_value.values[0].kvlist_value.values[1].key',
      log({ body: { arrayValue: { values: [{ kvlistValue: { values: duplicate } }] } } }),
    ],
    ['log-trace-id', 'trace_id', log({ traceId: 'ab' })],
    ['log-span-id', 'span_id', log({ traceId: TRACE, spanId: 'ab' })],
    ['log-span-without-trace', 'trace_id', log({ spanId: SPAN })],
    ['log-time', 'observed_time_unix_nano', log({ timeUnixNano: '0' })],
    ['metric-name', 'name', metricsOf({ ...COUNTER, name: '' })],
    ['metric-data', '', metricsOf({ name: 'a' })],
    ['metric-unit-ucum', 'unit', metricsOf({ ...COUNTER, unit: 'no unit' })],
    ['metric-temporality', 'sum.aggregation_temporality', metricsOf({ name: 'a', sum: { dataPoints: [POINT] } })],
    ['point-time', 'gauge.data_points[0].time_unix_nano', gauge({ timeUnixNano: '0' })],
    ['point-start', 'gauge.data_points[0].start_time_unix_nano', gauge({ startTimeUnixNano: END })],
    ['point-value', 'gauge.data_points[0]', metricsOf({ name: 'a', gauge: { dataPoints: [{ timeUnixNano: START }] } })],
    ['exemplar-id', 'gauge.data_points[0].exemplars[0].trace_id', gauge({ exemplars: [{ traceId: 'ab' }] })],
    ['histogram-buckets', 'histogram.data_points[0]', point({ bucketCounts: ['1'], explicitBounds: [1] })],
    ['histogram-range', 'histogram.data_points[0].min', point({ min: 2, max: 1 })],
    ['histogram-buckets', 'exponential_histogram.data_points[0]', exponential({ count: '2' })],
    ['summary-quantiles', 'summary.data_points[0].quantile_values', summary({ quantileValues: [{ quantile: 2 }] })],
    ['summary-values', 'summary.data_points[0].sum', summary({ sum: -1 })],
  ])('reports %s at %s', (rule, path, content) => {
    const problems = validateSignal(content, { encoding: 'protobuf', strict: true })
    expect(problems.map(problem => problem.rule)).toEqual([rule])
    const items = { traces: 'spans', logs: 'log_records', metrics: 'metrics' }[content.signal]
    expect(problems[0].path).toMatch(
      new RegExp(`^resource_\\w+\\[0\\]\\.scope_\\w+\\[0\\]\\.${items}\\[0\\]${path === '' ? '' : '\\.'}`),
    )
    expect(problems[0].path.endsWith(`[0]${path === '' ? '' : `.${path}`}`)).toBe(true)
    const { level } = SIGNAL_RULES.find(({ id }) => id === rule)!
    expect(validateSignal(content, { encoding: 'protobuf' })).toHaveLength(level === 'must' ? 1 : 0)
  })

  it('names fields as JSON does, and limits the problems of a rule', () => {
    const content = tracesOf(...Array.from({ length: 5 }, () => ({ ...SPAN_JSON, spanId: '' })))
    const problems = validateSignal(content, { encoding: 'json', limit: 2 })
    expect(problems.map(({ path }) => path.replace('resourceSpans[0].scopeSpans[0].', ''))).toEqual([
      'spans[0].spanId',
      'spans[1].spanId',
      'spans[2].spanId',
    ])
    expect(problems[2].message).toBe('3 more problems of this kind, starting here')
  })

  it('accepts a point without a value if its flag says that none was recorded', () => {
    const content = metricsOf({ name: 'a', gauge: { dataPoints: [{ timeUnixNano: START, flags: 1 }] } })
    expect(validateSignal(content, { encoding: 'json', strict: true })).toEqual([])
  })
})
