// Strings of a chunk as ranges of UTF-8 bytes, most of them in the recording itself. A string may be part of the value, a
// constant, or the name within a constant (a Symbol, a Class, a ThreadState).
import { NONE } from '../../../model/columns/brand.ts'
import type { GrowingBytes } from '../../../model/columns/growing-columns.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../../wire/utf8.ts'
import type { Constants } from './constants.ts'
import { Cursor, TextEncoding } from './cursor.ts'
import { Extractor } from './extract.ts'

const NO_BYTES = new Uint8Array(0)
/** The fields that can hold the name of a constant. */
const NAME_FIELDS = ['string', 'name', 'description', 'when', 'value']
/** A class has a symbol, which has a string, which may be a constant: three hops. More hops indicate a cycle. */
const MAX_HOPS = 8

export class Texts {
  /** The last string is source[from, to). */
  source: Uint8Array = NO_BYTES
  from = 0
  to = 0
  readonly #cursor: Cursor
  readonly #constants: Constants
  readonly #names: (Extractor | undefined)[] = []
  readonly #stringType: number
  /** By class, the range of each constant's string; 0 if it was not read yet or is not part of the chunk's bytes. */
  readonly #known: (Int32Array | undefined)[] = []

  constructor(bytes: Uint8Array, base: number, constants: Constants) {
    this.#cursor = new Cursor(bytes, base)
    this.#constants = constants
    this.#stringType = constants.layouts.metadata.classes.findIndex(({ kind }) => kind === 'text')
  }

  /** Reads the field of a slot, or the name of its value. Returns false and sets an empty string if there is none. */
  read(extractor: Extractor, slot: number): boolean {
    const { values, forms, types } = extractor
    return this.#follow(forms[slot], types[slot], values[2 * slot], values[2 * slot + 1], 0)
  }

  /** Reads the value of a constant, or its name. */
  readConstant(type: number, row: number): boolean {
    return this.#readRow(type, row, 0)
  }

  string(): string {
    return decodeUtf8(this.source, this.from, this.to)
  }

  get length(): number {
    return this.to - this.from
  }

  appendTo(target: GrowingBytes): void {
    target.append(this.source, this.from, this.to)
  }

  #follow(form: string, type: number, lo: number, hi: number, hops: number): boolean {
    this.#set(NO_BYTES, 0, 0)
    if (type === NONE || hops > MAX_HOPS) return false
    if (form === 'inline') return this.#readValue(type, lo, hops)
    if (form !== 'constant') return false
    const row = this.#constants.pool(type).keys.find(lo, hi)
    return row !== NONE && this.#readRow(type, row, hops)
  }

  /** Caches ranges, because names of classes, methods and types are needed many times. */
  #readRow(type: number, row: number, hops: number): boolean {
    const pool = this.#constants.pool(type)
    const { bytes } = this.#cursor
    const known = (this.#known[type] ??= new Int32Array(2 * pool.length))
    if (known[2 * row + 1] !== 0) {
      this.#set(bytes, known[2 * row], known[2 * row + 1])
      return true
    }
    const isThere = this.#readValue(type, pool.position(row), hops)
    if (isThere && this.source === bytes) {
      known[2 * row] = this.from
      known[2 * row + 1] = this.to
    }
    return isThere
  }

  #readValue(type: number, position: number, hops: number): boolean {
    const { kind } = this.#constants.layouts.metadata.classes[type]
    if (kind === 'text') return this.#readEncoded(position, hops)
    if (kind !== 'fields') return false
    const name = (this.#names[type] ??= this.#nameOf(type))
    this.#cursor.pos = position
    name.run(this.#cursor)
    return this.#follow(name.forms[0], name.types[0], name.values[0], name.values[1], hops + 1)
  }

  #nameOf(type: number): Extractor {
    return new Extractor(this.#constants.layouts, this.#cursor, type, [NAME_FIELDS], 'last')
  }

  #readEncoded(position: number, hops: number): boolean {
    const cursor = this.#cursor
    cursor.pos = position
    this.#set(NO_BYTES, 0, 0)
    switch (cursor.byte()) {
      case TextEncoding.empty:
        return true
      case TextEncoding.constant:
        cursor.long()
        return this.#follow('constant', this.#stringType, cursor.lo, cursor.hi, hops + 1)
      case TextEncoding.utf8: {
        const length = cursor.count(1)
        if (isUtf8(cursor.bytes, cursor.pos, cursor.pos + length)) {
          this.#set(cursor.bytes, cursor.pos, cursor.pos + length)
        } else this.#setText(decodeUtf8(cursor.bytes, cursor.pos, cursor.pos + length))
        return true
      }
      case TextEncoding.latin1: {
        const length = cursor.count(1)
        this.#setText(charsOf(length, () => cursor.byte()))
        return true
      }
      case TextEncoding.chars: {
        const length = cursor.count(1)
        this.#setText(charsOf(length, () => (cursor.long(), cursor.lo & 0xffff)))
        return true
      }
      default:
        return false
    }
  }

  #set(source: Uint8Array, from: number, to: number): void {
    this.source = source
    this.from = from
    this.to = to
  }

  #setText(text: string): void {
    const bytes = encodeUtf8(text)
    this.#set(bytes, 0, bytes.length)
  }
}

function charsOf(length: number, next: () => number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(next())
  return text
}
