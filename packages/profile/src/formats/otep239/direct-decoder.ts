// Decodes the messages of OTEP 0239 straight into columns, like the readers of OTLP and pprof: each message has its own loop over a
// local position. References are the file's indexes; direct-reader.ts turns them into rows. Everything that is rare or broken
// throws UNUSUAL or another WireError, and the general reader (read.ts) reads the file instead.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import { isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { CommonChecker } from '../otlp/check-common.ts'

/** Thrown for files that the general reader reads. */
export const UNUSUAL = new WireError(0, 'the file is not read directly')

/** Columns of a decoded sample: start and length of its slice, link, ends of its locations, attributes, values and times. */
export const DECODED_SAMPLE = 7

/** Columns of a decoded type: type, unit, temporality. */
export const DECODED_TYPE = 3

/** Attributes of locations and mappings that stand for fields are negative numbers until they are resolved. */
export const FOLDED = -1
/** Minus the number of the flag: 0 to 3. */
export const FIRST_FLAG = -2
/** Minus twice the index of a string, the type of a location or the build id of a mapping. Another 1 less for a binary's hash. */
export const FIRST_TEXT = -16

/** Receives each container when its messages are decoded. */
export interface ContainerReceiver {
  openResource(message: number, length: number, url: number, urlLength: number): void
  openScope(message: number, length: number, url: number, urlLength: number): void
  container(): void
}

export class DirectDecoder extends CommonChecker {
  readonly draft = new ProfilesDraft()

  // The container that is being decoded.
  /** Start and end time, time, duration and period of the profile, two halves each. */
  readonly times = new Int32Array(10)
  /** Offset and length of the id, the format of the payload and the payload. */
  readonly ranges = new Int32Array(6)
  /** Byte ranges of the attributes. */
  readonly ownAttributes = new GrowingInts()
  droppedAttributes = 0
  readonly types = new GrowingInts()
  readonly periodType = new Int32Array(DECODED_TYPE)
  readonly comments = new GrowingInts()
  dropFrames = 0
  keepFrames = 0
  defaultType = 0
  readonly samples = new GrowingInts()
  readonly values = new GrowingInts()
  readonly timestamps = new GrowingInts()
  readonly sampleAttributes = new GrowingInts()
  /** The locations that samples list, and the slices' common list. */
  readonly listed = new GrowingInts()
  readonly indices = new GrowingInts()
  /** Pairs of strings: the key and its unit. */
  readonly units = new GrowingInts()
  /** The byte range of each attribute's key. */
  readonly keys = new GrowingInts()
  #receiver: ContainerReceiver | undefined

  /** Throws WireError. Does not check references. */
  decode(bytes: Uint8Array, receiver: ContainerReceiver): void {
    this.over(bytes)
    this.#receiver = receiver
    for (let p = 0; p < bytes.length;) {
      if (this.tag(p, bytes.length) !== 0x0a) throw UNUSUAL
      const stop = this.lengthEnd(this.pos, bytes.length)
      this.#envelope(this.pos, stop, true)
      p = stop
    }
    if (this.unknownFields > 0) throw UNUSUAL
  }

  /** Drops the references to the file so that it can be collected. */
  release(): void {
    this.over(new Uint8Array(0))
    this.#receiver = undefined
    this.draft.clear()
  }

