// The start of a perf.data file. A file has sections, to which its header points; a pipe has nothing but records.
//
//   file   magic 8 | size = 104 | attr size | attrs {offset, size} | data {…} | event types {…} | 256 feature bits
//   pipe   magic 8 | size = 16 | records…
//
// The places of the features' sections stand behind the data, one {offset, size} for each bit that is set.
import type { Confidence } from '../format.ts'
import { FormatError } from '../format.ts'
import { FORMAT, PerfBytes } from './perf-bytes.ts'
import { Feature } from './record-types.ts'

const PIPE_HEADER = 16
const FILE_HEADER = 104
/** Before there were features. */
const SHORT_HEADER = 72
const MAGIC = 'PERFILE2'
const REVERSED_MAGIC = '2ELIFREP'
/** Of 2009, when the order of bytes was not told by the magic number. */
const OLD_MAGIC = 'PERFFILE'

export interface Section {
  readonly from: number
  readonly to: number
}

export interface FileHeader {
  readonly file: PerfBytes
  readonly isPipe: boolean
  /** Where records are. */
  readonly data: Section
  /** Where perf_event_attr structures are, `attrSize` bytes apart. */
  readonly attrs: Section
  readonly attrSize: number
  /** Names of events in old files, 72 bytes each. */
  readonly eventTypes: Section
  readonly features: ReadonlyMap<number, Section>
  /** The recorder did not get to write how much data there is, so it is all that there is. */
  readonly isUnfinished: boolean
}

export function detectPerfData(head: Uint8Array): Confidence {
  return endianness(head) === undefined ? 'no' : 'certain'
}

/** True for little-endian; undefined where it is no perf.data. */
function endianness(bytes: Uint8Array): boolean | undefined {
  if (bytes.length < PIPE_HEADER) return undefined
  if (spells(bytes, MAGIC)) return true
  if (spells(bytes, REVERSED_MAGIC)) return false
  // The size of the header fits in one byte, which then is the first or the last.
  return spells(bytes, OLD_MAGIC) ? bytes[8] !== 0 : undefined
}

function spells(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}

const NOWHERE: Section = { from: 0, to: 0 }

/** `isLenient`: sections that the file does not have in full are cut instead of refused. */
export function readFileHeader(bytes: Uint8Array, isLenient: boolean): FileHeader {
  const littleEndian = endianness(bytes)
  if (littleEndian === undefined) throw new FormatError(FORMAT, 0, 'no perf.data: it does not begin with PERFILE2')
  const file = new PerfBytes(bytes, littleEndian)
  const size = file.size(8)
  if (size === PIPE_HEADER) {
    const data = { from: PIPE_HEADER, to: file.length }
    const nothing = { attrs: NOWHERE, attrSize: 0, eventTypes: NOWHERE, features: new Map<number, Section>() }
    return { file, isPipe: true, data, ...nothing, isUnfinished: false }
  }
  if (size !== FILE_HEADER && size !== SHORT_HEADER) throw file.fault(8, `file header of ${size} bytes`)
  if (file.length < size) throw file.fault(file.length, 'the file ends within its header')
  const attrSize = file.size(16)
  const attrs = section(file, 24, 'event descriptions', isLenient)
  const eventTypes = section(file, 56, 'event names', isLenient)
  if (attrSize < 80 && attrs.to > attrs.from) throw file.fault(16, `event descriptions of ${attrSize} bytes`)
  const isUnfinished = file.size(48) === 0 && file.size(40) < file.length
  const data = isUnfinished ? { from: file.size(40), to: file.length } : section(file, 40, 'data', isLenient)
  const features =
    isUnfinished || size === SHORT_HEADER ? new Map<number, Section>() : featureSections(file, data.to, isLenient)
  return { file, isPipe: false, data, attrs, attrSize, eventTypes, features, isUnfinished }
}

/** The section that the {offset, size} at `at` names. */
export function section(file: PerfBytes, at: number, what: string, isLenient: boolean): Section {
  const from = file.size(at)
  const to = from + file.size(at + 8)
  if (to <= file.length) return { from, to }
  if (isLenient) return { from: Math.min(from, file.length), to: file.length }
  throw file.fault(at, `${what}: bytes ${from} to ${to} of a file of ${file.length}`)
}

function featureSections(file: PerfBytes, table: number, isLenient: boolean): Map<number, Section> {
  const sections = new Map<number, Section>()
  let at = table
  for (const feature of featureBits(file)) {
    if (at + 16 > file.length) {
      // A lenient reader does without what a cut-off file no longer has.
      if (isLenient) return sections
      throw file.fault(file.length, 'the file ends within the table of its features')
    }
    sections.set(feature, section(file, at, `feature ${feature}`, isLenient))
    at += 16
  }
  return sections
}

/** The bitmap is of machine words. Big-endian machines of 32 bits put its words in another order than those of 64. */
function featureBits(file: PerfBytes): number[] {
  const wide = bitsOf(file, word => (file.littleEndian ? word : word ^ 1))
  if (file.littleEndian || wide.includes(Feature.hostName)) return wide
  const narrow = bitsOf(file, word => word)
  return narrow.includes(Feature.hostName) ? narrow : wide
}

function bitsOf(file: PerfBytes, wordAt: (word: number) => number): number[] {
  const bits: number[] = []
  for (let bit = 0; bit < 256; bit++) {
    if ((file.u32(SHORT_HEADER + 4 * wordAt(bit >> 5)) & (1 << (bit & 31))) !== 0) bits.push(bit)
  }
  return bits
}
