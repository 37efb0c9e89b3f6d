// A set of profiles as frozen columns (OTLP's ProfilesData). Resources hold scopes, scopes hold profiles, profiles hold
// samples. Each level is one ordered table, and each row holds the running end of its children (see dictionary.ts).
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { Resource, Scope } from './any-value.ts'
import { decodeResource, decodeScope } from './any-value.ts'
import type { AttributeIndex, LinkIndex, StackIndex, StringIndex } from './brand.ts'
import type { Dictionary, Pool } from './dictionary.ts'
import { Table } from './dictionary.ts'
import { int64, uint64 } from './int64.ts'
import type { UnknownFields } from './unknown-fields.ts'

export const RESOURCE_STRIDE = 5
export const SCOPE_STRIDE = 5
export const PROFILE_STRIDE = 19
export const SAMPLE_STRIDE = 5

/** The columns of a profile's row. */
export const ProfileColumn = {
  type: 0,
  unit: 1,
  periodType: 2,
  periodUnit: 3,
  time: 4,
  duration: 6,
  period: 8,
  idOffset: 10,
  idLength: 11,
  formatOffset: 12,
  formatLength: 13,
  payloadOffset: 14,
  payloadLength: 15,
  droppedAttributes: 16,
  sampleEnd: 17,
  attributeEnd: 18,
} as const

/**
 * Columns: offset and length of the encoded Resource or InstrumentationScope, offset and length of the schema URL, end
 * of children.
 */
class MessageTable extends Table {
  readonly bytes: Uint8Array

  constructor(ints: Int32Array, base: number, length: number, bytes: Uint8Array) {
    super(ints, base, length)
    this.bytes = bytes
  }

  messageOffset(i: number): number {
    return this.ints[this.base + i * RESOURCE_STRIDE]
  }

  messageLength(i: number): number {
    return this.ints[this.base + i * RESOURCE_STRIDE + 1]
  }

  schemaUrl(i: number): string {
    const at = this.base + i * RESOURCE_STRIDE + 2
    return decodeUtf8(this.bytes, this.ints[at], this.ints[at] + this.ints[at + 1])
  }

  /** The first child of row i (a scope of a resource, a profile of a scope). */
  from(i: number): number {
    return i === 0 ? 0 : this.ints[this.base + i * RESOURCE_STRIDE - 1]
  }

  /** One past the last child of row i. */
  to(i: number): number {
    return this.ints[this.base + i * RESOURCE_STRIDE + 4]
  }
}

export class ResourceTable extends MessageTable {
  resource(i: number): Resource {
    const offset = this.messageOffset(i)
    return decodeResource(this.bytes, offset, offset + this.messageLength(i))
  }
}

export class ScopeTable extends MessageTable {
  scope(i: number): Scope {
    const offset = this.messageOffset(i)
    return decodeScope(this.bytes, offset, offset + this.messageLength(i))
  }
}

export class ProfileTable extends Table {
  readonly bytes: Uint8Array
  readonly attributes: Pool<AttributeIndex>

  constructor(ints: Int32Array, base: number, length: number, bytes: Uint8Array, attributes: Pool<AttributeIndex>) {
    super(ints, base, length)
    this.bytes = bytes
    this.attributes = attributes
  }

  type(i: number): StringIndex {
    return this.column(i, ProfileColumn.type) as StringIndex
  }

  unit(i: number): StringIndex {
    return this.column(i, ProfileColumn.unit) as StringIndex
  }

  periodType(i: number): StringIndex {
    return this.column(i, ProfileColumn.periodType) as StringIndex
  }

  periodUnit(i: number): StringIndex {
    return this.column(i, ProfileColumn.periodUnit) as StringIndex
  }

  time(i: number): bigint {
    return uint64(this.column(i, ProfileColumn.time), this.column(i, ProfileColumn.time + 1))
  }

  duration(i: number): bigint {
    return uint64(this.column(i, ProfileColumn.duration), this.column(i, ProfileColumn.duration + 1))
  }

  period(i: number): bigint {
    return int64(this.column(i, ProfileColumn.period), this.column(i, ProfileColumn.period + 1))
  }

  id(i: number): Uint8Array {
    return this.view(i, ProfileColumn.idOffset)
  }

  originalPayloadFormat(i: number): string {
    const offset = this.column(i, ProfileColumn.formatOffset)
    return decodeUtf8(this.bytes, offset, offset + this.column(i, ProfileColumn.formatLength))
  }

  originalPayload(i: number): Uint8Array {
    return this.view(i, ProfileColumn.payloadOffset)
  }

  droppedAttributes(i: number): number {
    return this.column(i, ProfileColumn.droppedAttributes) >>> 0
  }

  samplesFrom(i: number): number {
    return i === 0 ? 0 : this.column(i - 1, ProfileColumn.sampleEnd)
  }

