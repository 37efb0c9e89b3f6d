// Builds a set of profiles from scratch: resources, scopes, profiles and samples in order. Dictionary rows are interned
// on use. Used by the readers of other formats, by the agent and by tests.
//
//   const b = new ProfilesBuilder()
//   b.profile({ type: 'cpu', unit: 'nanoseconds' })
//   const main = b.location({ lines: [{ function: b.function({ name: 'main' }), line: 12 }] })
//   b.sample({ stack: b.stack([main]), values: [10_000_000n] })
//   const profiles = b.build()
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { AnyValue, Resource, Scope } from '../columns/any-value.ts'
import { encodeNested, encodeResource, encodeScope, halvesOfDouble, isKeyValueList } from '../columns/any-value.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../columns/brand.ts'
import { LINE_STRIDE, ValueKind } from '../columns/dictionary.ts'
import { DictionaryBuilder } from './dictionary-builder.ts'
import { MAX_UINT64, MIN_INT64, highHalf, lowHalf } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, RESOURCE_STRIDE, SAMPLE_STRIDE, SCOPE_STRIDE } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'

/** An integer. Plain numbers must be exact. */
export type Whole = bigint | number

export interface ProfileHeader {
  readonly type: string
  readonly unit: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: Whole
  readonly timeUnixNano?: Whole
  readonly durationNano?: Whole
  readonly id?: Uint8Array
  readonly droppedAttributesCount?: number
  readonly originalPayloadFormat?: string
  readonly originalPayload?: Uint8Array
  readonly attributes?: readonly AttributeIndex[]
}

export interface SampleContent {
  readonly stack: StackIndex
  readonly link?: LinkIndex
  readonly attributes?: readonly AttributeIndex[]
  readonly values?: ArrayLike<Whole>
  readonly timestamps?: ArrayLike<Whole>
}

export interface LineContent {
  readonly function: FunctionIndex
  readonly line?: Whole
  readonly column?: Whole
}

const NO_INTS = new Int32Array(0)

const STRIDES = {
  resources: RESOURCE_STRIDE,
  scopes: SCOPE_STRIDE,
  profiles: PROFILE_STRIDE,
  samples: SAMPLE_STRIDE,
} as const

export class ProfilesBuilder {
  readonly dictionary = new DictionaryBuilder()
  readonly draft = new ProfilesDraft()
  readonly #stringRows = new Map<string, StringIndex>()

  resource(resource: Partial<Resource> = {}, schemaUrl = ''): void {
    const message = encodeResource({ attributes: [], droppedAttributesCount: 0, entityRefs: [], ...resource })
    const url = encodeUtf8(schemaUrl)
    this.resourceBytes(message, 0, message.length, url, 0, url.length)
  }

  scope(scope: Partial<Scope> = {}, schemaUrl = ''): void {
    const message = encodeScope({ name: '', version: '', attributes: [], droppedAttributesCount: 0, ...scope })
    const url = encodeUtf8(schemaUrl)
    this.scopeBytes(message, 0, message.length, url, 0, url.length)
  }

  /** Opens a resource from the bytes of its message, in which references must be resolved. */
  resourceBytes(message: Uint8Array, from: number, to: number, url: Uint8Array, urlFrom: number, urlTo: number): void {
    const { resources, scopes } = this.draft
    this.#pushBytes(resources, message, from, to)
    this.#pushBytes(resources, url, urlFrom, urlTo)
    resources.push(scopes.length / SCOPE_STRIDE)
  }

  scopeBytes(message: Uint8Array, from: number, to: number, url: Uint8Array, urlFrom: number, urlTo: number): void {
    if (this.draft.resources.length === 0) this.resource()
    const { resources, scopes, profiles } = this.draft
    this.#pushBytes(scopes, message, from, to)
    this.#pushBytes(scopes, url, urlFrom, urlTo)
    scopes.push(profiles.length / PROFILE_STRIDE)
    resources.array[resources.length - 1] = scopes.length / SCOPE_STRIDE
  }

  profile(header: ProfileHeader): void {
    const { profiles } = this.draft
    const time = wholeInUint64(header.timeUnixNano ?? 0, 'timeUnixNano')
    const duration = wholeInUint64(header.durationNano ?? 0, 'durationNano')
    const period = wholeInInt64(header.period ?? 0, 'period')
    this.profileRow([
      this.string(header.type),
      this.string(header.unit),
      this.string(header.periodType ?? ''),
      this.string(header.periodUnit ?? ''),
      lowHalf(time),
      highHalf(time),
      lowHalf(duration),
      highHalf(duration),
      lowHalf(period),
      highHalf(period),
    ])
    const row = profiles.length - PROFILE_STRIDE
    this.#setBytes(row + ProfileColumn.idOffset, header.id ?? new Uint8Array(0))
    this.#setBytes(row + ProfileColumn.formatOffset, encodeUtf8(header.originalPayloadFormat ?? ''))
    this.#setBytes(row + ProfileColumn.payloadOffset, header.originalPayload ?? new Uint8Array(0))
    profiles.array[row + ProfileColumn.droppedAttributes] = header.droppedAttributesCount ?? 0
    for (const attribute of header.attributes ?? []) this.profileAttribute(attribute)
  }

