// The state that the parts of the legacy reader share: the profiles being built, the field names of a generation, a limit on
// how much a small payload may expand, and the reporting of broken content.
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { NoteList } from '../../format.ts'
import type { Steps } from '../locate.ts'
import { MAX_LIST } from '../generations/message-fields.ts'
import type { LazyMessages, Message } from '../generations/schema-reader.ts'
import type { LegacyRows } from './rows.ts'
import { rowsOf } from './rows.ts'
import type { FieldNames, LegacyGeneration } from './field-names.ts'
import { fieldNames } from './field-names.ts'
import type { LegacyMemory } from './memory.ts'

/** Throws an error for the field at the end of the steps. */
export type Fail = (steps: Steps, what: string) => never

/** In ints: 64 MiB. Input larger than 4 MiB may expand to more. */
const MIN_LIMIT = 1 << 24

/** Cost of a resource, scope or profile. Each takes microseconds here, and an empty one is 2 bytes of input. */
const MESSAGE_COST = 50

const NO_ROW = -1

export class LegacyContext {
  readonly builder: ProfilesBuilder
  readonly memory: LegacyMemory
  readonly generation: LegacyGeneration
  readonly names: FieldNames
  readonly notes: NoteList
  readonly fail: Fail
  readonly rows: LegacyRows
  readonly #limit: number
  #spent = 0

  constructor(generation: LegacyGeneration, notes: NoteList, fail: Fail, inputSize: number, memory: LegacyMemory) {
    this.generation = generation
    this.memory = memory
    this.builder = memory.builder
    this.names = fieldNames(generation)
    this.rows = rowsOf(generation)
    memory.attributeRows.push(NO_ROW)
    this.notes = notes
    this.fail = fail
    this.#limit = Math.max(MIN_LIMIT, 4 * inputSize)
  }

  /**
   * Counts ints that are copied repeatedly from one part of the input: runs of locations that overlap, and attributes and
   * timestamps that each sample type copies. A payload of 1 MB can expand to 10^11 of them.
   */
  spend(count: number, steps: () => Steps): void {
    this.#spent += count
    if (this.#spent > this.#limit) this.fail(steps(), `the input expands to more than ${this.#limit} numbers`)
  }

  spendMessages(count: number, steps: () => Steps): void {
    this.spend(count * MESSAGE_COST, steps)
  }

  /** Counts a string that is copied with each reference. */
  spendText(text: string, steps: () => Steps): void {
    this.spend(text.length / 4, steps)
  }

  /** The rows of attributes. Only those whose bytes are new are decoded. */
  attributeRows(entries: LazyMessages, decode: (entry: Message) => number): Int32Array {
    const rows = new Int32Array(entries.length)
    const { attributeBytes, attributeRows: known } = this.memory
    entries.eachRange((bytes, from, to, i) => {
      const place = attributeBytes.intern(bytes, from, to)
      if (place === known.length) known.push(NO_ROW)
      if (known.array[place] !== NO_ROW) {
        rows[i] = known.array[place]
        return
      }
      const { unknownFields } = entries
      rows[i] = decode(entries.at(i))
      // Unknown fields are counted each time.
      if (entries.unknownFields === unknownFields) known.array[place] = rows[i]
    })
    return rows
  }

  /** Fails if a list that becomes an array is too long. */
  bound(length: number, steps: () => Steps): void {
    if (length > MAX_LIST) this.fail(steps(), `list of ${length} entries is longer than ${MAX_LIST}`)
  }

  /** Fails if an index is outside its table. `steps` is only called then, because every reference is checked. */
  check(index: number, length: number, table: string, steps: () => Steps): void {
    if (!(index >= 0 && index < length)) this.fail(steps(), `index ${index} is outside ${table} (length ${length})`)
  }
}