  /** Decodes ResourceProfiles or ScopeProfiles. The message about the envelope is read before its children. */
  #envelope(from: number, end: number, isResource: boolean): void {
    let message = 0
    let length = 0
    let url = 0
    let urlLength = 0
    for (let p = from; p < end;) {
      const tag = this.tag(p, end)
      const start = this.pos
      const stop = this.lengthEnd(start, end)
      if (tag === 0x0a) {
        if (message !== 0) throw UNUSUAL
        message = this.pos
        length = stop - message
        if (isResource ? this.resource(message, stop) : this.scope(message, stop)) throw UNUSUAL
      } else if (tag === 0x1a) {
        this.text(start, end)
        url = this.pos
        urlLength = stop - url
      } else if (tag !== 0x12) throw UNUSUAL
      p = stop
    }
    if (isResource) this.#receiver!.openResource(message, length, url, urlLength)
    else this.#receiver!.openScope(message, length, url, urlLength)
    for (let p = from; p < end;) {
      const tag = this.tag(p, end)
      const stop = this.lengthEnd(this.pos, end)
      if (tag === 0x12) {
        if (isResource) this.#envelope(this.pos, stop, false)
        else this.#container(this.pos, stop)
      }
      p = stop
    }
  }

  #container(from: number, end: number): void {
    this.times.fill(0)
    this.ranges.fill(0)
    this.ownAttributes.length = this.droppedAttributes = 0
    let hasProfile = false
    for (let p = from; p < end;) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x11) p = this.fixed64(this.times, 0, p, end)
      else if (tag === 0x19) p = this.fixed64(this.times, 2, p, end)
      else if (tag === 0x28) {
        this.varint(p, end)
        this.droppedAttributes = this.lo
        p = this.pos
      } else if (tag === 0x0a) p = this.range(this.ranges, 0, p, end)
      else if (tag === 0x32) {
        this.text(p, end)
        p = this.range(this.ranges, 2, p, end)
      } else if (tag === 0x3a) p = this.range(this.ranges, 4, p, end)
      else {
        const stop = this.lengthEnd(p, end)
        if (tag === 0x22) {
          this.ownAttributes.push(this.pos)
          this.ownAttributes.push(stop)
        } else if (tag === 0x42 && !hasProfile) {
          hasProfile = true
          this.#profile(this.pos, stop)
        } else throw UNUSUAL
        p = stop
      }
    }
    if (!hasProfile) throw UNUSUAL
    this.#receiver!.container()
  }

  #openProfile(): void {
    for (const column of [this.types, this.comments, this.samples, this.values, this.timestamps]) column.length = 0
    for (const column of [this.sampleAttributes, this.listed, this.indices, this.units, this.keys]) column.length = 0
    this.periodType.fill(0)
    this.dropFrames = this.keepFrames = this.defaultType = 0
  }

  #profile(from: number, end: number): void {
    this.#openProfile()
    const { bytes } = this
    const { strings } = this.draft
    let p = from
    while (p < end) {
      const start = p
      const tag = bytes[p++]
      if ((tag & 7) !== 2 || tag > 0x32) {
        p = this.#profileField(start, end)
        continue
      }
      let stop = p + 1 + bytes[p]
      // Single-byte lengths are decoded inline.
      if (bytes[p] < 128 && stop <= end) p++
      else {
        stop = this.lengthEnd(p, end)
        p = this.pos
      }
      if (tag === 0x32) {
        if (!isUtf8(bytes, p, stop)) throw UNUSUAL
        const row = strings.reserve(2)
        const at = strings.length
        row[at] = p
        row[at + 1] = stop - p
        strings.length = at + 2
      } else if (tag === 0x12) this.#sample(p, stop)
      else if (tag === 0x22) this.#location(p, stop)
      else if (tag === 0x2a) this.#function(p, stop)
      else if (tag === 0x1a) this.#mapping(p, stop)
      else if (tag === 0x0a) {
        const row = this.types.reserve(DECODED_TYPE)
        this.#valueType(row, this.types.length, p, stop)
        this.types.length += DECODED_TYPE
      } else throw UNUSUAL
      p = stop
    }
    if (p !== end) throw UNUSUAL
  }

  /** Decodes a field that occurs once, or a table that few profiles have. */
  #profileField(from: number, end: number): number {
    const tag = this.tag(from, end)
    const p = this.pos
    switch (tag) {
      case 0x38:
        this.dropFrames = this.index(p, end)
        return this.pos
      case 0x40:
        this.keepFrames = this.index(p, end)
        return this.pos
      case 0x48:
        return this.long(this.times, 4, p, end)
      case 0x50:
        return this.long(this.times, 6, p, end)
      case 0x5a: {
        const stop = this.lengthEnd(p, end)
        this.#valueType(this.periodType, 0, this.pos, stop)
        return stop
      }
      case 0x60:
        return this.long(this.times, 8, p, end)
      case 0x6a:
        return this.packed(this.comments, p, end)
      case 0x70:
        this.defaultType = this.index(p, end)
        return this.pos
      case 0x7a:
        return this.packed(this.indices, p, end)
      default: {
        const stop = this.lengthEnd(p, end)
        if (tag === 0x82) this.attribute(this.pos, stop)
        else if (tag === 0x8a) this.#unit(this.pos, stop)
        else if (tag === 0x92) this.#link(this.pos, stop)
        else throw UNUSUAL
        return stop
      }
    }
  }

  #valueType(row: Int32Array, at: number, from: number, end: number): void {
    row[at] = row[at + 1] = row[at + 2] = 0
    for (let p = from; p < end; p = this.pos) {
      const tag = this.tag(p, end)
      if (tag !== 0x08 && tag !== 0x10 && tag !== 0x18) throw UNUSUAL
      row[at + (tag >> 3) - 1] = this.index(this.pos, end)
    }
  }

  #unit(from: number, end: number): void {
    const row = this.units.reserve(2)
    const at = this.units.length
    row[at] = row[at + 1] = 0
    for (let p = from; p < end; p = this.pos) {
      const tag = this.tag(p, end)
      if (tag !== 0x08 && tag !== 0x10) throw UNUSUAL
      row[at + (tag >> 3) - 1] = this.index(this.pos, end)
    }
    this.units.length = at + 2
  }

  #sample(from: number, end: number): void {
    const { bytes, samples, values, listed, sampleAttributes, timestamps } = this
    const row = samples.reserve(DECODED_SAMPLE)
    const at = samples.length
    row[at] = row[at + 1] = row[at + 2] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x0a) p = this.packed(listed, p, end)
      else if (tag === 0x12) p = this.packedLongs(values, p, end)
      else if (tag === 0x38 || tag === 0x40) {
        row[at + (tag >> 3) - 7] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x52) p = this.packed(sampleAttributes, p, end)
      else if (tag === 0x60) {
        row[at + 2] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x6a) p = this.packedLongs(timestamps, p, end)
      else throw UNUSUAL
    }
    if (p !== end) throw UNUSUAL
    row[at + 3] = listed.length
    row[at + 4] = sampleAttributes.length
    row[at + 5] = values.length >> 1
    row[at + 6] = timestamps.length >> 1
    samples.length = at + DECODED_SAMPLE
  }

  #location(from: number, end: number): void {
    const { bytes } = this
    const { locations, lines, locationAttributes } = this.draft
    const row = locations.reserve(5)
    const at = locations.length
    row[at] = row[at + 1] = row[at + 2] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x22) {
        const stop = this.lengthEnd(p, end)
        this.#line(this.pos, stop)
        p = stop
      } else if (tag === 0x18) p = this.long(row, at + 1, p, end)
      else if (tag === 0x3a) p = this.packed(locationAttributes, p, end)
      else if (tag === 0x08) p = this.skipVarint(p, end)
      else {
        const number = this.index(p, end)
        p = this.pos
        if (tag === 0x10) row[at] = number
        else if (tag === 0x30 && number > 0) locationAttributes.push(FIRST_TEXT - 2 * number)
        else if (tag === 0x28 && number === 1) locationAttributes.push(FOLDED)
        else throw UNUSUAL
      }
    }
    if (p !== end) throw UNUSUAL
    row[at + 3] = lines.length / 5
    row[at + 4] = locationAttributes.length
    locations.length = at + 5
  }

  #line(from: number, end: number): void {
    const { bytes } = this
    const { lines } = this.draft
    const row = lines.reserve(5)
    const at = lines.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08) {
        row[at] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x10) p = this.long(row, at + 1, p, end)
      else if (tag === 0x18) p = this.long(row, at + 3, p, end)
      else throw UNUSUAL
    }
    if (p !== end) throw UNUSUAL
    lines.length = at + 5
  }

  #function(from: number, end: number): void {
    const { bytes } = this
    const { functions } = this.draft
    const row = functions.reserve(5)
    const at = functions.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x10 || tag === 0x18 || tag === 0x20) {
        row[at + (tag >> 3) - 2] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x28) p = this.long(row, at + 3, p, end)
      else if (tag === 0x08) p = this.skipVarint(p, end)
      else throw UNUSUAL
    }
    if (p !== end) throw UNUSUAL
    functions.length = at + 5
  }

  #mapping(from: number, end: number): void {
    const { bytes } = this
    const { mappings, mappingAttributes } = this.draft
    const row = mappings.reserve(8)
    const at = mappings.length
    for (let k = 0; k < 7; k++) row[at + k] = 0
    let buildId = 0
    let kind = 0
    let flags = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08) p = this.skipVarint(p, end)
      else if (tag === 0x10 || tag === 0x18 || tag === 0x20) p = this.long(row, at + 2 * (tag >> 3) - 4, p, end)
      else if (tag === 0x62) p = this.packed(mappingAttributes, p, end)
      else {
        const number = this.index(p, end)
        p = this.pos
        if (tag === 0x28) row[at + 6] = number
        else if (tag === 0x30) buildId = number
        else if (tag >= 0x38 && tag <= 0x50 && (tag & 7) === 0 && number < 2) flags |= number << ((tag >> 3) - 7)
        else if (tag === 0x58 && number < 2) kind = number
        else throw UNUSUAL
      }
    }
    if (p !== end) throw UNUSUAL
    if (buildId > 0) mappingAttributes.push(FIRST_TEXT - 2 * buildId - kind)
    for (let flag = 0; flag < 4; flag++) if (((flags >> flag) & 1) === 1) mappingAttributes.push(FIRST_FLAG - flag)
    row[at + 7] = mappingAttributes.length
    mappings.length = at + 8
  }

  /** Decodes a KeyValue. Its key, which is not in the string table, becomes a string later. */
  attribute(from: number, end: number): void {
    const { attributes } = this.draft
    const row = attributes.reserve(5)
    const at = attributes.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let key = 0
    let keyLength = 0
    for (let p = from; p < end;) {
      const tag = this.tag(p, end)
      const start = this.pos
      const stop = this.lengthEnd(start, end)
      if (tag === 0x0a) {
        this.text(start, end)
        key = this.pos
        keyLength = stop - key
      } else if (tag !== 0x12 || row[at + 2] !== 0 || this.attributeValue(this.pos, stop, row, at + 2)) throw UNUSUAL
      p = stop
    }
    this.keys.push(key)
    this.keys.push(keyLength)
    attributes.length = at + 5
  }

  #link(from: number, end: number): void {
    const { links } = this.draft
    const row = links.reserve(4)
    const at = links.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = 0
    for (let p = from; p < end;) {
      const tag = this.tag(p, end)
      if (tag !== 0x0a && tag !== 0x12) throw UNUSUAL
      p = this.range(row, at + 2 * (tag >> 3) - 2, this.pos, end)
    }
    links.length = at + 4
  }
}