  /** Opens a profile with the first columns of its row; the others are zero. */
  profileRow(columns: ArrayLike<number>): void {
    if (this.draft.scopes.length === 0) this.scope()
    const { scopes, profiles, samples, profileAttributes } = this.draft
    const array = profiles.reserve(PROFILE_STRIDE)
    const row = profiles.length
    array.fill(0, row, row + PROFILE_STRIDE)
    for (let i = 0; i < columns.length; i++) array[row + i] = columns[i]
    array[row + ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE
    array[row + ProfileColumn.attributeEnd] = profileAttributes.length
    profiles.length += PROFILE_STRIDE
    scopes.array[scopes.length - 1] = profiles.length / PROFILE_STRIDE
  }

  /** Adds an attribute to the profile opened last. */
  profileAttribute(attribute: AttributeIndex): void {
    const { profiles, profileAttributes } = this.draft
    profileAttributes.push(attribute)
    profiles.array[profiles.length - PROFILE_STRIDE + ProfileColumn.attributeEnd] = profileAttributes.length
  }

  /** Sets a byte range of the profile opened last: its id, original payload or the payload's format. */
  profileBytes(column: 'idOffset' | 'formatOffset' | 'payloadOffset', bytes: Uint8Array): void {
    this.#setBytes(this.draft.profiles.length - PROFILE_STRIDE + ProfileColumn[column], bytes)
  }

  sample(sample: SampleContent): void {
    const { draft } = this
    for (const attribute of sample.attributes ?? []) draft.sampleAttributes.push(attribute)
    for (let i = 0; i < (sample.values?.length ?? 0); i++) {
      const value = wholeInInt64(sample.values![i], 'a value')
      draft.values.push(lowHalf(value))
      draft.values.push(highHalf(value))
    }
    for (let i = 0; i < (sample.timestamps?.length ?? 0); i++) {
      const time = wholeInUint64(sample.timestamps![i], 'a timestamp')
      draft.timestamps.push(lowHalf(time))
      draft.timestamps.push(highHalf(time))
    }
    this.sampleRow(sample.stack, sample.link ?? 0)
  }

  /** Ends a sample whose attributes, values and timestamps were pushed onto the draft's pools. */
  sampleRow(stack: number, link: number): void {
    const { samples, sampleAttributes, values, timestamps, profiles } = this.draft
    if (profiles.length === 0) throw new Error('sample() was called before profile()')
    const array = samples.reserve(SAMPLE_STRIDE)
    const row = samples.length
    array[row] = stack
    array[row + 1] = link
    array[row + 2] = sampleAttributes.length
    array[row + 3] = values.length / 2
    array[row + 4] = timestamps.length / 2
    samples.length += SAMPLE_STRIDE
    profiles.array[profiles.length - PROFILE_STRIDE + ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE
  }

  /** Adds encoded unknown fields (see unknown-fields.ts) to the row that was opened last, or to the payload itself. */
  unknownFields(
    table: 'self' | 'resources' | 'scopes' | 'profiles' | 'samples',
    encoded: Uint8Array | undefined,
  ): void {
    const row = table === 'self' ? 0 : this.draft[table].length / STRIDES[table] - 1
    this.draft.unknown.append(table, row, encoded)
  }

  string(text: string): StringIndex {
    let row = this.#stringRows.get(text)
    if (row === undefined) {
      const bytes = encodeUtf8(text)
      row = this.dictionary.string(bytes, 0, bytes.length)
      this.#stringRows.set(text, row)
    }
    return row
  }

  function(content: { name?: string; systemName?: string; filename?: string; startLine?: Whole }): FunctionIndex {
    const line = wholeInInt64(content.startLine ?? 0, 'startLine')
    return this.dictionary.function(
      this.string(content.name ?? ''),
      this.string(content.systemName ?? ''),
      this.string(content.filename ?? ''),
      lowHalf(line),
      highHalf(line),
    )
  }

  mapping(content: {
    memoryStart?: Whole
    memoryLimit?: Whole
    fileOffset?: Whole
    filename?: string
    attributes?: readonly AttributeIndex[]
  }): MappingIndex {
    const range = new Int32Array(6)
    for (const [i, value] of [content.memoryStart, content.memoryLimit, content.fileOffset].entries()) {
      const whole = wholeInUint64(value ?? 0, 'a mapping address')
      range[2 * i] = lowHalf(whole)
      range[2 * i + 1] = highHalf(whole)
    }
    const attributes = intsOf(content.attributes)
    return this.dictionary.mapping(range, 0, this.string(content.filename ?? ''), attributes, attributes.length)
  }

  location(content: {
    mapping?: MappingIndex
    address?: Whole
    lines?: readonly LineContent[]
    attributes?: readonly AttributeIndex[]
  }): LocationIndex {
    const address = wholeInUint64(content.address ?? 0, 'address')
    const lines = new Int32Array((content.lines?.length ?? 0) * LINE_STRIDE)
    for (const [i, line] of (content.lines ?? []).entries()) {
      const number = wholeInInt64(line.line ?? 0, 'line')
      const column = wholeInInt64(line.column ?? 0, 'column')
      lines.set([line.function, lowHalf(number), highHalf(number), lowHalf(column), highHalf(column)], i * LINE_STRIDE)
    }
    const attributes = intsOf(content.attributes)
    return this.dictionary.location(
      content.mapping ?? (0 as MappingIndex),
      lowHalf(address),
      highHalf(address),
      lines,
      content.lines?.length ?? 0,
      attributes,
      attributes.length,
    )
  }

  /** Leaf first. */
  stack(locations: readonly LocationIndex[]): StackIndex {
    return this.dictionary.stack(Int32Array.from(locations))
  }

  link(traceId: Uint8Array, spanId: Uint8Array, unknown?: Uint8Array): LinkIndex {
    const both = new Uint8Array(traceId.length + spanId.length)
    both.set(traceId)
    both.set(spanId, traceId.length)
    return this.dictionary.link(both, 0, traceId.length, traceId.length, both.length, unknown)
  }

  /** ints are bigint, doubles are number. */
  attribute(key: string, value: AnyValue, unit = ''): AttributeIndex {
    const { kind, a, b, bytes } = attributeColumns(key, value)
    return this.dictionary.attribute(this.string(key), this.string(unit), kind, a, b, bytes)
  }

  /** Empties the builder and keeps its memory. Byte ranges of `bytes` are then used without a copy. */
  over(bytes: Uint8Array): void {
    this.dictionary.clear()
    this.dictionary.bytes.over(bytes)
    this.draft.clear()
    this.#stringRows.clear()
  }

  /** Returns the profiles. The builder cannot be used afterwards, except by `over`. */
  build(compacted = false): Profiles {
    this.dictionary.writeTo(this.draft)
    const { array, length } = this.dictionary.bytes
    return this.draft.freeze(array.subarray(0, length), compacted)
  }

  #pushBytes(column: { push(value: number): void }, bytes: Uint8Array, from: number, to: number): void {
    const blob = this.dictionary.blobs.intern(bytes, from, to)
    column.push(this.dictionary.blobOffset(blob))
    column.push(to - from)
  }

  #setBytes(at: number, bytes: Uint8Array): void {
    const blob = this.dictionary.blobs.intern(bytes, 0, bytes.length)
    this.draft.profiles.array[at] = this.dictionary.blobOffset(blob)
    this.draft.profiles.array[at + 1] = bytes.length
  }
}

