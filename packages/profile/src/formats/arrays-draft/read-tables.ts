// Reads the tables of one profile of the arrays draft into the dictionary being built. The first link and the first attribute
// set mean "none".
import type { AttributeIndex, LocationIndex, MappingIndex, StringIndex } from '../../model/columns/brand.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { checkedKeyValue } from '../former-drafts/decode-common.ts'
import { MAPPING_FLAGS, buildIdAttribute } from '../former-drafts/field-attributes.ts'
import type { MessageShape } from '../former-drafts/message-parts.ts'
import { MessageParts } from '../former-drafts/message-parts.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import { SymbolTableReader, outside } from '../former-drafts/symbol-table-reader.ts'
import type { FieldNumbers, Shapes } from './shapes.ts'
import { ATTRIBUTE_SET, FUNCTION, MAPPING, SYMBOL_FIDELITY_FULL, sharedShapes } from './shapes.ts'

export class DraftTables {
  readonly #context: ReadContext
  readonly #symbols: SymbolTableReader
  /** The attributes of all sets, and the end of each set. */
  readonly #setAttributes = new GrowingInts()
  readonly #setEnds = new GrowingInts()
  readonly #links: Int32Array
  readonly #stacks: Int32Array
  readonly #indexes = new GrowingInts()
  readonly #attributes = new GrowingInts()
  readonly #lines = new GrowingInts()

  /** `profile` contains the tables. */
  constructor(context: ReadContext, profile: MessageParts, { tables, location }: FieldNumbers, shapes: Shapes) {
    this.#context = context
    const symbols = (this.#symbols = new SymbolTableReader(context, 'string_table'))
    const table = (name: keyof typeof tables, read: (from: number, to: number) => number): Int32Array =>
      symbols.rows(profile, tables[name], name, read)
    const parts = (shape: MessageShape): MessageParts => new MessageParts(context.source, shape)

    symbols.strings = table('string_table', (from, to) => symbols.readString(from, to))
    const set = parts(sharedShapes.attributeSet)
    table('attribute_sets', (from, to) => this.#attributeSet(set.read(from, to)))
    const link = parts(sharedShapes.link)
    this.#links = table('links', (from, to) => symbols.readLink(link.read(from, to)))
    const mapping = parts(sharedShapes.mapping)
    symbols.mappings = table('mappings', (from, to) => this.#mapping(mapping.read(from, to)))
    const fn = parts(sharedShapes.function)
    symbols.functions = table('functions', (from, to) => symbols.readFunction(fn.read(from, to), FUNCTION.name_index))
    const line = parts(sharedShapes.line)
    const place = parts(shapes.location)
    symbols.locations = table('locations', (from, to) => this.#location(place.read(from, to), location, line))
    const stack = parts(sharedShapes.stacktrace)
    this.#stacks = table('stacktraces', (from, to) => symbols.readStack(stack.read(from, to), 'root first'))
  }

  string(index: number, at: number): StringIndex {
    return this.#symbols.string(index, at)
  }

  stack(index: number, at: number): number {
    return this.#symbols.at(this.#stacks, index, 'stacktraces', at)
  }

  link(index: number, at: number): number {
    return this.#symbols.atOrNone(this.#links, index, 'links', at)
  }

  /** Appends the attributes of a set. */
  pushAttributes(index: number, at: number, column: GrowingInts): void {
    if (index === 0 && this.#setEnds.length === 0) return
    if (index >>> 0 >= this.#setEnds.length) outside(index, this.#setEnds.length, 'attribute_sets', at)
    const from = index === 0 ? 0 : this.#setEnds.array[index - 1]
    const to = this.#setEnds.array[index]
    this.#symbols.spend(to - from, at)
    column.pushAll(this.#setAttributes.array, from, to)
  }

  #attributeSet(set: MessageParts): number {
    const { builder, source, notes } = this.#context
    try {
      for (let i = 0; i < set.count(ATTRIBUTE_SET.attributes); i++) {
        const from = set.from(ATTRIBUTE_SET.attributes, i)
        const { key, value } = checkedKeyValue(source.bytes, from, set.to(ATTRIBUTE_SET.attributes, i))
        this.#setAttributes.push(builder.attribute(key, value))
      }
      if (set.uint32(ATTRIBUTE_SET.dropped_attributes_count) > 0) {
        notes.add(
          'dropped-attributes',
          'the counts of dropped attributes of samples, locations and mappings were dropped',
        )
      }
    } finally {
      this.#setEnds.push(this.#setAttributes.length)
    }
    return 0
  }

  #mapping(mapping: MessageParts): MappingIndex {
    const { builder, notes } = this.#context
    const symbols = this.#symbols
    const range = symbols.mappingRange(mapping, MAPPING.memory_start)
    const filename = symbols.stringIn(mapping, MAPPING.filename_index)
    const attributes = this.#attributesIn(mapping, [MAPPING.attribute_set_indices])
    for (const id of buildIdAttribute(builder, symbols.textIn(mapping, MAPPING.build_id_index), 0)) attributes.push(id)
    const fidelity = mapping.uint32(MAPPING.symbolic_info)
    if (fidelity === SYMBOL_FIDELITY_FULL)
      for (const flag of MAPPING_FLAGS) attributes.push(builder.attribute(flag, true))
    else if (fidelity !== 0) notes.add('unknown-fidelity', 'symbol fidelities other than "full" were dropped')
    return builder.dictionary.mapping(range, 0, filename, attributes.array, attributes.length)
  }

  #location(location: MessageParts, fields: FieldNumbers['location'], line: MessageParts): LocationIndex {
    const { builder } = this.#context
    const attributes = this.#attributesIn(location, [fields.attribute_set_indices, fields.attribute_set_index])
    const lines = this.#lines
    lines.length = 0
    for (let i = 0; i < location.count(fields.line); i++) {
      line.read(location.from(fields.line, i), location.to(fields.line, i))
      this.#symbols.pushLine(line, lines, false)
    }
    const mapping = this.#symbols.mappingIn(location, fields.mapping_index)
    location.long(fields.address)
    const { lo, hi } = location
    const count = lines.length / LINE_STRIDE
    return builder.dictionary.location(mapping, lo, hi, lines.array, count, attributes.array, attributes.length)
  }

  /** Returns the attributes of all sets that the fields refer to. */
  #attributesIn(message: MessageParts, fields: readonly number[]): GrowingInts {
    this.#attributes.length = 0
    for (const field of fields) {
      this.#indexes.length = 0
      message.pushIndexes(field, this.#indexes)
      for (const index of this.#indexes.view()) this.pushAttributes(index, message.from(field, 0), this.#attributes)
    }
    return this.#attributes
  }

  /** Reads an attribute of the profile itself. */
  attribute(from: number, to: number): AttributeIndex {
    const { builder, source } = this.#context
    const { key, value } = checkedKeyValue(source.bytes, from, to)
    return builder.attribute(key, value)
  }
}
