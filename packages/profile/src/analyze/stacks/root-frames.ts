// Values of attributes as frames: what stands at the root of stacks where a tree is told apart by thread, host or whatever
// else samples say of themselves.

/** No function: an attribute's value, which all stacks below it have. */
export interface RootFrame {
  /** As it was asked for: `thread.name`, `resource:region`. */
  readonly key: string
  /** Empty for samples without the attribute. */
  readonly value: string
}

export function rootName({ key, value }: RootFrame): string {
  return value === '' ? `(no ${key})` : value
}

/** In the order of keys and values, what has none last; by code units, so the same on every machine. */
export function compareRoots(a: RootFrame, b: RootFrame): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  if (a.value === b.value) return 0
  if (a.value === '' || b.value === '') return a.value === '' ? 1 : -1
  return a.value < b.value ? -1 : 1
}

/** Root frames as they are met, each once. */
export class RootFrames {
  readonly keys: readonly string[]
  readonly list: RootFrame[] = []
  readonly #first: number
  /** By key, in the order of `keys`. */
  readonly #known: readonly Map<string, number>[]

  /** `first` is the number of the first one: they follow the functions of a frame table. */
  constructor(keys: readonly string[], first: number) {
    this.keys = keys
    this.#first = first
    this.#known = keys.map(() => new Map())
  }

  /** The frame's number. `k` is the key's place among `keys`. */
  frame(k: number, value: string): number {
    const known = this.#known[k]
    const found = known.get(value)
    if (found !== undefined) return found
    const frame = this.#first + this.list.push({ key: this.keys[k], value }) - 1
    known.set(value, frame)
    return frame
  }
}
