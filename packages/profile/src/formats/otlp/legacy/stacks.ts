// Reads the stacks of generations up to v1.7: each sample names a run of the profile's location_indices, and runs may overlap.
// v1.3 has a second form, a list of locations in the sample.
//
// Stacks are read as leaf first. The comment on v1.3's location_index says so, and producers followed pprof. The examples of
// OTEP 0239 put the root first in runs; its reader asks for that order. v1.4 to v1.7 define no order.
import type { StackIndex } from '../../../model/columns/brand.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import type { SequenceInterner } from '../../../model/build/intern.ts'
import type { LegacyContext } from './context.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { numbersIn } from '../generations/message-fields.ts'
import type { Row } from '../generations/row.ts'
import type { Message } from '../generations/schema-reader.ts'

/** Start and length of the run being looked up. */
const RUN = new Int32Array(2)

export class LegacyStacks {
  readonly #context: LegacyContext
  readonly #tables: LegacyTables
  readonly #isRootFirst: boolean
  readonly #locations: Int32Array
  /** Runs that were read before, as start and length, and their stacks. */
  readonly #runs: SequenceInterner
  readonly #rows: GrowingInts
  readonly #list: GrowingInts

  constructor(context: LegacyContext, tables: LegacyTables, profile: Message, at: Steps, isRootFirst: boolean) {
    this.#context = context
    this.#tables = tables
    this.#isRootFirst = isRootFirst
    this.#runs = context.memory.runs
    this.#rows = context.memory.runRows
    this.#list = context.memory.locations
    const indexes = numbersIn(profile, 'location_indices')
    this.#locations = new Int32Array(indexes.length)
    const { locations } = tables
    // A bigint for each index would take most of the time.
    const halves =
      indexes instanceof BigInt64Array
        ? new Int32Array(indexes.buffer, indexes.byteOffset, 2 * indexes.length)
        : undefined
    for (let i = 0; i < indexes.length; i++) {
      const isSmall = halves !== undefined && halves[2 * i + 1] === 0 && halves[2 * i] >= 0
      const index = isSmall ? halves[2 * i] : Number(indexes[i])
      // Closures for each of a million references are slow.
      if (index >= 0 && index < locations.length) this.#locations[i] = locations[index]
      else tables.locationAt(index, () => [...at, ['location_indices', i]])
    }
  }

  /** Returns the stack of the sample in the row, which is at the end of the steps. */
  stackOf(sample: Row, steps: () => Steps): StackIndex {
    const { sample: slot } = this.#context.rows.slots
    const listed = sample.count(slot.list)
    const length = sample.number(slot.length)
    if (length === 0) return listed === 0 ? (0 as StackIndex) : this.#stackOfList(sample, listed, steps)
    if (listed > 0) {
      this.#context.notes.add('two-stacks', 'samples have stacks in both forms of v1.3; the newer form was kept')
    }
    return this.#stackOfRun(sample.number(slot.start), length, steps)
  }

  #stackOfList(sample: Row, count: number, steps: () => Steps): StackIndex {
    const { sample: slot } = this.#context.rows.slots
    const { locations } = this.#tables
    const list = this.#list
    list.length = 0
    const array = list.reserve(count)
    for (let k = 0; k < count; k++) {
      const index = sample.listed(slot.list, k)
      if (index >= 0 && index < locations.length) array[k] = locations[index]
      else this.#tables.locationAt(index, () => [...steps(), ['location_index', k]])
    }
    return this.#context.builder.dictionary.stack(array, 0, count)
  }

  #stackOfRun(start: number, length: number, steps: () => Steps): StackIndex {
    const count = this.#locations.length
    if (!(start >= 0 && length >= 0 && start + length <= count)) {
      const what = `locations ${start} to ${start + length} are outside location_indices (length ${count})`
      this.#context.fail([...steps(), ['locations_start_index', 0]], what)
    }
    RUN[0] = start
    RUN[1] = length
    const run = this.#runs.intern(RUN, 0, 2)
    if (run === this.#rows.length) {
      this.#context.spend(length, steps)
      this.#rows.push(this.#stack(start, start + length))
    }
    return this.#rows.array[run] as StackIndex
  }

  #stack(from: number, to: number): StackIndex {
    const { dictionary } = this.#context.builder
    if (!this.#isRootFirst) return dictionary.stack(this.#locations, from, to)
    const { pool } = dictionary.stacks
    const tail = pool.reserve(to - from)
    for (let k = to - 1, at = pool.length; k >= from; k--) tail[at++] = this.#locations[k]
    return dictionary.stackTail(to - from, undefined)
  }
}
