// Walks the messages of common.proto in a payload (attribute values, resources, scopes) without decoding them. The model
// stores them as bytes, so errors in them must be found while reading. Reports which of them refer to the string table.
import { MAX_VALUE_DEPTH } from '../../model/columns/any-value.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { HotReader } from '../../wire/protobuf/hot-reader.ts'
import { WireError } from '../../wire/wire-error.ts'

/** The kind that `attributeValue` writes for a reference to the string table, until it is resolved. */
export const STRING_REFERENCE = 8

export class CommonChecker extends HotReader {
  /** Number of attributes that have their key as text and as a reference to the string table. */
  protected keysTwice = 0
  private refers = false

  /** `resource`, `scope` and `attributeValue` return whether the message refers to the string table. */
  protected resource(from: number, to: number): boolean {
    this.refers = false
    let p = from
    while (p < to) {
      const tag = this.tag(p, to)
      p = this.pos
      if (tag === 0x0a || tag === 0x1a) {
        const stop = this.lengthEnd(p, to)
        if (tag === 0x0a) this.keyValue(this.pos, stop, 1)
        else this.entityRef(this.pos, stop)
        p = stop
      } else if (tag === 0x10) p = this.skipVarint(p, to)
      else p = this.unknown(tag, p, to, 3)
    }
    if (p !== to) this.overrun(to)
    return this.refers
  }

  protected scope(from: number, to: number): boolean {
    this.refers = false
    let p = from
    while (p < to) {
      const tag = this.tag(p, to)
      p = this.pos
      if (tag === 0x0a || tag === 0x12) p = this.text(p, to)
      else if (tag === 0x1a) {
        const stop = this.lengthEnd(p, to)
        this.keyValue(this.pos, stop, 1)
        p = stop
      } else if (tag === 0x20) p = this.skipVarint(p, to)
      else p = this.unknown(tag, p, to, 4)
    }
    if (p !== to) this.overrun(to)
    return this.refers
  }

  /** Writes kind, a and b of an attribute table's row. */
  protected attributeValue(from: number, to: number, row: Int32Array, at: number): boolean {
    this.refers = false
    this.anyValue(from, to, 1, row, at)
    return this.refers
  }

  private entityRef(from: number, to: number): void {
    let p = from
    while (p < to) {
      const tag = this.tag(p, to)
      if (tag === 0x0a || tag === 0x12 || tag === 0x1a || tag === 0x22) p = this.text(this.pos, to)
      else p = this.unknown(tag, this.pos, to, 4)
    }
    if (p !== to) this.overrun(to)
  }

  private keyValue(from: number, to: number, depth: number): void {
    let p = from
    let hasText = false
    let hasReference = false
    while (p < to) {
      const tag = this.tag(p, to)
      p = this.pos
      if (tag === 0x0a) {
        const stop = this.text(p, to)
        hasText = this.bytes[p] !== 0
        p = stop
      } else if (tag === 0x12) {
        const stop = this.lengthEnd(p, to)
        this.anyValue(this.pos, stop, depth, undefined, 0)
        p = stop
      } else if (tag === 0x18) {
        this.varint(p, to)
        p = this.pos
        if (this.lo !== 0) hasReference = true
      } else p = this.unknown(tag, p, to, 3)
    }
    if (p !== to) this.overrun(to)
    if (hasReference) this.refers = true
    if (hasReference && hasText) this.keysTwice++
  }

  /** Walks a KeyValueList if `ofKeyValues`, otherwise an ArrayValue. */
  private list(from: number, to: number, depth: number, ofKeyValues: boolean): void {
    let p = from
    while (p < to) {
      const tag = this.tag(p, to)
      if (tag !== 0x0a) {
        p = this.unknown(tag, this.pos, to, 1)
        continue
      }
      const stop = this.lengthEnd(this.pos, to)
      if (ofKeyValues) this.keyValue(this.pos, stop, depth + 1)
      else this.anyValue(this.pos, stop, depth + 1, undefined, 0)
      p = stop
    }
    if (p !== to) this.overrun(to)
  }

  private anyValue(from: number, to: number, depth: number, row: Int32Array | undefined, at: number): void {
    if (depth > MAX_VALUE_DEPTH)
      throw new WireError(from, `attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
    let p = from
    while (p < to) {
      const tag = this.tag(p, to)
      p = this.pos
      const kind = tag >>> 3
      let a = 0
      let b = 0
      switch (tag) {
        case 0x0a:
        case 0x2a:
        case 0x32:
        case 0x3a: {
          const stop = this.lengthEnd(p, to)
          a = this.pos
          b = stop - a
          if (kind === ValueKind.string) this.text(p, to)
          else if (kind !== ValueKind.bytes) this.list(a, stop, depth, kind === ValueKind.keyValues)
          p = stop
          break
        }
        case 0x10:
          this.varint(p, to)
          p = this.pos
          a = (this.lo | this.hi) === 0 ? 0 : 1
          break
        case 0x18:
          this.varint(p, to)
          p = this.pos
          a = this.lo
          b = this.hi
          break
        case 0x21:
          if (to - p < 8) throw new WireError(p, 'double runs past the end of its message')
          a = this.int32At(p)
          b = this.int32At(p + 4)
          p += 8
          break
        case 0x40:
          this.varint(p, to)
          p = this.pos
          if (this.hi !== this.lo >> 31) throw new WireError(this.pos, 'number does not fit in int32')
          a = this.lo
          this.refers = true
          break
        default:
          p = row === undefined ? this.unknown(tag, p, to, 8) : this.unknownInValue(tag, p, to)
          continue
      }
      if (row !== undefined) {
        row[at] = kind
        row[at + 1] = a
        row[at + 2] = b
      }
    }
    if (p !== to) this.overrun(to)
  }

  /** Skips an undefined field of an AnyValue in the attribute table. The other messages here are stored with all bytes. */
  protected unknownInValue(tag: number, p: number, end: number): number {
    return this.unknown(tag, p, end, 8)
  }

  private int32At(p: number): number {
    const { bytes } = this
    return bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24)
  }
}
