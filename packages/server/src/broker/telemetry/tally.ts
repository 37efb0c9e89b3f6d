// Counts what became of events, by category and outcome: cheap enough for each of them.
import type { BrokerErrorKind } from '@hearth/broker'
import { BROKER_ERROR_CODES, CATEGORY } from '@hearth/broker'

const TAKEN = ['delivered', 'forwarded', 'answered', 'kept', 'dropped', 'late', 'stray'] as const

/**
 * What became of an event. `kept`: taken by the Broker itself. `late`: an answer that nobody waits for any more. `stray`:
 * an answer to what was not asked of its sender. Or why it was refused.
 */
export type EventOutcome = (typeof TAKEN)[number] | BrokerErrorKind

export const EVENT_OUTCOMES: readonly string[] = [...TAKEN, ...Object.keys(BROKER_ERROR_CODES)]

const NAMES = new Map<number, string>(Object.entries(CATEGORY.values).map(([name, value]) => [value, name]))

export interface EventCount {
  readonly category: string
  readonly outcome: EventOutcome
  readonly count: number
}

export class Tally {
  readonly #counts = new Map<EventOutcome, number[]>()

  add(category: number, outcome: EventOutcome): void {
    let counts = this.#counts.get(outcome)
    if (counts === undefined) this.#counts.set(outcome, (counts = [0, 0, 0, 0]))
    counts[NAMES.has(category) ? category : 0]++
  }

  counts(): readonly EventCount[] {
    return [...this.#counts].flatMap(([outcome, counts]) =>
      counts.flatMap((count, category) =>
        count === 0 ? [] : [{ category: NAMES.get(category) ?? '', outcome, count }],
      ),
    )
  }
}
