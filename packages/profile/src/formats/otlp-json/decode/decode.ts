// Reads the current layout, v1.8 to v1.11, from JSON text straight into columns in one pass. So 200 MB of text need little more
// memory than the text and the columns. Names of v1.8 that v1.9 changed are accepted. A name from before v1.8 ends the
// attempt.
import { encodeResource, encodeScope } from '../../../model/columns/any-value.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import {
  PROFILE_STRIDE,
  ProfileColumn,
  RESOURCE_STRIDE,
  SAMPLE_STRIDE,
  SCOPE_STRIDE,
} from '../../../model/columns/profiles.ts'
import { EMPTY_PROFILES } from '../../../model/columns/profiles-draft.ts'
import { PERIOD_TYPE_PART, SAMPLE_TYPE_PART } from '../../../model/columns/unknown-fields.ts'
import { AGGREGATION_TEMPORALITIES } from '../../../model/attributes/semantic-conventions.ts'
import type { JsonReader } from '../../../wire/json/json-reader.ts'
import type { NoteList } from '../../format.ts'
import { MAX_LIST } from '../../otlp/generations/message-fields.ts'
import { NONE_OLDER } from './column-reader.ts'
import { Deferred } from './complete.ts'
import { DictionaryDecoder } from './decode-dictionary.ts'
import { olderKeys } from '../sniff.ts'

const OLDER = {
  root: olderKeys('ProfilesData'),
  profile: olderKeys('Profile', 'ProfileContainer'),
  valueType: olderKeys('ValueType'),
  sample: olderKeys('Sample'),
} as const

export interface DecodedJson {
  readonly profiles: Profiles
  readonly generation: 'v1.8' | 'v1.11'
  /** Numbers of members that OTLP does not define: those that the profiles have, and the others. */
  readonly keptFields: number
  readonly droppedFields: number
  readonly keysTwice: number
}

export class JsonDecoder extends DictionaryDecoder {
  private readonly notes: NoteList
  private readonly detectsOlder: boolean
  // Counts of the current message.
  private periodTemporalities = 0
  private unknownTemporalities = 0

  /** `detectsOlder`: throw OlderGeneration for messages from before v1.8 instead of counting their fields as unknown. */
  constructor(reader: JsonReader, notes: NoteList, detectsOlder: boolean) {
    super(reader)
    this.notes = notes
    this.detectsOlder = detectsOlder
  }

