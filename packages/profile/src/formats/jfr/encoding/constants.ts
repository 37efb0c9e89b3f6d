// The constants of a chunk: the keys of each class and the positions of their values. Values are read on demand, because most
// are never needed. A value may refer to constants of other classes that come later in the chunk.
//
//   checkpoint event   start, duration, offset of the previous one, flags, number of classes, then for each
//                      class id, number of constants, then for each key, value
//
// The reader goes through all checkpoints in file order. This is equivalent to following the offsets back from the last one, and
// it also works for truncated chunks.
import { NONE } from '../../../model/columns/brand.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import type { Cursor } from './cursor.ts'
import { KeyIndex } from './key-index.ts'
import type { Layouts } from './layout.ts'

export class ConstantPool {
  readonly keys = new KeyIndex()
  readonly #positions = new GrowingInts(32)

  get length(): number {
    return this.keys.length
  }

  /** If a constant occurs twice, the last value counts: threads can be renamed. */
  set(lo: number, hi: number, position: number): void {
    const row = this.keys.add(lo, hi)
    if (row === this.#positions.length) this.#positions.push(position)
    else this.#positions.array[row] = position
  }

  /** The position of a row's value. */
  position(row: number): number {
    return this.#positions.array[row]
  }
}

export class Constants {
  readonly layouts: Layouts
  readonly #pools: (ConstantPool | undefined)[]

  constructor(layouts: Layouts) {
    this.layouts = layouts
    this.#pools = new Array<ConstantPool | undefined>(layouts.metadata.classes.length)
  }

  /** Returns an empty pool if the chunk has no constants of the class. */
  pool(type: number): ConstantPool {
    return (this.#pools[type] ??= new ConstantPool())
  }

  /** Expects the cursor after the size and type of a checkpoint event. */
  read(cursor: Cursor): void {
    const { layouts } = this
    cursor.skipLongs(3)
    cursor.byte()
    for (let classes = cursor.count(2); classes > 0; classes--) {
      const at = cursor.pos
      cursor.long()
      const type = layouts.metadata.ids.find(cursor.lo, cursor.hi)
      // A value cannot be skipped without its layout.
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
