// A Broker for tests of clients, built with @grpc/grpc-js. It accepts registrations, records events and lets the test
// decide the responses.
import { EventEmitter, once } from 'node:events'
import type { Metadata, ServerDuplexStream, status } from '@grpc/grpc-js'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { createComponent } from '../../messages/component.ts'
import { createEvent, responseTo } from '../../messages/create-event.ts'
import type { Event, MatchedEvent } from '../../messages/event.ts'
import { Category, events, matchedEvents } from '../../messages/event.ts'
import { EVENT_TYPE } from '../../messages/event-types.ts'

type Call = ServerDuplexStream<Event, Buffer>

export const BROKER = createComponent({ type: 'Broker', name: 'broker', hash: '1', id: 'b1', brokerId: 'b1' })

export interface Subscription {
  readonly metadata: Metadata
  readonly events: readonly Event[]
  /** Sends an event as if another component had sent it. */
  push(parts: Partial<Event>, matched?: Partial<MatchedEvent>): Event
  raw(bytes: Uint8Array): void
  end(code?: status, message?: string): void
  /** The first event of this kind, received or future. */
  seen(test: (event: Event) => boolean): Promise<Event>
  /** Stops reading, so that the sender's window fills. */
  pause(): void
  resume(): void
  readonly closed: Promise<unknown>
}

export interface SmallBrokerOptions {
  /** The port of an earlier Broker. */
  readonly port?: number
  /** Replaces the default response to a registration. */
  readonly onRegister?: (event: Event, subscription: Subscription) => void
}

export class SmallBroker {
  readonly subscriptions: Subscription[] = []
  readonly port: number
  readonly #server: Server
  readonly #news: EventEmitter

  private constructor(server: Server, port: number, news: EventEmitter) {
    this.#server = server
    this.port = port
    this.#news = news
  }

  static async open(options: SmallBrokerOptions = {}): Promise<SmallBroker> {
    const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
    const news = new EventEmitter().setMaxListeners(0)
    const found: { broker?: SmallBroker } = {}
    const method = {
      path: '/kubefox.proto.v1.Broker/Subscribe',
      requestStream: true,
      responseStream: true,
      requestSerialize: (event: Event) => Buffer.from(events.encode(event)),
      requestDeserialize: (bytes: Buffer) => events.decode(bytes),
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    } as const
    server.addService({ Subscribe: method }, { Subscribe: (call: Call) => found.broker!.#accept(call, options) })
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${options.port ?? 0}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    )
    return (found.broker = new SmallBroker(server, port, news))
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** The subscription with this number, once it is registered. */
  async subscription(number = 0): Promise<Subscription> {
    while (this.subscriptions.length <= number) await once(this.#news, 'subscription')
    const subscription = this.subscriptions[number]
    await subscription.seen(event => event.type === EVENT_TYPE.register)
    return subscription
  }

  close(): void {
    this.#server.forceShutdown()
  }

  #accept(call: Call, { onRegister }: SmallBrokerOptions): void {
    const list: Event[] = []
    const arrivals = new EventEmitter().setMaxListeners(0)
    const write = (event: Event, matched: Partial<MatchedEvent> = {}): void => {
      call.write(Buffer.from(matchedEvents.encode({ routeId: 0n, env: {}, ...matched, event })))
    }
    const subscription: Subscription = {
      metadata: call.metadata,
      events: list,
      push: (parts, matched) => {
        const event = createEvent({ category: Category.REQUEST, ttl: 10_000_000_000n, source: BROKER, ...parts })
        write(event, matched)
        return event
      },
      raw: bytes => void call.write(Buffer.from(bytes)),
      end: (code, message = '') =>
        code === undefined ? call.end() : void call.emit('error', { code, details: message }),
      seen: async test => {
        for (;;) {
          const event = list.find(test)
          if (event !== undefined) return event
          await once(arrivals, 'event')
        }
      },
      pause: () => void call.pause(),
      resume: () => void call.resume(),
      closed: new Promise(resolve => call.on('close', resolve)),
    }
    this.subscriptions.push(subscription)
    this.#news.emit('subscription')
    call.on('data', (event: Event) => {
      list.push(event)
      if (event.type === EVENT_TYPE.register) {
        if (onRegister === undefined) write(responseTo(event, BROKER))
        else onRegister(event, subscription)
      }
      arrivals.emit('event')
    })
    call.on('end', () => call.end())
    call.on('error', () => {})
  }
}
