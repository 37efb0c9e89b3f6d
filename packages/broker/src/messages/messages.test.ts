/* oxlint-disable unicorn/no-null -- null is one of the kinds of google.protobuf.Value */
import { FormatError } from '@hearth/profile'
import { codecOf } from '@hearth/signals'
import { describe, expect, test } from 'vitest'
import type { Event } from './event.ts'
import { Category, EVENT, TELEMETRY, events, matchedEvents, telemetry } from './event.ts'
import { createEvent } from './create-event.ts'
import type { Value } from './value.ts'
import { MAX_VALUE_NESTING, VALUE } from './value.ts'

const values = codecOf(VALUE, 'value')
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

function fault(read: () => unknown): FormatError {
  try {
    read()
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('events have the field numbers of the protocol', () => {
  const numbers = Object.fromEntries(Object.entries(EVENT.fields).map(([name, { number }]) => [name, number]))
  expect(numbers).toMatchObject({ parentSpan: 3, category: 5, params: 11, values: 12, contentType: 14, content: 15 })
  expect(TELEMETRY.fields['logRecords'].number).toBe(13)
})

describe('JSON of events', () => {
  test('is readable', () => {
    const event: Event = createEvent({
      id: 'e1',
      parentSpan: { traceId: new Uint8Array(16).fill(17), spanId: new Uint8Array(8).fill(2), traceState: '', flags: 1 },
      type: 'profiling.capture',
      category: Category.REQUEST,
      createTime: 1_780_000_000_000_000_001n,
      ttl: -(2n ** 63n),
      params: { profile_type: 'cpu', duration_ms: 10_000, labels: { region: ['eu', null] } },
      content: Buffer.from('hello'),
    })
    expect(text(events.encodeJson(event))).toBe(
      '{"id":"e1","parentSpan":{"traceId":"11111111111111111111111111111111","spanId":"0202020202020202","flags":1},' +
        '"type":"profiling.capture","category":"REQUEST","createTime":"1780000000000000001","ttl":"-9223372036854775808",' +
        '"params":{"profile_type":"cpu","duration_ms":10000,"labels":{"region":["eu",null]}},"content":"aGVsbG8="}',
    )
  })

  test('accepts categories by name or number and keeps unknown numbers', () => {
    const read = (json: string): Event => events.decodeJson(Buffer.from(json))
    expect(read('{"category":"RESPONSE"}').category).toBe(Category.RESPONSE)
    expect(read('{"category":3}').category).toBe(Category.RESPONSE)
    expect(text(events.encodeJson(createEvent({ id: '', createTime: 0n, category: 9 })))).toBe('{"category":9}')
    expect(fault(() => read('{"category":"NONE"}')).offset).toBe(12)
  })

  test('rejects NaN and infinities, also inside lists', () => {
    expect(() => values.encodeJson([NaN])).toThrow(RangeError)
    expect(() => values.encodeJson({ a: -Infinity })).toThrow(RangeError)
    expect(values.decode(values.encode([NaN, Infinity]))).toEqual([NaN, Infinity])
    // The depth counter is correct after a failure.
    expect(text(values.encodeJson([[1]]))).toBe('[[1]]')
  })
})

describe('maps of events', () => {
  test('accept __proto__ as a key', () => {
    const bytes = matchedEvents.encode({ event: undefined, routeId: -1n, env: { ['__proto__']: { a: 1 } } })
    const { env } = matchedEvents.decode(bytes)
    expect(Object.getPrototypeOf(env)).toBe(null)
    expect(Object.keys(env)).toEqual(['__proto__'])
    expect(({} as { a?: number }).a).toBeUndefined()
    const json = matchedEvents.decodeJson(Buffer.from('{"env":{"__proto__":{"__proto__":1}}}'))
    expect(Object.keys(json.env)).toEqual(['__proto__'])
    expect(Object.keys(json.env['__proto__'] as object)).toEqual(['__proto__'])
  })

  test('use the last entry of a key and merge a value that was sent in parts', () => {
    // env { key: "a" value: 1.0 }, env { key: "a" value: true }
    const twice = fromHex('1a0e 0a0161 1209 11000000000000f03f 1a07 0a0161 1202 2001')
    expect(matchedEvents.decode(twice).env).toEqual({ a: true })
    // env { key: "a" value { list [null] } value { list [true] } }
    const pieces = fromHex('1a13 0a0161 1206 32040a020800 1206 32040a022001')
    expect(matchedEvents.decode(pieces).env).toEqual({ a: [null, true] })
  })

  test('are not shared between messages', () => {
    const empty = events.decode(new Uint8Array(0))
    const filled = events.decode(events.encode(createEvent({ params: { a: 1 } })))
    expect([empty.params, filled.values]).toEqual([{}, {}])
    expect(events.decode(new Uint8Array(0)).params).toEqual({})
  })

  test('skip unknown fields of entries and reject wrong wire types', () => {
    expect(matchedEvents.decode(fromHex('1a09 0a0161 12022001 1805')).env).toEqual({ a: true })
    expect(fault(() => matchedEvents.decode(fromHex('1a02 0801'))).what).toContain('wire type 0')
  })
})

describe('values of events', () => {
  test('fail with their path if they have no kind', () => {
    const error = fault(() => matchedEvents.decode(fromHex('1a05 0a0161 1200')))
    expect(error.offset).toBe(7)
    expect(error.path).toBe('env."a"')
    expect(error.what).toBe('value without a kind')
    expect(fault(() => matchedEvents.decode(fromHex('1a03 0a0161'))).what).toBe('value without a kind')
    expect(fault(() => values.decode(fromHex('32020a00'))).path).toBe('values[0]')
  })

  test('skip unknown kinds and fail if there is no other', () => {
    expect(values.decode(fromHex('2001 3801'))).toBe(true)
    expect(fault(() => values.decode(fromHex('3801'))).what).toBe('value without a kind')
  })

  const nested = (levels: number): Value => (levels === 0 ? {} : { a: [nested(levels - 2)] })

  test('have limited nesting when reading and writing protobuf and JSON', () => {
    const deep = nested(MAX_VALUE_NESTING)
    const event = createEvent({ params: { deep } })
    expect(matchedEvents.decode(matchedEvents.encode({ event, routeId: 0n, env: {} })).event).toEqual(event)
    expect(events.decodeJson(events.encodeJson(event))).toEqual(event)
    const deeper: Value = [deep]
    expect(() => values.encode(deeper)).toThrow(RangeError)
    expect(() => values.encodeJson(deeper)).toThrow(RangeError)
    const json = Buffer.from('['.repeat(100) + ']'.repeat(100))
    expect(fault(() => values.decodeJson(json)).what).toContain('nested deeper')
    let bytes = new Uint8Array([0x08, 0])
    for (let i = 0; i <= MAX_VALUE_NESTING; i++)
      bytes = Uint8Array.from([0x32, bytes.length + 2, 0x0a, bytes.length, ...bytes])
    expect(fault(() => values.decode(bytes)).what).toContain('nested deeper')
  })

  test('must not contain themselves', () => {
    const list: Value[] = []
    list.push(list)
    expect(() => values.encode(list)).toThrow(RangeError)
  })

  test('have limited memory in a payload of many small values', () => {
    // 300,000 nulls in a list, 4 bytes each.
    const item = [0x0a, 0x02, 0x08, 0x00]
    const items = new Uint8Array(4 * 300_000)
    for (let i = 0; i < items.length; i++) items[i] = item[i % 4]
    const length = [0x32, 0x80 | (items.length & 127), 0x80 | ((items.length >> 7) & 127), items.length >> 14]
    const bytes = Uint8Array.from([...length, ...items])
    expect(values.decode(bytes)).toHaveLength(300_000)
    expect(fault(() => values.decode(bytes, { memoryLimit: 1e6 })).what).toContain('memory')
  })
})

test('telemetry contains records of all three signals', () => {
  const json = {
    traceId: '0102030405060708090a0b0c0d0e0f10',
    logRecords: [{ timeUnixNano: '5', body: { stringValue: 'hi' } }],
    metrics: [{ name: 'heap', gauge: { dataPoints: [{ asInt: '9007199254740993' }] } }],
    spans: [{ name: 'GET /', spanId: '0102030405060708', startTimeUnixNano: '18446744073709551615' }],
  }
  const content = telemetry.decodeJson(Buffer.from(JSON.stringify(json)))
  expect(content.spans[0].startTimeUnixNano).toBe(2n ** 64n - 1n)
  expect(content.metrics[0].gauge?.dataPoints[0].asInt).toBe(2n ** 53n + 1n)
  expect(JSON.parse(text(telemetry.encodeJson(telemetry.decode(telemetry.encode(content)))))).toEqual(json)
})
