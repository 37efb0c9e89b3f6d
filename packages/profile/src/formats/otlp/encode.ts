// Writes profiles as OTLP v1.11 from their columns, back to front (see wire/protobuf/backward-writer.ts). Tables are written
// unchanged. Call `compact` first to remove duplicates and orphans.
import { ATTRIBUTE_STRIDE, LINE_STRIDE, ValueKind, isByteRange, isUnsetLink } from '../../model/columns/dictionary.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import type { AttributeIndex, LinkIndex, LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { LongPool, Profiles } from '../../model/columns/profiles.ts'
import { EMPTY_PROFILES } from '../../model/columns/profiles-draft.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'
import {
  FIRST_LINE_PART,
  OWN_PART,
  PERIOD_TYPE_PART,
  SAMPLE_TYPE_PART,
  VALUE_PART,
  partOf,
} from '../../model/columns/unknown-fields.ts'
import { MemberFilter } from './json-members.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'

/** `onDroppedMembers` gets the number of members of JSON that protobuf cannot name, if there are any. */
export function encodeOtlp(profiles: Profiles, onDroppedMembers?: (count: number) => void): Uint8Array {
  const { bytes, droppedMembers } = encoder.encode(profiles)
  if (droppedMembers > 0) onDroppedMembers?.(droppedMembers)
  return bytes
}

class OtlpEncoder extends BackwardWriter {
  private profiles = EMPTY_PROFILES
  private filter = new MemberFilter()

  constructor() {
    super(0)
  }

  encode(profiles: Profiles): { readonly bytes: Uint8Array; readonly droppedMembers: number } {
    this.restart(estimate(profiles))
    this.profiles = profiles
    this.filter = new MemberFilter()
    try {
      return { bytes: this.write(), droppedMembers: this.filter.dropped }
    } finally {
      this.profiles = EMPTY_PROFILES
    }
  }

  private write(): Uint8Array {
    this.unknownFields(this.profiles.unknown?.self, 0)
    const mark = this.written
    this.dictionary(this.profiles.dictionary)
    this.messageHeader(0x12, mark)
    const { resources } = this.profiles
    for (let i = resources.length - 1; i >= 0; i--) this.resource(i)
    return this.finish()
  }

  private resource(i: number): void {
    const { resources, dictionary, unknown } = this.profiles
    const mark = this.written
    this.unknownFields(unknown?.resources, i)
    this.textRange(0x1a, resources.ints, resources.base + i * 5 + 2)
    for (let scope = resources.to(i) - 1; scope >= resources.from(i); scope--) this.scope(scope)
    const from = resources.messageOffset(i)
    const to = from + resources.messageLength(i)
    if (to > from) this.filteredField(0x0a, from, to, this.filter.resource(dictionary.bytes, from, to))
    this.messageHeader(0x0a, mark)
  }

  private scope(i: number): void {
    const { scopes, dictionary, unknown } = this.profiles
    const mark = this.written
    this.unknownFields(unknown?.scopes, i)
    this.textRange(0x1a, scopes.ints, scopes.base + i * 5 + 2)
    for (let profile = scopes.to(i) - 1; profile >= scopes.from(i); profile--) this.profile(profile)
    const from = scopes.messageOffset(i)
    const to = from + scopes.messageLength(i)
    if (to > from) this.filteredField(0x0a, from, to, this.filter.scope(dictionary.bytes, from, to))
    this.messageHeader(0x12, mark)
  }

