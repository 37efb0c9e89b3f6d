// Known bytes, the rules of proto3 and of OTLP/JSON, and the errors for broken input.
import { FormatError } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { logs as logsCodec, metrics as metricsCodec, traces as tracesCodec, tracesResponse } from './codecs.ts'
import type { AnyValue } from './common.ts'
import type { LogRecord } from './logs.ts'
import type { Span } from './traces.ts'

const {
  decode: decodeTraces,
  decodeJson: decodeTracesJson,
  encode: encodeTraces,
  encodeJson: encodeTracesJson,
} = tracesCodec
const { decode: decodeLogs, decodeJson: decodeLogsJson, encode: encodeLogs, encodeJson: encodeLogsJson } = logsCodec
const { decode: decodeMetrics, decodeJson: decodeMetricsJson, encode: encodeMetrics } = metricsCodec

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replace(/\s/g, ''), 'hex'))
const none = new Uint8Array(0)

/** A length-delimited field. */
function field(number: number, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const body = Buffer.concat(parts.map(part => (typeof part === 'string' ? hex(part) : part)))
  return Buffer.concat([varint((number << 3) | 2), varint(body.length), body])
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Uint8Array.from([...bytes, rest])
}

/** A request with one span of these bytes. */
const spanBytes = (...parts: readonly (Uint8Array | string)[]): Uint8Array => field(1, field(2, field(2, ...parts)))
const spanOf = (...parts: readonly (Uint8Array | string)[]): Span =>
  decodeTraces(spanBytes(...parts)).resourceSpans[0].scopeSpans[0].spans[0]
const logOf = (...parts: readonly (Uint8Array | string)[]): LogRecord =>
  decodeLogs(field(1, field(2, field(2, ...parts)))).resourceLogs[0].scopeLogs[0].logRecords[0]

const emptySpan: Span = {
  traceId: none,
  spanId: none,
  traceState: '',
  parentSpanId: none,
  name: '',
  kind: 0,
  startTimeUnixNano: 0n,
  endTimeUnixNano: 0n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: undefined,
  flags: 0,
}