const EMPTY = new Uint8Array(0)

/** The last three columns of an attribute's row. `a` and `b` of a byte range are the range in `bytes`. */
export interface AttributeColumns {
  readonly kind: ValueKind
  readonly a: number
  readonly b: number
  readonly bytes: Uint8Array
}

/** Throws RangeError if a whole number exceeds 64 bits. */
export function attributeColumns(key: string, value: AnyValue): AttributeColumns {
  const range = (kind: ValueKind, bytes: Uint8Array): AttributeColumns => ({ kind, a: 0, b: bytes.length, bytes })
  const number = (kind: ValueKind, a: number, b: number): AttributeColumns => ({ kind, a, b, bytes: EMPTY })
  if (value === undefined) return number(ValueKind.empty, 0, 0)
  if (typeof value === 'string') return range(ValueKind.string, encodeUtf8(value))
  if (typeof value === 'boolean') return number(ValueKind.bool, value ? 1 : 0, 0)
  if (typeof value === 'bigint') {
    const whole = wholeInInt64(value, `attribute ${key}`)
    return number(ValueKind.int, lowHalf(whole), highHalf(whole))
  }
  if (typeof value === 'number') return number(ValueKind.double, ...halvesOfDouble(value))
  if (value instanceof Uint8Array) return range(ValueKind.bytes, value)
  return range(isKeyValueList(value) ? ValueKind.keyValues : ValueKind.array, encodeNested(value))
}

function intsOf(numbers: readonly number[] | undefined): Int32Array {
  return numbers === undefined ? NO_INTS : Int32Array.from(numbers)
}

export function wholeInInt64(value: Whole, name: string): bigint {
  const whole = exact(value, name)
  if (BigInt.asIntN(64, whole) !== whole)
    throw new RangeError(`${name} ${whole} does not fit in int64 (from ${MIN_INT64})`)
  return whole
}

export function wholeInUint64(value: Whole, name: string): bigint {
  const whole = exact(value, name)
  if (whole < 0n || whole > MAX_UINT64) throw new RangeError(`${name} ${whole} does not fit in uint64`)
  return whole
}

function exact(value: Whole, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} ${value} is not an exact whole number; pass a bigint`)
  return BigInt(value)
}
