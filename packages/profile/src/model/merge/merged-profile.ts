// A profile that others are merged into: its header, and the resulting time, id, payload and counts.
import type { GrowingBytes } from '../columns/growing-columns.ts'
import { MAX_UINT64, highHalf, lowHalf } from '../columns/int64.ts'
import type { MergeNotes } from './merge-notes.ts'
import type { Shape } from './merged-samples.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn } from '../columns/profiles.ts'
import type { ProfilesDraft } from '../columns/profiles-draft.ts'

/** The columns that merged profiles have in common, as rows of the merged dictionary, and their attributes as a set. */
export interface MergedHeader {
  readonly scope: number
  readonly type: number
  readonly unit: number
  readonly periodType: number
  readonly periodUnit: number
  readonly periodLo: number
  readonly periodHi: number
  readonly attributes: number
  /** The start time of cumulative profiles; 0 for others. */
  readonly startLo: number
  readonly startHi: number
  /** A blob of the merged dictionary; 0 if there are none. */
  readonly unknown: number
}

const MAX_UINT32 = 0xffff_ffff
const NO_BYTES = new Uint8Array(0)

export class MergedProfile {
  readonly header: MergedHeader
  /** `none` before the first sample. */
  shape: Shape
  #inputs = 0
  #ids = 0
  #id: Uint8Array = NO_BYTES
  #payloadBytes = 0
  #payload: Uint8Array = NO_BYTES
  #payloadFormat: Uint8Array = NO_BYTES
  #droppedAttributes = 0
  /** 0 means unknown, as in the data format. */
  #start = 0n
  #end = 0n
  #untimed = 0
  #longestUntimed = 0n

  constructor(header: MergedHeader, shape: Shape) {
    this.header = header
    this.shape = shape
  }

  /** Merges all fields of a profile except its samples. */
  absorb({ profiles }: Profiles, i: number): void {
    this.#inputs++
    this.#droppedAttributes += profiles.droppedAttributes(i)
    this.#absorbTime(profiles.time(i), profiles.duration(i))
    if (profiles.column(i, ProfileColumn.idLength) > 0) this.#ids++
    this.#payloadBytes += profiles.column(i, ProfileColumn.payloadLength)
    // These three describe a single profile. They are copied, because a view would keep the complete input alive.
    const alone = this.#inputs === 1
    this.#id = alone ? profiles.id(i).slice() : NO_BYTES
    this.#payload = alone ? profiles.originalPayload(i).slice() : NO_BYTES
    const format = profiles.column(i, ProfileColumn.formatOffset)
    const formatEnd = format + profiles.column(i, ProfileColumn.formatLength)
    this.#payloadFormat = alone ? profiles.bytes.slice(format, formatEnd) : NO_BYTES
  }

  #absorbTime(time: bigint, duration: bigint): void {
    if (time === 0n) {
      if (duration > 0n) this.#untimed++
      if (duration > this.#longestUntimed) this.#longestUntimed = duration
      return
    }
    if (this.#start === 0n || time < this.#start) this.#start = time
    if (time + duration > this.#end) this.#end = time + duration
  }

  /** Appends the row. The caller sets the ends of samples and attributes. */
  write(draft: ProfilesDraft, sampleEnd: number, bytes: GrowingBytes): void {
    const row = draft.profiles.reserve(PROFILE_STRIDE)
    const at = draft.profiles.length
    const { header } = this
    row[at + ProfileColumn.type] = header.type
    row[at + ProfileColumn.unit] = header.unit
    row[at + ProfileColumn.periodType] = header.periodType
    row[at + ProfileColumn.periodUnit] = header.periodUnit
    row[at + ProfileColumn.period] = header.periodLo
    row[at + ProfileColumn.period + 1] = header.periodHi
    const duration = this.#duration()
    row[at + ProfileColumn.time] = lowHalf(this.#start)
    row[at + ProfileColumn.time + 1] = highHalf(this.#start)
    row[at + ProfileColumn.duration] = lowHalf(duration)
    row[at + ProfileColumn.duration + 1] = highHalf(duration)
    for (const [column, part] of [
      [ProfileColumn.idOffset, this.#id],
      [ProfileColumn.formatOffset, this.#payloadFormat],
      [ProfileColumn.payloadOffset, this.#payload],
    ] as const) {
      row[at + column] = bytes.append(part, 0, part.length)
      row[at + column + 1] = part.length
    }
    row[at + ProfileColumn.droppedAttributes] = Math.min(this.#droppedAttributes, MAX_UINT32)
    row[at + ProfileColumn.sampleEnd] = sampleEnd
    row[at + ProfileColumn.attributeEnd] = draft.profileAttributes.length
    draft.profiles.length += PROFILE_STRIDE
  }

  #duration(): bigint {
    const duration = this.#start === 0n ? this.#longestUntimed : this.#end - this.#start
    return duration > MAX_UINT64 ? MAX_UINT64 : duration
  }

  /** Adds notes about what was lost by merging. */
  addNotes(notes: MergeNotes): void {
    if (this.#inputs > 1) {
      notes.add('profile-id-dropped', this.#ids)
      notes.add('original-payload-dropped', this.#payloadBytes)
    }
    if (this.#droppedAttributes > MAX_UINT32) notes.add('dropped-attributes-saturated', 1)
    if (this.#start === 0n) return
    notes.add('duration-without-time-dropped', this.#untimed)
    if (this.#end - this.#start > MAX_UINT64) notes.add('duration-saturated', 1)
  }
}
