// Reads the text heap profiles of C++ and Go:
//   heap profile:    144:  8498176 [   144:  8498176] @ heapz_v2/524288
//        1:     9216 [     1:     9216] @ 0xc635c8 0x42ecc3
// The columns are objects and bytes in use, with those allocated in brackets. `growth` and `fragmentation` profiles look the same.
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { FORMAT, LegacyProfile, int64Of, unsampled } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'
import { findMemoryMap, isMemoryMapStart } from './memory-map.ts'
import { CommentSymbols } from './comment-symbols.ts'

const HEADER = /^heap profile: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\] *@ *([a-z][_a-z\d]*)\/?(\d*)/
const SAMPLE = /^(-?\d+): *(-?\d+) *\[ *(\d+): *(\d+) *\] *@/

interface HeapHeader {
  /** True if the allocations were sampled at random, with `period` as the rate. */
  readonly isSampled: boolean
  readonly period: bigint
  /** True if the values in brackets differ from those in front of them. */
  readonly hasAllocations: boolean
}

export function isHeapHeader(text: string): boolean {
  return HEADER.test(text)
}

/** Expects the header to be the current line. */
export function readHeap(line: LineReader, options: ReadOptions): LegacyProfile {
  const profile = new LegacyProfile(options)
  const header = readHeader(line)
  profile.periodType = { type: 'space', unit: 'bytes' }
  profile.period = header.period
  const [inUseObjects, inUseSpace] = header.hasAllocations ? ['inuse_objects', 'inuse_space'] : ['objects', 'space']
  const inUse = [
    { type: inUseObjects, unit: 'count' },
    { type: inUseSpace, unit: 'bytes' },
  ]
  const allocated = [
    { type: 'alloc_objects', unit: 'count' },
    { type: 'alloc_space', unit: 'bytes' },
  ]
  profile.types = header.hasAllocations ? [...allocated, ...inUse] : inUse
  const symbols = new CommentSymbols(profile)
  while (line.next()) {
    if (line.isComment) symbols.read(line)
    if (line.isBlank || line.isComment) continue
    if (isMemoryMapStart(line)) break
    try {
      readSample(profile, header, line)
    } catch (error) {
      profile.skip(error)
    }
  }
  profile.memoryMap = findMemoryMap(line)
  return profile
}

function readHeader(line: LineReader): HeapHeader {
  const match = HEADER.exec(line.text(500))
  if (match === null) throw new FormatError(FORMAT, line.from, 'invalid header of a heap profile')
  const [, objects, bytes, allocatedObjects, allocatedBytes, kind, rate] = match
  const isOther = (a: string, b: string): boolean => a !== b && a !== '0'
  const hasAllocations = isOther(allocatedObjects, objects) || isOther(allocatedBytes, bytes)
  const period = rate === '' ? 0n : int64Of(rate, line.from)
  switch (kind) {
    case 'heapz_v2':
    case 'heap_v2':
      return { isSampled: true, period, hasAllocations }
    case 'heap':
      // Go, and C++ before v2, write twice the rate.
      return { isSampled: true, period: period / 2n, hasAllocations }
    case 'heapprofile':
      return { isSampled: false, period: 1n, hasAllocations }
    case 'growth':
    case 'growthz':
    case 'fragmentation':
    case 'fragmentationz':
      return { isSampled: false, period: 1n, hasAllocations: false }
    default:
      throw new FormatError(FORMAT, line.from, `unknown kind of heap profile "${kind}"`)
  }
}

function readSample(profile: LegacyProfile, header: HeapHeader, line: LineReader): void {
  const at = line.indexOf('@')
  const match = SAMPLE.exec(at < 0 ? '' : line.text(at + 1 - line.from))
  if (match === null) throw new FormatError(FORMAT, line.from, 'invalid heap sample')
  const numbers = match.slice(1).map(digits => int64Of(digits, line.from))
  const values: bigint[] = []
  let blockSize = 0n
  const add = (count: bigint, size: bigint): void => {
    if (count === 0n && size !== 0n) throw new FormatError(FORMAT, line.from, `${size} bytes in 0 objects`)
    if (count !== 0n) blockSize = size / count
    values.push(
      ...(header.isSampled && count !== 0n ? unsampled(count, size, profile.period, line.from) : [count, size]),
    )
  }
  if (header.hasAllocations) add(numbers[2], numbers[3])
  add(numbers[0], numbers[1])
  profile.hexFrames(line.bytes, at, line.to, () => true)
  profile.blockSizes[profile.sampleCount] = blockSize
  profile.sample(values)
}
