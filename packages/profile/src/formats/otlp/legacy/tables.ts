// Reads the tables of generations up to v1.7, which are in each profile, in the root, or in a dictionary, into the dictionary
// being built. Before v1.8 row 0 of a table was an ordinary entry, except for string_table[0], which is always empty. The
// builder interns rows by content, so the shift by one needs no special handling.
import type { KeyValue } from '../../../model/columns/any-value.ts'
import type { AttributeIndex, FunctionIndex, LocationIndex, MappingIndex } from '../../../model/columns/brand.ts'
import type { LineContent } from '../../../model/build/builder.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { LegacyContext } from './context.ts'
import type { Steps } from '../locate.ts'
import {
  bytesOf,
  fewMessagesOf,
  flagOf,
  messagesOf,
  numberOf,
  numbersIn,
  textsOf,
  toKeyValue,
  wholeOf,
} from '../generations/message-fields.ts'
import type { Message } from '../generations/schema-reader.ts'

/** A value of v1.3's BuildIdKind. The other value is 0, LINKER. */
const BINARY_HASH = 1

/** Fields that today's format lacks, and the attributes that replace them if they are true. */
const MAPPING_FLAGS = [
  ['has_functions', ATTRIBUTES.pprofMappingHasFunctions],
  ['has_filenames', ATTRIBUTES.pprofMappingHasFilenames],
  ['has_line_numbers', ATTRIBUTES.pprofMappingHasLineNumbers],
  ['has_inline_frames', ATTRIBUTES.pprofMappingHasInlineFrames],
] as const
const LOCATION_FLAGS = [['is_folded', ATTRIBUTES.pprofLocationIsFolded]] as const

export class LegacyTables {
  readonly #context: LegacyContext
  readonly #at: Steps
  readonly #strings: readonly string[]
  readonly #units = new Map<string, string>()
  /** By key and string index. Otherwise a long string would be encoded again for each of a million references. */
  readonly #textAttributes = new Map<string, Map<number, AttributeIndex>>()
  readonly #attributes: Int32Array
  readonly #mappings: Int32Array
  readonly #functions: Int32Array
  readonly #links: Int32Array
  readonly #locations: Int32Array

