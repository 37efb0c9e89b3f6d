// Decodes pprof's protobuf into columns. This is hot code, built like the OTLP reader: each message has its own loop over a
// local position, and single-byte tags and numbers are decoded inline.
import { finish, mix } from '../../model/build/hash-index.ts'
import { HotReader } from '../../wire/protobuf/hot-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import { PprofColumns } from './columns.ts'
import type { DecodedTables, TableRange } from './known-tables.ts'
import { SHORT_LABEL } from './label-table.ts'

/** From this file size on, the rows are counted before they are decoded. */
const COUNT_FROM = 1 << 20

const NO_BYTES: Uint8Array = new Uint8Array(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))

export class PprofDecoder extends HotReader {
  readonly columns = new PprofColumns()
  /** The offset of the top-level field that is being decoded. */
  fieldStart = 0
  /** The hash of the locations of the current sample. */
  private hash = 0
  // Direct references to columns: each property access on the way costs as much as decoding a field.
  private readonly strings = this.columns.draft.strings
  private readonly functions = this.columns.draft.functions
  private readonly locations = this.columns.draft.locations
  private readonly lines = this.columns.draft.lines
  private readonly stackLocations = this.columns.draft.stackLocations
  private readonly samples = this.columns.samples
  private readonly values = this.columns.values
  private readonly labels = this.columns.labels
  private readonly labelList = this.columns.labels.list
  private readonly locationIds = this.columns.locationIds
  private readonly functionIds = this.columns.functionIds

  /** Throws WireError. Does not check ids and string indexes. */
  decode(bytes: Uint8Array, end: number): void {
    this.columns.clear()
    this.over(bytes)
    try {
      if (end >= COUNT_FROM) this.reserve(end)
    } catch (error) {
      // The decoding loop reports the error with its position.
      if (!(error instanceof WireError)) throw error
    }
    this.profile(0, end)
  }

  /** The same for a file whose tables are known. */
  decodeSamples(bytes: Uint8Array, tables: DecodedTables, range: TableRange): void {
    this.columns.clear()
    this.over(bytes)
    this.profile(0, range.from)
    tables.restore(this.columns, range)
    this.profile(range.to, bytes.length)
  }

  /** Drops the references to the file so that it can be collected. */
  release(): void {
    this.bytes = NO_BYTES
    this.view = NO_VIEW
  }

  /**
   * Counts the rows of each table by stepping over field lengths, and reserves their memory at once. Growing by doubling
   * would copy each row once more and leave arrays up to twice too large.
   */
  private reserve(end: number): void {
    const { columns } = this
    const { draft } = columns
    const rows = new Int32Array(16)
    let sampleBytes = 0
    for (let p = 0; p < end;) {
      const tag = this.bytes[p]
      if ((tag & 7) === 2 && tag < 128) {
        const length = this.bytes[p + 1]
        const stop = length < 128 ? p + 2 + length : this.lengthEnd(p + 1, end)
        rows[tag >> 3]++
        if (tag === 0x12) sampleBytes += stop - p
        p = stop
      } else if ((tag & 7) === 0 && tag < 128) p = this.skipVarint(p + 1, end)
      else break
    }
    columns.samples.reserve(rows[2] * 4)
    columns.values.reserve(rows[2] * rows[1] * 2)
    draft.locations.reserve((rows[4] + 1) * 5)
    draft.lines.reserve(rows[4] * 5)
    columns.locationIds.reserve(rows[4])
    draft.functions.reserve((rows[5] + 1) * 5)
    columns.functionIds.reserve(rows[5])
    draft.strings.reserve(rows[6] * 2)
    // In a table of thousands of locations, few ids take a single byte.
    draft.stackLocations.reserve(rows[4] < 4096 ? sampleBytes : sampleBytes >> 1)
  }

  private profile(from: number, end: number): void {
    const { columns, bytes, strings } = this
    let p = from
    while (p < end) {
      this.fieldStart = p
      const tag = bytes[p++]
      if ((tag & 7) !== 2 || tag > 0x32) {
        p = this.header(p - 1, end)
        continue
      }
      let stop = p + 1 + bytes[p]
      // Single-byte lengths are decoded inline.
      if (bytes[p] < 128 && stop <= end) p++
      else {
        stop = this.lengthEnd(p, end)
        p = this.pos
      }
      switch (tag) {
        case 0x32: {
          const row = strings.reserve(2)
          const at = strings.length
          row[at] = p
          row[at + 1] = stop - p
          strings.length = at + 2
          break
        }
        case 0x12:
          this.sample(p, stop)
          break
        case 0x22:
          this.location(p, stop)
          break
        case 0x2a:
          this.function(p, stop)
          break
        case 0x1a:
          this.mapping(p, stop)
          break
        case 0x0a: {
          const row = columns.sampleTypes.reserve(2)
          this.valueType(row, columns.sampleTypes.length, p, stop)
          columns.sampleTypes.length += 2
          break
        }
        default:
          // Only field number 0 gets here; `tag` throws.
          this.tag(this.fieldStart, end)
      }
      p = stop
    }
    if (p !== end) this.overrun(end)
  }

