// A first-in-first-out queue. Array.shift() moves every element, so this drops consumed elements in bulk instead.

const COMPACT_AT = 64

export class Queue<Item> {
  #items: Item[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head++]
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  peek(): Item | undefined {
    return this.#items[this.#head]
  }

  all(): readonly Item[] {
    return this.#items.slice(this.#head)
  }

  /** Removes and returns the matching items. */
  remove(matches: (item: Item) => boolean): readonly Item[] {
    const removed: Item[] = []
    const rest: Item[] = []
    for (const item of this.takeAll()) (matches(item) ? removed : rest).push(item)
    this.#items = rest
    return removed
  }

  /** Removes and returns all items. */
  takeAll(): readonly Item[] {
    const all = this.#items.slice(this.#head)
    this.#items = []
    this.#head = 0
    return all
  }
}
