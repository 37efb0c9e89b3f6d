// Events as they pass the Broker, as a stream of lines. A client that reads slowly misses events, and learns how many.
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { BrokerControl } from '../../../broker/control.ts'
import { kindName } from '../../../broker/telemetry/kind-name.ts'
import { EVENT_OUTCOMES } from '../../../broker/telemetry/event-counter.ts'
import type { WatchedEvent } from '../../../broker/telemetry/watchers.ts'
import { RequestError } from '../response/request-error.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { brokerEvent, eventJson } from './event-json.ts'

export const watchedEvent = nameSchema(
  'SeenEvent',
  z.strictObject({
    at: z.string().meta({ description: 'When it passed' }),
    outcome: z.string().meta({ description: 'Such as delivered, answered or component-gone' }),
    route: z.string().optional().meta({ description: 'The id of the rule that matched' }),
    error: z.string().optional(),
    missed: count.meta({
      description: 'The number of events before it that were skipped, because there were too many',
    }),
    event: brokerEvent,
  }),
)

export interface EventFilter {
  readonly type?: string | undefined
  readonly category?: keyof typeof CATEGORY_NUMBERS | undefined
  readonly component?: string | undefined
  readonly outcome?: string | undefined
}

/** The limit of bytes that wait to be read. Events beyond it are counted as missed. */
const MAX_WAITING_BYTES = 2 ** 20
const MAX_CONTENT_BYTES = 4096
/** Empty lines show proxies that the connection is alive. */
const KEEP_ALIVE_MS = 15_000
/** Per tenant. */
const MAX_WATCHERS = 16
const OUTCOMES = EVENT_OUTCOMES.map(kindName)
const CATEGORY_NUMBERS = { MESSAGE: 1, REQUEST: 2, RESPONSE: 3 } as const

/** Counts the open streams of each tenant. */
export class EventWatches {
  readonly #counts = new Map<string, number>()

  /** Throws RequestError if the tenant has too many streams, or the outcome is unknown. */
  open({ broker, ending }: BrokerControl, tenant: string, filter: EventFilter): Readable {
    const { outcome } = filter
    if (outcome !== undefined && !OUTCOMES.includes(outcome)) {
      const advice = `use one of ${OUTCOMES.join(', ')}`
      throw new RequestError(400, 'argument', `unknown outcome ${JSON.stringify(outcome)}; ${advice}`)
    }
    const open = this.#counts.get(tenant) ?? 0
    if (open >= MAX_WATCHERS)
      throw new RequestError(429, 'too-many-watchers', `too many clients watch events (${MAX_WATCHERS})`, 10)
    this.#counts.set(tenant, open + 1)
    let missed = 0
    const stream = new Readable({ read: () => {}, highWaterMark: MAX_WAITING_BYTES })
    const stop = broker.watch(tenant, seen => {
      if (!matches(seen, filter)) return
      if (stream.readableLength > MAX_WAITING_BYTES) missed += 1 + seen.missed
      else {
        stream.push(`${JSON.stringify(watchedJson(seen, missed))}\n`)
        missed = 0
      }
    })
    const keepAlive = setInterval(() => stream.readableLength === 0 && stream.push('\n'), KEEP_ALIVE_MS)
    const end = (): void => {
      stop()
      clearInterval(keepAlive)
      // oxlint-disable-next-line no-null -- null ends a stream
      stream.push(null)
    }
    ending.addEventListener('abort', end)
    stream.once('close', () => {
      stop()
      clearInterval(keepAlive)
      ending.removeEventListener('abort', end)
      const left = (this.#counts.get(tenant) ?? 1) - 1
      if (left > 0) this.#counts.set(tenant, left)
      else this.#counts.delete(tenant)
    })
    // Sends the response headers at once, so that the client knows that watching has begun.
    stream.push('\n')
    return stream
  }
}

function matches({ event, outcome }: WatchedEvent, filter: EventFilter): boolean {
  const { type, category, component, outcome: wanted } = filter
  if (type !== undefined && event.type !== type && !event.type.toLowerCase().endsWith(`.${type.toLowerCase()}`))
    return false
  if (category !== undefined && CATEGORY_NUMBERS[category] !== event.category) return false
  if (component !== undefined && event.source?.name !== component && event.target?.name !== component) return false
  return wanted === undefined || kindName(outcome) === wanted
}

function watchedJson(seen: WatchedEvent, missedBefore: number): z.infer<typeof watchedEvent> {
  const { at, event, outcome, routeId, error, missed } = seen
  return {
    at: at.toISOString(),
    outcome: kindName(outcome),
    ...(routeId === undefined ? {} : { route: routeId.toString() }),
    ...(error === undefined ? {} : { error }),
    missed: missed + missedBefore,
    event: eventJson(event, MAX_CONTENT_BYTES),
  }
}