  private profile(i: number): void {
    const { profiles } = this.profiles
    const { ints } = profiles
    const row = profiles.base + i * 19
    const mark = this.written
    const unknown = this.profiles.unknown?.profiles?.get(i)
    this.unknownPart(unknown, OWN_PART)
    const { attributes } = profiles
    this.packed(
      0x5a,
      attributes.ints,
      attributes.base + profiles.attributesFrom(i),
      attributes.base + profiles.attributesTo(i),
    )
    this.textRange(0x52, ints, row + ProfileColumn.payloadOffset)
    this.textRange(0x4a, ints, row + ProfileColumn.formatOffset)
    this.varint64Field(0x40, ints[row + ProfileColumn.droppedAttributes], 0)
    this.textRange(0x3a, ints, row + ProfileColumn.idOffset)
    this.varint64Field(0x30, ints[row + ProfileColumn.period], ints[row + ProfileColumn.period + 1])
    this.valueType(0x2a, row + ProfileColumn.periodType, unknown, PERIOD_TYPE_PART)
    this.varint64Field(0x20, ints[row + ProfileColumn.duration], ints[row + ProfileColumn.duration + 1])
    this.fixed64Field(0x19, ints[row + ProfileColumn.time], ints[row + ProfileColumn.time + 1])
    this.samples(profiles.samplesFrom(i), profiles.samplesTo(i))
    this.valueType(0x0a, row + ProfileColumn.type, unknown, SAMPLE_TYPE_PART)
    this.messageHeader(0x12, mark)
  }

  private valueType(tag: number, at: number, unknown: Uint8Array | undefined, part: number): void {
    const { ints } = this.profiles.profiles
    const mark = this.written
    this.unknownPart(unknown, part)
    this.varint32Field(0x10, ints[at + 1])
    this.varint32Field(0x08, ints[at])
    if (this.written > mark) this.messageHeader(tag, mark)
  }

  private samples(from: number, to: number): void {
    const { ints, base, attributes, values, timestamps } = this.profiles.samples
    const unknown = this.profiles.unknown?.samples
    for (let i = to - 1; i >= from; i--) {
      const row = base + i * 5
      const mark = this.written
      const first = i === 0
      if (unknown !== undefined) this.unknownFields(unknown, i)
      this.packedFixed64(0x2a, timestamps, first ? 0 : ints[row - 1], ints[row + 4])
      this.packedLongs(0x22, values, first ? 0 : ints[row - 2], ints[row + 3])
      this.varint32Field(0x18, ints[row + 1])
      this.packed(0x12, attributes.ints, attributes.base + (first ? 0 : ints[row - 3]), attributes.base + ints[row + 2])
      this.varint32Field(0x08, ints[row])
      this.messageHeader(0x12, mark)
    }
  }

  private dictionary(dictionary: Dictionary): void {
    this.unknownFields(dictionary.unknown?.self, 0)
    this.stacks(dictionary)
    this.attributes(dictionary)
    this.strings(dictionary)
    this.links(dictionary)
    this.functions(dictionary)
    this.locations(dictionary)
    this.mappings(dictionary)
  }

  private stacks({ stacks, unknown }: Dictionary): void {
    const { locations } = stacks
    for (let i = stacks.length - 1; i >= 0; i--) {
      const mark = this.written
      if (unknown !== undefined) this.unknownFields(unknown.stacks, i)
      const from = i === 0 ? 0 : stacks.ints[stacks.base + i - 1]
      this.packed(0x0a, locations.ints, locations.base + from, locations.base + stacks.ints[stacks.base + i])
      this.messageHeader(0x3a, mark)
    }
  }

  private strings({ strings, bytes }: Dictionary): void {
    const { ints, base } = strings
    for (let i = strings.length - 1; i >= 0; i--) {
      const offset = ints[base + 2 * i]
      this.bytesField(0x2a, bytes, offset, offset + ints[base + 2 * i + 1])
    }
  }

  private functions({ functions, unknown }: Dictionary): void {
    const { ints, base } = functions
    for (let i = functions.length - 1; i >= 0; i--) {
      const row = base + i * 5
      const mark = this.written
      if (unknown !== undefined) this.unknownFields(unknown.functions, i)
      this.varint64Field(0x20, ints[row + 3], ints[row + 4])
      this.varint32Field(0x18, ints[row + 2])
      this.varint32Field(0x10, ints[row + 1])
      this.varint32Field(0x08, ints[row])
      this.messageHeader(0x1a, mark)
    }
  }

