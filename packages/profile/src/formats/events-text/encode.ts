// Encodes the text form as bytes, using the names of schema.ts. Every field records its position in the text, so that errors
// of the content can be reported there. Lengths always take five bytes, so that a message can be written before its length is
// known.
import { partitionPoint } from '../../model/columns/binary-search.ts'
import { halvesOfDouble } from '../../model/columns/any-value.ts'
import { GrowingBytes, GrowingInts } from '../../model/columns/growing-columns.ts'
import { firstInvalidUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { TextField, TextMessage } from './schema.ts'
import { isMessage, messageNamed } from './schema.ts'
import { scalarOf } from './scalars.ts'
import { Tokens } from './tokens.ts'

/** Attribute values are nested at most 54 deep, with three messages each. */
const MAX_DEPTH = 256
const LENGTH_BYTES = 5

export interface Encoded {
  readonly bytes: Uint8Array
  /** Returns the position in the text of the field or value that a byte belongs to. */
  offsetOf(byte: number): number
  /** The error that stopped the encoding. Only in lenient mode. */
  readonly stoppedBy: WireError | undefined
  readonly unknownFields: number
  /** The names that the text uses instead of the proto's, by message and name of the field: `Event.time`. */
  readonly otherNames: ReadonlyMap<string, string>
}

/** Throws WireError. If `lenient`, stops at an error and skips unknown fields. */
export function encodeText(text: Uint8Array, lenient: boolean): Encoded {
  return new Encoder(text, lenient).encode()
}

interface Open {
  readonly message: TextMessage
  readonly end: '}' | '>' | 'end'
  /** The position of its length. */
  readonly lengthAt: number
  /** The field whose list contains it. */
  readonly listOf: TextField | undefined
}

class Encoder {
  readonly #tokens: Tokens
  readonly #out = new GrowingBytes(1 << 12)
  /** Pairs: byte of the output, byte of the text. */
  readonly #positions = new GrowingInts()
  readonly #lenient: boolean
  readonly #open: Open[] = [{ message: messageNamed('Profile'), end: 'end', lengthAt: 0, listOf: undefined }]
  readonly #varint = new Uint8Array(10)
  readonly #otherNames = new Map<string, string>()
  #unknownFields = 0

  constructor(text: Uint8Array, lenient: boolean) {
    this.#tokens = new Tokens(text)
    this.#lenient = lenient
  }

  encode(): Encoded {
    let stoppedBy: WireError | undefined
    let complete = 0
    try {
      this.#tokens.next()
      while (this.#step()) complete = this.#out.length
    } catch (error) {
      if (!(error instanceof WireError) || !this.#lenient) throw error
      stoppedBy = error
      // Everything after the last complete field is incomplete.
      this.#out.length = complete
      while (this.#open.length > 1 && this.#top().lengthAt + LENGTH_BYTES > complete) this.#open.pop()
      while (this.#open.length > 1) this.#close()
    }
    const { array, length } = this.#out
    const positions = this.#positions
    return {
      bytes: array.subarray(0, length),
      offsetOf: byte => positionOf(positions, byte),
      stoppedBy,
      unknownFields: this.#unknownFields,
      otherNames: this.#otherNames,
    }
  }

  #top(): Open {
    return this.#open[this.#open.length - 1]
  }

  /** Reads one field, or one entry or the end of a list of messages. Returns false at the end of the text. */
  #step(): boolean {
    const tokens = this.#tokens
    const { message, end, listOf } = this.#top()
    if (tokens.kind === end) {
      if (end === 'end') return false
      tokens.next()
      this.#close()
      if (listOf !== undefined) this.#nextEntry(listOf)
      return true
    }
    if (tokens.kind === ',' || tokens.kind === ';') {
      tokens.next()
      return true
    }
    if (tokens.kind === 'end') throw new WireError(tokens.from, `the text ends inside ${message.name}`)
    if (tokens.kind !== 'name') throw new WireError(tokens.from, `expected the name of a field of ${message.name}`)
    const name = tokens.text()
    const field = message.byName.get(name)
    if (field === undefined) this.#unknownField(name, message)
    else {
      if (name !== field.name) this.#otherNames.set(`${message.name}.${field.name}`, name)
      this.#field(field)
    }
    return true
  }

  #field(field: TextField): void {
    const tokens = this.#tokens
    this.#recordPosition()
    const hasColon = tokens.next() === ':'
    if (hasColon) tokens.next()
    else if (!isMessage(field.type)) throw new WireError(tokens.from, `expected ":" after ${field.name}`)
    if (tokens.kind !== '[') this.#value(field, undefined)
    else {
      if (!field.repeated) throw new WireError(tokens.from, `${field.name} is not a list`)
      tokens.next()
      this.#nextEntry(field)
    }
  }

  /** Continues a list: reads scalars up to its end, or messages up to the next opening bracket. */
  #nextEntry(field: TextField): void {
    const tokens = this.#tokens
    for (;;) {
      // Commas between entries are optional.
      while (tokens.kind === ',') tokens.next()
      if (tokens.kind === ']') {
        tokens.next()
        return
      }
      if (tokens.kind === 'end') throw new WireError(tokens.from, `the text ends inside the list ${field.name}`)
      this.#recordPosition()
      this.#value(field, field)
      if (isMessage(field.type)) return
    }
  }

  #value(field: TextField, listOf: TextField | undefined): void {
    const { type } = field
    if (isMessage(type)) this.#openMessage(field, listOf)
    else if (type === 'string' || type === 'bytes') this.#text(field)
    else this.#number(field)
  }

  #openMessage(field: TextField, listOf: TextField | undefined): void {
    const tokens = this.#tokens
    if (tokens.kind !== '{' && tokens.kind !== '<') throw new WireError(tokens.from, `expected "{" for ${field.name}`)
    if (this.#open.length >= MAX_DEPTH)
      throw new WireError(tokens.from, `messages nested deeper than ${MAX_DEPTH} levels`)
    this.#pushVarint(BigInt(field.number * 8 + 2))
    const lengthAt = this.#out.length
    this.#out.append(new Uint8Array(LENGTH_BYTES), 0, LENGTH_BYTES)
    const end = tokens.kind === '{' ? '}' : '>'
    this.#open.push({ message: messageNamed(field.type as TextMessage['name']), end, lengthAt, listOf })
    tokens.next()
  }

  #close(): void {
    const { lengthAt } = this.#open.pop()!
    let rest = this.#out.length - lengthAt - LENGTH_BYTES
    for (let i = 0; i < LENGTH_BYTES; i++) {
      this.#out.array[lengthAt + i] = (rest & 127) | (i + 1 < LENGTH_BYTES ? 128 : 0)
      rest >>>= 7
    }
  }

  /** Adjacent strings are concatenated. */
  #text(field: TextField): void {
    const tokens = this.#tokens
    if (tokens.kind !== 'string') throw new WireError(tokens.from, `expected a string for ${field.name}`)
    const at = tokens.from
    const parts: Uint8Array[] = []
    do parts.push(tokens.content.array.slice(0, tokens.content.length))
    while (tokens.next() === 'string')
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const whole = new Uint8Array(length)
    let filled = 0
    for (const part of parts) {
      whole.set(part, filled)
      filled += part.length
    }
    if (field.type === 'string' && !this.#lenient && firstInvalidUtf8(whole, 0, length) >= 0) {
      throw new WireError(at, 'string is not valid UTF-8')
    }
    this.#pushVarint(BigInt(field.number * 8 + 2))
    this.#pushVarint(BigInt(length))
    this.#out.append(whole, 0, length)
  }

  #number(field: TextField): void {
    const tokens = this.#tokens
    const isNegative = tokens.kind === '-'
    const at = tokens.from
    if (isNegative) tokens.next()
    if (tokens.kind !== 'number' && tokens.kind !== 'name')
      throw new WireError(tokens.from, `expected a number for ${field.name}`)
    const value = scalarOf(field.type, tokens.text(), isNegative)
    if (typeof value === 'string') throw new WireError(at, `${field.name}: ${value}`)
    if (typeof value === 'number') {
      this.#pushVarint(BigInt(field.number * 8 + 1))
      const [lo, hi] = halvesOfDouble(value)
      this.#pushFixed64(BigInt.asUintN(32, BigInt(lo)) | (BigInt.asUintN(32, BigInt(hi)) << 32n))
    } else if (field.type === 'fixed64') {
      this.#pushVarint(BigInt(field.number * 8 + 1))
      this.#pushFixed64(value)
    } else {
      this.#pushVarint(BigInt(field.number * 8))
      this.#pushVarint(BigInt.asUintN(64, value))
    }
    tokens.next()
  }

  #pushVarint(value: bigint): void {
    let length = 0
    let rest = value
    for (; rest > 127n; rest >>= 7n) this.#varint[length++] = Number(rest & 127n) | 128
    this.#varint[length++] = Number(rest)
    this.#out.append(this.#varint, 0, length)
  }

  #pushFixed64(value: bigint): void {
    for (let i = 0; i < 8; i++) this.#varint[i] = Number((value >> BigInt(8 * i)) & 255n)
    this.#out.append(this.#varint, 0, 8)
  }

  #recordPosition(): void {
    this.#positions.push(this.#out.length)
    this.#positions.push(this.#tokens.from)
  }

  /** Skips the value of an unknown field, up to where all brackets are closed. */
  #unknownField(name: string, message: TextMessage): void {
    const tokens = this.#tokens
    if (!this.#lenient) throw new WireError(tokens.from, `${message.name} has no field ${name}`)
    this.#unknownFields++
    if (tokens.next() === ':') tokens.next()
    let depth = 0
    let isFirst = true
    for (; tokens.kind !== 'end'; tokens.next()) {
      if (depth === 0 && !isFirst && tokens.kind !== 'string') return
      if ('{<['.includes(tokens.kind)) depth++
      else if ('}>]'.includes(tokens.kind)) depth--
      if (depth < 0) return
      isFirst = tokens.kind === '-'
    }
  }
}

/** Returns the position of the last field that starts at or before a byte. */
function positionOf({ array, length }: GrowingInts, byte: number): number {
  const after = partitionPoint(0, length / 2, i => array[2 * i] <= byte)
  return after === 0 ? 0 : array[2 * after - 1]
}
