// A component that uses only gRPC and the messages, so that tests can violate the protocol.
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js'
import { Client, Metadata, credentials } from '@grpc/grpc-js'
import type { Component, ComponentDefinition, Event, MatchedEvent } from '@hearth/broker'
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
import { rawMethod } from '../../receive/grpc/raw-method.ts'

export interface StreamOptions {
  readonly component?: Partial<Component>
  readonly tenant?: string
  readonly environment?: string
  readonly token?: string
  readonly definition?: Partial<ComponentDefinition>
  /** Overrides the default metadata. Undefined omits a key. */
  readonly metadata?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Default: a new connection. */
  readonly client?: Client
}

const METHOD = rawMethod(SUBSCRIBE_PATH, { requestStream: true, responseStream: true })
let count = 0

export function openClient(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': -1,
  })
}

/** Routes with these rules. */
export function rules(...texts: readonly string[]): Pick<ComponentDefinition, 'routes'> {
  return { routes: texts.map((rule, id) => ({ id, rule })) }
}

export class ComponentStream {
  readonly component: Component
  readonly tenant: string
  readonly received: MatchedEvent[] = []
  /** Resolves with the status that ends the stream. */
  readonly ended: Promise<StatusObject>
  readonly stream: ClientDuplexStream<Buffer, Buffer>
  /** If set, called with each event instead of adding it to `received`. */
  onEvent: ((matched: MatchedEvent) => void) | undefined
  readonly #environment: string
  readonly #definition: ComponentDefinition
  readonly #client: Client
  readonly #ownsClient: boolean
  readonly #waiting: {
    readonly wants: (matched: MatchedEvent) => boolean
    readonly take: (m: MatchedEvent) => void
  }[] = []

  constructor(port: number, options: StreamOptions = {}) {
    const { tenant = 'default', environment = '', token = 'none' } = options
    this.tenant = tenant
    this.#environment = environment
    this.#definition = createDefinition(options.definition ?? {})
    this.component = createComponent({
      type: 'Process',
      name: 'checkout',
      hash: 'abcdef0123',
      id: `i${++count}`,
      ...options.component,
    })
    const { type, app, name, hash, id } = this.component
    const metadata = new Metadata()
    const given = { type, app, component: name, hash, id, platform: tenant, token, ...options.metadata }
    for (const [key, values] of Object.entries(given))
      for (const value of [values ?? []].flat()) if (key !== 'app' || value !== '') metadata.add(key, value)
    this.#client = options.client ?? openClient(port)
    this.#ownsClient = options.client === undefined
    const { requestSerialize, responseDeserialize } = METHOD
    this.stream = this.#client.makeBidiStreamRequest(
      SUBSCRIBE_PATH,
      requestSerialize,
      bytes => responseDeserialize(bytes) as Buffer,
      metadata,
    )
    this.stream.on('data', (bytes: Buffer) => this.#take(matchedEvents.decode(bytes)))
    this.stream.on('error', () => {})
    this.ended = new Promise(resolve => this.stream.on('status', resolve))
  }

  /** Opens and registers a stream. */
  static async subscribe(port: number, options: StreamOptions = {}): Promise<ComponentStream> {
    const stream = new ComponentStream(port, options)
    const registered = stream.next(({ event }) => event?.category === Category.RESPONSE)
    stream.register()
    const { event } = await Promise.race([
      registered,
      stream.ended.then(({ code, details }) => {
        throw new Error(`${code} ${details}`)
      }),
    ])
    if (event?.type !== EVENT_TYPE.register) throw new Error(Buffer.from(event?.content ?? []).toString())
    return stream
  }

  register(): void {
    const content = writeDefinition(this.#definition)
    this.send({ type: EVENT_TYPE.register, category: Category.REQUEST, content, contentType: 'application/json' })
  }

  /** Sends an event as this component, with a ttl of ten seconds by default. */
  send(parts: Partial<Event>): Event {
    const context = {
      platform: this.tenant,
      virtualEnvironment: this.#environment,
      appDeployment: '',
      releaseManifest: '',
    }
    const event = createEvent({ source: this.component, context, ttl: ttlOfMs(10_000), ...parts })
    this.stream.write(Buffer.from(events.encode(event)))
    return event
  }

  /** Sends a REQUEST and waits for its RESPONSE. */
  async request(parts: Partial<Event>): Promise<Event> {
    const { id } = this.send({ category: Category.REQUEST, type: 'test.ask', ...parts })
    const { event } = await this.next(matched => matched.event?.parentId === id)
    return event as Event
  }

  respond(request: Event | undefined, parts: Partial<Event> = {}): void {
    if (request === undefined) throw new Error('no request to respond to')
    const source = this.component
    this.stream.write(Buffer.from(events.encode(responseTo(request, source, parts))))
  }

  /** Responds to every REQUEST with its own content. */
  echo(): this {
    this.onEvent = ({ event }) => {
      if (event?.category === Category.REQUEST) this.respond(event, { content: event.content })
    }
    return this
  }

  /** Returns the next matching event, which may have arrived already. */
  next(wants: (matched: MatchedEvent) => boolean = () => true): Promise<MatchedEvent> {
    const index = this.received.findIndex(wants)
    if (index !== -1) return Promise.resolve(this.received.splice(index, 1)[0])
    return new Promise(take => this.#waiting.push({ wants, take }))
  }

  /** Cancels the stream without unsubscribing. */
  destroy(): void {
    this.stream.cancel()
    if (this.#ownsClient) this.#client.close()
  }

  async close(): Promise<void> {
    this.stream.end()
    await this.ended
    if (this.#ownsClient) this.#client.close()
  }

  #take(matched: MatchedEvent): void {
    const index = this.#waiting.findIndex(({ wants }) => wants(matched))
    if (index !== -1) this.#waiting.splice(index, 1)[0].take(matched)
    else if (this.onEvent === undefined) this.received.push(matched)
    else this.onEvent(matched)
  }
}
