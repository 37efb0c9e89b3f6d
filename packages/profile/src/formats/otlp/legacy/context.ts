// What the parts of the legacy reader share: the profiles being built, the names that fields had in a generation, a limit on
// how far a small payload may unfold, and the way in which broken content is told.
import { ProfilesBuilder } from '../../../model/build/builder.ts'
import type { NoteList } from '../../format.ts'
import type { Steps } from '../locate.ts'
import { MAX_LIST } from '../generations/message-fields.ts'
import type { Generation } from '../generations/schema.ts'

/** Generations in which samples refer to runs of locations and have one value for each of several types. */
export type LegacyGeneration = Exclude<Generation, 'v1.8' | 'v1.9' | 'v1.11'>

/** The names of fields that were renamed with v1.4. */
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
  /** Of a sample, mapping or location. */
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

/** Throws, for the field at the end of the steps. */
export type Fail = (steps: Steps, what: string) => never

/** Ints, so 64 MiB; input beyond 4 MiB may unfold into more. */
const LEAST_LIMIT = 1 << 24

/** What a resource, scope or profile counts for: each takes microseconds here, and an empty one is 2 bytes of input. */
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
    this.#limit = Math.max(LEAST_LIMIT, 4 * inputSize)
  }

  /**
   * Counts ints that one part of the input makes again and again: runs of locations that overlap, attributes and
   * timestamps that each sample type gets a copy of. A payload of 1 MB can ask for 10^11 of them.
   */
  spend(count: number, steps: () => Steps): void {
    this.#spent += count
    if (this.#spent > this.#limit) this.fail(steps(), `it unfolds into more than ${this.#limit} numbers`)
  }

  spendMessages(count: number, steps: () => Steps): void {
    this.spend(count * MESSAGE_COST, steps)
  }

  /** For a string that is copied with each reference to it. */
  spendText(text: string, steps: () => Steps): void {
    this.spend(text.length / 4, steps)
  }

  /** Fails where a list that becomes an array is too long for that. */
  bound(length: number, steps: () => Steps): void {
    if (length > MAX_LIST) this.fail(steps(), `list of ${length} entries is longer than ${MAX_LIST}`)
  }

  /** Fails where an index is outside of its table. Steps are worked out only then: there is a check per reference. */
  check(index: number, length: number, table: string, steps: () => Steps): void {
    if (!(index >= 0 && index < length)) this.fail(steps(), `index ${index} is outside of ${table} of ${length}`)
  }
}
