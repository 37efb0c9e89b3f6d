// The samples of a thread: those that wait for the next collection, and the ring of recent ones for captures. A batch is in both
// until it is collected.
import type { SampleBatch } from './sample-batch.ts'

/** Samples that nobody collects are dropped after this time: about 3 MB at 100 Hz. */
const MAX_PENDING_MICROS = 600e6

export class SampleStore {
  readonly #ringMicros: number
  #pending: readonly SampleBatch[] = []
  #ring: SampleBatch[] = []
  /** Batches after these times stay in the ring for running captures, whatever their age. */
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

  /** The start of the ring, in Unix microseconds. */
  get from(): number {
    return this.#ring[0]?.from ?? this.earliest
  }

  /** The earliest time that the ring should cover, from now. */
  get earliest(): number {
    return Date.now() * 1000 - this.#ringMicros
  }

  /** True if samples are kept for captures. */
  get hasRing(): boolean {
    return this.#ringMicros > 0 || this.#holds.size > 0
  }

  add(batch: SampleBatch): void {
    this.#pending = [...this.#pending, batch].filter(({ until }) => until >= batch.until - MAX_PENDING_MICROS)
    this.#ring.push(batch)
    this.#trim(batch.until)
  }

  /** Removes collected batches from those that wait. */
  collected(batches: readonly SampleBatch[]): void {
    this.#pending = this.#pending.filter(batch => !batches.includes(batch))
  }

  /** Keeps all batches from now on in the ring, until the returned function is called. */
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
