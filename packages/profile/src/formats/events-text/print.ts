// Prints bytes as the equivalent text, in the spelling of protobuf's tools. Pretty output has one field per line and comments
// with the strings that indexes refer to, as in the document's examples.
import { doubleFromHalves } from '../../model/columns/any-value.ts'
import { int64, uint64 } from '../../model/columns/int64.ts'
import { LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { PROFILE } from '../events/shapes.ts'
import type { MessageName, TextField, TextMessage, TextType } from './schema.ts'
import { BUILD_ID_KINDS, isMessage, messageNamed } from './schema.ts'

const HEADER = [
  '# proto-file: opentelemetry/proto/profiles/v1development/eventprofile.proto',
  '# proto-message: Profile',
  '',
]

/** The bytes were written by `events`. */
export function printText(bytes: Uint8Array, isPretty: boolean): Uint8Array {
  const printer = new Printer(bytes, isPretty)
  return encodeUtf8([...HEADER, ...printer.lines(), ''].join('\n'))
}

class Printer {
  readonly #bytes: Uint8Array
  readonly #isPretty: boolean
  /** For comments. */
  readonly #strings: string[] = []

  constructor(bytes: Uint8Array, isPretty: boolean) {
    this.#bytes = bytes
    this.#isPretty = isPretty
    if (!isPretty) return
    const reader = new ProtoReader(bytes)
    while (reader.tag()) {
      if (reader.field !== PROFILE.strings) reader.skip()
      else {
        const length = reader.length()
        this.#strings.push(decodeUtf8(bytes, reader.pos, (reader.pos += length)))
      }
    }
  }

  lines(): string[] {
    const lines: string[] = []
    this.#message(
      messageNamed('Profile'),
      0,
      this.#bytes.length,
      (text, depth) => lines.push('  '.repeat(depth) + text),
      0,
    )
    return lines
  }

  #message(
    message: TextMessage,
    from: number,
    to: number,
    line: (text: string, depth: number) => void,
    depth: number,
  ): void {
    const reader = new ProtoReader(this.#bytes, from, to)
    while (reader.tag()) {
      const field = message.byNumber.get(reader.field)!
      if (isMessage(field.type)) {
        const length = reader.length()
        const start = reader.pos
        reader.pos += length
        this.#block(field, start, reader.pos, line, depth)
      } else if (reader.wireType === LEN && field.type !== 'string' && field.type !== 'bytes') {
        const length = reader.length()
        const end = reader.pos + length
        const numbers: string[] = []
        while (reader.pos < end) numbers.push(this.#scalar(reader, field))
        line(`${field.name}: [${numbers.join(', ')}]`, depth)
      } else {
        const index = reader.wireType === VARINT ? peek(reader) : 0
        line(`${field.name}: ${this.#scalar(reader, field)}${this.#comment(field, index)}`, depth)
      }
    }
  }

  #block(field: TextField, from: number, to: number, line: (text: string, depth: number) => void, depth: number): void {
    const inner = messageNamed(field.type as TextMessage['name'])
    if (this.#isPretty) {
      line(`${field.name} {`, depth)
      this.#message(inner, from, to, line, depth + 1)
      line('}', depth)
    } else {
      const parts: string[] = []
      this.#message(inner, from, to, text => parts.push(text), 0)
      line(parts.length === 0 ? `${field.name} {}` : `${field.name} { ${parts.join(' ')} }`, depth)
    }
  }

  #comment({ isString }: TextField, index: number): string {
    if (!this.#isPretty || !isString) return ''
    const text = this.#strings[index] ?? ''
    return text === '' ? '' : ` # ${JSON.stringify(text).slice(1, -1)}`
  }

  #scalar(reader: ProtoReader, { type }: TextField): string {
    switch (type as Exclude<TextType, MessageName>) {
      case 'string':
        return quoted(reader.view(), true)
      case 'bytes':
        return quoted(reader.view(), false)
      case 'double':
        reader.fixed64()
        return doubleText(doubleFromHalves(reader.lo, reader.hi))
      case 'fixed64':
        reader.fixed64()
        return uint64(reader.lo, reader.hi).toString()
      case 'bool':
        return reader.int64() === 0n ? 'false' : 'true'
      case 'BuildIdKind': {
        const kind = reader.int32()
        return BUILD_ID_KINDS[kind] ?? String(kind)
      }
      case 'int64':
      case 'int32':
        reader.varint64()
        return int64(reader.lo, reader.hi).toString()
      case 'uint32':
      case 'uint64':
        return reader.uint64().toString()
    }
  }
}

function peek(reader: ProtoReader): number {
  const { pos } = reader
  reader.varint64()
  reader.pos = pos
  return reader.lo
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? String(value) : value < 0 ? '-inf' : 'inf'
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
])

/** Writes text beyond ASCII unchanged in strings, and as octal numbers in bytes. */
function quoted(bytes: Uint8Array, isText: boolean): string {
  let plain = ''
  let from = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    const isPlain = byte >= 0x20 && byte !== 0x22 && byte !== 0x5c && byte !== 0x7f && (isText || byte < 0x80)
    if (isPlain) continue
    plain += decodeUtf8(bytes, from, i) + (ESCAPES.get(byte) ?? `\\${byte.toString(8).padStart(3, '0')}`)
    from = i + 1
  }
  return `"${plain}${decodeUtf8(bytes, from, bytes.length)}"`
}
