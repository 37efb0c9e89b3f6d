// Attribute values as frames at the root of stacks. They split a tree by thread, host or any other attribute of the samples.

/** An attribute value that all stacks below it share. */
export interface RootFrame {
  /** The key as requested: `thread.name`, `resource:region`. */
  readonly key: string
  /** Empty for samples without the attribute. */
  readonly value: string
}

export function rootName({ key, value }: RootFrame): string {
  return value === '' ? `(no ${key})` : value
}

/** Orders by key and value, with missing values last. It compares code units, so the order is the same on every machine. */
export function compareRoots(a: RootFrame, b: RootFrame): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  if (a.value === b.value) return 0
  if (a.value === '' || b.value === '') return a.value === '' ? 1 : -1
  return a.value < b.value ? -1 : 1
}

/** The distinct root frames, in order of appearance. */
export class RootFrames {
  readonly keys: readonly string[]
  readonly list: RootFrame[] = []
  readonly #first: number
  /** One map per key, in the order of `keys`. */
  readonly #known: readonly Map<string, number>[]

  /** `first` is the number of the first root frame. They follow the functions of a frame table. */
  constructor(keys: readonly string[], first: number) {
    this.keys = keys
    this.#first = first
    this.#known = keys.map(() => new Map())
  }

  /** Returns the number of the frame. `k` is the index of the key. */
  frame(k: number, value: string): number {
    const known = this.#known[k]
    const found = known.get(value)
    if (found !== undefined) return found
    const frame = this.#first + this.list.push({ key: this.keys[k], value }) - 1
    known.set(value, frame)
    return frame
  }
}
