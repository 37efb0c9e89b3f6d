// Estimates the memory that a payload takes once it is decoded and stored, without decoding it. A server refuses a payload by
// this estimate: an empty message takes 2 bytes on the wire and hundreds in memory. Measuring takes about a tenth of the time
// of decoding, allocates nothing, and stops at the limit. Broken input is measured up to the fault, which the decoder reports.
import type { Field, Message } from './field.ts'
import { usedFields } from './field.ts'
import { WIRE_TYPES, tagOf } from './read-message.ts'
import { LEN, VIEW_COST, WireCursor, WireFault, objectCost } from './wire-cursor.ts'

export interface MemoryCosts {
  /** Bytes for each message of a type, by its name. Others take what an object with their fields takes. */
  readonly messages: Readonly<Record<string, number>>
  /** Bytes for each string, besides two copies of its text. */
  readonly text: number
  /** Bytes for each byte of packed numbers. */
  readonly packedByte: number
}

/** Measures protobuf. The result is greater than `limit` if measuring stopped there. */
export type Measure = (bytes: Uint8Array, limit: number) => number

/** Bytes of a 64-bit number besides its field. */
const LONG_COST = 24
const LONG_TYPES: ReadonlySet<Field['type']> = new Set(['int64', 'uint64', 'fixed64', 'sfixed64'])

/** The kinds of fields that have costs. Others are part of their message. */
const MESSAGE = 1
const TEXT = 2
const BYTES = 3
const PACKED = 4
const LONG = 5

interface Measured {
  readonly cost: number
  /** By tag: the kind of the field, or 0. */
  readonly kinds: Uint8Array
  /** By tag: the type of the field's messages. */
  readonly nested: readonly (Measured | undefined)[]
}

export function compileMeasure(message: Message, costs: MemoryCosts): Measure {
  const root = measuredOf(message, costs, new Map<Message, Measured>())
  return (bytes, limit) => {
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    const walk = new Walk(plain, limit, costs)
    try {
      walk.message(root, plain.length)
    } catch (error) {
      if (!(error instanceof WireFault)) throw error
    }
    return walk.memory
  }
}

function measuredOf(message: Message, costs: MemoryCosts, known: Map<Message, Measured>): Measured {
  const before = known.get(message)
  if (before !== undefined) return before
  const fields = usedFields(message.fields).map(([, field]) => field)
  const tags = fields.flatMap(field => [tagOf(field), (field.number << 3) | LEN])
  const kinds = new Uint8Array(Math.max(0, ...tags) + 1)
  const nested: (Measured | undefined)[] = Array.from(kinds, () => undefined)
  const measured = { cost: costs.messages[message.name] ?? objectCost(fields.length), kinds, nested }
  // First, because messages can contain themselves.
  known.set(message, measured)
  for (const field of fields) {
    const tag = tagOf(field)
    kinds[tag] = kindOf(field)
    if (field.message !== undefined) nested[tag] = measuredOf(field.message(), costs, known)
    else if (field.label === 'repeated' && WIRE_TYPES[field.type] !== LEN) kinds[(field.number << 3) | LEN] = PACKED
  }
  return measured
}

function kindOf({ type }: Field): number {
  if (type === 'message') return MESSAGE
  if (type === 'string') return TEXT
  if (type === 'bytes') return BYTES
  return LONG_TYPES.has(type) ? LONG : 0
}

class Walk {
  memory = 0
  readonly #limit: number
  readonly #costs: MemoryCosts
  readonly #cursor: WireCursor

  constructor(bytes: Uint8Array, limit: number, costs: MemoryCosts) {
    this.#limit = limit
    this.#costs = costs
    this.#cursor = new WireCursor(bytes, 0)
  }

  message(type: Measured, end: number): void {
    const cursor = this.#cursor
    const { kinds, nested } = type
    cursor.enter()
    this.memory += type.cost
    while (cursor.pos < end && this.memory <= this.#limit) {
      const tag = cursor.tag(end)
      const kind = tag < kinds.length ? kinds[tag] : 0
      const from = cursor.pos
      if (kind === MESSAGE) this.message(nested[tag]!, cursor.lengthEnd(end))
      else {
        cursor.skip(tag, end)
        if (kind !== 0) this.memory += this.#costOf(kind, cursor.pos - from)
      }
    }
    cursor.depth--
  }

  /** `length` includes the length prefix. */
  #costOf(kind: number, length: number): number {
    const { text, packedByte } = this.#costs
    if (kind === TEXT) return text + 2 * length
    if (kind === PACKED) return packedByte * length
    return kind === BYTES ? VIEW_COST + length : LONG_COST
  }
}

export interface JsonCosts {
  /** Bytes for each object, by its depth: the outermost has depth 1. */
  readonly objects: Readonly<Record<number, number>>
  /** Bytes for each object at another depth. */
  readonly other: number
  /** Bytes for each member of an object and item of an array, after the first. */
  readonly item: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

/** Measures JSON. The result is greater than `limit` if measuring stopped there. */
export function measureJson(bytes: Uint8Array, limit: number, { objects, other, item }: JsonCosts): number {
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  // Texts are in memory twice: decoded, and in their row.
  let memory = 2 * plain.length
  let depth = 0
  for (let i = 0; i < plain.length && memory <= limit; i++) {
    const byte = plain[i]
    if (byte === QUOTE) {
      for (i++; i < plain.length && plain[i] !== QUOTE; i++) if (plain[i] === BACKSLASH) i++
    } else if (byte === COMMA) memory += item
    else if (byte === OPEN) memory += objects[++depth] ?? other
    else if (byte === CLOSE) depth--
  }
  return memory
}
