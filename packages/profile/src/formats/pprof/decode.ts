// Reads pprof's protobuf into columns. Hot, like the OTLP reader, and built the same way.
import type { GrowingInts } from '../../model/growing-columns.ts'
import { HotReader } from '../../wire/hot-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import { PprofColumns } from './columns.ts'

/** Throws WireError. Ids and string numbers are not checked yet. */
export function decodePprof(bytes: Uint8Array): { readonly columns: PprofColumns; readonly unknownFields: number } {
  const decoder = new PprofDecoder(bytes)
  decoder.profile(0, bytes.length)
  return { columns: decoder.columns, unknownFields: decoder.unknownFields }
}

class PprofDecoder extends HotReader {
  readonly columns = new PprofColumns()

  constructor(bytes: Uint8Array) {
    super()
    this.over(bytes)
  }

  profile(from: number, end: number): void {
    const { columns } = this
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      switch (tag) {
        case 0x0a:
        case 0x12:
        case 0x1a:
        case 0x22:
        case 0x2a:
        case 0x32:
        case 0x5a: {
          const stop = this.lengthEnd(p, end)
          this.message(tag, this.pos, stop)
          p = stop
          break
        }
        case 0x38:
          columns.dropFrames = this.index(p, end)
          p = this.pos
          break
        case 0x40:
          columns.keepFrames = this.index(p, end)
          p = this.pos
          break
        case 0x48:
          // Protobuf would merge them; what came out would be neither of the two.
          if ((columns.time[0] | columns.time[1]) !== 0)
            throw new WireError(p, 'a second profile begins in the same file')
          p = this.long(columns.time, 0, p, end)
          break
        case 0x50:
          p = this.long(columns.duration, 0, p, end)
          break
        case 0x60:
          p = this.long(columns.period, 0, p, end)
          break
        case 0x6a:
          p = this.packed(columns.comments, p, end)
          break
        case 0x68:
          p = this.pushIndex(columns.comments, p, end)
          break
        case 0x70:
          columns.defaultSampleType = this.index(p, end)
          p = this.pos
          break
        case 0x78:
          columns.docUrl = this.index(p, end)
          p = this.pos
          break
        default:
          p = this.unknown(tag, p, end, 15)
      }
    }
    if (p !== end) this.overrun(end)
  }

  private message(tag: number, from: number, end: number): void {
    const { columns } = this
    switch (tag) {
      case 0x12:
        return this.sample(from, end)
      case 0x22:
        return this.location(from, end)
      case 0x2a:
        return this.function(from, end)
      case 0x32:
        columns.strings.push(from)
        columns.strings.push(end - from)
        return
      case 0x1a:
        return this.mapping(from, end)
      case 0x0a: {
        const row = columns.sampleTypes.reserve(2)
        this.valueType(row, columns.sampleTypes.length, from, end)
        columns.sampleTypes.length += 2
        return
      }
      default:
        return this.valueType(columns.periodType, 0, from, end)
    }
  }

  private valueType(row: Int32Array, at: number, from: number, end: number): void {
    row[at] = row[at + 1] = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      if (tag === 0x08) row[at] = this.index(this.pos, end)
      else if (tag === 0x10) row[at + 1] = this.index(this.pos, end)
      else this.pos = this.unknown(tag, this.pos, end, 2)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
  }

  private sample(from: number, end: number): void {
    const { samples, locationIds, values, labels } = this.columns
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x0a) p = this.packedIds(locationIds, p, end)
      else if (tag === 0x12) p = this.packedLongs(values, p, end)
      else if (tag === 0x1a) {
        const stop = this.lengthEnd(p, end)
        this.label(this.pos, stop)
        p = stop
      } else if (tag === 0x08) {
        this.varint(p, end)
        locationIds.push(this.columns.idOf(this.lo, this.hi))
        p = this.pos
      } else if (tag === 0x10) {
        this.varint(p, end)
        values.push(this.lo)
        values.push(this.hi)
        p = this.pos
      } else p = this.unknown(tag, p, end, 3)
    }
    if (p !== end) this.overrun(end)
    const row = samples.reserve(3)
    const at = samples.length
    row[at] = locationIds.length
    row[at + 1] = values.length >> 1
    row[at + 2] = labels.length / 5
    samples.length = at + 3
  }

  private packedIds(column: GrowingInts, from: number, outer: number): number {
    const end = this.lengthEnd(from, outer)
    const { bytes } = this
    let p = this.pos
    const target = column.reserve(end - p)
    let at = column.length
    while (p < end) {
      const first = bytes[p]
      if (first < 128) {
        target[at++] = first
        p++
        continue
      }
      const second = bytes[p + 1]
      if (second < 128) {
        target[at++] = (first & 127) | (second << 7)
        p += 2
        continue
      }
      this.varint(p, end)
      target[at++] = this.hi === 0 && this.lo >= 0 ? this.lo : this.columns.idOf(this.lo, this.hi)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    column.length = at
    return end
  }

  private label(from: number, end: number): void {
    const { labels } = this.columns
    const row = labels.reserve(5)
    const at = labels.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.index(p, end)
      else if (tag === 0x10) row[at + 1] = this.index(p, end)
      else if (tag === 0x18) this.pos = this.long(row, at + 2, p, end)
      else if (tag === 0x20) row[at + 4] = this.index(p, end)
      else this.pos = this.unknown(tag, p, end, 4)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    labels.length = at + 5
  }

  private mapping(from: number, end: number): void {
    const { mappings } = this.columns
    const row = mappings.reserve(10)
    const at = mappings.length
    row.fill(0, at, at + 10)
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.id(p, end)
      else if (tag === 0x10 || tag === 0x18 || tag === 0x20) this.pos = this.long(row, at + 2 * (tag >> 3) - 3, p, end)
      else if (tag === 0x28) row[at + 7] = this.index(p, end)
      else if (tag === 0x30) row[at + 8] = this.index(p, end)
      else if (tag === 0x38 || tag === 0x40 || tag === 0x48 || tag === 0x50) {
        this.varint(p, end)
        const bit = 1 << ((tag >> 3) - 7)
        row[at + 9] = (this.lo | this.hi) === 0 ? row[at + 9] & ~bit : row[at + 9] | bit
      } else this.pos = this.unknown(tag, p, end, 10)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    mappings.length = at + 10
  }

  private location(from: number, end: number): void {
    const { locations, lines } = this.columns
    const row = locations.reserve(6)
    const at = locations.length
    row.fill(0, at, at + 6)
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x22) {
        const stop = this.lengthEnd(p, end)
        this.line(this.pos, stop)
        this.pos = stop
      } else if (tag === 0x18) this.pos = this.long(row, at + 2, p, end)
      else if (tag === 0x08) row[at] = this.id(p, end)
      else if (tag === 0x10) row[at + 1] = this.id(p, end)
      else if (tag === 0x28) {
        this.varint(p, end)
        row[at + 5] = (this.lo | this.hi) === 0 ? 0 : 1
      } else this.pos = this.unknown(tag, p, end, 5)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    row[at + 4] = lines.length / 5
    locations.length = at + 6
  }

  private line(from: number, end: number): void {
    const { lines } = this.columns
    const row = lines.reserve(5)
    const at = lines.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.id(p, end)
      else if (tag === 0x10) this.pos = this.long(row, at + 1, p, end)
      else if (tag === 0x18) this.pos = this.long(row, at + 3, p, end)
      else this.pos = this.unknown(tag, p, end, 3)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    lines.length = at + 5
  }

  private function(from: number, end: number): void {
    const { functions } = this.columns
    const row = functions.reserve(6)
    const at = functions.length
    row.fill(0, at, at + 6)
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.id(p, end)
      else if (tag === 0x10 || tag === 0x18 || tag === 0x20) row[at + (tag >> 3) - 1] = this.index(p, end)
      else if (tag === 0x28) this.pos = this.long(row, at + 4, p, end)
      else this.pos = this.unknown(tag, p, end, 5)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    functions.length = at + 6
  }

  private id(p: number, end: number): number {
    this.varint(p, end)
    return this.columns.idOf(this.lo, this.hi)
  }
}
