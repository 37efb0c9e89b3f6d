// The known rows of one symbol table: the dictionary row of each id, and the ids with missing references.
import { GrowingInts } from '@hearth/profile'
import { IdIndex } from '../../store/symbols/id-index.ts'

/** Ids of one table with their rows in the dictionary. The id 0 is row 0. */
export class KnownRows {
  readonly ids = new IdIndex()
  readonly rows = new GrowingInts()
  /** Numbers of ids that are not stored, or that refer to something that is not. */
  readonly #lacking = new Set<number>()

  constructor() {
    this.rows.push(0)
  }

  has(lo: number, hi: number): boolean {
    return this.ids.find(lo, hi) >= 0
  }

  /** 0 for an unknown id, as if it were not set. */
  row(lo: number, hi: number): number {
    const number = this.ids.find(lo, hi)
    return number < 0 ? 0 : this.rows.array[number]
  }

  reserve(more: number): void {
    this.ids.reserve(more)
    this.rows.reserve(more)
  }

  add(lo: number, hi: number, row: number, lacking: boolean): void {
    const number = this.ids.add(lo, hi)
    if (number !== this.rows.length) return
    this.rows.push(row)
    if (lacking) this.#lacking.add(number)
  }

  get isWhole(): boolean {
    return this.#lacking.size === 0
  }

  lacks(lo: number, hi: number): boolean {
    return this.#lacking.size > 0 && this.#lacking.has(this.ids.find(lo, hi))
  }

  get byteLength(): number {
    return this.ids.ids.byteLength * 2 + this.rows.array.byteLength
  }
}
