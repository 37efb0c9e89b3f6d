// Detects the content and the numbering of an arrays draft file, which names neither. Wire types decide, because renumbered
// fields changed between numbers, messages and fixed-width times.
import { FIXED64, LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { DraftGeneration } from './shapes.ts'
import { CONTAINED_PROFILE } from './shapes.ts'

export interface SniffedDraft {
  readonly generation: DraftGeneration
  /** Whether the profile is in a container, as in `2023-07`. */
  readonly contained: boolean
}

/**
 * Whether `bytes[from, to)`, of which the last field may be truncated, is ProfilesData. That has one repeated field. A bare
 * profile has others.
 */
export function isEnvelope(bytes: Uint8Array, from: number, to: number): boolean {
  return eachField(bytes, from, to, (field, wireType) => field === 1 && wireType === LEN)
}

export function sniffProfile(bytes: Uint8Array, from: number, to: number): SniffedDraft {
  let result: SniffedDraft | undefined
  let hasStacks = false
  let hasEarlyTimes = false
  let hasAttributeSet = false
  eachField(bytes, from, to, (field, wireType, start, end) => {
    if (wireType === FIXED64 && field > 12) result = { generation: '2023-09-15', contained: false }
    else if (wireType === FIXED64) hasEarlyTimes = true
    else if (wireType === LEN && field >= 12 && field <= 14) result = { generation: '2023-08', contained: false }
    else if (wireType === LEN && CONTAINED_PROFILE.includes(field)) result ??= sniffField10(bytes, start, end)
    else if (wireType === LEN && field === 3) hasStacks = true
    // In this numbering locations are field 9, and their field 4 came with the single attribute set.
    if (wireType === LEN && field === 9 && isLocationWithSet(bytes, start, end)) hasAttributeSet = true
    return result === undefined || result.generation === '2023-08'
  })
  if (result?.generation === '2023-08' && hasAttributeSet) return { generation: '2023-09-08', contained: false }
  if (result !== undefined) return result
  return { generation: hasStacks && !hasEarlyTimes ? '2023-09-15' : '2023-08', contained: false }
}

/** Field 10 is a function in the document's numbering, a list of samples in two others, or a complete profile. */
function sniffField10(bytes: Uint8Array, from: number, to: number): SniffedDraft | undefined {
  let result: SniffedDraft | undefined
  eachField(bytes, from, to, (field, wireType) => {
    if (wireType !== LEN) return true
    if (field > 5 && field < 10) result = { generation: '2023-07', contained: true }
    // As in a profile whose first tables fill the head of a file.
    else if (field >= 10) result ??= { generation: '2023-07', contained: false }
    else result ??= { generation: '2023-09-15', contained: false }
    return result.contained !== true
  })
  return result
}

function isLocationWithSet(bytes: Uint8Array, from: number, to: number): boolean {
  let found = false
  const isMessage = eachField(bytes, from, to, (field, wireType) => {
    if (field === 4 && wireType === VARINT) found = true
    return field <= 4 && wireType === (field === 3 ? LEN : VARINT)
  })
  return isMessage && found
}

/** Returns false if `visit` does or if the bytes are not a message. A truncated field is the last one. */
export function eachField(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (field: number, wireType: number, start: number, end: number) => boolean,
): boolean {
  const reader = new ProtoReader(bytes, from, to)
  try {
    while (reader.tag()) {
      const { field, wireType } = reader
      if (wireType === LEN) {
        reader.varint64()
        const length = reader.hi === 0 ? reader.lo >>> 0 : Infinity
        const start = reader.pos
        reader.pos = Math.min(start + length, to)
        if (!visit(field, wireType, start, reader.pos)) return false
      } else {
        const start = reader.pos
        reader.skip()
        if (!visit(field, wireType, start, reader.pos)) return false
      }
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return false
  }
  return true
}