  samplesTo(i: number): number {
    return this.column(i, ProfileColumn.sampleEnd)
  }

  attributesFrom(i: number): number {
    return i === 0 ? 0 : this.column(i - 1, ProfileColumn.attributeEnd)
  }

  attributesTo(i: number): number {
    return this.column(i, ProfileColumn.attributeEnd)
  }

  attributesOf(i: number): AttributeIndex[] {
    return this.attributes.slice(this.attributesFrom(i), this.attributesTo(i))
  }

  column(i: number, column: number): number {
    return this.ints[this.base + i * PROFILE_STRIDE + column]
  }

  private view(i: number, column: number): Uint8Array {
    const offset = this.column(i, column)
    return this.bytes.subarray(offset, offset + this.column(i, column + 1))
  }
}

/** 64-bit numbers as pairs of ints, with BigInt views over the same memory made on demand. */
export class LongPool extends Table {
  private signedView: BigInt64Array | undefined
  private unsignedView: BigUint64Array | undefined

  lo(k: number): number {
    return this.ints[this.base + 2 * k]
  }

  hi(k: number): number {
    return this.ints[this.base + 2 * k + 1]
  }

  /** All numbers of the pool; `length` counts 64-bit numbers. */
  signed(): BigInt64Array {
    return (this.signedView ??= new BigInt64Array(this.ints.buffer, this.byteOffset(), this.length))
  }

  unsigned(): BigUint64Array {
    return (this.unsignedView ??= new BigUint64Array(this.ints.buffer, this.byteOffset(), this.length))
  }

  private byteOffset(): number {
    return this.ints.byteOffset + this.base * 4
  }
}

/** Columns: stack, link, end of attributes, end of values, end of timestamps. */
export class SampleTable extends Table {
  readonly attributes: Pool<AttributeIndex>
  readonly values: LongPool
  readonly timestamps: LongPool

  constructor(
    ints: Int32Array,
    base: number,
    length: number,
    attributes: Pool<AttributeIndex>,
    values: LongPool,
    timestamps: LongPool,
  ) {
    super(ints, base, length)
    this.attributes = attributes
    this.values = values
    this.timestamps = timestamps
  }

  stack(i: number): StackIndex {
    return this.ints[this.base + i * SAMPLE_STRIDE] as StackIndex
  }

  link(i: number): LinkIndex {
    return this.ints[this.base + i * SAMPLE_STRIDE + 1] as LinkIndex
  }

  attributesFrom(i: number): number {
    return i === 0 ? 0 : this.ints[this.base + i * SAMPLE_STRIDE - 3]
  }

  attributesTo(i: number): number {
    return this.ints[this.base + i * SAMPLE_STRIDE + 2]
  }

  attributesOf(i: number): AttributeIndex[] {
    return this.attributes.slice(this.attributesFrom(i), this.attributesTo(i))
  }

  valuesFrom(i: number): number {
    return i === 0 ? 0 : this.ints[this.base + i * SAMPLE_STRIDE - 2]
  }

  valuesTo(i: number): number {
    return this.ints[this.base + i * SAMPLE_STRIDE + 3]
  }

  timestampsFrom(i: number): number {
    return i === 0 ? 0 : this.ints[this.base + i * SAMPLE_STRIDE - 1]
  }

  timestampsTo(i: number): number {
    return this.ints[this.base + i * SAMPLE_STRIDE + 4]
  }

  /** The number of observations of sample i: its timestamps, or its values if it has no timestamps. */
  observations(i: number): number {
    return Math.max(this.timestampsTo(i) - this.timestampsFrom(i), this.valuesTo(i) - this.valuesFrom(i))
  }

  /** The sum of sample i's values; without values, each timestamp counts 1. The sum is exact and may exceed 64 bits. */
  total(i: number): bigint {
    const from = this.valuesFrom(i)
    const to = this.valuesTo(i)
    if (from === to) return BigInt(this.timestampsTo(i) - this.timestampsFrom(i))
    const values = this.values.signed()
    let sum = values[from]
    for (let k = from + 1; k < to; k++) sum += values[k]
    return sum
  }
}

export interface Profiles {
  readonly dictionary: Dictionary
  readonly resources: ResourceTable
  readonly scopes: ScopeTable
  readonly profiles: ProfileTable
  readonly samples: SampleTable
  readonly unknown: UnknownFields | undefined
  /** Dictionary tables that lacked even their zero row, which the reader added. `validate` reports them. */
  readonly emptyTables: readonly string[]
  /** True after `compact`: no duplicates, no orphans, most-referenced entries first. */
  readonly compacted: boolean
}

/** Whether a message of the payload has fields that this version of the data format does not define. */
export function hasUnknownFields({ unknown, dictionary }: Profiles): boolean {
  return unknown !== undefined || dictionary.unknown !== undefined
}
