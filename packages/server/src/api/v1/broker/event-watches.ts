// Events as they pass, line by line, to somebody who may read slowly or not at all.
import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { BrokerControl } from '../../../broker/control.ts'
import { kindName } from '../../../broker/telemetry/kind-name.ts'
import { EVENT_OUTCOMES } from '../../../broker/telemetry/event-counter.ts'
import type { WatchedEvent } from '../../../broker/telemetry/watchers.ts'
import type { watchEventsRequest } from '../broker-requests.ts'
import { seenSent } from './broker-json.ts'
import { RequestError } from '../response/failure.ts'

/** Of lines that wait to be read; what comes beyond it is counted and told of later. */
const MOST_WAITING = 2 ** 20
/** Content beyond this is only counted: who watches wants to see what goes on. */
const LONGEST_CONTENT = 4096
/** So that whatever is between knows that the connection is alive. */
const BEAT_MS = 15_000
const MOST_WATCHERS = 16
const OUTCOMES = EVENT_OUTCOMES.map(kindName)

type Filter = z.infer<typeof watchEventsRequest>

export class EventWatches {
  readonly #control: BrokerControl
  readonly #counts = new Map<string, number>()

  constructor(control: BrokerControl) {
    this.#control = control
  }

  /** Throws RequestError where too many watch, or wait for what there is not. */
  open(tenant: string, filter: Filter): Readable {
    const { outcome } = filter
    if (outcome !== undefined && !OUTCOMES.includes(outcome))
      throw new RequestError(
        400,
        'argument',
        `no event ends as ${JSON.stringify(outcome)}, but as ${OUTCOMES.join(', ')}`,
      )
    const watching = this.#counts.get(tenant) ?? 0
    if (watching >= MOST_WATCHERS)
      throw new RequestError(429, 'too-many-watchers', `${MOST_WATCHERS} watch already; more may not`, 10)
    this.#counts.set(tenant, watching + 1)
    let unread = 0
    const stream = new Readable({ read: () => {}, highWaterMark: MOST_WAITING })
    const stop = this.#control.broker.watch(tenant, seen => {
      if (!isWanted(seen, filter)) return
      if (stream.readableLength > MOST_WAITING) unread += 1 + seen.missed
      else {
        stream.push(`${JSON.stringify(seenSent(seen, LONGEST_CONTENT, unread))}\n`)
        unread = 0
      }
    })
    const beat = setInterval(() => stream.readableLength === 0 && stream.push('\n'), BEAT_MS)
    const end = (): void => {
      stop()
      clearInterval(beat)
      // oxlint-disable-next-line no-null -- the stream's own sign for its end
      stream.push(null)
    }
    this.#control.ending.addEventListener('abort', end)
    stream.once('close', () => {
      stop()
      clearInterval(beat)
      this.#control.ending.removeEventListener('abort', end)
      const left = (this.#counts.get(tenant) ?? 1) - 1
      if (left > 0) this.#counts.set(tenant, left)
      else this.#counts.delete(tenant)
    })
    // The head of the answer goes out with it, so that one knows that it has begun.
    stream.push('\n')
    return stream
  }
}

function isWanted({ event, outcome }: WatchedEvent, filter: Filter): boolean {
  const { type, category, component, outcome: wanted } = filter
  if (type !== undefined && event.type !== type && !event.type.toLowerCase().endsWith(`.${type.toLowerCase()}`))
    return false
  if (category !== undefined && CATEGORY_NUMBERS[category] !== event.category) return false
  if (component !== undefined && event.source?.name !== component && event.target?.name !== component) return false
  return wanted === undefined || kindName(outcome) === wanted
}

const CATEGORY_NUMBERS = { MESSAGE: 1, REQUEST: 2, RESPONSE: 3 } as const
