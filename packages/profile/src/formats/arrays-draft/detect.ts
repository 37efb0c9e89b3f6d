// Distinguishes the arrays draft from other protobuf. Its envelope is that of every OTLP generation, so the first profile
// decides: no other format has a list of samples made of parallel arrays.
import { FIXED64, LEN, VARINT } from '../../wire/protobuf/proto-reader.ts'
import type { Confidence } from '../format.ts'
import { eachField, isEnvelope } from './sniff.ts'

/** Stacktraces required if the head ends before the lists. A single one could be the original payload of another format. */
const MIN_STACKS = 4
const ID_BYTES = 16

export interface Range {
  readonly from: number
  readonly to: number
}

export function detectArraysDraft(head: Uint8Array): Confidence {
  const whole = { from: 0, to: head.length }
  const profile = isEnvelope(head, 0, head.length) ? firstProfile(head) : whole
  if (profile === undefined) return 'no'
  return isDocumented(head, profile) || isRenumbered(head, profile) || isSplit(head, profile) ? 'certain' : 'no'
}

/** Finds the first profile in an envelope. */
export function firstProfile(bytes: Uint8Array): Range | undefined {
  let range: Range | undefined = { from: 0, to: bytes.length }
  for (const field of [1, 2, 2]) range = range && firstOf(bytes, range, field)
  return range
}

/** Finds the first occurrence of a message in another, whose fields are all length-delimited and numbered up to 3. */
function firstOf(bytes: Uint8Array, { from, to }: Range, wanted: number): Range | undefined {
  let found: Range | undefined
  eachField(bytes, from, to, (field, wireType, start, end) => {
    if (field === wanted && wireType === LEN) found = { from: start, to: end }
    return found === undefined && field <= 3 && wireType === LEN
  })
  return found
}

/** The numbering of the document and of the generation after it. */
function isDocumented(bytes: Uint8Array, { from, to }: Range): boolean {
  let hasList = false
  let stacks = 0
  const fits = eachField(bytes, from, to, (field, wireType, start, end) => {
    if (wireType !== (field === 2 || field === 3 ? FIXED64 : field === 5 ? VARINT : LEN) || field > 14) return false
    if (field === 1) return end - start === ID_BYTES || end === start
    if (field === 7 && isStack(bytes, start, end)) stacks++
    if (field !== 14) return true
    hasList = isList(bytes, start, end, 10)
    return false
  })
  return hasList || (fits && stacks >= MIN_STACKS)
}

/** The last numbering: lists in field 10, times at the end. */
function isRenumbered(bytes: Uint8Array, { from, to }: Range): boolean {
  let hasList = false
  eachField(bytes, from, to, (field, wireType, start, end) => {
    if (wireType !== (field > 12 ? FIXED64 : field === 12 ? VARINT : LEN) || field > 14) return false
    if (field === 1) return end - start === ID_BYTES || end === start
    if (field !== 10) return true
    hasList = isList(bytes, start, end, 1)
    return false
  })
  return hasList
}

/** The first numbering: lists in field 10 of a profile, which is bare or in field 10 or 103 of a container. */
function isSplit(bytes: Uint8Array, { from, to }: Range): boolean {
  let hasList = false
  eachField(bytes, from, to, (field, wireType, start, end) => {
    if (wireType !== LEN || (field !== 10 && field !== 103)) return true
    hasList = isList(bytes, start, end, 10)
    if (!hasList) {
      eachField(bytes, start, end, (inner, innerType, innerStart, innerEnd) => {
        if (innerType !== LEN || inner > 10) return false
        if (inner === 10) hasList = isList(bytes, innerStart, innerEnd, 10)
        return inner !== 10
      })
    }
    return false
  })
  return hasList
}

/**
 * Whether a message has an array of stacks and one of values or timestamps, and otherwise only arrays and numbers. `stacks` is the
 * first of five fields: stacks, links, attribute sets, values, timestamps.
 */
function isList(bytes: Uint8Array, from: number, to: number, stacks: number): boolean {
  const found = new Set<number>()
  const fits = eachField(bytes, from, to, (field, wireType) => {
    found.add(field)
    // Numbers of an array may be unpacked.
    return wireType === VARINT ? field < 15 : wireType === LEN && field >= stacks && field < stacks + 5
  })
  return fits && found.has(stacks) && (found.has(stacks + 3) || found.has(stacks + 4))
}

function isStack(bytes: Uint8Array, from: number, to: number): boolean {
  return eachField(bytes, from, to, field => field === 1)
}
