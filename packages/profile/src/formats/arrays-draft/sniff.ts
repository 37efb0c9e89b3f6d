// Tells what a file of the arrays draft holds and by which numbering: it has no mark for either. Wire types decide, since what
// was renumbered changed between numbers, messages and fixed-width times.
import { FIXED64, LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/protobuf/wire-error.ts'
import type { Generation } from './shapes.ts'
import { CONTAINED_PROFILE } from './shapes.ts'

export interface Sniffed {
  readonly generation: Generation
  /** Whether the profile is in a container, as `2023-07` had it. */
  readonly contained: boolean
}

/**
 * ProfilesData has one field, which is repeated; a profile by itself has others. Looks at `bytes[from, to)`, where a last
 * field may be cut off.
 */
export function isEnvelope(bytes: Uint8Array, from: number, to: number): boolean {
  return eachField(bytes, from, to, (field, wireType) => field === 1 && wireType === LEN)
}

export function sniffProfile(bytes: Uint8Array, from: number, to: number): Sniffed {
  let answer: Sniffed | undefined
  let hasStacks = false
  let hasEarlyTimes = false
  let hasAttributeSet = false
  eachField(bytes, from, to, (field, wireType, start, end) => {
    if (wireType === FIXED64 && field > 12) answer = { generation: '2023-09-15', contained: false }
    else if (wireType === FIXED64) hasEarlyTimes = true
    else if (wireType === LEN && field >= 12 && field <= 14) answer = { generation: '2023-08', contained: false }
    else if (wireType === LEN && CONTAINED_PROFILE.includes(field)) answer ??= ofTenth(bytes, start, end)
    else if (wireType === LEN && field === 3) hasStacks = true
    // With this numbering locations are field 9, and their number 4 came with the single attribute set.
    if (wireType === LEN && field === 9 && isLocationWithSet(bytes, start, end)) hasAttributeSet = true
    return answer === undefined || answer.generation === '2023-08'
  })
  if (answer?.generation === '2023-08' && hasAttributeSet) return { generation: '2023-09-08', contained: false }
  if (answer !== undefined) return answer
  return { generation: hasStacks && !hasEarlyTimes ? '2023-09-15' : '2023-08', contained: false }
}

/** Field 10: a function of the document's numbering, a list of samples of two others, or a whole profile. */
function ofTenth(bytes: Uint8Array, from: number, to: number): Sniffed | undefined {
  let answer: Sniffed | undefined
  eachField(bytes, from, to, (field, wireType) => {
    if (wireType !== LEN) return true
    if (field > 5 && field < 10) answer = { generation: '2023-07', contained: true }
    // As in a profile whose first tables fill the head of a file.
    else if (field >= 10) answer ??= { generation: '2023-07', contained: false }
    else answer ??= { generation: '2023-09-15', contained: false }
    return answer.contained !== true
  })
  return answer
}

function isLocationWithSet(bytes: Uint8Array, from: number, to: number): boolean {
  let found = false
  const whole = eachField(bytes, from, to, (field, wireType) => {
    if (field === 4 && wireType === VARINT) found = true
    return field <= 4 && wireType === (field === 3 ? LEN : VARINT)
  })
  return whole && found
}

/** Stops, with false, where `visit` says no or the bytes are no message. A field that is cut off is the last one. */
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
