// Ids of a generation to rows. They count from 1 for each kind, so that nearly all find their row in a plain array; any other
// number may stand in a file as well.

/** 4 MiB at most. Stacks of a busy second are some ten thousand. */
const MAX_LOW = 1 << 20

export class IdTable {
  /** Row + 1; 0 where there is none. */
  #low = new Int32Array(1024)
  #used = 0
  readonly #high = new Map<number, number>()

  /** -1 where the id is not known. */
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
