// kubefox.proto.v1.Broker/Subscribe on the gRPC port: one stream per component, with events in and matched events out.
import type { ServerDuplexStream, status as Status } from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import {
  BROKER_PROTO_FILES,
  BROKER_SERVICE,
  BrokerError,
  SUBSCRIBE_PATH,
  createEvent,
  errorResponse,
  eventHeads,
  events,
  matchedEvents,
} from '@hearth/broker'
import type { Event } from '@hearth/broker'
import { FormatError } from '@hearth/profile'
import type { Gatekeeper } from '../access/gatekeeper.ts'
import type { GrpcService } from '../receive/grpc/raw-method.ts'
import { rawMethod } from '../receive/grpc/raw-method.ts'
import type { Broker, Subscriber } from './broker.ts'
import { NO_VARIABLES } from './routing/delivery.ts'
import { isFrom, subscriberOf } from './components/handshake.ts'
import type { Subscription } from './components/subscription.ts'
import { TokenBucket } from './components/token-bucket.ts'

const REGISTER_MS = 5000

type Call = ServerDuplexStream<Buffer, Uint8Array>

export interface BrokerServiceOptions {
  readonly broker: Broker
  readonly gatekeeper: Gatekeeper
  readonly onError: (error: unknown) => void
  /** How long a new stream may wait before its first event. */
  readonly registerMs?: number
}

export function brokerService(options: BrokerServiceOptions): GrpcService {
  const streams = new Set<Stream>()
  return {
    name: BROKER_SERVICE,
    definition: { Subscribe: rawMethod(SUBSCRIBE_PATH, { requestStream: true, responseStream: true }) },
    implementation: {
      Subscribe: (call: Call) => {
        const stream = new Stream(call, options, () => streams.delete(stream))
        streams.add(stream)
        stream.open()
      },
    },
    files: BROKER_PROTO_FILES,
    end: () => {
      for (const stream of streams) stream.end(status.UNAVAILABLE, 'the server is shutting down')
    },
  }
}

class Stream {
  readonly #call: Call
  readonly #options: BrokerServiceOptions
  readonly #onEnd: () => void
  readonly #rate: TokenBucket
  #subscriber: Subscriber | undefined
  #subscription: Subscription | undefined
  #timer: NodeJS.Timeout | undefined
  /** Whether the rate limit and back-pressure allow reading. */
  #isThrottled = false
  #isReading = true
  #ended = false

  constructor(call: Call, options: BrokerServiceOptions, onEnd: () => void) {
    this.#call = call
    this.#options = options
    this.#onEnd = onEnd
    this.#rate = new TokenBucket(options.broker.limits.rate, performance.now())
  }

  open(): void {
    const { gatekeeper, registerMs = REGISTER_MS } = this.#options
    const call = this.#call
    call.on('cancelled', () => this.end(status.CANCELLED, 'the stream was cancelled'))
    call.on('error', () => this.end(status.CANCELLED, 'the stream failed'))
    call.on('end', () => this.#leave())
    try {
      this.#subscriber = subscriberOf(call.metadata, gatekeeper)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#timer = setTimeout(() => {
      this.end(status.DEADLINE_EXCEEDED, `no registration within ${registerMs} ms`)
    }, registerMs)
    call.on('data', (bytes: Buffer) => this.#read(bytes))
  }

  /** Ends the stream and its subscription. Further calls do nothing. */
  end(code: Status, details: string): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    this.#onEnd()
    if (this.#subscription !== undefined) this.#options.broker.unsubscribe(this.#subscription, details, code)
    if (code === status.OK) this.#call.end()
    // Read and discard what follows. It would stay in memory otherwise.
    else this.#call.emit('error', { code, details })
    this.#call.resume()
  }

  /** The component sends nothing more. It still receives responses to its requests. */
  #leave(): void {
    const why = 'the component unsubscribed'
    if (this.#subscription === undefined || this.#ended) this.end(status.OK, why)
    else this.#options.broker.leave(this.#subscription, why)
  }

  #read(bytes: Buffer): void {
    if (this.#ended || this.#subscriber === undefined) return
    const since = performance.now()
    try {
      const event = this.#decode(bytes)
      if (event !== undefined) this.#accept(event, this.#subscriber, since, bytes.length)
    } catch (error) {
      this.#fail(error)
      return
    }
    const wait = this.#rate.take(since)
    if (wait > 0) this.#pause(wait)
  }

  #accept(event: Event, subscriber: Subscriber, since: number, bytes: number): void {
    const { broker } = this.#options
    if (!isFrom(event, subscriber, broker.component.id))
      throw new BrokerError(
        'unauthorized',
        'component unauthorized: the source of the event is not the subscribed component',
      )
    if (this.#subscription === undefined) this.#register(event, subscriber)
    else broker.accept(this.#subscription, event, since, bytes)
  }

  #register(event: Event, subscriber: Subscriber): void {
    const { broker } = this.#options
    const wire = {
      write: (matchedEvent: Uint8Array, done: () => void) => void this.#call.write(matchedEvent, done),
      setReading: (isReading: boolean) => {
        this.#isReading = isReading
        this.#updateReading()
      },
      end: (code: number, details: string) => this.end(code, details),
    }
    try {
      this.#subscription = broker.subscribe(subscriber, event, wire)
    } catch (error) {
      const response = errorResponse(event, broker.component, BrokerError.from(error))
      this.#call.write(matchedEvents.encode({ event: response, routeId: 0n, env: NO_VARIABLES }))
      throw error
    }
    clearTimeout(this.#timer)
  }

  /** Returns undefined for an event with an invalid value. Only that event is rejected. */
  #decode(bytes: Buffer): Event | undefined {
    try {
      return events.decode(bytes)
    } catch (error) {
      const head = error instanceof FormatError && isInValue(error) ? eventHeads.decode(bytes) : undefined
      const { broker } = this.#options
      const subscriber = this.#subscriber
      if (head === undefined || subscriber === undefined || this.#subscription === undefined) throw error
      const event = createEvent({ ...head, params: {}, values: {} })
      if (!isFrom(event, subscriber, broker.component.id)) throw error
      broker.reject(this.#subscription, event, new BrokerError('invalid', (error as FormatError).message))
      return undefined
    }
  }

  /** Stops reading for a while. Further events stay in the sender's buffers. */
  #pause(milliseconds: number): void {
    this.#isThrottled = true
    this.#updateReading()
    this.#timer = setTimeout(() => {
      this.#isThrottled = false
      this.#updateReading()
    }, milliseconds)
  }

  #updateReading(): void {
    if (this.#ended || (this.#isReading && !this.#isThrottled)) this.#call.resume()
    else this.#call.pause()
  }

  #fail(error: unknown): void {
    if (error instanceof BrokerError) this.end(error.code.grpcCode, error.message)
    else if (error instanceof FormatError) this.end(status.INVALID_ARGUMENT, error.message)
    else {
      this.#options.onError(error)
      this.end(status.INTERNAL, 'internal error; see the server log')
    }
  }
}

/** Whether the invalid part is a value in `params` or `values`. */
function isInValue({ path }: FormatError): boolean {
  return /^(params|values)\b/.test(path)
}
