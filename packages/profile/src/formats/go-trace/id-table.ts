// Maps ids of a generation to rows. Ids count from 1 for each kind, so nearly all find their row in an array. Other ids
// are possible too.

/** At most 4 MiB. A busy second has about ten thousand stacks. */
const MAX_LOW = 1 << 20

export class IdTable {
  /** Row + 1. 0 if there is none. */
  #low = new Int32Array(1024)
  #used = 0
  readonly #high = new Map<number, number>()

  /** -1 if the id is unknown. */
  get(id: number): number {
    return id < this.#low.length ? this.#low[id] - 1 : (this.#high.get(id) ?? -1)
  }

  set(id: number, row: number): void {
    if (id >= MAX_LOW) {
      this.#high.set(id, row)
      return
    }
    if (id >= this.#low.length) {
      let { length } = this.#low
      while (length <= id) length *= 2
      const low = new Int32Array(length)
      low.set(this.#low)
      this.#low = low
    }
    this.#low[id] = row + 1
    if (id >= this.#used) this.#used = id + 1
  }

  clear(): void {
    this.#low.fill(0, 0, this.#used)
    this.#used = 0
    this.#high.clear()
  }
}
