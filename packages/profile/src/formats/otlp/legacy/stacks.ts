// Reads the stacks of generations up to v1.7: each sample names a run of the profile's location_indices, and runs may overlap.
// v1.3 has a second form, a list of locations in the sample.
//
// All stacks are read as leaf first. The comment on v1.3's location_index says so, and producers followed pprof. The examples
// of OTEP 0239 contradict it: they put the root first and share prefixes between runs. No known producer followed them. v1.4
// to v1.7 define no order.
import type { StackIndex } from '../../../model/columns/brand.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import type { LegacyContext } from './context.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { numberOf, numbersIn } from '../generations/message-fields.ts'
import type { Message, NumberSequence } from '../generations/schema-reader.ts'

export class LegacyStacks {
  readonly #context: LegacyContext
  readonly #tables: LegacyTables
  readonly #locations: Int32Array
  /** Runs that were read before, as start and length, and their stacks. */
  readonly #runs = new SequenceInterner()
  readonly #rows = new GrowingInts()
  readonly #run = new Int32Array(2)

  constructor(context: LegacyContext, tables: LegacyTables, profile: Message, at: Steps) {
    this.#context = context
    this.#tables = tables
    this.#locations = this.#resolve(numbersIn(profile, 'location_indices'), 'location_indices', () => at)
  }

  /** Returns the stack of the sample at the end of the steps. */
  stackOf(sample: Message, steps: () => Steps): StackIndex {
    const list = numbersIn(sample, 'location_index')
    const length = numberOf(sample, 'locations_length')
    if (length === 0) {
      return list.length === 0 ? (0 as StackIndex) : this.#stack(this.#resolve(list, 'location_index', steps))
    }
    if (list.length > 0) {
      this.#context.notes.add('two-stacks', 'samples have stacks in both forms of v1.3; the newer form was kept')
    }
    return this.#stackOfRun(numberOf(sample, 'locations_start_index'), length, steps)
  }

  #stackOfRun(start: number, length: number, steps: () => Steps): StackIndex {
    const count = this.#locations.length
    if (!(start >= 0 && length >= 0 && start + length <= count)) {
      const what = `locations ${start} to ${start + length} are outside location_indices (length ${count})`
      this.#context.fail([...steps(), ['locations_start_index', 0]], what)
    }
    this.#run[0] = start
    this.#run[1] = length
    const run = this.#runs.intern(this.#run, 0, 2)
    if (run === this.#rows.length) {
      this.#context.spend(length, steps)
      this.#rows.push(this.#stack(this.#locations.subarray(start, start + length)))
    }
    return this.#rows.array[run] as StackIndex
  }

  #stack(locations: Int32Array): StackIndex {
    return this.#context.builder.dictionary.stack(locations)
  }

  #resolve(indexes: NumberSequence, field: string, steps: () => Steps): Int32Array {
    const rows = new Int32Array(indexes.length)
    for (let i = 0; i < rows.length; i++) {
      rows[i] = this.#tables.locationAt(Number(indexes[i]), () => [...steps(), [field, i]])
    }
    return rows
  }
}