function failure(run: () => unknown): FormatError {
  try {
    run()
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('known bytes', () => {
  const span: Span = {
    ...emptySpan,
    traceId: hex('000102030405060708090a0b0c0d0e0f'),
    spanId: hex('1011121314151617'),
    traceState: 'a=b',
    name: 'GET',
    kind: 2,
    startTimeUnixNano: 0xffffffffffffffffn,
    attributes: [{ key: 'n', value: -1n }],
    status: { message: '', code: 2 },
    flags: 0x101,
  }
  const bytes = spanBytes(
    field(1, span.traceId),
    field(2, span.spanId),
    field(3, utf8('a=b')),
    field(5, utf8('GET')),
    '30 02',
    '39 ffffffffffffffff',
    field(9, field(1, utf8('n')), field(2, '18 ffffffffffffffffff01')),
    field(15, '18 02'),
    '8501 01010000',
  )
  const traces = {
    resourceSpans: [
      { resource: undefined, scopeSpans: [{ scope: undefined, spans: [span], schemaUrl: '' }], schemaUrl: '' },
    ],
  }

  test('encode and decode a span', () => {
    expect(decodeTraces(bytes)).toEqual(traces)
    expect(Buffer.from(encodeTraces(traces)).toString('hex')).toBe(Buffer.from(bytes).toString('hex'))
  })

  test('encode and decode a span as JSON', () => {
    const json =
      '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"000102030405060708090a0b0c0d0e0f",' +
      '"spanId":"1011121314151617","traceState":"a=b","name":"GET","kind":2,' +
      '"startTimeUnixNano":"18446744073709551615","attributes":[{"key":"n","value":{"intValue":"-1"}}],' +
      '"status":{"code":2},"flags":257}]}]}]}'
    expect(new TextDecoder().decode(encodeTracesJson(traces))).toBe(json)
    expect(decodeTracesJson(utf8(json))).toEqual(traces)
  })

  test('are empty for an empty request, and {} in JSON', () => {
    expect(decodeTraces(none)).toEqual({ resourceSpans: [] })
    expect(decodeTracesJson(utf8(' {} '))).toEqual({ resourceSpans: [] })
    expect(encodeTraces({ resourceSpans: [] })).toEqual(none)
    expect(tracesResponse.encode({ partialSuccess: undefined })).toEqual(none)
    expect(tracesResponse.encode({ partialSuccess: { rejectedSpans: 2n, errorMessage: 'no' } })).toEqual(
      hex('0a06 0802 1202 6e6f'),
    )
  })

  test('encode and decode every field of a data point', () => {
    const point = Buffer.concat([
      hex('11 0100000000000000 19 0200000000000000 21 0300000000000000 29 000000000000f03f'),
      field(6, '0400000000000000 0500000000000000'),
      field(7, '0000000000000040'),
      field(8, '19 0000000000000840', field(4, '01'), field(5, '02'), field(7, field(1, utf8('k')))),
      field(9, field(1, utf8('a')), field(2, '10 01')),
      hex('50 01 59 0000000000000000 61 0000000000001040'),
    ])
    const bytes = field(1, field(2, field(2, field(1, utf8('m')), field(9, field(1, point), '10 02'))))
    const metrics = decodeMetrics(bytes)
    expect(metrics.resourceMetrics[0].scopeMetrics[0].metrics[0].histogram).toEqual({
      dataPoints: [
        {
          startTimeUnixNano: 1n,
          timeUnixNano: 2n,
          count: 3n,
          sum: 1,
          bucketCounts: [4n, 5n],
          explicitBounds: [2],
          exemplars: [
            {
              timeUnixNano: 0n,
              asDouble: 3,
              spanId: hex('01'),
              traceId: hex('02'),
              asInt: undefined,
              filteredAttributes: [{ key: 'k', value: undefined }],
            },
          ],
          attributes: [{ key: 'a', value: true }],
          flags: 1,
          min: 0,
          max: 4,
        },
      ],
      aggregationTemporality: 2,
    })
    expect(Buffer.from(encodeMetrics(metrics))).toEqual(Buffer.from(bytes))
  })
})

describe('proto3', () => {
  test('uses the last value of a field and merges messages that were sent twice', () => {
    expect(spanOf('30 02 30 03').kind).toBe(3)
    expect(spanOf(field(15, '18 02'), field(15, field(2, utf8('no')))).status).toEqual({ message: 'no', code: 2 })
    const twice = logOf(field(5, field(5, field(1, '10 01'))), field(5, field(5, field(1, '10 00'))))
    expect(twice.body).toEqual([true, false])
  })

  test('uses the last field of a oneof', () => {
    const point = (...parts: readonly string[]) =>
      decodeMetrics(field(1, field(2, field(2, field(5, field(1, ...parts)))))).resourceMetrics[0].scopeMetrics[0]
        .metrics[0].gauge?.dataPoints[0]
    const asDouble = '21 0000000000000000'
    const asInt = '31 ffffffffffffffff'
    expect(point(asDouble)).toMatchObject({ asDouble: 0, asInt: undefined })
    expect(point(asDouble, asInt)).toMatchObject({ asDouble: undefined, asInt: -1n })
    expect(point(asInt, asDouble)).toMatchObject({ asDouble: 0, asInt: undefined })
    const metric = decodeMetrics(field(1, field(2, field(2, field(5), field(7, '18 01')))))
    expect(metric.resourceMetrics[0].scopeMetrics[0].metrics[0]).toMatchObject({
      gauge: undefined,
      sum: { isMonotonic: true },
    })
  })

  test('reads lists of numbers packed, unpacked and mixed', () => {
    const buckets = (...parts: readonly (string | Uint8Array)[]) =>
      decodeMetrics(field(1, field(2, field(2, field(10, field(1, field(8, ...parts))))))).resourceMetrics[0]
        .scopeMetrics[0].metrics[0].exponentialHistogram?.dataPoints[0].positive
    expect(buckets('08 03', field(2, '01 8001'))).toEqual({ offset: -2, bucketCounts: [1n, 128n] })
    expect(buckets('10 01 10 8001')?.bucketCounts).toEqual([1n, 128n])
    expect(buckets(field(2, '01'), '10 02', field(2, '03 04'))?.bucketCounts).toEqual([1n, 2n, 3n, 4n])
  })

  test('reads the fields between unknown fields, groups and references to a string table', () => {
    const unknown = ['a006 01', 'a106 0102030405060708', 'a206 02 ffff', 'a306 0801 0b 0c a406', 'a506 01020304']
    expect(spanOf(...unknown, '30 02', ...unknown)).toMatchObject({ ...emptySpan, kind: 2 })
    expect(spanOf(field(9, field(1, utf8('k')), '18 05', field(2, '40 07'))).attributes).toMatchObject([
      { key: 'k', value: undefined },
    ])
  })

  test('truncates numbers to 32 bits and keeps negative enum values', () => {
    expect(spanOf('50 8180808010').droppedAttributesCount).toBe(1)
    expect(spanOf('30 ffffffffffffffffff01').kind).toBe(-1)
  })

  test('keeps -0, NaN and zeros of a oneof', () => {
    const body = (value: AnyValue): LogRecord => ({
      timeUnixNano: 0n,
      severityNumber: 0,
      severityText: '',
      body: value,
      attributes: [],
      droppedAttributesCount: 0,
      flags: 0,
      traceId: none,
      spanId: none,
      observedTimeUnixNano: 0n,
      eventName: '',
    })
    for (const value of [-0, 0, NaN, 0n, '', false, none, [], { entries: [] }]) {
      const logs = {
        resourceLogs: [
          {
            resource: undefined,
            schemaUrl: '',
            scopeLogs: [{ scope: undefined, schemaUrl: '', logRecords: [body(value)] }],
          },
        ],
      }
      expect(decodeLogs(encodeLogs(logs))).toEqual(logs)
      expect(decodeLogsJson(encodeLogsJson(logs))).toEqual(logs)
    }
  })

  test('refuses to write values that do not fit the type', () => {
    const traces = (span: Partial<Span>) => ({
      resourceSpans: [
        {
          resource: undefined,
          schemaUrl: '',
          scopeSpans: [{ scope: undefined, schemaUrl: '', spans: [{ ...emptySpan, ...span }] }],
        },
      ],
    })
    expect(() => encodeTraces(traces({ startTimeUnixNano: -1n }))).toThrow(RangeError)
    expect(() => encodeTraces(traces({ startTimeUnixNano: 2n ** 64n }))).toThrow(RangeError)
    expect(() => encodeTraces(traces({ flags: 1.5 }))).toThrow(RangeError)
    expect(() => encodeTraces(traces({ kind: 2 ** 31 }))).toThrow(RangeError)
  })
})

describe('OTLP/JSON', () => {
  const spanJson = (members: string): Span =>
    decodeTracesJson(utf8(`{"resourceSpans":[{"scopeSpans":[{"spans":[{${members}}]}]}]}`)).resourceSpans[0]
      .scopeSpans[0].spans[0]

  test('reads 64-bit integers exactly from numbers and strings', () => {
    expect(spanJson('"startTimeUnixNano": 1700000000123456789').startTimeUnixNano).toBe(1700000000123456789n)
    expect(spanJson('"startTimeUnixNano": "18446744073709551615"').startTimeUnixNano).toBe(2n ** 64n - 1n)
    expect(spanJson('"attributes":[{"key":"a","value":{"intValue":-9223372036854775808}}]').attributes[0].value).toBe(
      -(2n ** 63n),
    )
    expect(spanJson('"flags":"257","droppedLinksCount":4294967295')).toMatchObject({
      flags: 257,
      droppedLinksCount: 0xffffffff,
    })
  })

  test('reads ids in either case and enums by number or name, and treats null as absent', () => {
    const id = spanJson('"traceId":"5B8EFFF798038103D269B633813FC60C","parentSpanId":"","spanId":null')
    expect(id).toEqual({ ...emptySpan, traceId: hex('5b8efff798038103d269b633813fc60c') })
    expect(spanJson('"kind":"SPAN_KIND_CLIENT"').kind).toBe(3)
    expect(spanJson('"kind":"4"').kind).toBe(4)
    expect(spanJson('"new":{"a":[1,{"b":null}]},"name":"x","start_time_unix_nano":"5"')).toMatchObject({
      ...emptySpan,
      name: 'x',
    })
  })

  test('reads attribute values of every kind', () => {
    const values =
      '{"stringValue":"\\u00e9"},{"boolValue":false},{"doubleValue":"NaN"},{"doubleValue":1},{"bytesValue":"AQI="},' +
      '{"arrayValue":{"values":[{"intValue":"1"},{},null]}},{"kvlistValue":{"values":[{"key":"k","value":{"intValue":2}}]}},' +
      '{"arrayValue":{}}'
    const attributes = spanJson(`"attributes":[{"key":"a","value":{"arrayValue":{"values":[${values}]}}}]`).attributes
    expect(attributes[0].value).toEqual([
      'é',
      false,
      NaN,
      1,
      hex('0102'),
      [1n, undefined, undefined],
      { entries: [{ key: 'k', value: 2n }] },
      [],
    ])
  })

  test('reads the field of a oneof that is present', () => {
    const json = '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":[{"asInt":"0"}]}}]}]}]}'
    const metric = decodeMetricsJson(utf8(json)).resourceMetrics[0].scopeMetrics[0].metrics[0]
    expect(metric.gauge?.dataPoints[0]).toMatchObject({ asInt: 0n, asDouble: undefined })
  })
})

describe('errors for broken input', () => {
  test('name the format, the byte and the field of protobuf', () => {
    const error = failure(() => decodeTraces(spanBytes(field(5, 'ff'))))
    expect(error.message).toBe(
      'OTLP traces: string is not valid UTF-8 at byte 8 (resource_spans[0].scope_spans[0].spans[0].name)',
    )
    expect(error).toMatchObject({ format: 'OTLP traces', offset: 8 })
    const second = field(1, field(2, field(2), field(2, field(9), field(9, field(2, '09')))))
    expect(failure(() => decodeTraces(second)).path).toBe('resource_spans[0].scope_spans[0].spans[1].attributes[1]')
  })

  test.each([
    ['a length beyond the end', field(1, '12 7f')],
    ['a length beyond 32 bits', field(1, '12 ffffffffffffffff7f')],
    ['a varint that does not end', spanBytes('30 ff')],
    ['a varint of 11 bytes', spanBytes('30 ffffffffffffffffffff01')],
    ['a varint of 65 bits', spanBytes('30 ffffffffffffffffff02')],
    ['field number 0', hex('00 00')],
    ['a known field with another wire type', spanBytes('28 01')],
    ['a number sent as bytes', spanBytes(field(6, '01'))],
    ['the end of a group that never began', hex('a406')],
    ['a group that does not end', hex('a306 08 01')],
    ['a group that ends as another', hex('a306 ac06')],
    ['a fixed64 that is cut off', spanBytes('39 00000000')],
    ['a fixed32 that is cut off', spanBytes('8501 0000')],
    ['wire type 7', hex('a706')],
  ])('have an offset within the input for %s', (_name, bytes) => {
    expect(failure(() => decodeTraces(bytes)).offset).toBeLessThanOrEqual(bytes.length)
  })

  test('name the line and column of JSON', () => {
    const error = failure(() =>
      decodeTracesJson(utf8('{"resourceSpans":[\n  {"scopeSpans":[{"spans":[{"kind":1.5}]}]}]}')),
    )
    expect(error.message).toContain('OTLP traces: expected an integer, found a fraction (line 2, column')
    expect(error.path).toBe('resourceSpans[0].scopeSpans[0].spans[0].kind')
  })

  test.each([
    '',
    '[]',
    '{',
    '{}{}',
    '{"resourceSpans":{}}',
    '{"resourceSpans":[null]}',
    '{"resourceSpans":[{"schemaUrl":1}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0g"}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"abc"}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"-1"}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":18446744073709551616}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":"SPAN_KIND_NONE"}]}]}]}',
  ])('name the format of the JSON %s', json => {
    expect(failure(() => decodeTracesJson(utf8(json))).format).toBe('OTLP traces')
  })

  test('reject values nested deeper than 50 levels', () => {
    const nested = (levels: number): Uint8Array => {
      let value: Uint8Array = hex('1001')
      for (let i = 1; i < levels; i++) value = field(5, field(1, value))
      return field(1, field(2, field(2, field(5, value))))
    }
    expect(() => decodeLogs(nested(50))).not.toThrow()
    expect(failure(() => decodeLogs(nested(51))).what).toContain('50 levels')
    expect(failure(() => decodeLogs(nested(5000))).what).toContain('50 levels')
    const logs = decodeLogs(nested(50))
    expect(decodeLogsJson(encodeLogsJson(logs))).toEqual(logs)
    const deeper = new TextDecoder()
      .decode(encodeLogsJson(logs))
      .replace('{"boolValue":true}', '{"arrayValue":{"values":[{}]}}')
    expect(failure(() => decodeLogsJson(utf8(deeper))).what).toContain('50 levels')
  })

  test('reject a small payload that would fill the memory', () => {
    const bytes = field(1, field(2, Buffer.alloc(400_000, hex('1200'))))
    expect(failure(() => decodeTraces(bytes)).what).toContain('memory')
    expect(decodeTraces(bytes, { memoryLimit: 2 ** 30 }).resourceSpans[0].scopeSpans[0].spans.length).toBe(200_000)
    const json = utf8(`{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(200_000)}{}]}]}]}`)
    expect(failure(() => decodeTracesJson(json)).what).toContain('memory')
  })
})