  private locations({ locations, unknown }: Dictionary): void {
    const { ints, base, lines, attributes } = locations
    for (let i = locations.length - 1; i >= 0; i--) {
      const row = base + i * 5
      const mark = this.written
      const fields = unknown?.locations?.get(i)
      this.unknownPart(fields, OWN_PART)
      const attributesFrom = attributes.base + locations.attributesFrom(i as LocationIndex)
      this.packed(0x22, attributes.ints, attributesFrom, attributes.base + ints[row + 4])
      const linesFrom = locations.linesFrom(i as LocationIndex)
      for (let k = ints[row + 3] - 1; k >= linesFrom; k--) {
        this.line(lines.ints, lines.base + k * LINE_STRIDE, fields, FIRST_LINE_PART + k - linesFrom)
      }
      this.varint64Field(0x10, ints[row + 1], ints[row + 2])
      this.varint32Field(0x08, ints[row])
      this.messageHeader(0x12, mark)
    }
  }

  private line(ints: Int32Array, at: number, unknown: Uint8Array | undefined, part: number): void {
    const mark = this.written
    this.unknownPart(unknown, part)
    this.varint64Field(0x18, ints[at + 3], ints[at + 4])
    this.varint64Field(0x10, ints[at + 1], ints[at + 2])
    this.varint32Field(0x08, ints[at])
    this.messageHeader(0x1a, mark)
  }

  private mappings({ mappings, unknown }: Dictionary): void {
    const { ints, base, attributes } = mappings
    for (let i = mappings.length - 1; i >= 0; i--) {
      const row = base + i * 8
      const mark = this.written
      if (unknown !== undefined) this.unknownFields(unknown.mappings, i)
      const attributesFrom = attributes.base + mappings.attributesFrom(i as MappingIndex)
      this.packed(0x2a, attributes.ints, attributesFrom, attributes.base + ints[row + 7])
      this.varint32Field(0x20, ints[row + 6])
      this.varint64Field(0x18, ints[row + 4], ints[row + 5])
      this.varint64Field(0x10, ints[row + 2], ints[row + 3])
      this.varint64Field(0x08, ints[row], ints[row + 1])
      this.messageHeader(0x0a, mark)
    }
  }

  private links({ links, bytes, unknown }: Dictionary): void {
    const { ints, base } = links
    for (let i = links.length - 1; i >= 0; i--) {
      const row = base + i * 4
      const mark = this.written
      if (unknown !== undefined) this.unknownFields(unknown.links, i)
      if (i > 0 || !isUnsetLink(links, 0 as LinkIndex)) {
        this.textRange(0x12, ints, row + 2, bytes)
        this.textRange(0x0a, ints, row, bytes)
      }
      this.messageHeader(0x22, mark)
    }
  }

  private attributes({ attributes, unknown }: Dictionary): void {
    const { ints, base } = attributes
    for (let i = attributes.length - 1; i >= 0; i--) {
      const row = base + i * ATTRIBUTE_STRIDE
      const mark = this.written
      const fields = unknown?.attributes?.get(i)
      this.unknownPart(fields, OWN_PART)
      this.varint32Field(0x18, ints[row + 1])
      const valueMark = this.written
      this.unknownPart(fields, VALUE_PART)
      this.attributeValue(attributes.kind(i as AttributeIndex), ints[row + 3], ints[row + 4])
      if (this.written > valueMark) this.messageHeader(0x12, valueMark)
      this.varint32Field(0x08, ints[row])
      this.messageHeader(0x32, mark)
    }
  }

  /** Writes the field of AnyValue for this kind. Fields of a oneof are written even if zero. */
  private attributeValue(kind: ValueKind, a: number, b: number): void {
    switch (kind) {
      case ValueKind.empty:
        return
      case ValueKind.bool:
      case ValueKind.int:
        this.reserve(16)
        this.rawVarint64(a, b)
        this.rawVarint32(kind << 3)
        return
      case ValueKind.double:
        this.reserve(16)
        this.rawFixed64(a, b)
        this.rawVarint32(0x21)
        return
      case ValueKind.array:
      case ValueKind.keyValues:
        this.filteredField(
          (kind << 3) | 2,
          a,
          a + b,
          this.filter.nested(this.profiles.dictionary.bytes, kind, a, a + b),
        )
        return
      case ValueKind.string:
      case ValueKind.bytes:
        this.bytesField((kind << 3) | 2, this.profiles.dictionary.bytes, a, a + b)
    }
  }

