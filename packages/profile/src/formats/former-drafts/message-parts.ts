// The fields of one protobuf message by number, as ranges of the input. For formats whose tables may come in any order,
// before or after the messages that refer to them. One object reads all messages of its kind in turn, so a table of a
// million rows needs no objects. An unpacked number is a run of one, so packed and unpacked lists read alike.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64, uint64 } from '../../model/columns/int64.ts'
import { FIXED64, LEN, ProtoReader, VARINT, wireTypeName } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'

/** `numbers` are repeated varints, packed or not. */
export type PartKind = 'varint' | 'fixed64' | 'bytes' | 'message' | 'numbers'

/** The fields of a message: number to name and kind. */
export interface MessageShape {
  readonly name: string
  readonly fields: Readonly<Record<number, readonly [name: string, kind: PartKind]>>
}

/** The input, with counters of the content that could not be read. */
export class PartsSource {
  readonly bytes: Uint8Array
  /** Reads as much of a broken message as possible. */
  readonly lenient: boolean
  readonly reader: ProtoReader
  unknownFields = 0
  /** Number of truncated or incomplete messages. Counted only if lenient. */
  broken = 0

  constructor(bytes: Uint8Array, lenient: boolean) {
    this.bytes = bytes
    this.lenient = lenient
    this.reader = new ProtoReader(bytes)
  }
}

export class MessageParts {
  /** The halves of the number that was read last. */
  lo = 0
  hi = 0
  readonly source: PartsSource
  readonly #shape: MessageShape
  /** Pairs of start and end of each field's occurrences. */
  readonly #ranges: (GrowingInts | undefined)[] = []

  constructor(source: PartsSource, shape: MessageShape) {
    this.source = source
    this.#shape = shape
    for (const number of Object.keys(shape.fields)) this.#ranges[Number(number)] = new GrowingInts(2)
  }

  /** Replaces the previous message. Throws WireError. */
  read(from: number, to: number): this {
    for (const ranges of this.#ranges) if (ranges !== undefined) ranges.length = 0
    return this.add(from, to)
  }

  /** Reads another part of the same message, because protobuf merges repeated occurrences of a message. */
  add(from: number, to: number): this {
    const { source } = this
    const { reader } = source
    reader.pos = from
    reader.end = to
    try {
      for (let at = from; reader.tag(); at = reader.pos) this.#field(at)
    } catch (error) {
      if (!source.lenient || !(error instanceof WireError)) throw error
      source.broken++
    } finally {
      reader.end = source.bytes.length
    }
    return this
  }

  #field(at: number): void {
    const { reader } = this.source
    const ranges = this.#ranges[reader.field]
    if (ranges === undefined) {
      this.source.unknownFields++
      reader.skip()
      return
    }
    const [name, kind] = this.#shape.fields[reader.field]
    if (!fits(kind, reader.wireType)) {
      const found = wireTypeName(reader.wireType)
      throw new WireError(at, `${this.#shape.name}.${name} is ${found}, expected ${wireTypeOf(kind)}`)
    }
    if (reader.wireType === LEN) {
      const length = this.#length(kind)
      ranges.push(reader.pos)
      ranges.push((reader.pos += length))
    } else {
      const from = reader.pos
      if (reader.wireType === VARINT) reader.varint64()
      else reader.fixed64()
      // Pushed after reading, which may throw, so that starts and ends stay in pairs.
      ranges.push(from)
      ranges.push(reader.pos)
    }
  }

