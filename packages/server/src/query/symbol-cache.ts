// What was read from the tables of symbols, kept as long as they stay as they are: which series there are and which of them
// fit is the same for one query after the other, and takes the engine a quarter of a short query's time.
import type { Engine } from '../store/engine.ts'

/** Of all entries together; a series or a resource is some 200 bytes, and a key may name thousands of ids. */
const MOST_ROWS = 200_000
const BYTES_A_ROW = 200
const MOST_ENTRIES = 1_000

interface Entry {
  readonly changes: number
  readonly rows: number
  readonly value: unknown
}

export class Remembered {
  readonly #entries = new Map<string, Entry>()
  #rows = 0

  /** The value under the key, made where there is none or the table has changed. Of an engine that cannot tell, always made. */
  async get<Value>(
    engine: Engine,
    table: string,
    key: string,
    make: () => Promise<Value>,
    rowsOf: (value: Value) => number,
  ): Promise<Value> {
    // Before it is made: what comes in between may or may not be in it.
    const changes = engine.changes?.(table)
    if (changes === undefined) return await make()
    const whole = `${table}\0${key}`
    const known = this.#entries.get(whole)
    if (known?.changes === changes) {
      // Put last, so that the first one is the one that was used longest ago.
      this.#entries.delete(whole)
      this.#entries.set(whole, known)
      return known.value as Value
    }
    const value = await make()
    this.#drop(whole)
    const rows = 1 + rowsOf(value) + whole.length / BYTES_A_ROW
    if (rows > MOST_ROWS) return value
    this.#entries.set(whole, { changes, rows, value })
    this.#rows += rows
    for (const oldest of this.#entries.keys()) {
      if (this.#rows <= MOST_ROWS && this.#entries.size <= MOST_ENTRIES) break
      this.#drop(oldest)
    }
    return value
  }

  #drop(key: string): void {
    this.#rows -= this.#entries.get(key)?.rows ?? 0
    this.#entries.delete(key)
  }
}

const byEngine = new WeakMap<Engine, Remembered>()

export function rememberedOf(engine: Engine): Remembered {
  let remembered = byEngine.get(engine)
  if (remembered === undefined) byEngine.set(engine, (remembered = new Remembered()))
  return remembered
}
