// Events between two brokers over NATS. An event larger than a NATS message, such as a profile, is split into parts, and
// each part is sent after the previous one was acknowledged. So a broker reads at most one part per peer at a time, and
// NATS does not disconnect it as a slow consumer. Later events wait behind, so that events keep their order.
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import { headers } from '@nats-io/transport-node'
import { BrokerError, events, msOfTtl, ttlAfter } from '@hearth/broker'
import type { Forwarded } from './mesh.ts'
import { idsIn, subject } from './nats-subjects.ts'
import { Queue } from '../components/queue.ts'

export interface NatsEventsOptions {
  readonly brokerId: string
  readonly receive: (forwarded: Forwarded, from: string) => void
  readonly onError: (error: unknown) => void
}

/** Size limit of an event over NATS. */
const MAX_BYTES = 64 * 2 ** 20
/** Limit for the bytes that wait for one other broker. */
const MAX_WAITING_BYTES = 128 * 2 ** 20
/** Approximate size of an event's headers. */
const HEADER_BYTES = 256
const PART_MS = 10_000
const BUSY_MS = 1000

interface Outgoing {
  readonly name: string
  readonly header: MsgHdrs
  readonly data: Uint8Array
  /** A performance.now() timestamp after which the event has expired. */
  readonly until: number
}

/** Events that wait to be sent to one broker. */
interface Outbox {
  readonly waiting: Queue<Outgoing>
  bytes: number
}

/** An event whose parts are arriving. */
interface Incomplete {
  readonly count: number
  readonly parts: Uint8Array[]
  bytes: number
}

export class NatsEvents {
  readonly #options: NatsEventsOptions
  readonly #outboxes = new Map<string, Outbox>()
  readonly #incomplete = new Map<string, Incomplete>()
  /** The smallest observed difference between each broker's clock and ours. Any excess is transit time. */
  readonly #offsets = new Map<string, number>()
  /** Half of the round-trip time to NATS. */
  halfTripMs = 0

  constructor(options: NatsEventsOptions) {
    this.#options = options
  }

  /** Throws BrokerError. */
  send(connection: NatsConnection, brokerId: string, { tenant, event, routeId, pinned, since }: Forwarded): void {
    const now = performance.now()
    const ttl = ttlAfter(event, now - since + this.halfTripMs)
    if (ttl <= 0n) throw new BrokerError('timeout', 'the event has expired (ttl)')
    const data = events.encode({ ...event, ttl })
    if (data.length > MAX_BYTES)
      throw new BrokerError(
        'contentTooLarge',
        `the event has ${data.length} bytes; the limit between brokers is ${MAX_BYTES}`,
      )
    const header = headers()
    header.set('From', this.#options.brokerId)
    header.set('Route', routeId.toString())
    header.set('Pinned', pinned ? '1' : '0')
    // Time spent in the outbox counts as transit time, too.
    header.set('Sent', now.toString())
    const outgoing = { name: subject('event', tenant, brokerId), header, data, until: now + msOfTtl(ttl) }
    const outbox = this.#outboxes.get(brokerId)
    if (outbox !== undefined) this.#wait(outbox, brokerId, outgoing)
    else if (data.length <= maxPayload(connection)) connection.publish(outgoing.name, data, { headers: header })
    else {
      const opened: Outbox = { waiting: new Queue(), bytes: 0 }
      this.#outboxes.set(brokerId, opened)
      this.#wait(opened, brokerId, outgoing)
      void this.#pump(connection, brokerId, opened)
    }
  }

  /** Receives a message with an event or a part of one. Throws FormatError. */
  receive(message: Msg): void {
    const now = performance.now()
    const { headers: header } = message
    const from = header?.get('From') ?? ''
    const sent = Number(header?.get('Sent'))
    const route = header?.get('Route') ?? ''
    if (from === '' || !Number.isFinite(sent) || !/^-?\d{1,18}$/.test(route)) return
    const part = header?.get('Part') ?? ''
    const data = part === '' ? message.data : this.#whole(from, part, message)
    const held = this.#onTheWayMs(from, now - sent)
    if (data === undefined) return
    const [tenant] = idsIn(message)
    const event = events.decode(data)
    const pinned = header?.get('Pinned') === '1'
    const since = now - held - this.halfTripMs
    this.#options.receive({ tenant, event, routeId: BigInt(route), pinned, since, bytes: data.length }, from)
  }

  /** Drops everything from and for a broker that is gone. */
  forget(brokerId: string): void {
    this.#outboxes.get(brokerId)?.waiting.takeAll()
    this.#incomplete.delete(brokerId)
    this.#offsets.delete(brokerId)
  }

  #wait(outbox: Outbox, brokerId: string, outgoing: Outgoing): void {
    const bytes = outbox.bytes + outgoing.data.length
    if (outbox.bytes > 0 && bytes > MAX_WAITING_BYTES)
      throw new BrokerError('busy', `too many bytes wait for broker ${brokerId}`, { retryAfterMs: BUSY_MS })
    outbox.bytes = bytes
    outbox.waiting.push(outgoing)
  }

  async #pump(connection: NatsConnection, brokerId: string, outbox: Outbox): Promise<void> {
    for (let next = outbox.waiting.shift(); next !== undefined; next = outbox.waiting.shift()) {
      try {
        // An expired request is reported by its own timer.
        if (next.until > performance.now()) await this.#write(connection, next)
      } catch (error) {
        this.#options.onError(error)
      }
      outbox.bytes -= next.data.length
    }
    this.#outboxes.delete(brokerId)
  }

  async #write(connection: NatsConnection, { name, header, data }: Outgoing): Promise<void> {
    const most = maxPayload(connection)
    if (data.length <= most) return connection.publish(name, data, { headers: header })
    const count = Math.ceil(data.length / most)
    for (let index = 0; index < count; index++) {
      header.set('Part', `${index}/${count}`)
      const part = data.subarray(index * most, (index + 1) * most)
      await connection.request(name, part, { headers: header, timeout: PART_MS })
    }
  }

  /** Returns the event when its last part has arrived. A part out of order belongs to an abandoned event. */
  #whole(from: string, part: string, message: Msg): Uint8Array | undefined {
    const [, index, count] = (/^(\d{1,9})\/(\d{1,9})$/.exec(part) ?? []).map(Number)
    if (index === 0) this.#incomplete.set(from, { count, parts: [], bytes: 0 })
    const incomplete = this.#incomplete.get(from)
    if (incomplete === undefined) return undefined
    const { parts } = incomplete
    incomplete.bytes += message.data.length
    if (parts.length !== index || incomplete.count !== count || incomplete.bytes > MAX_BYTES) {
      this.#incomplete.delete(from)
      return undefined
    }
    parts.push(message.data)
    message.respond()
    if (parts.length < count) return undefined
    this.#incomplete.delete(from)
    return Buffer.concat(parts)
  }

  /** How much longer this message took than the fastest one from that broker. */
  #onTheWayMs(from: string, difference: number): number {
    const offset = Math.min(this.#offsets.get(from) ?? Infinity, difference)
    this.#offsets.set(from, offset)
    return difference - offset
  }
}

/** The maximum content of one NATS message without headers. */
export function maxPayload({ info }: NatsConnection): number {
  return Math.max(1, (info?.max_payload ?? MAX_BYTES) - HEADER_BYTES)
}