  /**
   * Reads the next message. Does not check references. Throws JsonError or OlderGeneration. The decoder must not be used after
   * an error.
   */
  message(): DecodedJson {
    const reader = this.reader
    this.start = reader.offset
    this.mayBeOlder = this.detectsOlder
    this.isV1_8 = false
    this.unknownFields = 0
    this.kept.clear()
    this.common.keptFields = 0
    this.common.droppedFields = 0
    this.common.keysTwice = 0
    this.periodTemporalities = 0
    this.unknownTemporalities = 0
    let isEmpty = true
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'resourceProfiles') this.list(() => this.resourceProfiles())
      else if (key === 'dictionary') this.dictionary()
      else {
        this.unknown(key, OLDER.root, 'self', 0)
        continue
      }
      isEmpty = false
    }
    const kept = this.unknownFields + this.common.keptFields
    return {
      // A file of 30 MB can contain ten million `{}`.
      profiles: isEmpty ? EMPTY_PROFILES : this.finish(),
      generation: this.isV1_8 ? 'v1.8' : 'v1.11',
      droppedFields: this.common.droppedFields + (isEmpty ? kept : 0),
      keptFields: isEmpty ? 0 : kept,
      keysTwice: this.common.keysTwice,
    }
  }

  private finish(): Profiles {
    this.kept.addTo(this.draft)
    this.complete.finish({ bytes: this.reader.bytes, from: this.start, to: this.reader.offset })
    return this.draft.freeze(this.store.finish())
  }

  private resourceProfiles(): void {
    const reader = this.reader
    const { resources, scopes } = this.draft
    const row = [0, 0, 0, 0]
    let deferred = -1
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'resource') deferred = this.commonMessage(row, () => encodeResource(this.common.resource()))
      else if (key === 'scopeProfiles') this.list(() => this.scopeProfiles())
      else if (key === 'schemaUrl') this.string(row, 2)
      else this.unknown(key, NONE_OLDER, 'resources', resources.length / RESOURCE_STRIDE)
    }
    if (deferred >= 0) this.complete.defer(Deferred.resource, resources.length, deferred)
    for (const int of row) resources.push(int)
    resources.push(scopes.length / SCOPE_STRIDE)
  }

  private scopeProfiles(): void {
    const reader = this.reader
    const { scopes, profiles } = this.draft
    const row = [0, 0, 0, 0]
    let deferred = -1
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'scope') deferred = this.commonMessage(row, () => encodeScope(this.common.scope()))
      else if (key === 'profiles') this.list(() => this.profile())
      else if (key === 'schemaUrl') this.string(row, 2)
      else this.unknown(key, NONE_OLDER, 'scopes', scopes.length / SCOPE_STRIDE)
    }
    if (deferred >= 0) this.complete.defer(Deferred.scope, scopes.length, deferred)
    for (const int of row) scopes.push(int)
    scopes.push(profiles.length / PROFILE_STRIDE)
  }

  /** Sets the range of a resource or scope. Returns its offset if it must be read again, otherwise -1. */
  private commonMessage(row: number[], encode: () => Uint8Array): number {
    const at = this.reader.offset
    this.refers = false
    const message = encode()
    if (this.refers) return at
    this.store.append(message)
    row[0] = this.store.offset
    row[1] = this.store.length
    return -1
  }

  private profile(): void {
    const reader = this.reader
    const { profiles, profileAttributes, samples } = this.draft
    // No other profile is pushed in the meantime, so the row can be filled in place.
    const row = profiles.reserve(PROFILE_STRIDE)
    const at = profiles.length
    row.fill(0, at, at + PROFILE_STRIDE)
    profiles.length = at + PROFILE_STRIDE
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      switch (key) {
        case 'sampleType':
          if (reader.peek() === 'array') this.checkForOlder()
          this.valueType(row, at, ProfileColumn.type, SAMPLE_TYPE_PART)
          break
        case 'sample':
          this.isV1_8 = true
          this.samples()
          break
        case 'samples':
          this.samples()
          break
        case 'timeUnixNano':
          this.unsigned(row, at + ProfileColumn.time)
          break
        case 'durationNano':
          this.unsigned(row, at + ProfileColumn.duration)
          break
        case 'periodType':
          this.valueType(row, at, ProfileColumn.periodType, PERIOD_TYPE_PART)
          break
        case 'period':
          this.signed(row, at + ProfileColumn.period)
          break
        case 'profileId':
          this.store.encoded(reader, 'hex or base64')
          this.setRange(row, at + ProfileColumn.idOffset)
          break
        case 'droppedAttributesCount':
          row[at + ProfileColumn.droppedAttributes] = reader.uint32()
          break
        case 'originalPayloadFormat':
          this.string(row, at + ProfileColumn.formatOffset)
          break
        case 'originalPayload':
          this.store.encoded(reader, 'base64')
          this.setRange(row, at + ProfileColumn.payloadOffset)
          break
        case 'attributeIndices':
          this.indexes(profileAttributes)
          break
        case 'commentStrindices':
          this.comments()
          break
        default:
          this.unknown(key, OLDER.profile, 'profiles', at / PROFILE_STRIDE)
      }
    }
    this.complete.endProfile()
    row[at + ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE
    row[at + ProfileColumn.attributeEnd] = profileAttributes.length
  }

  private valueType(row: Int32Array, profile: number, column: number, part: number): void {
    const reader = this.reader
    const at = profile + column
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'typeStrindex') row[at] = reader.int32()
      else if (key === 'unitStrindex') row[at + 1] = reader.int32()
      else if (key === 'aggregationTemporality') this.temporality(reader.int32(), part === SAMPLE_TYPE_PART)
      else this.unknown(key, OLDER.valueType, 'profiles', profile / PROFILE_STRIDE, part)
    }
  }

  private temporality(number: number, isSampleType: boolean): void {
    this.isV1_8 = true
    if (isSampleType) this.complete.temporality = number
    if (number === 0) return
    if (!isSampleType) this.periodTemporalities++
    else if (AGGREGATION_TEMPORALITIES[number] === undefined) this.unknownTemporalities++
  }

  /** Adds the notes of the last message. A message that turns out to be older or broken is read again with other notes. */
  addNotes(): void {
    const { notes, periodTemporalities, unknownTemporalities } = this
    const ofPeriods = 'the aggregation temporality of periods, which has no meaning, was dropped'
    const unknown = 'aggregation temporalities other than delta and cumulative were dropped'
    notes.add('period-temporality', ofPeriods, periodTemporalities)
    notes.add('unknown-temporality', unknown, unknownTemporalities)
  }

  private comments(): void {
    this.isV1_8 = true
    const { comments } = this.complete
    this.complete.commentsAt = this.reader.offset
    this.indexes(comments)
    if (comments.length > MAX_LIST) this.reader.fail(`more than ${MAX_LIST} comments`)
  }

  private samples(): void {
    const reader = this.reader
    reader.beginArray()
    while (reader.nextItem()) this.sample()
  }

  private sample(): void {
    const reader = this.reader
    const { samples, sampleAttributes, values, timestamps } = this.draft
    let stack = 0
    let link = 0
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'stackIndex') stack = reader.int32()
      else if (key === 'values') this.longs(values, 'signed')
      else if (key === 'attributeIndices') this.indexes(sampleAttributes)
      else if (key === 'linkIndex') link = reader.int32()
      else if (key === 'timestampsUnixNano') this.longs(timestamps, 'unsigned')
      else this.unknown(key, OLDER.sample, 'samples', samples.length / SAMPLE_STRIDE)
    }
    const row = samples.reserve(5)
    const at = samples.length
    row[at] = stack
    row[at + 1] = link
    row[at + 2] = sampleAttributes.length
    row[at + 3] = values.length >> 1
    row[at + 4] = timestamps.length >> 1
    samples.length = at + 5
  }
}
