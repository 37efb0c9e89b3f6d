// Decodes the attributes of the proposal. Unlike in OTLP, keys and strings are indexes of the string table. The expansion of
// references is limited.
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import { MAX_VALUE_DEPTH, doubleFromHalves } from '../../model/columns/any-value.ts'
import { FIXED64, LEN, ProtoReader, VARINT, wireTypeName } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import { ANY_VALUE, KEY_VALUE, VALUES } from './shapes.ts'

/** Resources are stored as attributes, four levels above their own. */
const MAX_DEPTH = MAX_VALUE_DEPTH + 4

/** Returns the string at an index. `at` is the position of the index. */
export type Text = (index: number, at: number) => string

export function decodeKeyValue(bytes: Uint8Array, from: number, to: number, text: Text): KeyValue {
  return new ValueReader(bytes, text).keyValue(from, to, 1)
}

class ValueReader {
  readonly #bytes: Uint8Array
  readonly #text: Text

  constructor(bytes: Uint8Array, text: Text) {
    this.#bytes = bytes
    this.#text = text
  }

  keyValue(from: number, to: number, depth: number): KeyValue {
    const reader = new ProtoReader(this.#bytes, from, to)
    let key = this.#text(0, from)
    let value: AnyValue
    while (reader.tag()) {
      if (reader.field === KEY_VALUE.key_string_index) key = this.#string(reader, 'KeyValue.key_string_index')
      else if (reader.field === KEY_VALUE.value) {
        expect(reader, LEN, 'KeyValue.value')
        const length = reader.length()
        value = this.#anyValue(reader.pos, (reader.pos += length), depth)
      } else reader.skip()
    }
    return { key, value }
  }

  #anyValue(from: number, to: number, depth: number): AnyValue {
    if (depth > MAX_DEPTH) throw new WireError(from, `attribute value nested deeper than ${MAX_DEPTH} levels`)
    const reader = new ProtoReader(this.#bytes, from, to)
    let value: AnyValue
    while (reader.tag()) {
      switch (reader.field) {
        case ANY_VALUE.string_index:
          value = this.#string(reader, 'AnyValue.string_index')
          break
        case ANY_VALUE.bool_value:
          expect(reader, VARINT, 'AnyValue.bool_value')
          value = reader.int64() !== 0n
          break
        case ANY_VALUE.int_value:
          expect(reader, VARINT, 'AnyValue.int_value')
          value = reader.int64()
          break
        case ANY_VALUE.double_value:
          expect(reader, FIXED64, 'AnyValue.double_value')
          reader.fixed64()
          value = doubleFromHalves(reader.lo, reader.hi)
          break
        case ANY_VALUE.array_value:
          value = this.#list(reader, 'AnyValue.array_value', (start, end) => this.#anyValue(start, end, depth + 1))
          break
        case ANY_VALUE.kvlist_value:
          value = {
            entries: this.#list(reader, 'AnyValue.kvlist_value', (start, end) => this.keyValue(start, end, depth + 1)),
          }
          break
        case ANY_VALUE.bytes_value:
          expect(reader, LEN, 'AnyValue.bytes_value')
          value = reader.view()
          break
        default:
          reader.skip()
      }
    }
    return value
  }

  #list<T>(reader: ProtoReader, name: string, read: (from: number, to: number) => T): T[] {
    expect(reader, LEN, name)
    const length = reader.length()
    const inner = new ProtoReader(this.#bytes, reader.pos, (reader.pos += length))
    const list: T[] = []
    while (inner.tag()) {
      if (inner.field !== VALUES.values || inner.wireType !== LEN) inner.skip()
      else {
        const count = inner.length()
        list.push(read(inner.pos, (inner.pos += count)))
      }
    }
    return list
  }

  #string(reader: ProtoReader, name: string): string {
    expect(reader, VARINT, name)
    const at = reader.pos
    reader.varint64()
    return this.#text(reader.hi === 0 ? reader.lo >>> 0 : Infinity, at)
  }
}

function expect(reader: ProtoReader, wireType: number, name: string): void {
  if (reader.wireType === wireType) return
  const found = wireTypeName(reader.wireType)
  throw new WireError(reader.pos, `${name} is ${found}, expected ${wireTypeName(wireType)}`)
}
