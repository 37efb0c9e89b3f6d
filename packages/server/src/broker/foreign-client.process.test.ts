// A component written without our code: the .proto files compiled with buf, and Connect's gRPC. It subscribes, responds to a
// capture, sends a request to another component, and sends telemetry.
import { fileURLToPath } from 'node:url'
import type { JsonValue, Message as BufMessage } from '@bufbuild/protobuf'
import { fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import type { CallOptions } from '@connectrpc/connect'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { readFolded, readOtlp, writeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { compiledProtos } from '../../../broker/src/messages/testing/compiled-protos.ts'
import type { BrokerServer } from './testing/broker-server.ts'
import { startBroker } from './testing/broker-server.ts'
import { ComponentStream, rules } from './testing/component-stream.ts'

type Json = { readonly [name: string]: JsonValue }
type Subscribe = (events: AsyncIterable<BufMessage>, options: CallOptions) => AsyncIterable<BufMessage>

const PROTO = fileURLToPath(new URL('../../../broker/proto', import.meta.url))
const SELF = { type: 'Process', app: 'bank', name: 'ledger', hash: 'f00dfeed', id: 'ledger-1' }
const METADATA = { type: 'Process', app: 'bank', component: 'ledger', hash: 'f00dfeed', id: 'ledger-1' }
const PROFILE = writeOtlp(readFolded(new TextEncoder().encode('main;work 7\n')).profiles).bytes

let server: BrokerServer
beforeAll(async () => {
  server = await startBroker()
})
afterAll(async () => {
  await server.close()
})

/** An iterable of pushed messages. Ends when closed. */
class Outgoing implements AsyncIterable<BufMessage> {
  readonly #waiting: BufMessage[] = []
  #wake: () => void = () => {}
  #isClosed = false

  push(message: BufMessage): void {
    this.#waiting.push(message)
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<BufMessage> {
    for (;;) {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) yield next
      if (this.#isClosed) return
      await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }
}

test('a client needs nothing but the .proto files', async () => {
  const registry = compiledProtos(PROTO)
  const service = registry.getService('kubefox.proto.v1.Broker')!
  const [{ input, output }] = service.methods
  const telemetryType = registry.getMessage('kubefox.proto.v1.Telemetry')!
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${server.port}` })
  const { subscribe } = createClient(service, transport) as unknown as { readonly subscribe: Subscribe }

  const outgoing = new Outgoing()
  let ids = 0
  const send = (parts: Json): string => {
    const id = `event-${++ids}`
    const common = { id, source: SELF, context: { platform: 'default' }, ttl: '100000000000', createTime: '1' }
    outgoing.push(fromJson(input, { ...common, ...parts }, { registry }))
    return id
  }
  const definition = { routes: [{ id: 0, rule: 'Type(`profiling.capture`) && Path(`/profiles/{profile_type}`)' }] }
  const content = Buffer.from(JSON.stringify(definition)).toString('base64')
  const registered = send({
    type: 'io.kubefox.register',
    category: 'REQUEST',
    contentType: 'application/json',
    content,
  })
  const headers = { ...METADATA, platform: 'default', token: 'none' }
  const incoming = subscribe(outgoing, { headers })[Symbol.asyncIterator]()
  const next = async (): Promise<Json> => {
    const result = await incoming.next()
    if (result.done === true) throw new Error('the stream has ended')
    return toJson(output, result.value, { registry }) as Json
  }

  const welcome = (await next())['event'] as Json
  expect(welcome).toMatchObject({ type: 'io.kubefox.register', category: 'RESPONSE', parentId: registered })
  const broker = welcome['source'] as Json
  expect(broker).toMatchObject({ type: 'Broker', id: server.broker.component.id })

  // Its rule matches a request, and it responds.
  const pending = server.broker.request(
    'default',
    {
      type: 'profiling.capture',
      ttl: 100_000_000_000n,
      values: { path: '/profiles/cpu' },
      params: { duration_ms: 10 },
    },
    new AbortController().signal,
  )
  const matched = await next()
  const request = matched['event'] as Json
  expect(request).toMatchObject({
    type: 'profiling.capture',
    category: 'REQUEST',
    params: { profile_type: 'cpu', duration_ms: 10 },
  })
  send({
    type: 'profiling.capture',
    category: 'RESPONSE',
    parentId: request['id'],
    target: request['source'],
    contentType: 'application/protobuf; proto=opentelemetry.proto.profiles.v1development.ProfilesData',
    content: Buffer.from(PROFILE).toString('base64'),
    params: { sample_count: 1 },
  })
  const response = await pending
  expect(response.params['sample_count']).toBe(1)
  expect(readOtlp(response.content).profiles.samples.length).toBe(1)

  // It sends a request to another component.
  const other = (await ComponentStream.subscribe(server.port, { definition: rules('Type(`test.ask`)') })).echo()
  const requestId = send({ type: 'test.ask', category: 'REQUEST', content: Buffer.from('hello').toString('base64') })
  const reply = (await next())['event'] as Json
  expect(reply).toMatchObject({ category: 'RESPONSE', parentId: requestId })
  expect(Buffer.from(reply['content'] as string, 'base64').toString()).toBe('hello')
  other.destroy()

  // Its telemetry is stored with its identity. Plain proto3 JSON has ids in base64, unlike OTLP's JSON.
  const span = { traceId: Buffer.alloc(16, 1).toString('base64'), spanId: Buffer.alloc(8, 2).toString('base64') }
  const telemetry = fromJson(
    telemetryType,
    { spans: [{ ...span, name: 'settle', flags: 1, startTimeUnixNano: '1', endTimeUnixNano: '2' }] },
    { registry },
  )
  send({
    type: 'io.kubefox.telemetry',
    category: 'MESSAGE',
    target: broker,
    contentType: 'application/protobuf',
    content: Buffer.from(toBinary(telemetryType, telemetry)).toString('base64'),
  })
  await vi.waitFor(() => expect(server.kept.requests).toHaveLength(1), { timeout: 60_000 })
  const { payload } = server.kept.last
  if (payload.signal !== 'traces') throw new Error(payload.signal)
  const [{ resource, scopeSpans }] = payload.traces.resourceSpans
  expect(scopeSpans[0].spans[0].name).toBe('settle')
  expect(resource?.attributes).toContainEqual({ key: 'service.name', value: 'ledger' })
  outgoing.close()
})