  private unknownFields(rows: ReadonlyMap<number, Uint8Array> | undefined, row: number): void {
    if (rows !== undefined) this.unknownPart(rows.get(row), OWN_PART)
  }

  private unknownPart(fields: Uint8Array | undefined, part: number): void {
    if (fields === undefined) return
    const bytes = this.filter.fields(partOf(fields, part))
    this.raw(bytes, 0, bytes.length)
  }

  /** Writes `filtered`, or else the range of the dictionary's bytes. */
  private filteredField(tag: number, from: number, to: number, filtered: Uint8Array | undefined): void {
    if (filtered === undefined) this.bytesField(tag, this.profiles.dictionary.bytes, from, to)
    else this.bytesField(tag, filtered, 0, filtered.length)
  }

  /** Writes a byte range given as offset and length at `at`. Omits empty ranges. */
  private textRange(tag: number, ints: Int32Array, at: number, bytes = this.profiles.dictionary.bytes): void {
    if (ints[at + 1] > 0) this.bytesField(tag, bytes, ints[at], ints[at] + ints[at + 1])
  }

  private packed(tag: number, ints: Int32Array, from: number, to: number): void {
    if (from === to) return
    this.reserve((to - from) * 5 + 16)
    const { bytes } = this
    const mark = this.written
    let p = this.pos
    for (let k = to - 1; k >= from; k--) {
      const value = ints[k]
      if (value < 128) bytes[--p] = value
      else if (value < 16384) {
        bytes[--p] = value >> 7
        bytes[--p] = (value & 127) | 128
      } else {
        this.pos = p
        this.rawVarint32(value)
        p = this.pos
      }
    }
    this.pos = p
    this.messageHeader(tag, mark)
  }

  private packedLongs(tag: number, pool: LongPool, from: number, to: number): void {
    if (from === to) return
    this.reserve((to - from) * 10 + 16)
    const { ints, base } = pool
    const mark = this.written
    for (let k = to - 1; k >= from; k--) this.rawVarint64(ints[base + 2 * k], ints[base + 2 * k + 1])
    this.messageHeader(tag, mark)
  }

  private packedFixed64(tag: number, pool: LongPool, from: number, to: number): void {
    if (from === to) return
    this.reserve((to - from) * 8 + 16)
    const { ints, base } = pool
    const mark = this.written
    for (let k = to - 1; k >= from; k--) this.rawFixed64(ints[base + 2 * k], ints[base + 2 * k + 1])
    this.messageHeader(tag, mark)
  }
}

/**
 * One encoder for all calls. If a garbage collection finds no live object of a class, the engine discards its compiled code,
 * and encoding takes ten times as long afterwards.
 */
const encoder = new OtlpEncoder()

/** Estimates the size of the output. An estimate that is too low costs one copy. */
function estimate({ dictionary, resources, scopes, samples, profiles }: Profiles): number {
  const { strings, functions, locations, stacks, links, attributes, mappings } = dictionary
  let bytes = 1024
  for (let i = 0; i < strings.length; i++) bytes += strings.ints[strings.base + 2 * i + 1] + 3
  for (let i = 0; i < attributes.length; i++) {
    const row = attributes.base + i * ATTRIBUTE_STRIDE
    bytes += 16 + (isByteRange(attributes.ints[row + 2]) ? attributes.ints[row + 4] : 8)
  }
  for (let i = 0; i < resources.length; i++) bytes += 32 + resources.messageLength(i)
  for (let i = 0; i < scopes.length; i++) bytes += 32 + scopes.messageLength(i)
  for (let i = 0; i < profiles.length; i++) bytes += 80 + profiles.column(i, ProfileColumn.payloadLength)
  bytes += functions.length * 16 + locations.length * 16 + locations.lines.length * 10 + locations.attributes.length * 2
  bytes += stacks.length * 6 + stacks.locations.length * 2 + links.length * 32 + mappings.length * 40
  bytes +=
    samples.length * 12 + samples.attributes.length * 2 + samples.values.length * 5 + samples.timestamps.length * 8
  return bytes
}