  /** Truncates a field at the end of the input if lenient. Strings are not truncated. */
  #length(kind: PartKind): number {
    const { reader, lenient } = this.source
    if (!lenient || kind === 'bytes') return reader.length()
    const at = reader.pos
    reader.varint64()
    const room = reader.end - reader.pos
    if (reader.hi === 0 && reader.lo >>> 0 <= room) return reader.lo >>> 0
    if (reader.end !== this.source.bytes.length) {
      reader.pos = at
      return reader.length()
    }
    this.source.broken++
    return room
  }

  /** Number of occurrences of the field. For numbers, the number of runs. */
  count(field: number): number {
    return this.#ranges[field]!.length / 2
  }

  has(field: number): boolean {
    return this.#ranges[field]!.length > 0
  }

  from(field: number, occurrence: number): number {
    return this.#ranges[field]!.array[2 * occurrence]
  }

  to(field: number, occurrence: number): number {
    return this.#ranges[field]!.array[2 * occurrence + 1]
  }

  /** Start of the field's last occurrence, which is the one that counts. 0 if the field is absent. */
  lastFrom(field: number): number {
    const ranges = this.#ranges[field]!
    return ranges.length === 0 ? 0 : ranges.array[ranges.length - 2]
  }

  /** The bytes of the field. Empty if it is not set. */
  view(field: number): Uint8Array {
    const ranges = this.#ranges[field]!
    if (ranges.length === 0) return this.source.bytes.subarray(0, 0)
    return this.source.bytes.subarray(ranges.array[ranges.length - 2], ranges.array[ranges.length - 1])
  }

  /** Reads a number into `lo` and `hi`. Returns false and sets zeros if the field is not set. */
  long(field: number): boolean {
    const ranges = this.#ranges[field]!
    this.lo = 0
    this.hi = 0
    if (ranges.length === 0) return false
    const { reader } = this.source
    reader.pos = ranges.array[ranges.length - 2]
    if (this.#shape.fields[field][1] === 'fixed64') reader.fixed64()
    else reader.varint64()
    this.lo = reader.lo
    this.hi = reader.hi
    return true
  }

  int64(field: number): bigint {
    return this.long(field) ? int64(this.lo, this.hi) : 0n
  }

  uint64(field: number): bigint {
    return this.long(field) ? uint64(this.lo, this.hi) : 0n
  }

  /** An index, a count or an enum. Throws for larger numbers, because truncating them would give another index. */
  uint32(field: number): number {
    if (!this.long(field)) return 0
    if (this.hi !== 0) throw new WireError(this.lastFrom(field), 'number does not fit in uint32')
    return this.lo >>> 0
  }

  flag(field: number): boolean {
    return this.long(field) && (this.lo | this.hi) !== 0
  }

  /** Appends the low halves. A number beyond 32 bits becomes -1, which is outside every table. */
  pushIndexes(field: number, column: GrowingInts): void {
    this.#eachNumber(field, reader => column.push(reader.hi === 0 ? reader.lo : -1))
  }

  /** Appends both halves of each number. */
  pushLongs(field: number, column: GrowingInts): void {
    this.#eachNumber(field, reader => {
      column.push(reader.lo)
      column.push(reader.hi)
    })
  }

  #eachNumber(field: number, visit: (reader: ProtoReader) => void): void {
    const { reader, bytes, lenient } = this.source
    const { array, length } = this.#ranges[field]!
    try {
      for (let i = 0; i < length; i += 2) {
        reader.pos = array[i]
        reader.end = array[i + 1]
        while (reader.pos < reader.end) {
          reader.varint64()
          visit(reader)
        }
      }
    } catch (error) {
      if (!lenient || !(error instanceof WireError)) throw error
      this.source.broken++
    } finally {
      reader.end = bytes.length
    }
  }
}

function fits(kind: PartKind, wireType: number): boolean {
  switch (kind) {
    case 'varint':
      return wireType === VARINT
    case 'fixed64':
      return wireType === FIXED64
    case 'bytes':
    case 'message':
      return wireType === LEN
    case 'numbers':
      return wireType === VARINT || wireType === LEN
  }
}

function wireTypeOf(kind: PartKind): string {
  return wireTypeName(kind === 'fixed64' ? FIXED64 : kind === 'bytes' || kind === 'message' ? LEN : VARINT)
}
