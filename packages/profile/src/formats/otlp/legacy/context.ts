// The state that the parts of the legacy reader share: the profiles being built, the field names of a generation, a limit on
// how much a small payload may expand, and the reporting of broken content.
import { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { NoteList } from '../../format.ts'
import type { Steps } from '../locate.ts'
import { MAX_LIST } from '../generations/message-fields.ts'
import type { CurrentGeneration } from '../decode.ts'
import type { Generation } from '../generations/schema.ts'

/** Generations whose samples refer to runs of locations and have one value for each of several types. */
export type LegacyGeneration = Exclude<Generation, CurrentGeneration>

/** Names of fields that v1.4 renamed. */
export interface FieldNames {
  readonly mappings: string
  readonly locations: string
  readonly functions: string
  readonly attributeKey: string
  readonly type: string
  readonly unit: string
  readonly name: string
  readonly systemName: string
  readonly filename: string
  /** In a sample, mapping or location. */
  readonly attributes: string
  readonly link: string
  readonly comments: string
}

const NAMES_OF_V1_3: FieldNames = {
  mappings: 'mapping',
  locations: 'location',
  functions: 'function',
  attributeKey: 'attribute_key',
  type: 'type',
  unit: 'unit',
  name: 'name',
  systemName: 'system_name',
  filename: 'filename',
  attributes: 'attributes',
  link: 'link',
  comments: 'comment',
}

const NAMES: FieldNames = {
  mappings: 'mapping_table',
  locations: 'location_table',
  functions: 'function_table',
  attributeKey: 'attribute_key_strindex',
  type: 'type_strindex',
  unit: 'unit_strindex',
  name: 'name_strindex',
  systemName: 'system_name_strindex',
  filename: 'filename_strindex',
  attributes: 'attribute_indices',
  link: 'link_index',
  comments: 'comment_strindices',
}

export function fieldNames(generation: LegacyGeneration): FieldNames {
  return generation === 'v1.3' ? NAMES_OF_V1_3 : NAMES
}

/** Throws an error for the field at the end of the steps. */
export type Fail = (steps: Steps, what: string) => never

/** In ints: 64 MiB. Input larger than 4 MiB may expand to more. */
const MIN_LIMIT = 1 << 24

/** Cost of a resource, scope or profile. Each takes microseconds here, and an empty one is 2 bytes of input. */
const MESSAGE_COST = 50

export class LegacyContext {
  readonly builder = new ProfilesBuilder()
  readonly generation: LegacyGeneration
  readonly names: FieldNames
  readonly notes: NoteList
  readonly fail: Fail
  readonly #limit: number
  #spent = 0

  constructor(generation: LegacyGeneration, notes: NoteList, fail: Fail, inputSize: number) {
    this.generation = generation
    this.names = fieldNames(generation)
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

  /** Fails if a list that becomes an array is too long. */
  bound(length: number, steps: () => Steps): void {
    if (length > MAX_LIST) this.fail(steps(), `list of ${length} entries is longer than ${MAX_LIST}`)
  }

  /** Fails if an index is outside its table. `steps` is only called then, because every reference is checked. */
  check(index: number, length: number, table: string, steps: () => Steps): void {
    if (!(index >= 0 && index < length)) this.fail(steps(), `index ${index} is outside ${table} (length ${length})`)
  }
}
