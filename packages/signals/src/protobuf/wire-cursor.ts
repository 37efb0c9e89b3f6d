// A position in protobuf bytes, and readers of single values. One cursor reads a complete payload, so that the engine sees
// one kind of object.
import { FormatError } from '@hearth/profile'
import { textAt } from './text-cache.ts'
import { setUnknown } from './unknown.ts'

export const VARINT = 0
export const FIXED64 = 1
export const LEN = 2
const START_GROUP = 3
const END_GROUP = 4
export const FIXED32 = 5

/** Protobuf parsers stop at 100 nested messages. */
const MAX_DEPTH = 100

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Approximate memory of a bigint, a view of bytes, an object without fields, and a field. */
const BIGINT_COST = 24
export const VIEW_COST = 100
const OBJECT_COST = 24
export const FIELD_COST = 8
/** The memory of a map's entry. Objects with arbitrary keys are hash tables. */
export const ENTRY_COST = 64

export interface DecodeOptions {
  /**
   * The maximum memory of the result in bytes, by a rough count of objects. An empty message takes 2 bytes on the wire and up
   * to 152 in memory, so a small payload could fill the heap. Default: 16 MiB and 16 times the input.
   */
  readonly memoryLimit?: number | undefined
  /** Called with the numbers of fields that the messages do not define, if there are any. */
  readonly onUnknownFields?: ((fields: UnknownCounts) => void) | undefined
}

/** Numbers of fields that their messages do not define. */
export interface UnknownCounts {
  /** The result has them: see WithUnknown. */
  readonly kept: number
  /** The result has no place for them: members of JSON objects inside of arrays and lists of attribute values. */
  readonly dropped: number
}

export function memoryLimitOf(bytes: number, options: DecodeOptions): number {
  return options.memoryLimit ?? 16 * 1024 * 1024 + 16 * bytes
}

export function objectCost(fields: number): number {
  return OBJECT_COST + fields * FIELD_COST
}

/** Broken protobuf, before its format and field are known. Callers add the steps of the path. */
export class WireFault extends Error {
  override readonly name = 'WireFault'
  readonly offset: number
  readonly what: string
  path = ''

  constructor(offset: number, what: string) {
    super(what)
    this.offset = offset
    this.what = what
  }

  /** Adds a step in front of the path. */
  within(step: string): void {
    this.path = this.path === '' ? step : `${step}.${this.path}`
  }

  inFormat(format: string): FormatError {
    return new FormatError(format, this.offset, this.what, this.path)
  }
}

// Most counts and lengths are small. The numbers 0 to 255 are shared, so a list of buckets costs only its slots.
const SMALL: readonly bigint[] = Array.from({ length: 256 }, (_, i) => BigInt(i))
const halves = new Int32Array(2)
const signedWhole = new BigInt64Array(halves.buffer)
const unsignedWhole = new BigUint64Array(halves.buffer)

export class WireCursor {
  readonly bytes: Uint8Array
  readonly view: DataView
  pos = 0
  depth = 0
  /** How many attribute values contain the current one. */
  valueDepth = 0
  /** The halves of the last varint. */
  lo = 0
  hi = 0
  /** Numbers of fields that their message does not define: those that the result has, and the others. */
  keptFields = 0
  droppedFields = 0
  /** The unknown fields of the last attribute value, as parts of an attribute. */
  valueUnknown: Uint8Array | undefined
  /** The unknown fields of each message: start and end in turn. */
  private readonly kept = new Map<object, number[]>()
  /** The number of unknown fields in each message and in the messages inside of it. */
  private readonly inside = new Map<unknown, number>()
  /** The memory that is left, in bytes. */
  private left: number

