// Edits a dictionary: changes or appends rows without renumbering, so that stacks and samples stay valid and can be shared
// with the original.
import { encodeUtf8 } from '../wire/utf8.ts'
import type { AttributeIndex, FunctionIndex, StringIndex } from '../model/columns/brand.ts'
import type { Dictionary } from '../model/columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  AttributeTable,
  FUNCTION_STRIDE,
  FunctionTable,
  LINE_STRIDE,
  LOCATION_STRIDE,
  LineTable,
  LinkTable,
  LocationTable,
  Pool,
  STRING_STRIDE,
  StringTable,
  ValueKind,
} from '../model/columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../model/columns/growing-columns.ts'
import { highHalf, lowHalf } from '../model/columns/int64.ts'
import { BytesInterner, SequenceInterner } from '../model/build/intern.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { ProfileTable, ResourceTable, ScopeTable } from '../model/columns/profiles.ts'

export class DictionaryEdit {
  readonly #source: Profiles
  readonly #bytes = new GrowingBytes(0)
  readonly #strings: BytesInterner
  /** The row of the dictionary for each row of #strings. */
  readonly #stringRows = new GrowingInts()
  readonly #stringColumn = new GrowingInts()
  readonly functions = new GrowingInts()
  readonly #newFunctions = new SequenceInterner()
  readonly lines = new GrowingInts()
  readonly locations = new GrowingInts()
  readonly locationAttributes = new GrowingInts()
  readonly #attributes = new GrowingInts()
  readonly #attributeRows = new Map<string, AttributeIndex>()
  readonly #key = new Int32Array(FUNCTION_STRIDE)

  constructor(source: Profiles) {
    this.#source = source
    const { bytes, strings, functions, attributes, locations } = source.dictionary
    this.#bytes.over(bytes)
    this.#strings = new BytesInterner(this.#bytes)
    this.#stringRows.push(0)
    for (let i = 0 as StringIndex; i < strings.length; i++) {
      const offset = strings.offset(i)
      const row = this.#strings.intern(bytes, offset, offset + strings.byteLength(i))
      if (row === this.#stringRows.length) this.#stringRows.push(i)
    }
    copyRows(this.#stringColumn, strings, STRING_STRIDE)
    copyRows(this.functions, functions, FUNCTION_STRIDE)
    copyRows(this.#attributes, attributes, ATTRIBUTE_STRIDE)
    copyRows(this.lines, locations.lines, LINE_STRIDE)
    copyRows(this.locations, locations, LOCATION_STRIDE)
    copyRows(this.locationAttributes, locations.attributes, 1)
  }

  string(text: string): StringIndex {
    const encoded = encodeUtf8(text)
    const row = this.#strings.intern(encoded, 0, encoded.length)
    if (row === this.#stringRows.length) {
      this.#stringRows.push(this.#stringColumn.length / STRING_STRIDE)
      this.#stringColumn.pushAll(this.#strings.rows.array, 2 * row, 2 * row + 2)
    }
    return this.#stringRows.array[row] as StringIndex
  }

  /** Adds a function, or returns the one with the same content. */
  function(name: StringIndex, systemName: StringIndex, filename: StringIndex, startLine: number): FunctionIndex {
    const key = this.#key
    key.set([name, systemName, filename, startLine, 0])
    const row = this.#newFunctions.intern(key, 0, FUNCTION_STRIDE)
    const index = this.#source.dictionary.functions.length + row
    if (index * FUNCTION_STRIDE === this.functions.length) this.functions.pushAll(key, 0, FUNCTION_STRIDE)
    return index as FunctionIndex
  }

  /** Adds an attribute (text or integer), or returns the one with the same content. */
  attribute(key: string, value: string | bigint): AttributeIndex {
    const id = `${typeof value} ${key} ${value}`
    const known = this.#attributeRows.get(id)
    if (known !== undefined) return known
    const index = (this.#attributes.length / ATTRIBUTE_STRIDE) as AttributeIndex
    this.#attributes.push(this.string(key))
    this.#attributes.push(0)
    if (typeof value === 'string') {
      const encoded = encodeUtf8(value)
      this.#attributes.push(ValueKind.string)
      this.#attributes.push(this.#bytes.append(encoded, 0, encoded.length))
      this.#attributes.push(encoded.length)
    } else {
      this.#attributes.push(ValueKind.int)
      this.#attributes.push(lowHalf(value))
      this.#attributes.push(highHalf(value))
    }
    this.#attributeRows.set(id, index)
    return index
  }

  finish(): Profiles {
    const { dictionary, resources, scopes, profiles } = this.#source
    const bytes = this.#bytes.array.subarray(0, this.#bytes.length)
    const lines = new LineTable(this.lines.view(), 0, this.lines.length / LINE_STRIDE)
    const attributePool = new Pool<AttributeIndex>(this.locationAttributes.view(), 0, this.locationAttributes.length)
    const locationCount = this.locations.length / LOCATION_STRIDE
    const { links } = dictionary
    const edited: Dictionary = {
      bytes,
      strings: new StringTable(this.#stringColumn.view(), 0, this.#stringColumn.length / STRING_STRIDE, bytes),
      functions: new FunctionTable(this.functions.view(), 0, this.functions.length / FUNCTION_STRIDE),
      mappings: dictionary.mappings,
      locations: new LocationTable(this.locations.view(), 0, locationCount, lines, attributePool),
      stacks: dictionary.stacks,
      links: new LinkTable(links.ints, links.base, links.length, bytes),
      attributes: new AttributeTable(this.#attributes.view(), 0, this.#attributes.length / ATTRIBUTE_STRIDE, bytes),
      unknown: dictionary.unknown,
    }
    return {
      ...this.#source,
      dictionary: edited,
      resources: new ResourceTable(resources.ints, resources.base, resources.length, bytes),
      scopes: new ScopeTable(scopes.ints, scopes.base, scopes.length, bytes),
      profiles: new ProfileTable(profiles.ints, profiles.base, profiles.length, bytes, profiles.attributes),
      // Different rows may now be equal, and some may be unused.
      compacted: false,
    }
  }
}

function copyRows(
  target: GrowingInts,
  { ints, base, length }: { readonly ints: Int32Array; readonly base: number; readonly length: number },
  stride: number,
): void {
  target.pushAll(ints, base, base + length * stride)
}
