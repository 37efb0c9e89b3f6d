// Fields that a newer version adds to traces, logs and metrics come back with their messages.
import { decodeUtf8 } from '@hearth/profile'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { protoMessage as message } from '../../../profile/src/wire/testing/proto-message.ts'
import type { Codec } from '../protobuf/codec.ts'
import { codecOf, encodeWithMembers } from '../protobuf/codec.ts'
import type { Message } from '../protobuf/field.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'
import { withUnknownFields } from '../testing/unknown-fields.ts'
import { logs, traces } from './codecs.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import { METRIC } from './metrics.ts'
import { SPAN } from './traces.ts'

const SIGNALS = ['traces', 'logs', 'metrics'] as const

/** A request with new members in every kind of object. */
const NAMED = `{
  "resourceSpans": [{
    "resource": {
      "attributes": [{"key": "k", "value": {"intValue": "1", "new1": [1, {"a": "é"}]}, "new2": 18446744073709551616}],
      "entityRefs": [{"type": "t", "new3": {}}],
      "new4": "x"
    },
    "scopeSpans": [{
      "scope": {"name": "s", "new5": false},
      "spans": [{
        "name": "GET", "links": [{"new6": 1}], "events": [{"name": "e", "new7": -0.5}],
        "status": {"code": 1, "new8": 1e3}, "new9": [[]]
      }],
      "new10": 0
    }],
    "new11": ""
  }],
  "new12": 1
}`

const attributeOf = (members: string): string =>
  `{"resourceSpans":[{"resource":{"attributes":[{"key":"k",${members}}]}}]}`
const logOf = (members: string): string => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{${members}}]}]}]}`
const metricOf = (members: string): string => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{${members}}]}]}]}`

