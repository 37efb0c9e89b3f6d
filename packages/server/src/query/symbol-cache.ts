// Caches reads of symbol tables until the tables change. Consecutive queries need the same series, and reading them
// takes the engine a quarter of a short query's time.
import type { ReadEngine } from '../store/engine.ts'

/**
 * The limit for all entries together. A series or a resource has about 200 bytes, and a key may name thousands of ids.
 */
const MAX_ROWS = 200_000
const BYTES_A_ROW = 200
const MAX_ENTRIES = 1_000

interface Entry {
  readonly changes: number
  readonly rows: number
  readonly value: unknown
}

export class Remembered {
  readonly #entries = new Map<string, Entry>()
  #rows = 0

  /**
   * The cached value of the key. Calls `make` if there is none, if the table has changed, or if the engine does not
   * report changes.
   */
  async get<Value>(
    engine: ReadEngine,
    table: string,
    key: string,
    make: () => Promise<Value>,
    rowsOf: (value: Value) => number,
  ): Promise<Value> {
    // Read before `make`: rows that arrive during it may or may not be in the value.
    const changes = engine.changes?.(table)
    if (changes === undefined) return await make()
    const whole = `${table}\0${key}`
    const known = this.#entries.get(whole)
    if (known?.changes === changes) {
      // Moves the entry to the end, so that the first entry is the least recently used.
      this.#entries.delete(whole)
      this.#entries.set(whole, known)
      return known.value as Value
    }
    const value = await make()
    this.#drop(whole)
    const rows = 1 + rowsOf(value) + whole.length / BYTES_A_ROW
    if (rows > MAX_ROWS) return value
    this.#entries.set(whole, { changes, rows, value })
    this.#rows += rows
    for (const oldest of this.#entries.keys()) {
      if (this.#rows <= MAX_ROWS && this.#entries.size <= MAX_ENTRIES) break
      this.#drop(oldest)
    }
    return value
  }

  #drop(key: string): void {
    this.#rows -= this.#entries.get(key)?.rows ?? 0
    this.#entries.delete(key)
  }
}

const byEngine = new WeakMap<ReadEngine, Remembered>()

export function rememberedOf(engine: ReadEngine): Remembered {
  let remembered = byEngine.get(engine)
  if (remembered === undefined) byEngine.set(engine, (remembered = new Remembered()))
  return remembered
}
