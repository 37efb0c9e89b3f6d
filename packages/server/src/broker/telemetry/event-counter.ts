// Counts events by category and outcome.
import type { BrokerErrorKind } from '@hearth/broker'
import { BROKER_ERROR_CODES, CATEGORY } from '@hearth/broker'

const OUTCOMES = ['delivered', 'forwarded', 'answered', 'kept', 'dropped', 'late', 'stray'] as const

/**
 * The outcome of an event, or the kind of error it was rejected with. `kept`: accepted by the Broker itself. `late`: a
 * response after the timeout. `stray`: a response to a request that its sender did not receive.
 */
export type EventOutcome = (typeof OUTCOMES)[number] | BrokerErrorKind

export const EVENT_OUTCOMES: readonly string[] = [...OUTCOMES, ...Object.keys(BROKER_ERROR_CODES)]

export const CATEGORY_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(CATEGORY.values).map(([name, value]) => [value, name]),
)

export interface EventCount {
  readonly category: string
  readonly outcome: EventOutcome
  readonly count: number
}

export class EventCounter {
  readonly #counts = new Map<EventOutcome, number[]>()

  add(category: number, outcome: EventOutcome): void {
    let counts = this.#counts.get(outcome)
    if (counts === undefined) this.#counts.set(outcome, (counts = [0, 0, 0, 0]))
    counts[CATEGORY_NAMES.has(category) ? category : 0]++
  }

  counts(): readonly EventCount[] {
    return [...this.#counts].flatMap(([outcome, counts]) =>
      counts.flatMap((count, category) =>
        count === 0 ? [] : [{ category: CATEGORY_NAMES.get(category) ?? '', outcome, count }],
      ),
    )
  }
}
