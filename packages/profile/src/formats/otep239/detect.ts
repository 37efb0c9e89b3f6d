// Distinguishes OTEP 0239 from other protobuf. Its ProfilesData has the same bytes as OTLP v1.3, so only differences in meaning
// decide: slices that put the root first, or times in other units than nanoseconds. Otherwise both read the same, and the file
// is OTLP.
// No other format has a bare ProfileContainer. A bare Profile is pprof, unless it has something that pprof lacks.
import { FIXED64, LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { hasControlCharacters } from '../control-characters.ts'
import type { Confidence } from '../format.ts'
import { rootOf } from './root.ts'
import { OrderEvidence } from './stack-order.ts'
import { timeUnit } from '../recordings/time-unit.ts'
import { UNIT_ATTRIBUTE } from './unit-mark.ts'

const MARK = encodeUtf8(UNIT_ATTRIBUTE)

interface Range {
  readonly from: number
  readonly to: number
}

export function detectOtep239(head: Uint8Array): Confidence {
  // "zsh" begins like field 15. The empty first string of a profile is a zero byte, which text does not have.
  if (!hasControlCharacters(head)) return 'no'
  const whole = { from: 0, to: head.length }
  switch (rootOf(head)) {
    case 'ProfileContainer': {
      const container = surveyContainer(head, whole)
      return container === undefined ? 'no' : 'certain'
    }
    case 'Profile': {
      const profile = surveyProfile(head, whole)
      return profile?.hasMore === true ? 'certain' : 'no'
    }
    case 'ProfilesData':
      return ofEnvelope(head)
  }
}

/** Decides by all containers in the head. An invalid one counts against the file. */
function ofEnvelope(head: Uint8Array): Confidence {
  let confidence: Confidence = 'no'
  const inner = (range: Range, visit: (range: Range) => boolean): boolean =>
    eachField(head, range.from, range.to, ({ field, wireType }, found) => {
      if (field > 3 || wireType !== LEN) return false
      return field !== 2 || visit(found)
    })
  const fits = eachField(head, 0, head.length, (_, resource) =>
    inner(resource, scope =>
      inner(scope, range => {
        const container = surveyContainer(head, range)
        if (container === undefined) return range.from === range.to
        const { profile, start, isMarked } = container
        const isScaled = [profile.largestTime, start].some(time => timeUnit(time).nanos !== 1n)
        if (profile.evidence.sharesStarts || isScaled || isMarked) confidence = 'certain'
        else if (confidence === 'no') confidence = 'possible'
        return true
      }),
    ),
  )
  return fits ? confidence : 'no'
}

interface SurveyedContainer {
  readonly start: bigint
  /** Whether an attribute names the unit of timestamps. */
  readonly isMarked: boolean
  readonly profile: SurveyedProfile
}

interface SurveyedProfile {
  /** Whether there is something that pprof lacks. */
  readonly hasMore: boolean
  readonly evidence: OrderEvidence
  readonly largestTime: bigint
}

/** Returns undefined if it is not a container. */
function surveyContainer(bytes: Uint8Array, { from, to }: Range): SurveyedContainer | undefined {
  let start = 0n
  let isMarked = false
  let profile: SurveyedProfile | undefined
  const fits = eachField(bytes, from, to, (reader, range) => {
    const { field, wireType } = reader
    if (field > 8 || wireType !== (field === 2 || field === 3 ? FIXED64 : field === 5 ? VARINT : LEN)) return false
    if (field === 2) start = (BigInt(reader.hi >>> 0) << 32n) | BigInt(reader.lo >>> 0)
    if (field === 4 && isMark(bytes, range)) isMarked = true
    if (field !== 8) return true
    profile = surveyProfile(bytes, range)
    return profile !== undefined
  })
  return fits && profile !== undefined ? { start, isMarked, profile } : undefined
}

/** Whether the key of an attribute is that of the mark. */
function isMark(bytes: Uint8Array, { from, to }: Range): boolean {
  const start = from + 2
  return bytes[from] === 0x0a && start + MARK.length <= to && MARK.every((byte, i) => bytes[start + i] === byte)
}

/** The wire types of Profile's fields by number: length-delimited, varint, or numbers that may be packed. */
const PROFILE_FIELDS = '-LLLLLLvvvvLvnvnLLL'

function isProfileField(field: number, wireType: number): boolean {
  const kind = PROFILE_FIELDS[field]
  if (wireType === LEN) return kind === 'L' || kind === 'n'
  return wireType === VARINT && (kind === 'v' || kind === 'n')
}

function surveyProfile(bytes: Uint8Array, { from, to }: Range): SurveyedProfile | undefined {
  const evidence = new OrderEvidence()
  let hasMore = false
  let largestTime = 0n
  let known = 0
  const fits = eachField(bytes, from, to, ({ field, wireType }, range) => {
    if (!isProfileField(field, wireType)) return false
    known++
    // pprof also has a number in field 15: the index of a URL.
    if (field > 15 || (field === 15 && wireType === LEN)) hasMore = true
    if (field === 1 && !isValueType(bytes, range, () => (hasMore = true))) return false
    if (field !== 2) return true
    const sample = surveySample(bytes, range)
    if (sample === undefined) return false
    hasMore ||= sample.hasMore
    evidence.add(sample.start, sample.length)
    if (sample.largestTime > largestTime) largestTime = sample.largestTime
    return true
  })
  return fits && known > 0 ? { hasMore, evidence, largestTime } : undefined
}

function isValueType(bytes: Uint8Array, { from, to }: Range, more: () => void): boolean {
  return eachField(bytes, from, to, ({ field, wireType }) => {
    if (field === 3) more()
    return field <= 3 && wireType === VARINT
  })
}

interface SurveyedSample {
  readonly hasMore: boolean
  readonly start: number
  readonly length: number
  readonly largestTime: bigint
}

function surveySample(bytes: Uint8Array, { from, to }: Range): SurveyedSample | undefined {
  let hasMore = false
  let start = 0
  let length = 0
  let largestTime = 0n
  const fits = eachField(bytes, from, to, (reader, range) => {
    const { field, wireType } = reader
    if (field > 13 || (field > 3 && field < 7) || field === 11) return false
    if (field > 3) hasMore = true
    if (wireType === VARINT) {
      if (field === 3) return false
      if (field === 7) start = reader.lo >>> 0
      if (field === 8) length = reader.lo >>> 0
      if (field === 13) largestTime = (BigInt(reader.hi >>> 0) << 32n) | BigInt(reader.lo >>> 0)
      return true
    }
    if (field === 13 && wireType === LEN && range.from < range.to) largestTime = firstNumber(bytes, range)
    return wireType === LEN && (field < 7 || field === 10 || field === 13)
  })
  return fits ? { hasMore, start, length, largestTime } : undefined
}

function firstNumber(bytes: Uint8Array, { from, to }: Range): bigint {
  try {
    return new ProtoReader(bytes, from, to).uint64()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return 0n
  }
}

/** Returns false if `visit` does or if the bytes are not a message. A field that the head truncates is accepted. */
function eachField(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (reader: ProtoReader, range: Range) => boolean,
): boolean {
  const reader = new ProtoReader(bytes, from, to)
  const isCut = to === bytes.length
  try {
    while (reader.tag()) {
      if (reader.wireType !== LEN) {
        const start = reader.pos
        if (reader.wireType === FIXED64) reader.fixed64()
        else if (reader.wireType === VARINT) reader.varint64()
        else reader.skip()
        if (!visit(reader, { from: start, to: reader.pos })) return false
        continue
      }
      reader.varint64()
      const length = reader.hi === 0 ? reader.lo >>> 0 : Infinity
      const start = reader.pos
      if (start + length > to && !isCut) return false
      reader.pos = Math.min(start + length, to)
      if (!visit(reader, { from: start, to: reader.pos })) return false
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return isCut
  }
  return true
}
