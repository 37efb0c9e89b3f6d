// The text of a sample's attributes and link in an extended line: `region=us,trace_id=0x…,span_id=0x…`.
import { hexOf } from '../../../model/text/hex.ts'
import type { AttributeIndex, LinkIndex } from '../../../model/columns/brand.ts'
import type { AnyValue } from '../../../model/columns/any-value.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import { ValueKind } from '../../../model/columns/dictionary.ts'
import { GrowingBytes } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import { decodeUtf8, encodeUtf8 } from '../../../wire/utf8.ts'
import type { NoteList } from '../../format.ts'
import { appendEscaped, escaped } from '../percent.ts'
import { SPAN_ID, TRACE_ID } from '../read-attributes.ts'

const EQUALS = 0x3d
/** Comma, semicolon, percent, delete. */
const RESERVED = new Set([0x2c, 0x3b, 0x25, 0x7f])

export class AttributeTexts {
  readonly #dictionary: Dictionary
  readonly #notes: NoteList
  readonly #sets = new SequenceInterner()
  readonly #setTexts: string[] = []
  readonly #texts: (string | undefined)[] = []

  constructor(dictionary: Dictionary, notes: NoteList) {
    this.#dictionary = dictionary
    this.#notes = notes
    this.#setTexts[this.#sets.intern(Int32Array.of(0), 0, 1)] = ''
  }

  /** The number of the text for these attributes and this link. 0 if there is nothing to write. */
  set(attributes: readonly AttributeIndex[], link: LinkIndex): number {
    const key = Int32Array.from([link, ...attributes])
    const row = this.#sets.intern(key, 0, key.length)
    if (row === this.#setTexts.length) this.#setTexts.push(this.#text(attributes, link))
    return row
  }

  text(set: number): string {
    return this.#setTexts[set]
  }

  #text(attributes: readonly AttributeIndex[], link: LinkIndex): string {
    const parts = attributes.map(attribute => this.#attribute(attribute)).filter(part => part !== '')
    const ids = this.#dictionary.links
    return [...parts.sort(), ...id(TRACE_ID, ids.traceId(link)), ...id(SPAN_ID, ids.spanId(link))].join(',')
  }

  #attribute(i: AttributeIndex): string {
    return (this.#texts[i] ??= this.#makeAttribute(i))
  }

  #makeAttribute(i: AttributeIndex): string {
    const { attributes, strings } = this.#dictionary
    const key = strings.text(attributes.key(i))
    const kind = attributes.kind(i)
    const value = plainText(attributes.value(i))
    if (value === undefined || key === '') {
      this.#notes.add('attributes', 'attributes without a key, and attributes of bytes, lists and maps')
      return ''
    }
    if (kind !== ValueKind.string) this.#notes.add('attribute-types', 'attributes that are not strings become text')
    if (attributes.unit(i) !== 0) this.#notes.add('attribute-units', 'units of attributes')
    return `${escapedKey(key)}=${escapedText(value, false)}`
  }
}

/** Undefined for bytes, lists and maps. */
function plainText(value: AnyValue): string | undefined {
  if (value === undefined) return ''
  return typeof value === 'object' ? undefined : String(value)
}

function id(key: string, bytes: Uint8Array): string[] {
  if (bytes.every(byte => byte === 0)) return []
  return [`${key}=0x${hexOf(bytes)}`]
}

/** An escape distinguishes a key that has the name of an id. */
function escapedKey(key: string): string {
  if (key !== TRACE_ID && key !== SPAN_ID) return escapedText(key, true)
  const first = escaped(key.charCodeAt(0))
  return decodeUtf8(first) + key.slice(1)
}

function escapedText(text: string, isKey: boolean): string {
  const bytes = encodeUtf8(text)
  const target = new GrowingBytes(bytes.length + 16)
  appendEscaped(
    bytes,
    0,
    bytes.length,
    byte => byte <= 0x20 || RESERVED.has(byte) || (isKey && byte === EQUALS),
    target,
  )
  return decodeUtf8(target.array, 0, target.length)
}
