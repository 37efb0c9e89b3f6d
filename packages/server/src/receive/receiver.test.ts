import { readFolded } from '@hearth/profile'
import { traces } from '@hearth/signals'
import { describe, expect, it } from 'vitest'
import type { Payload, ReceivedRequest } from '../store/keeper.ts'
import { Admission } from './admission.ts'
import { pushedFile } from './pushed-file.ts'
import type { DecodedRequest } from './receiver.ts'
import { Receiver } from './receiver.ts'
import { batchId, columnsId, requestId } from './request-id.ts'
import { emptyItems } from './testing/empty-items.ts'
import { LocalWriter } from './testing/local-writer.ts'
import { tracesProtobuf } from './testing/requests.ts'

const identity = { tenant: 'default', token: '' }
const sender = { identity, client: 'test', transport: 'in-process' } as const
const span = (name: string, attributes = 0): object => ({
  traceId: '0102030405060708090a0b0c0d0e0f10',
  spanId: '0102030405060708',
  name,
  attributes: Array.from({ length: attributes }, (_, i) => ({ key: `k${i}`, value: { intValue: `${i}` } })),
})
const folded = (text: string) => readFolded(new TextEncoder().encode(text), {}).profiles

/** A receiver whose store knows duplicates, with everything that it was given. */
function startReceiver() {
  const kept: ReceivedRequest[] = []
  const events: string[] = []
  const observed: Payload[] = []
  const receiver = new Receiver({
    writer: new LocalWriter({
      maxAttributes: 2,
      admission: new Admission(2 ** 20),
      keeper: {
        keep: async request => {
          const isDuplicate = kept.some(({ id }) => Buffer.from(id).equals(request.id))
          if (!isDuplicate) kept.push(request)
          return isDuplicate ? 'duplicate' : 'kept'
        },
      },
      observe: (_tenant, payload) => payload,
    }),
    events: {
      received: ({ signal, transport, encoding }, generation, bytes, samples) =>
        events.push(`received ${signal} ${transport} ${encoding} ${generation} ${bytes} ${samples}`),
      rejected: (signal, reason, count) => events.push(`rejected ${signal} ${reason} ${count}`),
      unknownFields: (signal, outcome, count) => events.push(`unknown fields ${signal} ${outcome} ${count}`),
      refused: () => {},
    },
    onObserved: (_tenant, payload) => observed.push(payload as Payload),
  })
  return { receiver, kept, events, observed }
}

function decodedTraces(body: Uint8Array): DecodedRequest {
  const payload = { signal: 'traces', traces: traces.decode(body) } as const
  return { ...sender, payload, encoding: 'none', id: requestId('traces', body), bytes: body.length }
}

describe('Receiver', () => {
  it('treats a decoded request like its encoded form', async () => {
    const body = tracesProtobuf(span('good'), span('bad', 3))
    const encoded = startReceiver()
    const outcome = await encoded.receiver.receive({ ...sender, signal: 'traces', encoding: 'protobuf', body })
    const decoded = startReceiver()
    expect(await decoded.receiver.receive(decodedTraces(body))).toEqual(outcome)
    expect(outcome).toMatchObject({ signal: 'traces', rejected: 1 })
    expect(outcome).toHaveProperty('message', expect.stringContaining('spans[1]'))
    expect(decoded.kept).toEqual(encoded.kept)
    expect(decoded.observed).toEqual(encoded.observed)
    expect(encoded.events[0]).toBe(`received traces in-process protobuf  ${body.length} 0`)
    expect(decoded.events[0]).toBe(`received traces in-process none  ${body.length} 0`)
    expect(decoded.events.slice(1)).toEqual(['rejected traces attributes 1'])
  })

  it('recognizes a decoded request as a duplicate of its encoded form', async () => {
    const { receiver, kept, observed } = startReceiver()
    const body = tracesProtobuf(span('once'))
    await receiver.receive({ ...sender, signal: 'traces', encoding: 'protobuf', body })
    await receiver.receive(decodedTraces(body))
    expect([kept.length, observed.length]).toEqual([1, 1])
  })

  it('recognizes profiles that were never encoded by their columns', async () => {
    const { receiver, kept, events } = startReceiver()
    const send = (text: string) => {
      const profiles = folded(text)
      const payload = { signal: 'profiles', profiles } as const
      return receiver.receive({ ...sender, payload, encoding: 'none', ...columnsId(profiles) })
    }
    await send('main;run 3\n')
    await send('main;run 3\n')
    await send('main;run 4\n')
    expect(kept).toHaveLength(2)
    expect(events[0]).toMatch(/^received profiles in-process none v1\.11 \d+ 1$/)
  })

  it('refuses a request that takes too much memory, before it is decoded', async () => {
    const { receiver, kept } = startReceiver()
    const tooMany = receiver.receive({ ...sender, ...emptyItems('logs', 'protobuf', 10_000) })
    await expect(tooMany).rejects.toMatchObject({
      http: 413,
      code: 8,
      reason: 'too-large',
      retryAfterSeconds: undefined,
    })
    await receiver.receive({ ...sender, ...emptyItems('logs', 'protobuf', 1000) })
    expect(kept).toHaveLength(1)
  })

  it('asks to retry if other requests take the memory', async () => {
    const admission = new Admission(2 ** 20)
    let release = (): void => {}
    const held = new Promise<void>(resolve => (release = resolve))
    const keeper = {
      keep: async () => {
        await held
        return 'kept' as const
      },
    }
    const receiver = new Receiver({
      writer: new LocalWriter({ maxAttributes: 2, admission, keeper }),
      events: NO_EVENTS,
    })
    const request = (count: number) => receiver.receive({ ...sender, ...emptyItems('logs', 'json', count) })
    const first = request(1500)
    await expect(request(1501)).rejects.toMatchObject({
      http: 503,
      code: 14,
      reason: 'in-flight',
      retryAfterSeconds: 1,
    })
    release()
    await first
    expect(admission.inFlightBytes).toBe(0)
  })

  it('rejects a pushed file as a whole', async () => {
    const { receiver, kept } = startReceiver()
    const keeper = { keep: async () => 'kept' as const }
    const writer = new LocalWriter({ maxAttributes: -1, admission: new Admission(2 ** 20), keeper })
    const strict = new Receiver({ writer, events: NO_EVENTS })
    const file = {
      identity,
      client: '',
      body: new Uint8Array(3),
      format: 'folded',
      label: 'push',
      transport: 'broker',
    } as const
    await expect(strict.receive(pushedFile(folded('a 1\n'), file))).rejects.toMatchObject({ http: 400, code: 3 })
    await receiver.receive(pushedFile(folded('a 1\n'), file))
    expect(kept[0]).toMatchObject({ generation: 'folded', bytes: 3, id: requestId('push', file.body) })
  })
})

const NO_EVENTS = { received: () => {}, rejected: () => {}, unknownFields: () => {}, refused: () => {} }

describe('batchId', () => {
  it('depends on the label, on the parts and on their borders', () => {
    const ids = [
      batchId('logs', ['ab', 'c']),
      batchId('logs', ['a', 'bc']),
      batchId('logs', ['ab']),
      batchId('traces', ['ab', 'c']),
      batchId('logs', ['ab', Buffer.from('c')]),
    ].map(id => Buffer.from(id).toString('hex'))
    expect(ids[0]).toHaveLength(32)
    expect(ids[4]).toBe(ids[0])
    expect(new Set(ids).size).toBe(4)
  })
})