describe('unknown fields', () => {
  test.each(SIGNALS)('are written again in any messages of %s, in order', signal => {
    const request = EXPORT_SERVICES[signal].request as Message
    const codec = codecOf(request, signal)
    fc.assert(
      fc.property(arbitraryMessage(request), fc.integer(), (content, seed) => {
        const bytes = withUnknownFields(codec.encode(content), request, seed)
        let kept = 0
        const read = codec.decode(bytes, { onUnknownFields: counts => (kept = counts.kept) })
        expect(kept).toBeGreaterThan(0)
        expect(codec.encode(read)).toEqual(bytes)
      }),
      { numRuns: 40 },
    )
  })

  test('stay in order wherever they are in a message', () => {
    const span = message([99, 1], [5, 'GET'], [98, 2], [99, 3])
    const written = codecOf(SPAN, 'span').encode(codecOf(SPAN, 'span').decode(span))
    expect(written).toEqual(message([5, 'GET'], [99, 1], [98, 2], [99, 3]))
  })

  test('are joined if their message was sent in pieces', () => {
    const codec = codecOf(SPAN, 'span')
    const status = (field: number) => [15, message([field, 1])] as [number, Uint8Array]
    expect(codec.encode(codec.decode(message(status(9), status(8))))).toEqual(message([15, message([9, 1], [8, 1])]))
  })

  test('are absent where there are none, and mark the messages around them', () => {
    const codec = codecOf(SPAN, 'span')
    expect(codec.decode(message([5, 'GET']))).not.toHaveProperty('unknown')
    const span = codec.decode(message([5, 'GET'], [15, message([9, 1])]))
    expect([span.unknown, span.status?.unknown]).toEqual([new Uint8Array(0), message([9, 1])])
  })

  test('are written again by JSON with their names, and dropped and counted by protobuf', () => {
    const count = NAMED.split('"new').length - 1
    const content = traces.decodeJson(Buffer.from(NAMED))
    expect(JSON.parse(decodeUtf8(traces.encodeJson(content)))).toEqual(JSON.parse(NAMED))
    const lost: number[] = []
    const bytes = traces.encode(content, { onLostFields: fields => lost.push(fields) })
    expect(lost).toEqual([count])
    traces.decode(bytes, { onUnknownFields: () => expect.fail('protobuf has members of JSON') })
    const kept = encodeWithMembers(EXPORT_SERVICES.traces.request, content)
    expect(JSON.parse(decodeUtf8(traces.encodeJson(traces.decode(kept))))).toEqual(JSON.parse(NAMED))
  })

  test('are kept in the body of a log record', () => {
    const body = message([1, 'text'], [99, 1])
    const request = (value: Uint8Array) => message([1, message([2, message([2, message([5, value])])])])
    // Inside of an array, and of a body without a value.
    for (const value of [body, message([5, message([1, body])]), message([98, 'x'])])
      expect(logs.encode(logs.decode(request(value)))).toEqual(request(value))
    const json = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a","new":[1]}}]}]}]}'
    expect(decodeUtf8(logs.encodeJson(logs.decodeJson(Buffer.from(json))))).toBe(json)
  })

  test('without a name are dropped and counted by JSON', () => {
    const lostIn = <T>(codec: Codec<T>, bytes: Uint8Array): number => {
      let lost = 0
      codec.encodeJson(codec.decode(bytes), { onLostFields: fields => (lost += fields) })
      return lost
    }
    const attribute = message([1, 'k'], [2, message([3, 1], [99, 1])], [98, 1])
    expect(lostIn(codecOf(SPAN, 'span'), message([9, attribute], [15, message([9, 1])], [97, 1]))).toBe(4)
  })

  test('that are groups are dropped and counted, with those beside them in an attribute', () => {
    const group = Uint8Array.of(0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06)
    const codec = codecOf(SPAN, 'span')
    const value = Uint8Array.of(...message([3, 1], [99, 1]), ...group)
    const attribute = message([1, 'k'], [2, value], [98, 1])
    const span = Uint8Array.of(...message([9, attribute], [97, 1]), ...group)
    const counts: unknown[] = []
    const read = codec.decode(span, { onUnknownFields: each => counts.push(each) })
    expect(counts).toEqual([{ kept: 1, dropped: 4 }])
    expect(codec.encode(read)).toEqual(message([9, message([1, 'k'], [2, message([3, 1])])], [97, 1]))
  })

  test.each([
    ['message', 'traces', '{"resourceSpans":[{"resource":{"new":1},"resource":{}}]}'],
    ['list', 'traces', '{"resourceSpans":[{"resource":{"new":1}}],"resourceSpans":[{}]}'],
    ['attribute value', 'traces', attributeOf('"value":{"intValue":"1","new":1},"value":{"intValue":"2"}')],
    ['body', 'logs', logOf('"body":{"intValue":"1","new":1},"body":{"intValue":"2"}')],
    ['member of a oneof', 'metrics', metricOf('"gauge":{"new":1},"sum":{}')],
  ] as const)('are dropped and counted if JSON replaces their %s', (_, signal, text) => {
    const codec = codecOf(EXPORT_SERVICES[signal].request as Message, signal)
    const counts: unknown[] = []
    const content = codec.decodeJson(Buffer.from(text), { onUnknownFields: each => counts.push(each) })
    expect(counts).toEqual([expect.objectContaining({ kept: 0, dropped: 1 })])
    expect(codec.decodeJson(codec.encodeJson(content))).toEqual(content)
  })

  test('are dropped and counted if protobuf replaces their member of a oneof', () => {
    const codec = codecOf(METRIC, 'metric')
    const counts: unknown[] = []
    const [gauge, sum] = [5, 7]
    const bytes = message([gauge, message([99, 1])], [sum, message()])
    const content = codec.decode(bytes, { onUnknownFields: each => counts.push(each) })
    expect(counts).toEqual([expect.objectContaining({ kept: 0, dropped: 1 })])
    expect(codec.decode(codec.encode(content))).toEqual(content)
  })

  test('may be many and apart', () => {
    const count = 300_000
    const piece = message([15, message([9, 1])], [99, 1])
    const span = codecOf(SPAN, 'span').decode(Buffer.alloc(count * piece.length, piece))
    expect([span.unknown?.length, span.status?.unknown?.length]).toEqual([3 * count, 2 * count])
  })
})
