// One decoded message of numbers, whose memory is reused for the next message. Samples, locations and functions are most of a
// payload, and an object for each of them makes reading ten times slower. A field is a slot: its place in the field table.
//
//   Sample of v1.3   slots  location_index  value      label      locations_start_index …
//                           lists[0]        lists[1]   nested[2]  lo[3], hi[3]
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { highHalf, int64ToNumber, lowHalf } from '../../../model/columns/int64.ts'
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { FieldSchema, MessageSchema } from './schema.ts'
import type { Message, MessageSequence, NumberSequence, SchemaReader } from './schema-reader.ts'
import { LazyMessages, checkWireType, isPackable, wireTypeOf } from './schema-reader.ts'

/** A decoding step by tag, for tags of one byte. */
const SLOW = 0
const LONG = 1
const INT32 = 2
const UINT32 = 3
const BOOL = 4
const LIST = 5
const PACKED_LIST = 6
const MESSAGE = 7
const SKIP_NUMBER = 8
const SKIP_LEN = 9

/** In ints. Longer lists are not reused for the next payload. */
const MAX_KEPT = 1 << 16
const NO_BYTES = new Uint8Array(0)

const STEPS: Readonly<Record<string, number>> = { int32: INT32, uint32: UINT32, bool: BOOL }

export class Row {
  readonly schema: MessageSchema
  /** Halves of numbers by slot. The last slot belongs to no field and is always 0. */
  readonly lo: Int32Array
  readonly hi: Int32Array
  /** Repeated numbers by slot, two halves each. */
  readonly lists: readonly GrowingInts[]
  /** Byte ranges of repeated messages by slot, or the messages themselves if they were not read from bytes. */
  readonly #ranges: readonly GrowingInts[]
  readonly #nested: (MessageSequence | undefined)[]
  readonly #isPresent: Uint8Array
  readonly #isFixed64: Uint8Array
  readonly #isInt32: Uint8Array
  readonly #steps = new Uint8Array(128)
  readonly #slots = new Uint8Array(128)
  readonly #cursor = new ProtoReader(NO_BYTES)
  #reader: SchemaReader | undefined

  /** With `only`, other fields are skipped. */
  constructor(schema: MessageSchema, only?: readonly string[]) {
    this.schema = schema
    const { fields } = schema
    const count = fields.length + 1
    this.lo = new Int32Array(count)
    this.hi = new Int32Array(count)
    this.#isPresent = new Uint8Array(count)
    this.#isFixed64 = Uint8Array.from(fields, ({ scalar }) => Number(scalar === 'fixed64'))
    this.#isInt32 = Uint8Array.from(fields, ({ scalar }) => Number(scalar === 'int32'))
    const none = new GrowingInts(0)
    this.lists = [...fields.map(field => (isPackable(field) ? new GrowingInts() : none)), none]
    this.#ranges = [...fields.map(field => (field.scalar === undefined ? new GrowingInts() : none)), none]
    this.#nested = new Array<MessageSequence | undefined>(count).fill(undefined)
    for (const [slot, field] of fields.entries()) {
      const wireType = wireTypeOf(field.scalar)
      const isSkipped = only !== undefined && !only.includes(field.name)
      this.#setStep(field, wireType, slot, stepOf(field, isSkipped))
      if (isPackable(field)) this.#setStep(field, LEN, slot, isSkipped ? SKIP_LEN : PACKED_LIST)
    }
  }

  #setStep({ number }: FieldSchema, wireType: number, slot: number, step: number): void {
    const tag = (number << 3) | wireType
    if (tag >= this.#steps.length) return
    this.#steps[tag] = step
    this.#slots[tag] = slot
  }

  /** The slot of a field, or of none if this generation does not have it. */
  slot(name: string): number {
    const slot = this.schema.fields.findIndex(field => field.name === name)
    return slot < 0 ? this.schema.fields.length : slot
  }

  has(slot: number): boolean {
    return this.#isPresent[slot] === 1
  }

  /** For indexes and counts. Values too large for a number are too large for any table as well. */
  number(slot: number): number {
    return numberOfHalves(this.lo[slot], this.hi[slot])
  }

  /** The k-th number of a list. */
  listed(slot: number, k: number): number {
    const { array } = this.lists[slot]
    return numberOfHalves(array[2 * k], array[2 * k + 1])
  }

  count(slot: number): number {
    return this.lists[slot].length / 2
  }

  /** The number of repeated messages. */
  nestedCount(slot: number): number {
    return this.#nested[slot]?.length ?? this.#ranges[slot].length / 2
  }

