// The constants of a chunk: for each class the keys and where their values are. Values are read when something needs them,
// since most never are; a value may point at constants of other classes that come later in the chunk.
//
//   checkpoint event   start, duration, offset of the one before, flags, number of classes, then for each
//                      class id, number of constants, then for each key, value
//
// Every checkpoint of the chunk is read in the order of the file. That is the same as following the offsets from the last one
// back to the first, and works for chunks that were cut off as well.
import { NONE } from '../../../model/columns/brand.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import type { Cursor } from './cursor.ts'
import { KeyIndex } from './key-index.ts'
import type { Layouts } from './layout.ts'

export class Pool {
  readonly keys = new KeyIndex()
  readonly #positions = new GrowingInts(32)

  get length(): number {
    return this.keys.length
  }

  /** A constant that comes twice has its last value: threads are renamed. */
  set(lo: number, hi: number, position: number): void {
    const row = this.keys.add(lo, hi)
    if (row === this.#positions.length) this.#positions.push(position)
    else this.#positions.array[row] = position
  }

  /** Where the value of a row begins. */
  position(row: number): number {
    return this.#positions.array[row]
  }
}

export class Constants {
  readonly layouts: Layouts
  readonly #pools: (Pool | undefined)[]

  constructor(layouts: Layouts) {
    this.layouts = layouts
    this.#pools = new Array<Pool | undefined>(layouts.metadata.classes.length)
  }

  /** Empty where the chunk has no constants of the class. */
  pool(type: number): Pool {
    return (this.#pools[type] ??= new Pool())
  }

  /** The cursor is behind the size and type of a checkpoint event. */
  read(cursor: Cursor): void {
    const { layouts } = this
    cursor.skipLongs(3)
    cursor.byte()
    for (let classes = cursor.count(2); classes > 0; classes--) {
      const at = cursor.pos
      cursor.long()
      const type = layouts.metadata.ids.find(cursor.lo, cursor.hi)
      // Without its layout there is no way to step over a value.
      if (type === NONE) cursor.fail(`constants of class ${cursor.unsigned()}, which is not described`, at)
      const pool = this.pool(type)
      for (let left = cursor.count(1); left > 0; left--) {
        cursor.long()
        const { lo, hi, pos } = cursor
        layouts.skip(cursor, type)
        pool.set(lo, hi, pos)
      }
    }
  }
}
