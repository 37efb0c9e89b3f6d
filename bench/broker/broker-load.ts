// Components and requesters for bench/broker/broker.ts, in their own process. gRPC over plain http2 keeps the client cheap, so that
// the measurement is mostly the Broker. The parent process sends the order.
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:http2'
import type { Component, Event } from '@hearth/broker'
import {
  Category,
  EVENT_TYPE,
  SUBSCRIBE_PATH,
  createComponent,
  createDefinition,
  createEvent,
  events,
  matchedEvents,
  responseTo,
  ttlOfMs,
  writeDefinition,
} from '@hearth/broker'
import { frame } from '../server/grpc-call.ts'
import { quantilesOf } from '../quantiles.ts'

export type BrokerOrder =
  | { readonly kind: 'idle'; readonly port: number; readonly subscriptions: number }
  | {
      readonly kind: 'requests'
      readonly port: number
      readonly subscriptions: number
      readonly rules: number
      readonly requesters: number
      /** Concurrent requests of each requester. */
      readonly atOnce: number
      readonly requests: number
      readonly bytes: number
    }

export interface BrokerReport {
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** CPU time of this process. */
  readonly cpuSeconds: number
}

/** The server allows 256 streams per connection. */
const STREAMS_A_SESSION = 200
const TENANT = 'default'
/** Not a capture: the server would store its responses as profiles. */
const REQUEST_TYPE = 'bench.request'

class Stream {
  readonly component: Component
  onEvent: (event: Event) => void = () => {}
  readonly #stream: ClientHttp2Stream
  #rest: Buffer = Buffer.alloc(0)

  constructor(session: ClientHttp2Session, component: Component) {
    this.component = component
    const { type, name, hash, id } = component
    this.#stream = session.request({
      ':method': 'POST',
      ':path': SUBSCRIBE_PATH,
      'content-type': 'application/grpc',
      te: 'trailers',
      id,
      hash,
      component: name,
      type,
      platform: TENANT,
      token: 'none',
    })
    this.#stream.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#stream.on('trailers', (headers: IncomingHttpHeaders) => {
      if (headers['grpc-status'] !== '0') console.error(`${name}: ${headers['grpc-message']?.toString()}`)
    })
  }

  async register(rule: string | undefined): Promise<void> {
    const routes = rule === undefined ? [] : [{ id: 0, rule }]
    const registered = new Promise<void>(resolve => (this.onEvent = () => resolve()))
    const content = writeDefinition(createDefinition({ routes }))
    this.send(this.event({ type: EVENT_TYPE.register, category: Category.REQUEST, content }))
    await registered
  }

  event(parts: Partial<Event>): Event {
    const context = { platform: TENANT, virtualEnvironment: '', appDeployment: '', releaseManifest: '' }
    return createEvent({ source: this.component, context, ttl: ttlOfMs(30_000), ...parts })
  }

  send(event: Event): void {
    this.#stream.write(frame(Buffer.from(events.encode(event))))
  }

  #read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= 5) {
      const end = 5 + this.#rest.readUInt32BE(1)
      if (this.#rest.length < end) return
      const { event } = matchedEvents.decode(this.#rest.subarray(5, end))
      this.#rest = this.#rest.subarray(end)
      if (event !== undefined) this.onEvent(event)
    }
  }
}

class Load {
  readonly #sessions: ClientHttp2Session[] = []
  readonly #port: number
  #opened = 0

  constructor(port: number) {
    this.#port = port
  }

  async subscribe(name: string, rule: string | undefined): Promise<Stream> {
    const n = this.#opened++
    if (n % STREAMS_A_SESSION === 0) this.#sessions.push(connect(`http://127.0.0.1:${this.#port}`))
    const component = createComponent({ type: 'Process', name, hash: '0123456', id: `${n}` })
    const stream = new Stream(this.#sessions[Math.floor(n / STREAMS_A_SESSION)], component)
    await stream.register(rule)
    return stream
  }

  close(): void {
    for (const session of this.#sessions) session.destroy()
  }
}

function ruleOf(n: number): string {
  return `Type(\`request\`) && Path(\`/profiles/service-${n}/{type:cpu|heap}\`) && Header(\`Region\`, \`eu\`)`
}

async function sendRequests(order: Extract<BrokerOrder, { kind: 'requests' }>): Promise<BrokerReport> {
  const { port, subscriptions, rules, requesters, atOnce, requests, bytes } = order
  const load = new Load(port)
  for (let n = 0; n < subscriptions; n++) {
    const service = n % rules
    const stream = await load.subscribe(`service-${service}`, ruleOf(service))
    stream.onEvent = event => stream.send(responseTo(event, stream.component, { content: event.content }))
  }
  const content = new Uint8Array(bytes).fill(7)
  const header = { Region: ['eu'] }
  const latencies: number[] = []
  let left = requests
  const running = Array.from({ length: requesters }, async () => {
    const stream = await load.subscribe('requester', undefined)
    const started = new Map<string, number>()
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        if (left-- <= 0) {
          if (started.size === 0) resolve()
          return
        }
        const values = { path: `/profiles/service-${left % rules}/cpu`, method: 'CAPTURE', header }
        const event = stream.event({ type: REQUEST_TYPE, category: Category.REQUEST, values, content })
        started.set(event.id, performance.now())
        stream.send(event)
      }
      stream.onEvent = ({ type, parentId, content: response }) => {
        if (type === EVENT_TYPE.error) reject(new Error(Buffer.from(response).toString()))
        latencies.push(performance.now() - (started.get(parentId) ?? 0))
        started.delete(parentId)
        next()
      }
      for (let n = 0; n < atOnce; n++) next()
    })
  })
  const start = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(running)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  load.close()
  return { seconds, ...quantilesOf(latencies), cpuSeconds: (user + system) / 1e6 }
}

process.on('message', (order: BrokerOrder) => {
  void (async () => {
    if (order.kind === 'requests') {
      const report = await sendRequests(order)
      process.send?.(report, () => process.disconnect())
      return
    }
    const load = new Load(order.port)
    for (let n = 0; n < order.subscriptions; n++) await load.subscribe(`service-${n}`, ruleOf(n))
    process.send?.({ seconds: 0, p50: 0, p99: 0, cpuSeconds: 0 } satisfies BrokerReport)
    // Keeps the streams open until the parent has measured.
    process.once('disconnect', () => load.close())
  })()
})