  /** Decodes a field that occurs once or that pprof does not define. */
  private header(from: number, end: number): number {
    const { columns } = this
    const tag = this.tag(from, end)
    const p = this.pos
    switch (tag) {
      case 0x38:
        columns.dropFrames = this.index(p, end)
        return this.pos
      case 0x40:
        columns.keepFrames = this.index(p, end)
        return this.pos
      case 0x48:
        // Protobuf would merge the two profiles into one that matches neither.
        if ((columns.time[0] | columns.time[1]) !== 0) throw new SecondProfileError(p)
        return this.long(columns.time, 0, p, end)
      case 0x50:
        return this.long(columns.duration, 0, p, end)
      case 0x5a: {
        const stop = this.lengthEnd(p, end)
        this.valueType(columns.periodType, 0, this.pos, stop)
        return stop
      }
      case 0x60:
        return this.long(columns.period, 0, p, end)
      case 0x6a:
        return this.packed(columns.comments, p, end)
      case 0x68:
        return this.pushIndex(columns.comments, p, end)
      case 0x70:
        columns.defaultSampleType = this.index(p, end)
        return this.pos
      case 0x78:
        columns.docUrl = this.index(p, end)
        return this.pos
      default:
        return this.unknown(tag, p, end, 15)
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
    const { bytes, samples, values, labelList } = this
    const labelsFrom = labelList.length
    this.hash = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x0a) p = this.packedIds(p, end)
      else if (tag === 0x12) p = this.packedLongs(values, p, end)
      else if (tag === 0x1a) {
        const stop = this.lengthEnd(p, end)
        labelList.push(this.label(this.pos, stop))
        p = stop
      } else p = this.sampleRest(p - 1, end)
    }
    if (p !== end) this.overrun(end)
    if (labelList.length - labelsFrom > 1) this.labels.endSample(labelsFrom)
    const row = samples.reserve(4)
    const at = samples.length
    row[at] = this.stackLocations.length
    row[at + 1] = finish(this.hash)
    row[at + 2] = labelList.length
    row[at + 3] = values.length >> 1
    samples.length = at + 4
  }

  /** Decodes unpacked lists and unknown fields. */
  private sampleRest(from: number, end: number): number {
    const { columns } = this
    const tag = this.tag(from, end)
    if (tag === 0x08) {
      const id = this.id(this.pos, end)
      columns.draft.stackLocations.push(id)
      if (id > columns.highestUsed || id <= 0) columns.highestUsed = this.newId(id, columns.highestUsed)
      this.hash = mix(this.hash, id)
    } else if (tag === 0x10) {
      this.varint(this.pos, end)
      columns.values.push(this.lo)
      columns.values.push(this.hi)
    } else return this.unknown(tag, this.pos, end, 3)
    return this.pos
  }

  /**
   * Decodes, checks and hashes ids of up to three bytes inline. On real files, branching on the length is a third faster than
   * the branch-free word decoding of HotReader.packed, because neighbouring ids have similar lengths.
   */
  private packedIds(from: number, outer: number): number {
    const end = this.lengthEnd(from, outer)
    const { bytes, columns, stackLocations } = this
    let p = this.pos
    // Each varint takes at least one byte, so the byte length is an upper bound for the count.
    const target = stackLocations.reserve(end - p)
    let at = stackLocations.length
    let highest = columns.highestUsed
    let hash = this.hash
    while (p < end) {
      let id = bytes[p++]
      if (id >= 128) {
        let byte = bytes[p++]
        id = (id & 127) | ((byte & 127) << 7)
        if (byte >= 128) {
          byte = bytes[p++]
          id |= (byte & 127) << 14
          if (byte >= 128) {
            id = this.id(p - 3, end)
            p = this.pos
          }
        }
      }
      target[at++] = id
      // A single comparison finds new, zero and negative ids.
      if ((id - 1) >>> 0 >= highest) highest = this.newId(id, highest)
      hash = mix(hash, id)
    }
    if (p !== end) this.overrun(end)
    stackLocations.length = at
    columns.highestUsed = highest
    this.hash = hash
    return end
  }

  private newId(id: number, highest: number): number {
    if (id === highest + 1) return id
    this.columns.usedInOrder = false
    if (id > highest) return id
    this.columns.usesOddIds = true
    return highest
  }

  private label(from: number, end: number): number {
    const { labels } = this
    const length = end - from
    if (length > SHORT_LABEL || length === 0 || from + SHORT_LABEL > this.bytes.length) {
      return this.labelContent(from, end)
    }
    // Masks off the bytes after the label.
    const shift = (32 - 8 * length) & 31
    let first = this.view.getInt32(from, true)
    let second = 0
    if (length > 4) second = (this.view.getInt32(from + 4, true) << shift) >>> shift
    else first = (first << shift) >>> shift
    first |= 0
    second |= 0
    let label = labels.find(length, first, second)
    if (label === 0) {
      label = this.labelContent(from, end)
      labels.remember(length, first, second, label)
    }
    return label
  }

  private labelContent(from: number, end: number): number {
    let key = 0
    let string = 0
    let lo = 0
    let hi = 0
    let unit = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      if (tag === 0x08) key = this.index(this.pos, end)
      else if (tag === 0x10) string = this.index(this.pos, end)
      else if (tag === 0x18) {
        this.varint(this.pos, end)
        lo = this.lo
        hi = this.hi
      } else if (tag === 0x20) unit = this.index(this.pos, end)
      else this.pos = this.unknown(tag, this.pos, end, 4)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    return this.columns.labels.number(key, string, lo, hi, unit)
  }

  private mapping(from: number, end: number): void {
    const { mappings, mappingIds } = this.columns
    const row = mappings.reserve(9)
    const at = mappings.length
    row.fill(0, at, at + 9)
    let id = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) id = this.id(p, end)
      else if (tag === 0x10 || tag === 0x18 || tag === 0x20) this.pos = this.long(row, at + 2 * (tag >> 3) - 4, p, end)
      else if (tag === 0x28) row[at + 6] = this.index(p, end)
      else if (tag === 0x30) row[at + 7] = this.index(p, end)
      else if (tag === 0x38 || tag === 0x40 || tag === 0x48 || tag === 0x50) {
        this.varint(p, end)
        const bit = 1 << ((tag >> 3) - 7)
        row[at + 8] = (this.lo | this.hi) === 0 ? row[at + 8] & ~bit : row[at + 8] | bit
      } else this.pos = this.unknown(tag, p, end, 10)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    mappingIds.push(id)
    mappings.length = at + 9
  }

  private location(from: number, end: number): void {
    const { bytes, locations } = this
    const row = locations.reserve(5)
    const at = locations.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 4] = 0
    let id = 0
    let isFolded = false
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08 || tag === 0x10) {
        let number = bytes[p++]
        if (!(number < 128)) {
          number = this.id(p - 1, end)
          p = this.pos
        }
        if (tag === 0x08) id = number
        else row[at] = number
      } else if (tag === 0x22) {
        const stop = this.lengthEnd(p, end)
        this.line(this.pos, stop)
        p = stop
      } else if (tag === 0x18) p = this.long(row, at + 1, p, end)
      else if (tag === 0x28) {
        this.varint(p, end)
        isFolded = (this.lo | this.hi) !== 0
        p = this.pos
      } else p = this.unknown(this.tag(p - 1, end), this.pos, end, 5)
    }
    if (p !== end) this.overrun(end)
    row[at + 3] = this.lines.length / 5
    locations.length = at + 5
    this.locationIds.push(id)
    if (isFolded) this.columns.folded.push(at / 5)
  }

  private line(from: number, end: number): void {
    const { bytes, lines } = this
    const row = lines.reserve(5)
    const at = lines.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08) {
        let id = bytes[p++]
        if (!(id < 128)) {
          id = this.id(p - 1, end)
          p = this.pos
        }
        row[at] = id
      } else if (tag === 0x10 || tag === 0x18) {
        const place = at + 2 * (tag >> 3) - 3
        const first = bytes[p]
        const second = bytes[p + 1]
        // Most line numbers are below 16,384.
        if (first < 128) {
          row[place] = first
          row[place + 1] = 0
          p++
        } else if (second < 128) {
          row[place] = (first & 127) | (second << 7)
          row[place + 1] = 0
          p += 2
        } else p = this.long(row, place, p, end)
      } else p = this.unknown(this.tag(p - 1, end), this.pos, end, 3)
    }
    if (p !== end) this.overrun(end)
    lines.length = at + 5
  }

  private function(from: number, end: number): void {
    const { bytes, functions } = this
    const row = functions.reserve(5)
    const at = functions.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let id = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08 || tag === 0x10 || tag === 0x18 || tag === 0x20) {
        let number = bytes[p++]
        if (!(number < 128)) {
          number = this.id(p - 1, end)
          p = this.pos
        }
        if (tag === 0x08) id = number
        else row[at + (tag >> 3) - 2] = number
      } else if (tag === 0x28) p = this.long(row, at + 3, p, end)
      else p = this.unknown(this.tag(p - 1, end), this.pos, end, 5)
    }
    if (p !== end) this.overrun(end)
    functions.length = at + 5
    this.functionIds.push(id)
  }

  private id(p: number, end: number): number {
    this.varint(p, end)
    return this.hi === 0 && this.lo >= 0 ? this.lo : this.columns.idOf(this.lo, this.hi)
  }
}

/** An error that lenient reading does not recover from: the file is intact, but it holds two profiles. */
export class SecondProfileError extends WireError {
  constructor(offset: number) {
    super(offset, 'a second profile begins in the same file')
  }
}
