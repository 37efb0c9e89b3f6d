// Reads the attributes of extended lines: `region=us,trace_id=0x…,span_id=0x…`. Values are strings. The two ids become
// a link. Each distinct text is parsed once. Sets that differ only in their order are the same set.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { AttributeIndex, LinkIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from '../../model/build/intern.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { hexByte, unescapeBytes } from './percent.ts'

export const TRACE_ID = 'trace_id'
export const SPAN_ID = 'span_id'
const TRACE_BYTES = 16
const SPAN_BYTES = 8

/** The set of a line without attributes. */
export const NO_ATTRIBUTES = 0

export class AttributeReader {
  /** Counts for the notes. Each distinct text counts once. */
  duplicateKeys = 0
  badIds = 0
  invalidTexts = 0
  readonly #builder: ProfilesBuilder
  readonly #escaped: boolean
  readonly #texts = new BytesInterner(new GrowingBytes())
  /** The set of each text. */
  readonly #setOf = new GrowingInts()
  /** A set: its link and its attributes. */
  readonly #sets = new SequenceInterner()

  constructor(builder: ProfilesBuilder, escaped: boolean) {
    this.#builder = builder
    this.#escaped = escaped
    this.#setOf.push(this.#sets.intern(Int32Array.of(0), 0, 1))
  }

  set(bytes: Uint8Array, from: number, to: number): number {
    const row = this.#texts.intern(bytes, from, to)
    while (this.#setOf.length <= row) this.#setOf.push(NONE)
    if (this.#setOf.array[row] === NONE) this.#setOf.array[row] = this.#read(bytes, from, to)
    return this.#setOf.array[row]
  }

  link(set: number): LinkIndex {
    return this.#sets.pool.array[this.#sets.start(set)] as LinkIndex
  }

  pushAttributes(set: number, column: GrowingInts): void {
    column.pushAll(this.#sets.pool.array, this.#sets.start(set) + 1, this.#sets.end(set))
  }

  #read(bytes: Uint8Array, from: number, to: number): number {
    const attributes = new Map<string, AttributeIndex>()
    let trace: Uint8Array | undefined
    let span: Uint8Array | undefined
    if (!isUtf8(bytes, from, to)) this.invalidTexts++
    // The text is split before its escapes are decoded. An attribute named like an id has an escape in its name.
    for (const part of decodeUtf8(bytes, from, to).split(',')) {
      const split = part.indexOf('=')
      const key = part.slice(0, split)
      const value = part.slice(split + 1)
      const id =
        key === TRACE_ID ? idBytes(value, TRACE_BYTES) : key === SPAN_ID ? idBytes(value, SPAN_BYTES) : undefined
      if (id !== undefined && key === TRACE_ID) trace = id
      else if (id !== undefined) span = id
      else {
        if (key === TRACE_ID || key === SPAN_ID) this.badIds++
        const name = this.#plain(key)
        if (attributes.has(name)) this.duplicateKeys++
        attributes.set(name, this.#builder.attribute(name, this.#plain(value)))
      }
    }
    const linked = trace !== undefined || span !== undefined
    const link = linked
      ? this.#builder.link(trace ?? new Uint8Array(TRACE_BYTES), span ?? new Uint8Array(SPAN_BYTES))
      : 0
    const rows = [...attributes.values()].sort((a, b) => a - b)
    return this.#sets.intern(Int32Array.from([link, ...rows]), 0, 1 + rows.length)
  }

  #plain(text: string): string {
    if (!this.#escaped || !text.includes('%')) return text
    const bytes = encodeUtf8(text)
    const plain = unescapeBytes(bytes, 0, bytes.length)
    return decodeUtf8(plain)
  }
}

/** Accepts an optional 0x. Returns undefined if the length is wrong or a digit is invalid. */
function idBytes(text: string, length: number): Uint8Array | undefined {
  const digits = /^0x/i.test(text) ? text.slice(2) : text
  if (digits.length !== 2 * length) return undefined
  const id = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    const byte = hexByte(digits.charCodeAt(2 * i), digits.charCodeAt(2 * i + 1))
    if (byte < 0) return undefined
    id[i] = byte
  }
  return id
}