  /** Reads each of the repeated messages into `row`. */
  eachNested(slot: number, row: Row, visit: (i: number) => void): void {
    const nested = this.#nested[slot]
    if (nested !== undefined) {
      eachRow(nested, row, visit)
      return
    }
    const { array, length } = this.#ranges[slot]
    for (let i = 0; i < length; i += 2) {
      row.read(this.#reader!, array[i], array[i + 1])
      visit(i / 2)
    }
  }

  /** Throws WireError. */
  read(reader: SchemaReader, from: number, to: number): void {
    this.#clear()
    this.#reader = reader
    const { bytes } = reader
    const cursor = this.#cursor
    if (cursor.bytes !== bytes) cursor.bytes = bytes
    cursor.end = to
    let p = from
    while (p < to) {
      const tag = bytes[p]
      const step = tag < 128 ? this.#steps[tag] : SLOW
      if (step === SLOW) {
        cursor.pos = p
        this.#unusual(reader, p)
        p = cursor.pos
        continue
      }
      const slot = this.#slots[tag]
      const at = ++p
      this.#isPresent[slot] = 1
      // Most numbers and lengths take one byte.
      const isShort = p < to && bytes[p] < 128
      if (step <= LIST) {
        if (isShort && step !== LIST && this.#isFixed64[slot] === 0) {
          this.lo[slot] = step === BOOL && bytes[p] !== 0 ? 1 : bytes[p]
          this.hi[slot] = 0
          p++
          continue
        }
        cursor.pos = p
        this.#number(step, slot, at)
        p = cursor.pos
        continue
      }
      if (step === SKIP_NUMBER) {
        cursor.pos = p
        cursor.skip(tag & 7)
        p = cursor.pos
        continue
      }
      let end: number
      if (isShort && p + 1 + bytes[p] <= to) {
        end = p + 1 + bytes[p]
        p++
      } else {
        cursor.pos = p
        end = cursor.length() + cursor.pos
        p = cursor.pos
      }
      if (step === PACKED_LIST) this.#packed(slot, p, end)
      else if (step === MESSAGE) {
        const ranges = this.#ranges[slot]
        ranges.push(p)
        ranges.push(end)
      }
      p = end
    }
  }

  /** Takes the content of a message that was not read from bytes. */
  fill(message: Message): void {
    this.#clear()
    for (const [slot, field] of this.schema.fields.entries()) {
      const value = message[field.name]
      if (value === undefined) continue
      this.#isPresent[slot] = 1
      if (field.scalar === undefined) this.#nested[slot] = value as MessageSequence
      else if (field.repeated) {
        const list = this.lists[slot]
        const numbers = value as NumberSequence
        for (let k = 0; k < numbers.length; k++) list.pushLong(BigInt(numbers[k]))
      } else {
        const whole = BigInt(value as bigint | number | boolean)
        this.lo[slot] = lowHalf(whole)
        this.hi[slot] = highHalf(whole)
      }
    }
  }

  /** Releases the payload and large lists. Rows live longer than a payload. */
  release(): void {
    this.#clear()
    this.#reader = undefined
    this.#cursor.bytes = NO_BYTES
    for (const list of [...this.lists, ...this.#ranges]) {
      if (list.array.length > MAX_KEPT) list.array = new Int32Array(0)
    }
  }

  #clear(): void {
    const { lo, hi } = this
    const isPresent = this.#isPresent
    for (let slot = 0; slot < lo.length; slot++) {
      if (isPresent[slot] === 0) continue
      isPresent[slot] = 0
      lo[slot] = 0
      hi[slot] = 0
      this.lists[slot].length = 0
      this.#ranges[slot].length = 0
      this.#nested[slot] = undefined
    }
  }

  #number(step: number, slot: number, at: number): void {
    const cursor = this.#cursor
    if (this.#isFixed64[slot] === 0) cursor.varint64()
    else cursor.fixed64()
    const { lo, hi } = cursor
    if (step === LIST) {
      this.#checkInt32(slot, lo, hi, at)
      this.lists[slot].push(lo)
      this.lists[slot].push(hi)
      return
    }
    if (step === INT32) this.#checkInt32(slot, lo, hi, at)
    this.lo[slot] = step === BOOL ? Number((lo | hi) !== 0) : lo
    this.hi[slot] = step === BOOL || step === UINT32 ? 0 : hi
  }

  #packed(slot: number, from: number, end: number): void {
    const cursor = this.#cursor
    const { bytes } = cursor
    const outer = cursor.end
    cursor.end = end
    const list = this.lists[slot]
    const isVarint = this.#isFixed64[slot] === 0
    const array = list.reserve(isVarint ? 2 * (end - from) : (end - from) >> 2)
    let { length } = list
    let p = from
    while (p < end) {
      const byte = bytes[p]
      const isLong = byte >= 128
      if (isVarint && (!isLong || (p + 1 < end && bytes[p + 1] < 128))) {
        array[length++] = isLong ? (byte & 127) | (bytes[p + 1] << 7) : byte
        array[length++] = 0
        p += isLong ? 2 : 1
        continue
      }
      cursor.pos = p
      if (isVarint) cursor.varint64()
      else cursor.fixed64()
      this.#checkInt32(slot, cursor.lo, cursor.hi, p)
      array[length++] = cursor.lo
      array[length++] = cursor.hi
      p = cursor.pos
    }
    list.length = length
    cursor.end = outer
  }

  /** Throws for larger numbers, because truncating them would give another index. */
  #checkInt32(slot: number, lo: number, hi: number, at: number): void {
    if (hi !== lo >> 31 && this.#isInt32[slot] === 1) {
      throw new WireError(at, 'number does not fit in int32')
    }
  }

  /** Skips an unknown field. Throws for a known field of another wire type. */
  #unusual(reader: SchemaReader, at: number): void {
    const cursor = this.#cursor
    cursor.tag()
    const field = this.schema.byNumber.get(cursor.field)
    if (field !== undefined) checkWireType(cursor, field, this.schema, at)
    reader.unknownFields++
    cursor.skip()
  }
}

function stepOf(field: FieldSchema, isSkipped: boolean): number {
  if (isSkipped) return wireTypeOf(field.scalar) === LEN ? SKIP_LEN : SKIP_NUMBER
  if (field.scalar === undefined) return MESSAGE
  return field.repeated ? LIST : (STEPS[field.scalar] ?? LONG)
}

function numberOfHalves(lo: number, hi: number): number {
  return hi === 0 ? lo >>> 0 : int64ToNumber(lo, hi)
}

/** Reads each message of a list into `row`. */
export function eachRow(list: MessageSequence, row: Row, visit: (i: number) => void): void {
  if (list instanceof LazyMessages) {
    list.readEach(row, visit)
    return
  }
  let i = 0
  for (const message of list) {
    row.fill(message)
    visit(i++)
  }
}
