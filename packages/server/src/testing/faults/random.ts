// Repeatable random numbers for fault tests.
import { Random } from '../../demo/random.ts'

export class FaultRandom extends Random {
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Undefined for an empty list. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : items[this.below(items.length)]
  }
}
