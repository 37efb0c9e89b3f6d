// The samples of a thread: those that wait for the next collection, and the ring of the last ones, for captures. A batch is in
// both until it is collected.
import type { SampleBatch } from './sample-batch.ts'

/** What nobody collects is dropped after this: at 100 Hz some 3 MB. */
const MAX_PENDING_MICROS = 600e6

export class SampleStore {
  readonly #ringMicros: number
  #pending: readonly SampleBatch[] = []
  #ring: SampleBatch[] = []
  /** Since when batches stay in the ring, however old, for those who wait for them. */
  readonly #holds = new Set<{ readonly since: number }>()

  constructor(ringSeconds: number) {
    this.#ringMicros = Math.max(0, ringSeconds * 1e6)
  }

  get pending(): readonly SampleBatch[] {
    return this.#pending
  }

  get ring(): readonly SampleBatch[] {
    return this.#ring
  }

  /** How far back the ring reaches, in unix microseconds, */
  get from(): number {
    return this.#ring[0]?.from ?? this.earliest
  }

  /** and how far back it is meant to, from now. */
  get earliest(): number {
    return Date.now() * 1000 - this.#ringMicros
  }

  /** Whether anything is there for captures. */
  get hasRing(): boolean {
    return this.#ringMicros > 0 || this.#holds.size > 0
  }

  add(batch: SampleBatch): void {
    this.#pending = [...this.#pending, batch].filter(({ until }) => until >= batch.until - MAX_PENDING_MICROS)
    this.#ring.push(batch)
    this.#trim(batch.until)
  }

  /** Takes what was collected from what waits. */
  collected(batches: readonly SampleBatch[]): void {
    this.#pending = this.#pending.filter(batch => !batches.includes(batch))
  }

  /** From now on everything stays in the ring, until the returned function is called. */
  hold(): () => void {
    const hold = { since: Date.now() * 1000 }
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      this.#trim(Date.now() * 1000)
    }
  }

  clear(): void {
    this.#holds.clear()
    this.#ring = []
  }

  #trim(until: number): void {
    if (!this.hasRing) this.#ring = []
    let oldest = until - this.#ringMicros
    for (const { since } of this.#holds) oldest = Math.min(oldest, since)
    while (this.#ring.length > 0 && this.#ring[0].until < oldest) this.#ring.shift()
  }
}
