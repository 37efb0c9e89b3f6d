// Copies the dictionary rows that samples refer to into a builder, each once.
import type {
  AttributeIndex,
  Dictionary,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  Pool,
  ProfilesBuilder,
  StackIndex,
  StringIndex,
} from '@hearth/profile'
import { FUNCTION_STRIDE, LINE_STRIDE, LOCATION_STRIDE, MAPPING_STRIDE, NONE } from '@hearth/profile'

function unknown(length: number): Int32Array {
  return new Int32Array(length).fill(NONE)
}

export class DictionaryCarrier {
  readonly #source: Dictionary
  readonly #builder: ProfilesBuilder
  readonly #hasLines: (location: number) => boolean
  /** The new index of each row of the source; NONE until it is copied. */
  readonly #strings: Int32Array
  readonly #functions: Int32Array
  readonly #mappings: Int32Array
  readonly #locations: Int32Array
  readonly #stacks: Int32Array
  readonly #links: Int32Array
  readonly #attributes: Int32Array

  /** `hasLines` is false for locations whose lines are dropped. */
  constructor(source: Dictionary, builder: ProfilesBuilder, hasLines: (location: number) => boolean = () => true) {
    this.#hasLines = hasLines
    this.#source = source
    this.#builder = builder
    this.#strings = unknown(source.strings.length)
    this.#functions = unknown(source.functions.length)
    this.#mappings = unknown(source.mappings.length)
    this.#locations = unknown(source.locations.length)
    this.#stacks = unknown(source.stacks.length)
    this.#links = unknown(source.links.length)
    this.#attributes = unknown(source.attributes.length)
  }

  stack(i: StackIndex): StackIndex {
    if (this.#stacks[i] === NONE) {
      const { stacks } = this.#source
      const { ints, base } = stacks.locations
      const from = base + stacks.from(i)
      const depth = stacks.to(i) - stacks.from(i)
      const { stacks: target } = this.#builder.dictionary
      const run = target.pool.reserve(depth)
      const start = target.pool.length
      for (let k = 0; k < depth; k++) run[start + k] = this.location(ints[from + k] as LocationIndex)
      this.#stacks[i] = target.internTail(depth)
    }
    return this.#stacks[i] as StackIndex
  }

  link(i: LinkIndex): LinkIndex {
    if (this.#links[i] === NONE) {
      const { links } = this.#source
      this.#links[i] = this.#builder.link(links.traceId(i), links.spanId(i))
    }
    return this.#links[i] as LinkIndex
  }

  attribute(i: AttributeIndex): AttributeIndex {
    if (this.#attributes[i] === NONE) {
      const { attributes } = this.#source
      this.#attributes[i] = this.#builder.dictionary.attribute(
        this.#string(attributes.key(i)),
        this.#string(attributes.unit(i)),
        attributes.kind(i),
        attributes.a(i),
        attributes.b(i),
        attributes.bytes,
      )
    }
    return this.#attributes[i] as AttributeIndex
  }

  location(i: LocationIndex): number {
    if (this.#locations[i] !== NONE) return this.#locations[i]
    const { locations } = this.#source
    const { lines } = locations
    const from = lines.base + locations.linesFrom(i) * LINE_STRIDE
    const to = this.#hasLines(i) ? lines.base + locations.linesTo(i) * LINE_STRIDE : from
    const run = lines.ints.slice(from, to)
    for (let at = 0; at < run.length; at += LINE_STRIDE) run[at] = this.function(run[at] as FunctionIndex)
    const attributes = this.#list(locations.attributes, locations.attributesFrom(i), locations.attributesTo(i))
    const at = locations.base + i * LOCATION_STRIDE
    this.#locations[i] = this.#builder.dictionary.location(
      this.mapping(locations.mapping(i)),
      locations.ints[at + 1],
      locations.ints[at + 2],
      run,
      run.length / LINE_STRIDE,
      attributes,
      attributes.length,
    )
    return this.#locations[i]
  }

  mapping(i: MappingIndex): MappingIndex {
    if (this.#mappings[i] === NONE) {
      const { mappings } = this.#source
      const attributes = this.#list(mappings.attributes, mappings.attributesFrom(i), mappings.attributesTo(i))
      const filename = this.#string(mappings.filename(i))
      const at = mappings.base + i * MAPPING_STRIDE
      this.#mappings[i] = this.#builder.dictionary.mapping(mappings.ints, at, filename, attributes, attributes.length)
    }
    return this.#mappings[i] as MappingIndex
  }

  function(i: FunctionIndex): number {
    if (this.#functions[i] === NONE) {
      const { functions } = this.#source
      const at = functions.base + i * FUNCTION_STRIDE
      this.#functions[i] = this.#builder.dictionary.function(
        this.#string(functions.name(i)),
        this.#string(functions.systemName(i)),
        this.#string(functions.filename(i)),
        functions.ints[at + 3],
        functions.ints[at + 4],
      )
    }
    return this.#functions[i]
  }

  #string(i: StringIndex): StringIndex {
    if (this.#strings[i] === NONE) {
      const { strings } = this.#source
      const offset = strings.offset(i)
      this.#strings[i] = this.#builder.dictionary.string(strings.bytes, offset, offset + strings.byteLength(i))
    }
    return this.#strings[i] as StringIndex
  }

  #list(pool: Pool<AttributeIndex>, from: number, to: number): Int32Array {
    return Int32Array.from(pool.slice(from, to), attribute => this.attribute(attribute))
  }
}
