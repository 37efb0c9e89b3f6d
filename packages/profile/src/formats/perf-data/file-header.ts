// Reads the start of a perf.data file. A file has sections that its header refers to; a pipe has only records.
//
//   file   magic 8 | size = 104 | attr size | attrs {offset, size} | data {…} | event types {…} | 256 feature bits
//   pipe   magic 8 | size = 16 | records…
//
// The table of the feature sections follows the data, with one {offset, size} for each bit that is set.
import type { Confidence } from '../format.ts'
import { FormatError } from '../format.ts'
import { FORMAT, PerfBytes } from './perf-bytes.ts'
import { Feature } from './record-types.ts'

const PIPE_HEADER = 16
const FILE_HEADER = 104
/** The header before features were introduced. */
const SHORT_HEADER = 72
const MAGIC = 'PERFILE2'
const REVERSED_MAGIC = '2ELIFREP'
/** Used in 2009, when the magic number did not show the byte order. */
const OLD_MAGIC = 'PERFFILE'

export interface PerfSection {
  readonly from: number
  readonly to: number
}

export interface PerfHeader {
  readonly file: PerfBytes
  readonly isPipe: boolean
  /** The section of the records. */
  readonly data: PerfSection
  /** The section of the perf_event_attr structures, `attrSize` bytes apart. */
  readonly attrs: PerfSection
  readonly attrSize: number
  /** Event names of old files, 72 bytes each. */
  readonly eventTypes: PerfSection
  readonly features: ReadonlyMap<number, PerfSection>
  /** True if the recorder did not write the data size. The data then extends to the end of the file. */
  readonly isUnfinished: boolean
}

export function detectPerfData(head: Uint8Array): Confidence {
  return endianness(head) === undefined ? 'no' : 'certain'
}

/** True for little-endian; undefined if the bytes are not perf.data. */
function endianness(bytes: Uint8Array): boolean | undefined {
  if (bytes.length < PIPE_HEADER) return undefined
  if (spells(bytes, MAGIC)) return true
  if (spells(bytes, REVERSED_MAGIC)) return false
  // The size of the header fits in one byte, which is then the first or the last.
  return spells(bytes, OLD_MAGIC) ? bytes[8] !== 0 : undefined
}

function spells(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}

const NOWHERE: PerfSection = { from: 0, to: 0 }

/** Called for a section that reaches beyond the end of the file. The section then ends with the file, as for perf. */
export type OnCut = (fault: FormatError) => void

export function readFileHeader(bytes: Uint8Array, onCut: OnCut): PerfHeader {
  const littleEndian = endianness(bytes)
  if (littleEndian === undefined)
    throw new FormatError(FORMAT, 0, 'not a perf.data file: it does not begin with PERFILE2')
  const file = new PerfBytes(bytes, littleEndian)
  const size = file.size(8)
  if (size === PIPE_HEADER) {
    const data = { from: PIPE_HEADER, to: file.length }
    const nothing = { attrs: NOWHERE, attrSize: 0, eventTypes: NOWHERE, features: new Map<number, PerfSection>() }
    return { file, isPipe: true, data, ...nothing, isUnfinished: false }
  }
  if (size !== FILE_HEADER && size !== SHORT_HEADER) throw file.fault(8, `unsupported file header of ${size} bytes`)
  if (file.length < size) throw file.fault(file.length, 'the file ends within its header')
  const attrSize = file.size(16)
  const attrs = section(file, 24, 'event descriptions', onCut)
  const eventTypes = section(file, 56, 'event names', onCut)
  if (attrSize < 80 && attrs.to > attrs.from) throw file.fault(16, `event descriptions of only ${attrSize} bytes`)
  const isUnfinished = file.size(48) === 0 && file.size(40) < file.length
  const data = isUnfinished ? { from: file.size(40), to: file.length } : section(file, 40, 'data', onCut)
  const features =
    isUnfinished || size === SHORT_HEADER ? new Map<number, PerfSection>() : featureSections(file, data.to, onCut)
  return { file, isPipe: false, data, attrs, attrSize, eventTypes, features, isUnfinished }
}

/** The section for the {offset, size} at `at`. */
export function section(file: PerfBytes, at: number, what: string, onCut: OnCut): PerfSection {
  const from = file.size(at)
  const to = from + file.size(at + 8)
  if (to <= file.length) return { from, to }
  onCut(file.fault(at, `${what}: bytes ${from} to ${to} are outside of the file of ${file.length} bytes`))
  return { from: Math.min(from, file.length), to: file.length }
}

function featureSections(file: PerfBytes, table: number, onCut: OnCut): Map<number, PerfSection> {
  const sections = new Map<number, PerfSection>()
  let at = table
  for (const feature of featureBits(file)) {
    if (at + 16 > file.length) {
      onCut(file.fault(file.length, 'the file ends within its feature table'))
      return sections
    }
    sections.set(feature, section(file, at, `feature ${feature}`, onCut))
    at += 16
  }
  return sections
}

/** The bitmap consists of machine words. Big-endian machines with 32 bits order its words differently than those with 64. */
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
