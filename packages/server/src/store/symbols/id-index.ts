// Numbers ids in order of first use. Number 0 is the id 0, "not set". Uses open addressing over typed arrays, so that a
// million ids need three objects.

const FIRST_SLOTS = 256
/** Senders choose the ids of spans: without a seed they could choose ids that all share a slot. */
const SEED = Math.trunc(Math.random() * 2 ** 32) | 0

export class IdIndex {
  /** Two words per id, low first, by number. */
  ids = new Int32Array(FIRST_SLOTS)
  length = 1
  /** Number + 1, or 0 if free. At most half of the slots are used. */
  #slots = new Int32Array(FIRST_SLOTS)

  /** Returns the id's number, or assigns the next one. */
  add(lo: number, hi: number): number {
    if (lo === 0 && hi === 0) return 0
    const slot = this.#slotOf(lo, hi)
    if (this.#slots[slot] !== 0) return this.#slots[slot] - 1
    const number = this.length++
    if (2 * number + 2 > this.ids.length) {
      const grown = new Int32Array(this.ids.length * 2)
      grown.set(this.ids)
      this.ids = grown
    }
    this.ids[2 * number] = lo
    this.ids[2 * number + 1] = hi
    this.#slots[slot] = number + 1
    if (2 * this.length > this.#slots.length) this.#rehash(this.#slots.length * 2)
    return number
  }

  /** Makes room for this many more ids. */
  reserve(more: number): void {
    const need = this.length + more
    if (2 * need > this.ids.length) {
      const grown = new Int32Array(Math.max(2 * need, this.ids.length * 2))
      grown.set(this.ids.subarray(0, 2 * this.length))
      this.ids = grown
    }
    let slots = this.#slots.length
    while (slots < 2 * need) slots *= 2
    if (slots > this.#slots.length) this.#rehash(slots)
  }

  /** The id's number, or -1. */
  find(lo: number, hi: number): number {
    return lo === 0 && hi === 0 ? 0 : this.#slots[this.#slotOf(lo, hi)] - 1
  }

  bigint(number: number): bigint {
    return (BigInt(this.ids[2 * number + 1] >>> 0) << 32n) | BigInt(this.ids[2 * number] >>> 0)
  }

  /**
   * The slot of the id, or the free slot for it. Ids of symbols are hashes, but those of spans may count up in any byte: without mixing
   * their bits, 15,000 of them took 15 s.
   */
  #slotOf(lo: number, hi: number): number {
    const slots = this.#slots
    const { ids } = this
    const mask = slots.length - 1
    let hash = Math.imul(lo ^ SEED, 0x9e37_79b1) ^ Math.imul(hi, 0x85eb_ca6b)
    hash = Math.imul(hash ^ (hash >>> 16), 0x045d_9f3b)
    let slot = (hash ^ (hash >>> 15)) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = slots[slot] - 1
      if (ids[2 * number] === lo && ids[2 * number + 1] === hi) break
    }
    return slot
  }

  #rehash(slots: number): void {
    this.#slots = new Int32Array(slots)
    for (let number = 1; number < this.length; number++) {
      this.#slots[this.#slotOf(this.ids[2 * number], this.ids[2 * number + 1])] = number + 1
    }
  }
}
