// Rows of symbol tables, fetched by id, a few thousand at a time.
import type { Block, ColumnValues } from '../../store/native/block.ts'
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { Asking } from '../question.ts'
import { Values } from '../statement.ts'

/** Ids that are looked up at once: 512 KiB of text. */
const IDS_AT_ONCE = 32_768

/** The rows of one table that are new: by number of their ids, from 1 on. */
export class FetchedRows {
  readonly ids = new IdIndex()
  readonly #table: string
  readonly #columns: string
  readonly #blocks: (Block | undefined)[] = []
  readonly #rows: number[] = []

  constructor(table: string, columns: string) {
    this.#table = table
    this.#columns = columns
  }

  /** Fetches the rows of all ids. Two contents with one id are as none: which one was meant cannot be told. */
  async fetch(asking: Asking): Promise<void> {
    const parts: Promise<void>[] = []
    for (let from = 1; from < this.ids.length; from += IDS_AT_ONCE) {
      parts.push(this.#fetchPart(asking, from, Math.min(from + IDS_AT_ONCE, this.ids.length)))
    }
    await Promise.all(parts)
  }

  async #fetchPart(asking: Asking, from: number, to: number): Promise<void> {
    const wanted = this.ids.ids.subarray(2 * from, 2 * to)
    const values = new Values()
    const block = await asking.select(
      `SELECT id, ${this.#columns} FROM ${this.#table} WHERE tenant = ${values.text(asking.tenant)} ` +
        `AND id IN ${values.wordIds(wanted)} LIMIT 1 BY id, check`,
      values.all,
    )
    this.#take(block, from, to)
  }

  #take(block: Block, from: number, to: number): void {
    if (block.rows === 0) return
    const ids = wordsOf(block.column('id'))
    const seen = new Uint8Array(to - from)
    for (let row = 0; row < block.rows; row++) {
      const number = this.ids.find(ids[2 * row], ids[2 * row + 1])
      this.#blocks[number] = seen[number - from] === 0 ? block : undefined
      this.#rows[number] = row
      seen[number - from] = 1
    }
  }

  /** Undefined where there is no such row. */
  block(number: number): Block | undefined {
    return this.#blocks[number]
  }

  row(number: number): number {
    return this.#rows[number]
  }

  /** Visits every row that there is. */
  each(visit: (block: Block, row: number, number: number) => void): void {
    for (let number = 1; number < this.ids.length; number++) {
      const block = this.#blocks[number]
      if (block !== undefined) visit(block, this.#rows[number], number)
    }
  }
}

/** Visits the ids in a row's list. */
export function eachId(column: ColumnValues, row: number, visit: (lo: number, hi: number) => void): void {
  const words = wordsOf(column.values)
  for (let k = 2 * column.from(row), to = 2 * column.to(row); k < to; k += 2) visit(words[k], words[k + 1])
}