  /** `bytes` must be a plain Uint8Array. Buffers slow down every read of a byte. */
  constructor(bytes: Uint8Array, memoryLimit: number) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.left = memoryLimit
  }

  fail(what: string, at: number = this.pos): never {
    throw new WireFault(at, what)
  }

  spend(cost: number): void {
    this.left -= cost
    if (this.left < 0) this.fail('content takes too much memory for its size')
  }

  enter(): void {
    if (++this.depth > MAX_DEPTH) this.fail(`messages nested deeper than ${MAX_DEPTH} levels`)
  }

  /** Reads field number and wire type. The caller has checked that `pos` is before the end. */
  tag(end: number): number {
    const at = this.pos
    const byte = this.bytes[at]
    if (byte < 128 && byte > 7) {
      this.pos = at + 1
      return byte
    }
    this.varint(end)
    if (this.hi !== 0 || this.lo >>> 3 === 0) this.fail('invalid field number', at)
    return this.lo >>> 0
  }

  /** Reads a length and returns the end of the content, which starts at `pos`. */
  lengthEnd(end: number): number {
    const at = this.pos
    let length = this.bytes[at]
    if (length < 128) this.pos = at + 1
    else {
      this.varint(end)
      length = this.hi === 0 ? this.lo >>> 0 : Infinity
    }
    const stop = this.pos + length
    if (!(stop <= end))
      this.fail(`length runs past the end of its message (${Math.max(0, end - this.pos)} bytes left)`, at)
    return stop
  }

  text(end: number): string {
    const stop = this.lengthEnd(end)
    const from = this.pos
    this.pos = stop
    return textAt(this.bytes, from, stop) ?? this.fail('string is not valid UTF-8', from)
  }

  /** Returns a view of the input. */
  bytesView(end: number): Uint8Array {
    const stop = this.lengthEnd(end)
    const from = this.pos
    this.pos = stop
    if (from === stop) return NO_BYTES
    this.spend(VIEW_COST)
    return this.bytes.subarray(from, stop)
  }

  int32(end: number): number {
    const byte = this.bytes[this.pos]
    if (byte < 128 && this.pos < end) {
      this.pos++
      return byte
    }
    this.varint(end)
    // Protobuf truncates longer numbers to 32 bits.
    return this.lo
  }

  uint32(end: number): number {
    return this.int32(end) >>> 0
  }

  sint32(end: number): number {
    const zigzag = this.int32(end)
    return (zigzag >>> 1) ^ -(zigzag & 1)
  }

  bool(end: number): boolean {
    this.varint(end)
    return (this.lo | this.hi) !== 0
  }

  int64(end: number): bigint {
    this.varint(end)
    return this.wide(signedWhole)
  }

  uint64(end: number): bigint {
    this.varint(end)
    return this.wide(unsignedWhole)
  }

  fixed64(end: number): bigint {
    this.fixed(end)
    return this.wide(unsignedWhole)
  }

  sfixed64(end: number): bigint {
    this.fixed(end)
    return this.wide(signedWhole)
  }

  fixed32(end: number): number {
    const at = this.pos
    if (end - at < 4) this.fail('fixed32 runs past the end of its message')
    this.pos = at + 4
    return this.view.getUint32(at, true)
  }

  double(end: number): number {
    const at = this.pos
    if (end - at < 8) this.fail('double runs past the end of its message')
    this.pos = at + 8
    return this.view.getFloat64(at, true)
  }

  /** Reads a varint of up to 10 bytes into `lo` and `hi`. */
  varint(end: number): void {
    const { bytes } = this
    const from = this.pos
    let p = from
    let lo = 0
    let hi = 0
    for (let shift = 0; ; shift += 7) {
      if (p >= end) this.fail('varint runs past the end of its message', from)
      const byte = bytes[p++]
      const bits = byte & 127
      if (shift < 28) lo |= bits << shift
      else if (shift === 28) {
        lo |= bits << 28
        hi = bits >>> 4
      } else hi |= bits << (shift - 32)
      if (byte < 128) {
        if (shift === 63 && byte > 1) this.fail('varint does not fit in 64 bits', from)
        break
      }
      if (shift === 63) this.fail('varint is longer than 10 bytes', from)
    }
    this.lo = lo
    this.hi = hi
    this.pos = p
  }

  /** Skips a field that the message does not define, and that the result has no place for. */
  drop(tag: number, end: number): void {
    this.droppedFields++
    this.skipValue(tag, end)
  }

  /** Skips and counts the value after a tag that the message does not define. Groups are dropped: proto3 has none. */
  skip(tag: number, end: number): void {
    if ((tag & 7) === START_GROUP) return this.drop(tag, end)
    this.keptFields++
    this.skipValue(tag, end)
  }

  /** Skips a field that the message does not define, whose tag is at `from`. `finish` adds it to `owner`. */
  keep(owner: object, tag: number, from: number, end: number): void {
    this.skip(tag, end)
    if ((tag & 7) === START_GROUP) return
    const places = this.kept.get(owner)
    if (places === undefined) {
      this.spend(VIEW_COST)
      this.kept.set(owner, [from, this.pos])
    } else if (places.at(-1) === from) places[places.length - 1] = this.pos
    else {
      this.spend(2 * FIELD_COST)
      places.push(from, this.pos)
    }
  }

  /** Whether the part since these counts has fields to keep. A group among them makes that impossible. */
  hasKept(keptBefore: number, droppedBefore: number): boolean {
    if (this.keptFields === keptBefore) return false
    if (this.droppedFields === droppedBefore) return true
    this.droppedFields += this.keptFields - keptBefore
    this.keptFields = keptBefore
    return false
  }

  /** Marks a message that has `count` more unknown fields, or messages inside of it that have them. */
  mark(message: { unknown?: Uint8Array }, count: number): void {
    const total = (this.inside.get(message) ?? 0) + count
    this.inside.set(message, total)
    if (total > 0) message.unknown ??= NO_BYTES
    else delete message.unknown
  }

  /** Counts the unknown fields of a value as dropped that another one has replaced. */
  discard(value: unknown): void {
    const count = this.inside.get(value) ?? 0
    this.keptFields -= count
    this.droppedFields += count
  }

  /** Adds the unknown fields to their messages. They are joined here, because a message may have a million of them. */
  finish(): void {
    for (const [owner, places] of this.kept) {
      const pieces: Uint8Array[] = []
      for (let i = 0; i < places.length; i += 2) pieces.push(this.bytes.subarray(places[i], places[i + 1]))
      setUnknown(owner, pieces)
    }
  }

  private skipValue(tag: number, end: number): void {
    switch (tag & 7) {
      case VARINT:
        return this.varint(end)
      case FIXED64:
        return this.advance(8, end)
      case LEN:
        this.pos = this.lengthEnd(end)
        return
      case START_GROUP:
        return this.skipGroup(tag >>> 3, end)
      case FIXED32:
        return this.advance(4, end)
      default:
        return this.fail(`field ${tag >>> 3} has the invalid wire type ${tag & 7}`)
    }
  }

  private skipGroup(field: number, end: number): void {
    const at = this.pos
    const open = [field]
    while (open.length > 0) {
      if (this.pos >= end) this.fail(`group ${open.at(-1)} is not closed`, at)
      const tag = this.tag(end)
      if ((tag & 7) === START_GROUP) {
        if (open.length === MAX_DEPTH) this.fail(`groups nested deeper than ${MAX_DEPTH} levels`)
        open.push(tag >>> 3)
      } else if ((tag & 7) !== END_GROUP) this.skipValue(tag, end)
      else if (open.pop() !== tag >>> 3) this.fail(`end of group ${tag >>> 3} inside another group`)
    }
  }

  private advance(count: number, end: number): void {
    if (end - this.pos < count) this.fail('a field runs past the end of its message')
    this.pos += count
  }

  private fixed(end: number): void {
    const at = this.pos
    if (end - at < 8) this.fail('fixed64 runs past the end of its message')
    this.lo = this.view.getInt32(at, true)
    this.hi = this.view.getInt32(at + 4, true)
    this.pos = at + 8
  }

  private wide(whole: BigInt64Array | BigUint64Array): bigint {
    const { lo, hi } = this
    if (hi === 0 && lo >>> 0 < 256) return SMALL[lo]
    this.spend(BIGINT_COST)
    halves[0] = lo
    halves[1] = hi
    return whole[0]
  }
}
