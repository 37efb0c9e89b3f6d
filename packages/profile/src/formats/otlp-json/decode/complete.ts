// Completes a message after its last byte was read, when the dictionary is known. Values that refer to the string table are
// read a second time, and former fields of v1.8 become attributes. formats/otlp/complete.ts does the same for protobuf.
import { encodeNested, encodeResource, encodeScope } from '../../../model/columns/any-value.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  MAPPING_STRIDE,
  STRING_STRIDE,
  ValueKind,
} from '../../../model/columns/dictionary.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { PROFILE_STRIDE, ProfileColumn } from '../../../model/columns/profiles.ts'
import type { ProfilesDraft } from '../../../model/columns/profiles-draft.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import { JsonError } from '../../../wire/json/json-error.ts'
import { decodeUtf8, encodeUtf8 } from '../../../wire/utf8.ts'
import { STRING_REFERENCE } from '../../otlp/check-common.ts'
import type { MessageRange } from '../locate.ts'
import { pathAt, positionOf, readerOf } from '../locate.ts'
import { CommonReader } from './read-common.ts'
import type { TextStore } from './text-store.ts'

/** Messages and values that are read a second time. The last two are kinds of attribute values. */
export const Deferred = { resource: 0, scope: 1, array: ValueKind.array, keyValues: ValueKind.keyValues } as const
export type Deferred = (typeof Deferred)[keyof typeof Deferred]

/** The length of an attribute value that is read a second time. Its offset then is the offset in the text. */
export const DEFERRED = -1

/** In characters. Messages beyond 32 MiB have a higher limit. A string of 1 MB can be referred to a million times. */
const MIN_LIMIT = 1 << 26

export class JsonCompletion {
  /** The fields of the profile that is being read. */
  readonly comments = new GrowingInts(0)
  /** The offset of the comments. */
  commentsAt = 0
  temporality = 0
  /** Whether the attribute table has a STRING_REFERENCE. */
  hasReferences = false
  readonly #draft: ProfilesDraft
  readonly #store: TextStore
  // Kind, position of the row in its column, offset of the value in the text.
  readonly #deferred = new GrowingInts(0)
  // Position in the pool of profile attributes, a temporality or 0 for comments, offset of the comments, end of their list.
  readonly #late = new GrowingInts(0)
  readonly #lateComments = new GrowingInts(0)

  constructor(draft: ProfilesDraft, store: TextStore) {
    this.#draft = draft
    this.#store = store
  }

  /** Records that the value at `offset` refers to the string table. Its range is later set in the row at `place`. */
  defer(kind: Deferred, place: number, offset: number): void {
    this.#deferred.push(kind)
    this.#deferred.push(place)
    this.#deferred.push(offset)
  }

  endProfile(): void {
    if (this.comments.length > 0) {
      this.#lateComments.pushAll(this.comments.array, 0, this.comments.length)
      this.#addLate(0)
      this.comments.length = 0
    }
    if (AGGREGATION_TEMPORALITIES[this.temporality] !== undefined) this.#addLate(this.temporality)
    this.temporality = 0
  }

  /** Throws JsonError for a reference beyond the string table. */
  finish(message: MessageRange): void {
    const texts = new Texts(this.#draft, this.#store, message)
    if (this.hasReferences) this.#resolveAttributes(texts)
    if (this.#deferred.length > 0) this.#readDeferred(texts)
    if (this.#late.length > 0) this.#addLateAttributes(texts)
    this.hasReferences = false
    for (const column of [this.#deferred, this.#late, this.#lateComments]) column.length = 0
  }

  #addLate(temporality: number): void {
    const { profileAttributes } = this.#draft
    this.#late.push(profileAttributes.length)
    this.#late.push(temporality)
    this.#late.push(this.commentsAt)
    this.#late.push(this.#lateComments.length)
    profileAttributes.push(0)
  }

  #resolveAttributes(texts: Texts): void {
    const { attributes, strings } = this.#draft
    const { array, length } = attributes
    for (let at = 0; at < length; at += ATTRIBUTE_STRIDE) {
      if (array[at + 2] !== STRING_REFERENCE) continue
      const index = array[at + 3]
      if (!texts.has(index)) texts.failAttribute(index, at / ATTRIBUTE_STRIDE)
      array[at + 2] = ValueKind.string
      array[at + 3] = strings.array[STRING_STRIDE * index]
      array[at + 4] = strings.array[STRING_STRIDE * index + 1]
    }
  }

  #readDeferred(texts: Texts): void {
    const reader = readerOf(texts.message)
    const common = new CommonReader(reader, texts.stringAt)
    const { array, length } = this.#deferred
    for (let i = 0; i < length; i += 3) {
      reader.offset = array[i + 2]
      this.#readAgain(array[i] as Deferred, array[i + 1], array[i + 2], common)
    }
  }

  #readAgain(kind: Deferred, place: number, offset: number, common: CommonReader): void {
    const { resources, scopes, attributes } = this.#draft
    const isAttribute = kind === Deferred.array || kind === Deferred.keyValues
    // If the same object has another value after this one, the last value counts.
    if (isAttribute && (attributes.array[place + 4] !== DEFERRED || attributes.array[place + 3] !== offset)) return
    switch (kind) {
      case Deferred.resource:
        return this.#setRange(resources.array, place, encodeResource(common.resource()))
      case Deferred.scope:
        return this.#setRange(scopes.array, place, encodeScope(common.scope()))
      case Deferred.array:
        return this.#setRange(attributes.array, place + 3, encodeNested(common.nested('arrayValue')))
      case Deferred.keyValues:
        return this.#setRange(attributes.array, place + 3, encodeNested(common.nested('kvlistValue')))
    }
  }

  #setRange(array: Int32Array, at: number, bytes: Uint8Array): void {
    this.#store.append(bytes)
    array[at] = this.#store.offset
    array[at + 1] = this.#store.length
  }

