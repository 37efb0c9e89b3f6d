// The locations of fetched stacks, numbered in the order of their first occurrence. 50,000 stacks have a million
// locations; each distinct one is looked up once.
import { IdIndex } from '../../store/symbols/id-index.ts'
import { wordsOf } from '../../store/symbols/symbol-table.ts'
import type { FetchedRows } from './symbol-rows.ts'

export class StackLocations {
  readonly ids = new IdIndex()
  /** The locations of all stacks, in the order of the blocks and their rows. */
  readonly numbers: Int32Array

  constructor(stacks: FetchedRows) {
    let most = 0
    for (const { block } of stacks.blocks) most += block.column('locations').values.length
    const all = new Int32Array(most)
    const { ids } = this
    let at = 0
    for (const { block, numbers } of stacks.blocks) {
      const column = block.column('locations')
      const words = wordsOf(column.values)
      for (let row = 0; row < numbers.length; row++) {
        if (numbers[row] === 0) continue
        for (let k = 2 * column.from(row), to = 2 * column.to(row); k < to; k += 2) {
          all[at++] = ids.add(words[k], words[k + 1])
        }
      }
    }
    this.numbers = all.subarray(0, at)
  }
}
