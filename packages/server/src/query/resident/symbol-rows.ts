// Rows of symbol tables, fetched by id: thousands at a time, or the tenant's whole table if that is faster.
import type { Block } from '../../store/native/block.ts'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'

/** Ids per statement: 512 KiB of text. */
const IDS_AT_ONCE = 32_768

/** With fewer ids, counting a table costs more than it can save. */
const MANY_IDS = 2048

/**
 * Looking a row up by id costs four to five times the CPU time of reading it in a scan: the id is text, parsed, and
 * inserted into a set. 50,000 stacks take 123 ms by id and 30 ms in a scan.
 */
const ROWS_AN_ID = 4

/** Marks an id with two different contents. */
const AMBIGUOUS = -1

export interface FetchedBlock {
  readonly block: Block
  /** The number of each row's id; 0 for rows that are not wanted. */
  readonly numbers: Int32Array
}

/** The new rows of one table by the numbers of their ids, from 1. */
export class FetchedRows {
  readonly ids = new IdIndex()
  readonly blocks: FetchedBlock[] = []
  /** The number of ids that have a row. */
  found = 0
  readonly #table: string
  readonly #columns: string
  /** The row of each id among the rows of all blocks, from 1; 0 for none. */
  #places = new Int32Array(0)

  constructor(table: string, columns: string) {
    this.#table = table
    this.#columns = columns
  }

  /** Fetches the rows of all ids. An id with two contents counts as missing, because the right content is unknown. */
  async fetch(running: RunningQuery): Promise<void> {
    const { length } = this.ids
    if (length === 1) return
    this.#take(await this.#select(running))
  }

  async #select(running: RunningQuery): Promise<Block[]> {
    const { length } = this.ids
    if (length > MANY_IDS && (await this.#rowsOf(running)) <= length * ROWS_AN_ID) return await this.#all(running)
    const parts: Promise<Block>[] = []
    for (let from = 1; from < length; from += IDS_AT_ONCE) {
      parts.push(this.#part(running, from, Math.min(from + IDS_AT_ONCE, length)))
    }
    return await Promise.all(parts)
  }

  /** The tenant's row count. Duplicates count twice until the engine merges them. */
  async #rowsOf(running: RunningQuery): Promise<number> {
    const values = new Values()
    const where = `WHERE tenant = ${values.text(running.tenant)}`
    const block = await running.select(`SELECT count() AS rows FROM ${this.#table} ${where}`, values.all)
    return block.column('rows').number(0)
  }

  async #all(running: RunningQuery): Promise<Block[]> {
    const values = new Values()
    return await running.selectBlocks(
      `SELECT id, check, ${this.#columns} FROM ${this.#table} WHERE tenant = ${values.text(running.tenant)}`,
      values.all,
    )
  }

  async #part(running: RunningQuery, from: number, to: number): Promise<Block> {
    const wanted = this.ids.ids.subarray(2 * from, 2 * to)
    const values = new Values()
    return await running.select(
      `SELECT id, check, ${this.#columns} FROM ${this.#table} WHERE tenant = ${values.text(running.tenant)} ` +
        `AND id IN ${values.wordIds(wanted)}`,
      values.all,
    )
  }

  #take(blocks: readonly Block[]): void {
    const places = (this.#places = new Int32Array(this.ids.length))
    let base = 1
    for (const block of blocks) {
      if (block.rows === 0) continue
      const ids = wordsOf(block.column('id'))
      const numbers = new Int32Array(block.rows)
      this.blocks.push({ block, numbers })
      for (let row = 0; row < block.rows; row++) {
        const number = this.ids.find(ids[2 * row], ids[2 * row + 1])
        if (number <= 0) continue
        if (places[number] === 0) {
          places[number] = base + row
          numbers[row] = number
          this.found++
        } else if (places[number] > 0 && !this.#isSame(places[number], base + row)) {
          this.#rowAt(places[number], ({ numbers: earlier }, at) => (earlier[at] = 0))
          places[number] = AMBIGUOUS
          this.found--
        }
      }
      base += block.rows
    }
  }

  /** Whether two rows with one id have the same content. */
  #isSame(a: number, b: number): boolean {
    const check = (place: number): bigint => this.#rowAt(place, ({ block }, row) => block.column('check').bigint(row))
    return check(a) === check(b)
  }

  #rowAt<Result>(place: number, visit: (part: FetchedBlock, row: number) => Result): Result {
    let row = place - 1
    for (const part of this.blocks) {
      if (row < part.numbers.length) return visit(part, row)
      row -= part.numbers.length
    }
    throw new RangeError(`no row ${place}`)
  }

  has(number: number): boolean {
    return this.#places[number] > 0
  }

  /** Visits the numbers of ids without a row. */
  eachMissing(visit: (number: number) => void): void {
    if (this.found === this.ids.length - 1) return
    for (let number = 1; number < this.ids.length; number++) if (!this.has(number)) visit(number)
  }
}
