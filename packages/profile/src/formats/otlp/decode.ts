// The hot reader: decodes OTLP profiles of v1.8 and later straight into columns. It is written by hand, because a reader with
// one object per message is 12 to 50 times slower and keeps a thousand times as many objects (see bench/). Each message has
// its own loop over a local position. Single-byte tags and varints, about 90 %, never leave it. Rows are written in place, in
// the column order and widths of model/columns/dictionary.ts and profiles.ts.
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { PROFILE_STRIDE, SAMPLE_STRIDE, SCOPE_STRIDE } from '../../model/columns/profiles.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import type { UnknownTable } from '../../model/columns/unknown-fields.ts'
import {
  FIRST_LINE_PART,
  OWN_PART,
  PERIOD_TYPE_PART,
  SAMPLE_TYPE_PART,
  VALUE_PART,
} from '../../model/columns/unknown-fields.ts'
import { isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { CommonChecker } from './check-common.ts'
import { Completion } from './complete.ts'
import { KeptFields } from './kept-fields.ts'

/** The generations that share this layout. `start` sets the field numbers in which they differ. */
export type CurrentGeneration = 'v1.8' | 'v1.9' | 'v1.11' | 'next'

export interface Decoded {
  readonly profiles: Profiles
  /** Number of fields that this generation of the format does not define. */
  readonly unknownFields: number
  /** Number of attributes of resources, scopes and nested values with both `key` and `key_strindex`, which OTLP forbids. */
  readonly keysTwice: number
  /** Whether the profiles have these fields. The fields of older generations are dropped. */
  readonly areUnknownFieldsKept: boolean
}

/** Scratch columns larger than this are not reused for the next payload. */
const MAX_REUSED_BYTES = 16 << 20

/** The rows of dictionaries from this size on are counted before they are read. */
const COUNT_FROM = 1 << 20

let spare: OtlpDecoder | undefined

/** Throws WireError. Does not check references. The result refers to `bytes` and keeps it alive. */
export function decodeOtlp(bytes: Uint8Array, from: number, to: number, generation: CurrentGeneration): Decoded {
  const decoder = spare ?? new OtlpDecoder()
  spare = undefined
  const decoded = decoder.decode(bytes, from, to, generation)
  // After an error the half-filled decoder is dropped.
  if (to - from < MAX_REUSED_BYTES) spare = decoder
  return decoded
}

class OtlpDecoder extends CommonChecker {
  private readonly draft = new ProfilesDraft()
  private complete = new Completion(this.draft, new Uint8Array(0))
  // The field numbers that differ between generations.
  private attributesField = 2
  private linkField = 3
  private valuesField = 4
  private profileShift = 0
  /** Only the numbers of the current generation mean the same when they are written again. */
  private keepsUnknown = true
  private readonly kept = new KeptFields()

  decode(bytes: Uint8Array, from: number, to: number, generation: CurrentGeneration): Decoded {
    this.start(bytes, generation)
    this.message(from, to)
    const all = this.complete.finish()
    this.kept.addTo(this.draft)
    const { unknownFields, keysTwice } = this
    return { profiles: this.draft.freeze(all), unknownFields, keysTwice, areUnknownFieldsKept: this.keepsUnknown }
  }

  private start(bytes: Uint8Array, generation: CurrentGeneration): void {
    this.over(bytes)
    this.keysTwice = 0
    this.complete = new Completion(this.draft, bytes)
    const current = generation === 'v1.11' || generation === 'next'
    this.keepsUnknown = current
    this.kept.clear()
    this.attributesField = current ? 2 : 3
    this.linkField = current ? 3 : 4
    this.valuesField = current ? 4 : 2
    this.profileShift = generation === 'v1.8' ? 1 : 0
  }

  private message(from: number, end: number): void {
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x0a || tag === 0x12) {
        const stop = this.lengthEnd(p, end)
        if (tag === 0x0a) this.container(this.pos, stop, true)
        else this.dictionary(this.pos, stop)
        p = stop
      } else p = this.unknownIn('self', 0, OWN_PART, tag, p, end, 2)
    }
    if (p !== end) this.overrun(end)
  }

  /** Reads ResourceProfiles or ScopeProfiles: a message about the container, its children, a schema URL. */
  private container(from: number, end: number, isResource: boolean): void {
    const { resources, scopes, profiles } = this.draft
    const rows = isResource ? resources : scopes
    let message = 0
    let messageEnd = 0
    let refers = false
    let url = 0
    let urlEnd = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x0a) {
        const stop = this.lengthEnd(p, end)
        p = this.pos
        if (isResource ? this.resource(p, stop) : this.scope(p, stop)) refers = true
        ;[message, messageEnd] = this.complete.joined(message, messageEnd, p, stop)
        p = stop
      } else if (tag === 0x12) {
        const stop = this.lengthEnd(p, end)
        if (isResource) this.container(this.pos, stop, false)
        else this.profile(this.pos, stop)
        p = stop
      } else if (tag === 0x1a) {
        urlEnd = this.text(p, end)
        url = this.pos
        p = urlEnd
      } else p = this.unknownIn(isResource ? 'resources' : 'scopes', rows.length / 5, OWN_PART, tag, p, end, 3)
    }
    if (p !== end) this.overrun(end)
    if (refers) (isResource ? this.complete.resourceRows : this.complete.scopeRows).push(rows.length)
    const children = isResource ? scopes.length / SCOPE_STRIDE : profiles.length / PROFILE_STRIDE
    this.pushMessageRow(rows, message, messageEnd, url, urlEnd, children)
  }

  private pushMessageRow(
    rows: GrowingInts,
    message: number,
    messageEnd: number,
    url: number,
    urlEnd: number,
    children: number,
  ): void {
    const array = rows.reserve(5)
    const at = rows.length
    array[at] = message
    array[at + 1] = messageEnd - message
    array[at + 2] = url
    array[at + 3] = urlEnd - url
    array[at + 4] = children
    rows.length = at + 5
  }

  private profile(from: number, end: number): void {
    const { profiles, profileAttributes, samples } = this.draft
    // No other profile is pushed in the meantime, so the row can be filled in place.
    const row = profiles.reserve(19)
    const at = profiles.length
    row.fill(0, at, at + 19)
    profiles.length = at + 19
    const shift = this.profileShift
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      const field = tag >>> 3
      if (tag === 0x12) {
        const stop = this.lengthEnd(p, end)
        this.sample(this.pos, stop)
        p = stop
      } else if (shift === 1 && field === 7) p = this.comments(tag, p, end)
      else p = this.profileField(tag - (field > 6 ? shift << 3 : 0), row, at, p, end)
    }
    if (p !== end) this.overrun(end)
    this.complete.endProfile()
    row[at + 17] = samples.length / 5
    row[at + 18] = profileAttributes.length
  }

  private profileField(tag: number, row: Int32Array, at: number, p: number, end: number): number {
    switch (tag) {
      case 0x0a:
        return this.valueType(row, at, at, p, end)
      case 0x19:
        return this.fixed64(row, at + 4, p, end)
      case 0x20:
        return this.long(row, at + 6, p, end)
      case 0x2a:
        return this.valueType(row, at + 2, at, p, end)
      case 0x30:
        return this.long(row, at + 8, p, end)
      case 0x3a:
        return this.range(row, at + 10, p, end)
      case 0x40:
        this.varint(p, end)
        row[at + 16] = this.lo
        return this.pos
      case 0x4a: {
        const stop = this.text(p, end)
        row[at + 12] = this.pos
        row[at + 13] = stop - this.pos
        return stop
      }
      case 0x52:
        return this.range(row, at + 14, p, end)
      case 0x5a:
        return this.packed(this.draft.profileAttributes, p, end)
      case 0x58:
        return this.pushIndex(this.draft.profileAttributes, p, end)
      default:
        return this.unknownIn('profiles', at / PROFILE_STRIDE, OWN_PART, tag, p, end, 11)
    }
  }

  /** `at` is the position of the type's columns, `profile` that of the profile's row. */
  private valueType(row: Int32Array, at: number, profile: number, from: number, outer: number): number {
    const isSampleType = at === profile
    const part = isSampleType ? SAMPLE_TYPE_PART : PERIOD_TYPE_PART
    const end = this.lengthEnd(from, outer)
    let p = this.pos
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.index(p, end)
      else if (tag === 0x10) row[at + 1] = this.index(p, end)
      else if (tag === 0x18 && this.profileShift === 1) {
        const temporality = this.index(p, end)
        if (isSampleType) this.complete.temporality = temporality
      } else {
        const known = 2 + this.profileShift
        this.pos = this.unknownIn('profiles', profile / PROFILE_STRIDE, part, tag, p, end, known)
      }
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    return end
  }

  private comments(tag: number, p: number, end: number): number {
    const { comments } = this.complete
    if (tag === 0x3a) return this.packed(comments, p, end)
    if (tag === 0x38) return this.pushIndex(comments, p, end)
    return this.unknown(tag, p, end, 7)
  }

  private sample(from: number, end: number): void {
    const bytes = this.bytes
    const { samples, sampleAttributes, values, timestamps } = this.draft
    const attributesTag = (this.attributesField << 3) | 2
    const linkTag = this.linkField << 3
    const valuesTag = (this.valuesField << 3) | 2
    let stack = 0
    let link = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08) {
        stack = bytes[p++]
        if (!(stack < 128)) {
          stack = this.index(p - 1, end)
          p = this.pos
        }
      } else if (tag === attributesTag) p = this.packed(sampleAttributes, p, end)
      else if (tag === valuesTag) p = this.packedLongs(values, p, end)
      else if (tag === 0x2a) p = this.packedFixed64(timestamps, p, end)
      else if (tag === linkTag) {
        link = this.index(p, end)
        p = this.pos
      } else p = this.sampleRest(p - 1, end)
    }
    if (p !== end) this.overrun(end)
    const row = samples.reserve(5)
    const at = samples.length
    row[at] = stack
    row[at + 1] = link
    row[at + 2] = sampleAttributes.length
    row[at + 3] = values.length >> 1
    row[at + 4] = timestamps.length >> 1
    samples.length = at + 5
  }

  /** Reads lists that are not packed and skips unknown fields. */
  private sampleRest(from: number, end: number): number {
    const tag = this.tag(from, end)
    const p = this.pos
    const { sampleAttributes, values, timestamps } = this.draft
    if (tag === this.attributesField << 3) return this.pushIndex(sampleAttributes, p, end)
    if (tag === this.valuesField << 3) {
      this.varint(p, end)
      values.push(this.lo)
      values.push(this.hi)
      return this.pos
    }
    if (tag === 0x29) {
      timestamps.reserve(2)
      const at = timestamps.length
      timestamps.length = at + 2
      return this.fixed64(timestamps.array, at, p, end)
    }
    return this.unknownIn('samples', this.draft.samples.length / SAMPLE_STRIDE, OWN_PART, tag, p, end, 5)
  }

  private dictionary(from: number, end: number): void {
    if (end - from >= COUNT_FROM) this.reserveDictionary(from, end)
    const bytes = this.bytes
    const { strings } = this.draft
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if ((tag & 7) !== 2 || tag < 0x0a || tag > 0x3a) {
        p = this.unknownInDictionary('self', 0, this.tag(p - 1, end), this.pos, end, 7)
        continue
      }
      let stop = p + 1 + bytes[p]
      // Lengths of a single byte stay in this loop.
      if (bytes[p] < 128 && stop <= end) p++
      else {
        stop = this.lengthEnd(p, end)
        p = this.pos
      }
      switch (tag) {
        case 0x2a: {
          if (!isUtf8(bytes, p, stop)) throw new WireError(p, 'string is not valid UTF-8')
          const row = strings.reserve(2)
          const at = strings.length
          row[at] = p
          row[at + 1] = stop - p
          strings.length = at + 2
          break
        }
        case 0x12:
          this.location(p, stop)
          break
        case 0x3a:
          this.stack(p, stop)
          break
        case 0x1a:
          this.function(p, stop)
          break
        case 0x0a:
          this.mapping(p, stop)
          break
        case 0x22:
          this.link(p, stop)
          break
        case 0x32:
          this.attribute(p, stop)
          break
      }
      p = stop
    }
    if (p !== end) this.overrun(end)
  }

  /**
   * Counts the rows of each table by walking the lengths and reserves their columns. Growing by doubling took a sixth of the
   * time at 18 MB, and leaves arrays up to twice too large.
   */
  private reserveDictionary(from: number, end: number): void {
    const { draft } = this
    const rows = new Int32Array(8)
    let stackBytes = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      // The loop that reads reports unexpected fields.
      if ((tag & 7) !== 2 || tag > 0x3a) break
      const stop = this.lengthEnd(this.pos, end)
      rows[tag >> 3]++
      if (tag === 0x3a) stackBytes += stop - this.pos
      p = stop
    }
    draft.mappings.reserve(rows[1] * 8)
    draft.locations.reserve(rows[2] * 5)
    draft.lines.reserve(rows[2] * 5)
    draft.functions.reserve(rows[3] * 5)
    draft.links.reserve(rows[4] * 4)
    draft.strings.reserve(rows[5] * 2)
    draft.attributes.reserve(rows[6] * 5)
    draft.stacks.reserve(rows[7])
    // An index takes at least one byte, so the stacks' bytes are enough room.
    draft.stackLocations.reserve(stackBytes)
  }

  private stack(from: number, end: number): void {
    const { stacks, stackLocations } = this.draft
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      if (tag === 0x0a) p = this.packed(stackLocations, this.pos, end)
      else if (tag === 0x08) p = this.pushIndex(stackLocations, this.pos, end)
      else p = this.unknownInDictionary('stacks', stacks.length, tag, this.pos, end, 1)
    }
    if (p !== end) this.overrun(end)
    stacks.push(stackLocations.length)
  }

  private function(from: number, end: number): void {
    const bytes = this.bytes
    const { functions } = this.draft
    const row = functions.reserve(5)
    const at = functions.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08 || tag === 0x10 || tag === 0x18) {
        let index = bytes[p++]
        if (!(index < 128)) {
          index = this.index(p - 1, end)
          p = this.pos
        }
        row[at + (tag >> 3) - 1] = index
      } else if (tag === 0x20) p = this.long(row, at + 3, p, end)
      else p = this.unknownInDictionary('functions', at / 5, this.tag(p - 1, end), this.pos, end, 4)
    }
    if (p !== end) this.overrun(end)
    functions.length = at + 5
  }

  private location(from: number, end: number): void {
    const bytes = this.bytes
    const { locations, lines, locationAttributes } = this.draft
    const row = locations.reserve(5)
    const at = locations.length
    row[at] = row[at + 1] = row[at + 2] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x1a) {
        const stop = this.lengthEnd(p, end)
        this.line(this.pos, stop, at / 5)
        p = stop
      } else if (tag === 0x10) p = this.long(row, at + 1, p, end)
      else if (tag === 0x08) {
        row[at] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x22) p = this.packed(locationAttributes, p, end)
      else if (tag === 0x20) p = this.pushIndex(locationAttributes, p, end)
      else p = this.unknownInDictionary('locations', at / 5, this.tag(p - 1, end), this.pos, end, 4)
    }
    if (p !== end) this.overrun(end)
    row[at + 3] = lines.length / 5
    row[at + 4] = locationAttributes.length
    locations.length = at + 5
  }

  private line(from: number, end: number, location: number): void {
    const bytes = this.bytes
    const { lines } = this.draft
    const row = lines.reserve(5)
    const at = lines.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = bytes[p++]
      if (tag === 0x08) {
        let index = bytes[p++]
        if (!(index < 128)) {
          index = this.index(p - 1, end)
          p = this.pos
        }
        row[at] = index
      } else if (tag === 0x10) p = this.long(row, at + 1, p, end)
      else if (tag === 0x18) p = this.long(row, at + 3, p, end)
      else p = this.unknownInLine(location, at / 5, this.tag(p - 1, end), this.pos, end)
    }
    if (p !== end) this.overrun(end)
    lines.length = at + 5
  }

  private mapping(from: number, end: number): void {
    const { mappings, mappingAttributes } = this.draft
    const row = mappings.reserve(8)
    const at = mappings.length
    row.fill(0, at, at + 8)
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) p = this.long(row, at, p, end)
      else if (tag === 0x10) p = this.long(row, at + 2, p, end)
      else if (tag === 0x18) p = this.long(row, at + 4, p, end)
      else if (tag === 0x20) {
        row[at + 6] = this.index(p, end)
        p = this.pos
      } else if (tag === 0x2a) p = this.packed(mappingAttributes, p, end)
      else if (tag === 0x28) p = this.pushIndex(mappingAttributes, p, end)
      else p = this.unknownInDictionary('mappings', at / 8, tag, p, end, 5)
    }
    if (p !== end) this.overrun(end)
    row[at + 7] = mappingAttributes.length
    mappings.length = at + 8
  }

  private link(from: number, end: number): void {
    const { links } = this.draft
    const row = links.reserve(4)
    const at = links.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      if (tag === 0x0a) p = this.range(row, at, this.pos, end)
      else if (tag === 0x12) p = this.range(row, at + 2, this.pos, end)
      else p = this.unknownInDictionary('links', at / 4, tag, this.pos, end, 2)
    }
    if (p !== end) this.overrun(end)
    links.length = at + 4
  }

  private attribute(from: number, end: number): void {
    const { attributes } = this.draft
    const row = attributes.reserve(5)
    const at = attributes.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    let p = from
    while (p < end) {
      const tag = this.tag(p, end)
      p = this.pos
      if (tag === 0x08) row[at] = this.index(p, end)
      else if (tag === 0x18) row[at + 1] = this.index(p, end)
      else if (tag === 0x12) {
        const stop = this.lengthEnd(p, end)
        if (this.attributeValue(this.pos, stop, row, at + 2)) this.complete.attributeRows.push(at)
        this.pos = stop
      } else this.pos = this.unknownInDictionary('attributes', at / 5, tag, p, end, 3)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    attributes.length = at + 5
  }

  /** Skips an undefined field and keeps it with the part of a row. */
  private unknownIn(
    table: UnknownTable,
    row: number,
    part: number,
    tag: number,
    p: number,
    end: number,
    known: number,
  ): number {
    const stop = this.unknown(tag, p, end, known)
    if (this.keepsUnknown) this.kept.add(false, table, row, part, tag, this.bytes.subarray(p, stop))
    return stop
  }

  private unknownInDictionary(
    table: UnknownTable,
    row: number,
    tag: number,
    p: number,
    end: number,
    known: number,
    part: number = OWN_PART,
  ): number {
    const stop = this.unknown(tag, p, end, known)
    if (this.keepsUnknown) this.kept.add(true, table, row, part, tag, this.bytes.subarray(p, stop))
    return stop
  }

  private unknownInLine(location: number, line: number, tag: number, p: number, end: number): number {
    const { locations } = this.draft
    const first = location === 0 ? 0 : locations.array[location * 5 - 2]
    return this.unknownInDictionary('locations', location, tag, p, end, 3, FIRST_LINE_PART + line - first)
  }

  protected override unknownInValue(tag: number, p: number, end: number): number {
    return this.unknownInDictionary('attributes', this.draft.attributes.length / 5, tag, p, end, 8, VALUE_PART)
  }
}
