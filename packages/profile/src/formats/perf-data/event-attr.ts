// perf_event_attr: what an event counts, when it is sampled, and which fields its samples have. All fields before READ and
// CALLCHAIN have a fixed size, so their positions are computed once.
import type { PerfBytes } from './perf-bytes.ts'
import { SampleBit } from './record-types.ts'

/** The size of the first version of the structure, which older files use. */
const MIN_ATTR = 64
const FREQUENCY_FLAG = 10
const INHERIT_FLAG = 1
const SAMPLE_ID_ALL_FLAG = 18
const CLOCK_FLAG = 25

export interface EventAttr {
  readonly type: number
  readonly config: bigint
  /** The period between two samples, or the number of samples per second if `isFrequency`. */
  readonly period: bigint
  readonly isFrequency: boolean
  readonly inherits: boolean
  readonly sampleType: number
  readonly readFormat: number
  readonly sampleIdAll: boolean
  /** The clock's id; undefined if perf chose the clock. */
  readonly clock: number | undefined
  readonly layout: SampleLayout
}

/** Positions in a SAMPLE record, from its start; 0 if a field is missing. */
interface SampleLayout {
  readonly identifier: number
  readonly ip: number
  readonly tid: number
  readonly time: number
  readonly id: number
  readonly cpu: number
  readonly period: number
  /** The position of the first field of variable size. */
  readonly tail: number
  /** The distance of the time from the end of all other records; 0 if there is none. */
  readonly timeFromEnd: number
  readonly trailer: number
}

/** The size of the structure by its own size field. Throws if it exceeds [from, to). */
export function attrSize(file: PerfBytes, from: number, to: number): number {
  if (to - from < 8) throw file.fault(from, `event description of only ${to - from} bytes`)
  const size = file.u32(from + 4) || MIN_ATTR
  if (size > to - from || size < MIN_ATTR) {
    throw file.fault(from + 4, `event description with a size of ${size} bytes, but only ${to - from} are left`)
  }
  return size
}

export function readAttr(file: PerfBytes, from: number, to: number): EventAttr {
  const size = attrSize(file, from, to)
  const sampleType = file.lo(from + 24)
  const hasFlag = (bit: number): boolean =>
    (file.bytes[from + 40 + (bit >> 3)] & flagMask(bit, file.littleEndian)) !== 0
  return {
    type: file.u32(from),
    config: file.u64(from + 8),
    period: file.u64(from + 16),
    isFrequency: hasFlag(FREQUENCY_FLAG),
    inherits: hasFlag(INHERIT_FLAG),
    sampleType,
    readFormat: file.lo(from + 32),
    sampleIdAll: hasFlag(SAMPLE_ID_ALL_FLAG),
    clock: hasFlag(CLOCK_FLAG) && size >= 96 ? file.i32(from + 92) : undefined,
    layout: layoutOf(sampleType),
  }
}

/** Compilers place bit fields from the low end on little-endian machines, from the high end on others. */
function flagMask(bit: number, littleEndian: boolean): number {
  return littleEndian ? 1 << (bit & 7) : 0x80 >> (bit & 7)
}

function layoutOf(sampleType: number): SampleLayout {
  let at = 8
  const place = (bit: number): number => {
    if ((sampleType & bit) === 0) return 0
    at += 8
    return at - 8
  }
  const identifier = place(SampleBit.identifier)
  const ip = place(SampleBit.ip)
  const tid = place(SampleBit.tid)
  const time = place(SampleBit.time)
  place(SampleBit.addr)
  const id = place(SampleBit.id)
  place(SampleBit.streamId)
  const cpu = place(SampleBit.cpu)
  const period = place(SampleBit.period)
  const tail = at
  // The trailer of other records: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER.
  at = 0
  place(SampleBit.identifier)
  place(SampleBit.cpu)
  place(SampleBit.streamId)
  place(SampleBit.id)
  const timeFromEnd = (sampleType & SampleBit.time) === 0 ? 0 : at + 8
  place(SampleBit.time)
  place(SampleBit.tid)
  return { identifier, ip, tid, time, id, cpu, period, tail, timeFromEnd, trailer: at }
}