  /** `holder` is the message with the tables, at the end of the steps. */
  constructor(context: LegacyContext, holder: Message, at: Steps) {
    const { names } = context
    this.#context = context
    this.#at = at
    this.#strings = textsOf(holder, 'string_table')
    this.#readUnits(holder)
    this.#attributes = this.#rows(holder, 'attribute_table', entry => this.attribute(toKeyValue(entry)))
    this.#mappings = this.#rows(holder, names.mappings, (entry, steps) => this.#mapping(entry, steps))
    this.#functions = this.#rows(holder, names.functions, (entry, steps) => this.#function(entry, steps))
    this.#links = this.#rows(holder, 'link_table', entry =>
      context.builder.link(bytesOf(entry, 'trace_id'), bytesOf(entry, 'span_id')),
    )
    this.#locations = this.#rows(holder, names.locations, (entry, steps) => this.#location(entry, steps))
  }

  /** Returns the string that a field of `message` refers to. The message is at the end of the steps. */
  string(message: Message, field: string, steps: () => Steps): string {
    return this.stringAt(numberOf(message, field), () => [...steps(), [field, 0]])
  }

  stringAt(index: number, steps: () => Steps): string {
    // 0 means not set, which is valid even in an empty table.
    if (index === 0) return this.#strings[0] ?? ''
    this.#context.check(index, this.#strings.length, 'string_table', steps)
    return this.#strings[index]
  }

  /** Returns the string that a field of `message` refers to as an attribute, or none if the field is not set. */
  textAttribute(key: string, message: Message, field: string, steps: () => Steps): AttributeIndex[] {
    const index = numberOf(message, field)
    const byIndex = this.#textAttributes.get(key) ?? new Map<number, AttributeIndex>()
    let attribute = byIndex.get(index)
    if (attribute === undefined) {
      const text = this.string(message, field, steps)
      if (text === '') return []
      attribute = this.#context.builder.attribute(key, text)
      this.#textAttributes.set(key, byIndex.set(index, attribute))
    }
    return [attribute]
  }

  attribute({ key, value }: KeyValue): AttributeIndex {
    return this.#context.builder.attribute(key, value, this.#units.get(key))
  }

  attributeAt(index: number, steps: () => Steps): AttributeIndex {
    this.#context.check(index, this.#attributes.length, 'attribute_table', steps)
    return this.#attributes[index] as AttributeIndex
  }

  /** The attributes that a field of `message` refers to. */
  attributesOf(message: Message, field: string, steps: () => Steps): AttributeIndex[] {
    const indexes = numbersIn(message, field)
    this.#context.bound(indexes.length, () => [...steps(), [field, 0]])
    return Array.from(indexes, (index, i) => this.attributeAt(Number(index), () => [...steps(), [field, i]]))
  }

  linkAt(index: number, steps: () => Steps): number {
    this.#context.check(index, this.#links.length, 'link_table', steps)
    return this.#links[index]
  }

  locationAt(index: number, steps: () => Steps): LocationIndex {
    this.#context.check(index, this.#locations.length, this.#context.names.locations, steps)
    return this.#locations[index] as LocationIndex
  }

  #readUnits(holder: Message): void {
    const { names } = this.#context
    let i = 0
    for (const entry of messagesOf(holder, 'attribute_units')) {
      const row = i++
      const steps = (): Steps => [...this.#at, ['attribute_units', row]]
      this.#units.set(this.string(entry, names.attributeKey, steps), this.string(entry, names.unit, steps))
    }
  }

  #rows(holder: Message, table: string, read: (entry: Message, steps: () => Steps) => number): Int32Array {
    const entries = messagesOf(holder, table)
    const rows = new Int32Array(entries.length)
    let i = 0
    for (const entry of entries) {
      const row = i
      rows[i++] = read(entry, () => [...this.#at, [table, row]])
    }
    return rows
  }

  #mapping(entry: Message, steps: () => Steps): MappingIndex {
    const { builder, names } = this.#context
    return builder.mapping({
      memoryStart: wholeOf(entry, 'memory_start'),
      memoryLimit: wholeOf(entry, 'memory_limit'),
      fileOffset: wholeOf(entry, 'file_offset'),
      filename: this.string(entry, names.filename, steps),
      attributes: [
        ...this.attributesOf(entry, names.attributes, steps),
        ...this.#buildId(entry, steps),
        ...this.#flags(entry, MAPPING_FLAGS),
      ],
    })
  }

  /**
   * v1.3 only. A linker's id is the GNU build id in practice. The hash of a binary can be any hash. The only known producer,
   * the eBPF profiler, sent 32 hex digits, which are called htlhash today. Any other hash gets the former name of that
   * attribute, which does not define the hash.
   */
  #buildId(entry: Message, steps: () => Steps): AttributeIndex[] {
    if (numberOf(entry, 'build_id_kind') !== BINARY_HASH) {
      return this.textAttribute(ATTRIBUTES.buildIdGnu, entry, 'build_id', steps)
    }
    const isHtlhash = /^[0-9a-f]{32}$/i.test(this.string(entry, 'build_id', steps))
    const key = isHtlhash ? ATTRIBUTES.buildIdHtlhash : ATTRIBUTES.buildIdProfiling
    return this.textAttribute(key, entry, 'build_id', steps)
  }

  #flags(entry: Message, flags: readonly (readonly [field: string, key: string])[]): AttributeIndex[] {
    const set = flags.filter(([field]) => flagOf(entry, field))
    return set.map(([, key]) => this.#context.builder.attribute(key, true))
  }

  #function(entry: Message, steps: () => Steps): FunctionIndex {
    const { builder, names } = this.#context
    return builder.function({
      name: this.string(entry, names.name, steps),
      systemName: this.string(entry, names.systemName, steps),
      filename: this.string(entry, names.filename, steps),
      startLine: wholeOf(entry, 'start_line'),
    })
  }

  #location(entry: Message, steps: () => Steps): LocationIndex {
    const { builder, names } = this.#context
    return builder.location({
      mapping: this.#mappingOf(entry, steps),
      address: wholeOf(entry, 'address'),
      lines: this.#lines(entry, steps),
      attributes: [
        ...this.attributesOf(entry, names.attributes, steps),
        ...this.textAttribute(ATTRIBUTES.frameType, entry, 'type_index', steps),
        ...this.#flags(entry, LOCATION_FLAGS),
      ],
    })
  }

  /**
   * Since v1.4 the field is optional: absent means none, 0 means the first mapping. v1.3 cannot distinguish these. Its
   * producers put the main binary first, so 0 is read as the first mapping if there is one.
   */
  #mappingOf(entry: Message, steps: () => Steps): MappingIndex {
    const index = numberOf(entry, 'mapping_index')
    const isNone =
      this.#context.generation === 'v1.3' ? this.#mappings.length === 0 : entry['mapping_index'] === undefined
    if (index === 0 && isNone) return 0 as MappingIndex
    this.#context.check(index, this.#mappings.length, this.#context.names.mappings, () => [
      ...steps(),
      ['mapping_index', 0],
    ])
    return this.#mappings[index] as MappingIndex
  }

  #lines(entry: Message, steps: () => Steps): LineContent[] {
    return Array.from(fewMessagesOf(entry, 'line'), (line, i) => ({
      function: this.#functionOf(line, () => [...steps(), ['line', i], ['function_index', 0]]),
      line: wholeOf(line, 'line'),
      column: wholeOf(line, 'column'),
    }))
  }

  #functionOf(line: Message, steps: () => Steps): FunctionIndex {
    const index = numberOf(line, 'function_index')
    if (index === 0 && this.#functions.length === 0) return 0 as FunctionIndex
    this.#context.check(index, this.#functions.length, this.#context.names.functions, steps)
    return this.#functions[index] as FunctionIndex
  }
}
