// Finds the equal rows of a dictionary. Content is compared at every level, as the data format demands: two functions
// that refer to two equal strings are equal. Tables are therefore processed from strings upwards, each row as a run of
// ints in which references are replaced by the number of their content. The order of attributes does not matter. The
// order of keys inside a key-value list does, because ignoring it would require decoding.
import type {
  AttributeIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LINK_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
  isByteRange,
} from '../columns/dictionary.ts'
import { GrowingBytes, GrowingInts } from '../columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../build/intern.ts'
import type { TableName } from './references.ts'

/** Called for each row that equals an earlier one. */
export type OnDuplicate = (table: TableName, row: number, first: number) => void

export function findDuplicates(dictionary: Dictionary, onDuplicate: OnDuplicate): void {
  new CanonicalRows(dictionary, onDuplicate).walk()
}

class CanonicalRows {
  readonly #dictionary: Dictionary
  readonly #onDuplicate: OnDuplicate
  /** Attribute values and ids. */
  readonly #blobs = new BytesInterner(new GrowingBytes())
  readonly #key = new GrowingInts()

  constructor(dictionary: Dictionary, onDuplicate: OnDuplicate) {
    this.#dictionary = dictionary
    this.#onDuplicate = onDuplicate
  }

  walk(): void {
    const strings = this.#strings()
    const attributes = this.#attributes(strings)
    const functions = this.#functions(strings)
    const mappings = this.#mappings(strings, attributes)
    const locations = this.#locations(mappings, functions, attributes)
    this.#stacks(locations)
    this.#links()
  }

  #strings(): Int32Array {
    const { strings } = this.#dictionary
    const interner = new BytesInterner(new GrowingBytes(4096))
    return this.#number('string_table', strings.length, i => {
      const offset = strings.offset(i as StringIndex)
      return interner.intern(strings.bytes, offset, offset + strings.byteLength(i as StringIndex))
    })
  }

  #attributes(strings: Int32Array): Int32Array {
    const { ints, base, length, bytes } = this.#dictionary.attributes
    return this.#intern('attribute_table', length, (i, key) => {
      const at = base + i * ATTRIBUTE_STRIDE
      const kind = ints[at + 2]
      const a = ints[at + 3]
      const b = ints[at + 4]
      key.push(strings[ints[at]])
      key.push(strings[ints[at + 1]])
      key.push(kind)
      key.push(isByteRange(kind) ? this.#blobs.intern(bytes, a, a + b) : a)
      key.push(isByteRange(kind) ? 0 : b)
    })
  }

  #functions(strings: Int32Array): Int32Array {
    const { ints, base, length } = this.#dictionary.functions
    return this.#intern('function_table', length, (i, key) => {
      const at = base + i * FUNCTION_STRIDE
      key.push(strings[ints[at]])
      key.push(strings[ints[at + 1]])
      key.push(strings[ints[at + 2]])
      key.push(ints[at + 3])
      key.push(ints[at + 4])
    })
  }

  #mappings(strings: Int32Array, attributes: Int32Array): Int32Array {
    const { mappings } = this.#dictionary
    const { ints, base, length } = mappings
    return this.#intern('mapping_table', length, (i, key) => {
      const at = base + i * MAPPING_STRIDE
      key.pushAll(ints, at, at + 6)
      key.push(strings[ints[at + 6]])
      const row = i as MappingIndex
      pushSorted(key, mappings.attributes, mappings.attributesFrom(row), mappings.attributesTo(row), attributes)
    })
  }

  #locations(mappings: Int32Array, functions: Int32Array, attributes: Int32Array): Int32Array {
    const { locations } = this.#dictionary
    const { ints, base, length, lines } = locations
    return this.#intern('location_table', length, (i, key) => {
      const row = i as LocationIndex
      const at = base + i * LOCATION_STRIDE
      const from = locations.linesFrom(row)
      const to = locations.linesTo(row)
      key.push(mappings[ints[at]])
      key.push(ints[at + 1])
      key.push(ints[at + 2])
      // Without the count, the end of the lines could be confused with attributes.
      key.push(to - from)
      for (let k = from; k < to; k++) {
        const line = lines.base + k * LINE_STRIDE
        key.push(functions[lines.ints[line]])
        key.pushAll(lines.ints, line + 1, line + LINE_STRIDE)
      }
      pushSorted(key, locations.attributes, locations.attributesFrom(row), locations.attributesTo(row), attributes)
    })
  }

  #stacks(locations: Int32Array): void {
    const { stacks } = this.#dictionary
    const { ints, base } = stacks.locations
    this.#intern('stack_table', stacks.length, (i, key) => {
      const to = base + stacks.to(i as StackIndex)
      for (let at = base + stacks.from(i as StackIndex); at < to; at++) key.push(locations[ints[at]])
    })
  }

  #links(): void {
    const { ints, base, length, bytes } = this.#dictionary.links
    const { links } = this.#dictionary
    this.#intern('link_table', length, (i, key) => {
      const at = base + i * LINK_STRIDE
      // Zero bytes and missing bytes both mean "no link".
      if (links.traceId(i as LinkIndex).every(isZero) && links.spanId(i as LinkIndex).every(isZero)) return
      key.push(this.#blobs.intern(bytes, ints[at], ints[at] + ints[at + 1]))
      key.push(this.#blobs.intern(bytes, ints[at + 2], ints[at + 2] + ints[at + 3]))
    })
  }

  #intern(table: TableName, length: number, fill: (row: number, key: GrowingInts) => void): Int32Array {
    const interner = new SequenceInterner()
    const key = this.#key
    return this.#number(table, length, i => {
      key.length = 0
      fill(i, key)
      return interner.intern(key.array, 0, key.length)
    })
  }

  /** The content number of each row. */
  #number(table: TableName, length: number, contentOf: (row: number) => number): Int32Array {
    const numbers = new Int32Array(length)
    // One more than there are rows: the string interner starts with the empty string, which a table may lack.
    const firstRow = new Int32Array(length + 1).fill(NONE)
    for (let i = 0; i < length; i++) {
      const content = contentOf(i)
      numbers[i] = content
      if (firstRow[content] === NONE) firstRow[content] = i
      else this.#onDuplicate(table, i, firstRow[content])
    }
    return numbers
  }
}

function pushSorted(key: GrowingInts, pool: Pool<AttributeIndex>, from: number, to: number, numbers: Int32Array): void {
  const start = key.length
  for (let k = from; k < to; k++) key.push(numbers[pool.at(k)])
  if (to - from > 1) key.array.subarray(start, key.length).sort()
}

function isZero(byte: number): boolean {
  return byte === 0
}
