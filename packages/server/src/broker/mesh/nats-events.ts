// Events between two brokers over NATS. One that is larger than a message of NATS may be, as profiles often are, goes in
// parts, each sent when the one before has arrived: however many large answers come at once, a broker has one part of each
// other broker to read, and NATS never finds it too slow and cuts it off. What follows waits behind it, so that events keep
// their order.
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

/** The largest event, in parts. */
const MOST_BYTES = 64 * 2 ** 20
/** What may wait for one other broker to take it. */
const MOST_WAITING_BYTES = 128 * 2 ** 20
/** About what the headers of an event take. */
const HEADER_BYTES = 256
const PART_MS = 10_000
const BUSY_MS = 1000

interface Outgoing {
  readonly name: string
  readonly header: MsgHdrs
  readonly data: Uint8Array
  /** By performance.now(): nobody wants it any more. */
  readonly until: number
}

/** What waits for one broker. */
interface Line {
  readonly waiting: Queue<Outgoing>
  bytes: number
}

/** An event whose parts are coming. */
interface Incomplete {
  readonly count: number
  readonly parts: Uint8Array[]
  bytes: number
}

export class NatsEvents {
  readonly #options: NatsEventsOptions
  readonly #lines = new Map<string, Line>()
  readonly #incomplete = new Map<string, Incomplete>()
  /** Of each broker the least difference between its clock and ours that a message has shown: what exceeds it is time on the way. */
  readonly #offsets = new Map<string, number>()
  /** Half of the way to NATS and back. */
  halfTripMs = 0

  constructor(options: NatsEventsOptions) {
    this.#options = options
  }

  /** Throws BrokerError. */
  send(connection: NatsConnection, brokerId: string, { tenant, event, routeId, pinned, since }: Forwarded): void {
    const now = performance.now()
    const ttl = ttlAfter(event, now - since + this.halfTripMs)
    if (ttl <= 0n) throw new BrokerError('timeout', 'the event has no time left (ttl)')
    const data = events.encode({ ...event, ttl })
    if (data.length > MOST_BYTES)
      throw new BrokerError(
        'contentTooLarge',
        `the event has ${data.length} bytes, and at the most ${MOST_BYTES} go from one broker to another`,
      )
    const header = headers()
    header.set('From', this.#options.brokerId)
    header.set('Route', routeId.toString())
    header.set('Pinned', pinned ? '1' : '0')
    // What it waits here counts as time on the way, too.
    header.set('Sent', now.toString())
    const outgoing = { name: subject('event', tenant, brokerId), header, data, until: now + msOfTtl(ttl) }
    const line = this.#lines.get(brokerId)
    if (line !== undefined) this.#wait(line, brokerId, outgoing)
    else if (data.length <= mostOf(connection)) connection.publish(outgoing.name, data, { headers: header })
    else {
      const opened: Line = { waiting: new Queue(), bytes: 0 }
      this.#lines.set(brokerId, opened)
      this.#wait(opened, brokerId, outgoing)
      void this.#pump(connection, brokerId, opened)
    }
  }

  /** A message with an event, or with a part of one. Throws FormatError. */
  take(message: Msg): void {
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

  /** Nothing comes from there any more, and nothing gets there. */
  forget(brokerId: string): void {
    this.#lines.get(brokerId)?.waiting.takeAll()
    this.#incomplete.delete(brokerId)
    this.#offsets.delete(brokerId)
  }

  #wait(line: Line, brokerId: string, outgoing: Outgoing): void {
    const bytes = line.bytes + outgoing.data.length
    if (line.bytes > 0 && bytes > MOST_WAITING_BYTES)
      throw new BrokerError('busy', `too much is on its way to broker ${brokerId}`, { retryAfterMs: BUSY_MS })
    line.bytes = bytes
    line.waiting.push(outgoing)
  }

  async #pump(connection: NatsConnection, brokerId: string, line: Line): Promise<void> {
    for (let next = line.waiting.shift(); next !== undefined; next = line.waiting.shift()) {
      try {
        // Whoever waits for it is told by the request's own timer.
        if (next.until > performance.now()) await this.#write(connection, next)
      } catch (error) {
        this.#options.onError(error)
      }
      line.bytes -= next.data.length
    }
    this.#lines.delete(brokerId)
  }

  async #write(connection: NatsConnection, { name, header, data }: Outgoing): Promise<void> {
    const most = mostOf(connection)
    if (data.length <= most) return connection.publish(name, data, { headers: header })
    const count = Math.ceil(data.length / most)
    for (let index = 0; index < count; index++) {
      header.set('Part', `${index}/${count}`)
      const part = data.subarray(index * most, (index + 1) * most)
      await connection.request(name, part, { headers: header, timeout: PART_MS })
    }
  }

  /** The event, once all of it is there. Of one broker there is only one on its way: parts that do not follow each other are of one that was given up. */
  #whole(from: string, part: string, message: Msg): Uint8Array | undefined {
    const [, index, count] = (/^(\d{1,9})\/(\d{1,9})$/.exec(part) ?? []).map(Number)
    if (index === 0) this.#incomplete.set(from, { count, parts: [], bytes: 0 })
    const incomplete = this.#incomplete.get(from)
    if (incomplete === undefined) return undefined
    const { parts } = incomplete
    incomplete.bytes += message.data.length
    if (parts.length !== index || incomplete.count !== count || incomplete.bytes > MOST_BYTES) {
      this.#incomplete.delete(from)
      return undefined
    }
    parts.push(message.data)
    message.respond()
    if (parts.length < count) return undefined
    this.#incomplete.delete(from)
    return Buffer.concat(parts)
  }

  /** How much longer than the quickest message of that broker this one took: it, or NATS, may have held it. */
  #onTheWayMs(from: string, difference: number): number {
    const offset = Math.min(this.#offsets.get(from) ?? Infinity, difference)
    this.#offsets.set(from, offset)
    return difference - offset
  }
}

/** What one message may hold beside its headers. */
export function mostOf({ info }: NatsConnection): number {
  return Math.max(1, (info?.max_payload ?? MOST_BYTES) - HEADER_BYTES)
}