  #addLateAttributes(texts: Texts): void {
    const { attributes, profileAttributes } = this.#draft
    // Additional rows would hide references beyond the table. The check that follows reports them.
    if (refersBeyond(this.#draft)) return
    if (attributes.length === 0) for (let i = 0; i < ATTRIBUTE_STRIDE; i++) attributes.push(0)
    const rowOf = new Map<number, number>()
    let from = 0
    for (let i = 0; i < this.#late.length; i += 4) {
      const [place, temporality, at, to] = this.#late.array.subarray(i, i + 4)
      const row = rowOf.get(temporality) ?? attributes.length / ATTRIBUTE_STRIDE
      profileAttributes.array[place] = row
      if (temporality === 0) this.#pushComments(Array.from(this.#lateComments.array.subarray(from, to)), at, texts)
      else if (!rowOf.has(temporality)) {
        rowOf.set(temporality, row)
        this.#pushTemporality(AGGREGATION_TEMPORALITIES[temporality] ?? '')
      }
      from = to
    }
  }

  #pushComments(indexes: readonly number[], at: number, texts: Texts): void {
    const value = encodeNested(indexes.map(index => texts.stringAt(index, at)))
    this.#pushAttribute(ATTRIBUTES.pprofProfileComment, ValueKind.array, value)
  }

  #pushTemporality(temporality: string): void {
    this.#pushAttribute(ATTRIBUTES.aggregationTemporality, ValueKind.string, encodeUtf8(temporality))
  }

  #pushAttribute(key: string, kind: ValueKind, value: Uint8Array): void {
    const { attributes, strings } = this.#draft
    if (strings.length === 0) for (let i = 0; i < STRING_STRIDE; i++) strings.push(0)
    attributes.push(strings.length / STRING_STRIDE)
    attributes.push(0)
    attributes.push(kind)
    this.#pushRange(attributes, value)
    this.#pushRange(strings, encodeUtf8(key))
  }

  #pushRange(column: GrowingInts, bytes: Uint8Array): void {
    this.#store.append(bytes)
    column.push(this.#store.offset)
    column.push(this.#store.length)
  }
}

/** Whether a reference to an attribute or a string is outside its table. */
function refersBeyond(draft: ProfilesDraft): boolean {
  const strings = draft.strings.length / STRING_STRIDE || 1
  const attributes = draft.attributes.length / ATTRIBUTE_STRIDE || 1
  const { functions, mappings, profiles } = draft
  return (
    isBeyond(functions, FUNCTION_STRIDE, 0, strings) ||
    isBeyond(functions, FUNCTION_STRIDE, 1, strings) ||
    isBeyond(functions, FUNCTION_STRIDE, 2, strings) ||
    isBeyond(mappings, MAPPING_STRIDE, 6, strings) ||
    isBeyond(draft.attributes, ATTRIBUTE_STRIDE, 0, strings) ||
    isBeyond(draft.attributes, ATTRIBUTE_STRIDE, 1, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.type, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.unit, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.periodType, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.periodUnit, strings) ||
    isBeyond(draft.mappingAttributes, 1, 0, attributes) ||
    isBeyond(draft.locationAttributes, 1, 0, attributes) ||
    isBeyond(draft.profileAttributes, 1, 0, attributes) ||
    isBeyond(draft.sampleAttributes, 1, 0, attributes)
  )
}

function isBeyond({ array, length }: GrowingInts, stride: number, column: number, rows: number): boolean {
  for (let at = column; at < length; at += stride) if (array[at] >>> 0 >= rows) return true
  return false
}

/** The string table of the message, without strings added after reading. */
class Texts {
  readonly message: MessageRange
  readonly #draft: ProfilesDraft
  readonly #store: TextStore
  readonly #length: number
  #left: number

  constructor(draft: ProfilesDraft, store: TextStore, message: MessageRange) {
    this.message = message
    this.#draft = draft
    this.#store = store
    this.#length = draft.strings.length / STRING_STRIDE
    this.#left = Math.max(MIN_LIMIT, 2 * (message.to - message.from))
  }

  has(index: number): boolean {
    return index >>> 0 < this.#length
  }

  readonly stringAt = (index: number, offset: number): string => {
    if (!this.has(index)) this.#failAt(offset, this.#beyond(index))
    return this.#text(index, offset)
  }

  failAttribute(index: number, row: number): never {
    const steps = [
      ['dictionary', 0],
      ['attribute_table', row],
      ['value', 0],
      ['string_value_strindex', 0],
    ] as const
    return this.#failAt(positionOf(this.message, steps).offset, this.#beyond(index))
  }

  #text(index: number, offset: number): string {
    const { array } = this.#draft.strings
    const from = array[STRING_STRIDE * index]
    const length = array[STRING_STRIDE * index + 1]
    this.#left -= length
    if (this.#left < 0) this.#failAt(offset, 'references to the string table expand to too much text')
    return decodeUtf8(this.#store.array, from, from + length)
  }

  #beyond(index: number): string {
    return `string ${index} is outside the string table (length ${this.#length})`
  }

  #failAt(offset: number, what: string): never {
    throw new JsonError(this.message.bytes, offset, what, pathAt(this.message, offset))
  }
}
