// Reads rows of one content-addressed table by id in batches, and returns them by id number. Checks every row against its
// hash. Missing, damaged or ambiguous rows are reported and never replaced by others.
import type { ReadEngine } from '../engine.ts'
import type { Block } from '../native/block.ts'
import type { ColumnValues } from '../native/column-values.ts'
import { int32sOf } from '../native/raw-numbers.ts'
import type { TableDefinition } from '../native/table.ts'
import { HASH_WORDS, isIdOf } from './content-hash.ts'
import { IdIndex } from './id-index.ts'

/** 8,000 ids of up to 20 digits are 168 KB. A statement may have 256 KB. */
const IDS_A_QUERY = 8_000

export type SymbolFault =
  /** A row refers to a missing row. */
  | 'missing'
  /** Two contents have the id, so that the reference is ambiguous. */
  | 'ambiguous'
  /** The row's content does not match its id and check. */
  | 'damaged'

export class SymbolError extends Error {
  override readonly name = 'SymbolError'
  readonly table: string
  readonly id: bigint
  readonly fault: SymbolFault

  constructor(table: string, id: bigint, fault: SymbolFault) {
    super(`${table} has ${WORDS[fault]} ${id}`)
    this.table = table
    this.id = id
    this.fault = fault
  }
}

const WORDS: Readonly<Record<SymbolFault, string>> = {
  missing: 'no row with the id',
  ambiguous: 'two contents with the id',
  damaged: 'a damaged row with the id',
}

export interface SymbolSource {
  readonly engine: ReadEngine
  readonly tenant: string
  readonly signal?: AbortSignal
  /** Called for rows that cannot be read, which are then treated as unset. Without it, the first one throws. */
  readonly onFault?: (error: SymbolError) => void
}

/** Writes the hash of a row's content to the words. Returns false for empty content, which no stored row has. */
export type HashRow = (block: Block, row: number, words: Int32Array) => boolean

export class SymbolTable {
  readonly ids = new IdIndex()
  readonly #source: SymbolSource
  readonly #table: TableDefinition
  readonly #hash: HashRow
  readonly #blocks: (Block | undefined)[] = [undefined]
  readonly #rows: number[] = [0]
  readonly #words = new Int32Array(HASH_WORDS)
  #loaded = 1

  constructor(source: SymbolSource, table: TableDefinition, hash: HashRow) {
    this.#source = source
    this.#table = table
    this.#hash = hash
  }

  /** Fetches the rows of all ids added since the last call and returns the first of their numbers. */
  async load(): Promise<number> {
    const first = this.#loaded
    for (let from = first; from < this.ids.length; from += IDS_A_QUERY) {
      await this.#fetch(from, Math.min(from + IDS_A_QUERY, this.ids.length))
    }
    this.#loaded = this.ids.length
    return first
  }

  /** The block with the row of this number. Undefined for 0 and for rows that could not be read. */
  block(number: number): Block | undefined {
    return this.#blocks[number]
  }

  row(number: number): number {
    return this.#rows[number]
  }

  async #fetch(from: number, to: number): Promise<void> {
    const { engine, tenant, signal } = this.#source
    const wanted: bigint[] = []
    for (let number = from; number < to; number++) {
      wanted.push(this.ids.bigint(number))
      this.#blocks[number] = undefined
      this.#rows[number] = 0
    }
    const columns = Object.keys(this.#table.columns).filter(name => name !== 'tenant' && name !== 'last_seen')
    const block = await engine.select(
      `SELECT ${columns.join(', ')} FROM ${this.#table.name} ` +
        'WHERE tenant = {tenant:String} AND id IN {ids:Array(UInt64)} LIMIT 1 BY id, check',
      { parameters: { tenant, ids: wanted }, ...(signal === undefined ? {} : { signal }) },
    )
    const faults = this.#take(block)
    for (let number = from; number < to; number++) {
      const fault = faults.get(number) ?? (this.#blocks[number] === undefined ? 'missing' : undefined)
      if (fault !== undefined) this.#fail(number, fault)
    }
  }

  #take(block: Block): ReadonlyMap<number, SymbolFault> {
    const faults = new Map<number, SymbolFault>()
    if (block.rows === 0) return faults
    const ids = wordsOf(block.column('id'))
    const checks = wordsOf(block.column('check'))
    for (let row = 0; row < block.rows; row++) {
      const [idLo, idHi] = [ids[2 * row], ids[2 * row + 1]]
      const number = this.ids.find(idLo, idHi)
      if (this.#blocks[number] !== undefined) faults.set(number, 'ambiguous')
      this.#blocks[number] = block
      this.#rows[number] = row
      const [checkLo, checkHi] = [checks[2 * row], checks[2 * row + 1]]
      const isCopy = checkLo === 0 && checkHi === 0
      const whole = isCopy || (this.#hash(block, row, this.#words) && isIdOf(idLo, idHi, checkLo, checkHi, this.#words))
      if (!whole && !faults.has(number)) faults.set(number, 'damaged')
    }
    return faults
  }

  #fail(number: number, fault: SymbolFault): void {
    const error = new SymbolError(this.#table.name, this.ids.bigint(number), fault)
    if (this.#source.onFault === undefined) throw error
    this.#source.onFault(error)
    this.#blocks[number] = undefined
  }
}

const wordsByColumn = new WeakMap<ColumnValues, Int32Array>()

/**
 * Returns a column of 64-bit numbers in the model's form: pairs of halves, low first, row `i` at `2 * i`. Computed once per
 * column, because a small array per row would cost more than everything else.
 */
export function wordsOf(column: ColumnValues): Int32Array {
  let words = wordsByColumn.get(column)
  if (words === undefined) {
    words = int32sOf(column.raw)
    wordsByColumn.set(column, words)
  }
  return words
}

/** Rows `from` to `to` of such a column. */
export function pairsOf(column: ColumnValues, from: number, to: number): Int32Array {
  return wordsOf(column).subarray(2 * from, 2 * to)
}
