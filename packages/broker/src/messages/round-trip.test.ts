// A message stays the same after protobuf, after JSON, and after code that another compiler generated from our .proto files.
import { fileURLToPath } from 'node:url'
import type { DescMessage } from '@bufbuild/protobuf'
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import type { Message } from '@hearth/signals'
import { codecOf } from '@hearth/signals'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Event } from './event.ts'
import { COMPONENT, EVENT, EVENT_CONTEXT, MATCHED_EVENT, SPAN_CONTEXT, TELEMETRY, events } from './event.ts'
import { createEvent } from './create-event.ts'
import { arbitraryOf } from './testing/arbitrary-event.ts'
import { compiledProtos } from './testing/compiled-protos.ts'

const MESSAGES = [COMPONENT, EVENT_CONTEXT, SPAN_CONTEXT, EVENT, MATCHED_EVENT, TELEMETRY] as readonly Message[]
const named = MESSAGES.map(message => [message.name, message] as const)

describe.each(named)('%s', (_name, message) => {
  const codec = codecOf(message, 'test')

  test('is equal after protobuf and after JSON', () => {
    fc.assert(
      fc.property(arbitraryOf(message), content => {
        expect(codec.decode(codec.encode(content))).toEqual(content)
        expect(codec.decodeJson(codec.encodeJson(content))).toEqual(content)
      }),
      { numRuns: 60 },
    )
  })

  test('has equal bytes for equal content', () => {
    fc.assert(
      fc.property(arbitraryOf(message), content => {
        const bytes = codec.encode(content)
        expect(codec.encode(codec.decode(bytes))).toEqual(bytes)
      }),
      { numRuns: 30 },
    )
  })
})

describe('generated code', () => {
  const registry = compiledProtos(fileURLToPath(new URL('../../proto', import.meta.url)))
  const generated = (name: string): DescMessage => registry.getMessage(name)!

  test('has a service that streams in both directions', () => {
    const service = registry.getService('kubefox.proto.v1.Broker')!
    expect(service.methods.map(({ name, methodKind }) => [name, methodKind])).toEqual([['Subscribe', 'bidi_streaming']])
    expect(service.methods[0].input.typeName).toBe(EVENT.name)
    expect(service.methods[0].output.typeName).toBe(MATCHED_EVENT.name)
  })

  test.each(named)('reads and writes the protobuf of %s', (name, message) => {
    const codec = codecOf(message, 'test')
    const schema = generated(name)
    fc.assert(
      fc.property(arbitraryOf(message), content => {
        const theirs = fromBinary(schema, codec.encode(content))
        expect(theirs.$unknown ?? []).toEqual([])
        expect(codec.decode(toBinary(schema, theirs))).toEqual(content)
      }),
      { numRuns: 40 },
    )
  })

  test('reads and writes the JSON of Event', () => {
    const schema = generated(EVENT.name)
    fc.assert(
      // Span ids are hex in our JSON and base64 in theirs; see the next test.
      fc.property(arbitraryOf<Event>(EVENT), ({ parentSpan: _, ...rest }) => {
        const content: Event = { ...rest, parentSpan: undefined }
        const theirs = fromBinary(schema, events.encode(content))
        const json = Buffer.from(events.encodeJson(content)).toString()
        expect(fromJson(schema, JSON.parse(json) as never)).toEqual(theirs)
        expect(events.decodeJson(Buffer.from(JSON.stringify(toJson(schema, theirs))))).toEqual(content)
        const byProtoNames = toJson(schema, theirs, { useProtoFieldName: true })
        expect(events.decodeJson(Buffer.from(JSON.stringify(byProtoNames)))).toEqual(content)
      }),
      { numRuns: 60 },
    )
  })

  test('writes ids as base64, which our reader accepts', () => {
    const schema = generated(EVENT.name)
    const event = createEvent({
      parentSpan: {
        traceId: new Uint8Array(16).fill(0xab),
        spanId: new Uint8Array(8).fill(1),
        traceState: '',
        flags: 1,
      },
    })
    const json = toJson(schema, fromBinary(schema, events.encode(event)))
    expect(JSON.stringify(json)).toContain('q6urq6urq6urq6urq6urqw==')
    expect(events.decodeJson(Buffer.from(JSON.stringify(json)))).toEqual(event)
  })
})
