// Reads the binary CPU profile of gperftools: machine words of 32 or 64 bits in either byte order. It has a header of 0, 3, 0
// (1 for Java), the period in microseconds, 0. Each stack follows with its count, length and addresses. The file ends with
// 0, 1, 0 and the memory map as text.
import { uint64 } from '../../model/columns/int64.ts'
import { FormatError } from '../format.ts'
import { readJavaLocations } from './java.ts'
import { FORMAT, LegacyProfile, inInt64 } from './legacy-profile.ts'
import { LineReader } from './line-reader.ts'
import { readMemoryMap } from './memory-map.ts'
import type { ReadOptions } from '../format.ts'

const HEADER_WORDS = 5
const JAVA = 1
/** A second frame belongs to the signal handler if all samples have it, except at most one in this many. */
const SAMPLES_PER_EXCEPTION = 32
const MAX_HANDLER_FRAMES = 2
/** `pprof --raw` writes this period if it rewrites a profile. Its addresses are those of calls, without handler frames or end. */
const REWRITTEN_PERIOD = 1n

/** Reads machine words; the halves of the last one are in `lo` and `hi`. */
class WordReader {
  readonly #view: DataView
  readonly size: number
  readonly #littleEndian: boolean
  at = 0
  lo = 0
  hi = 0

  constructor(bytes: Uint8Array, size: number, littleEndian: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.size = size
    this.#littleEndian = littleEndian
  }

  get wordsLeft(): number {
    return Math.floor((this.#view.byteLength - this.at) / this.size)
  }

  /** The caller must make sure that a word is left. */
  next(): void {
    const isWide = this.size === 8
    const first = this.#view.getInt32(this.at, this.#littleEndian)
    const second = isWide ? this.#view.getInt32(this.at + 4, this.#littleEndian) : 0
    const isHighFirst = isWide && !this.#littleEndian
    this.lo = isHighFirst ? second : first
    this.hi = isHighFirst ? first : second
    this.at += this.size
  }

  whole(): bigint {
    this.next()
    return uint64(this.lo, this.hi)
  }
}

interface CpuHeader {
  readonly words: WordReader
  readonly isJava: boolean
  readonly period: bigint
}

/** Returns undefined if the bytes do not begin with a CPU profile header. */
export function readCpuHeader(bytes: Uint8Array): CpuHeader | undefined {
  for (const size of [4, 8]) {
    for (const littleEndian of [true, false]) {
      const words = new WordReader(bytes, size, littleEndian)
      if (words.wordsLeft < HEADER_WORDS) continue
      const [zero, three, kind, period, padding] = Array.from({ length: HEADER_WORDS }, () => words.whole())
      if (zero === 0n && three === 3n && kind <= JAVA && period > 0n && padding === 0n) {
        return { words, isJava: kind === BigInt(JAVA), period }
      }
    }
  }
  return undefined
}

/** `isSymbolized`: the names of the addresses precede the profile. */
export function readCpu(
  bytes: Uint8Array,
  { words, isJava, period }: CpuHeader,
  options: ReadOptions,
  isSymbolized: boolean,
): LegacyProfile {
  const profile = new LegacyProfile(options)
  if (isSymbolized && period === REWRITTEN_PERIOD) {
    profile.types = [{ type: 'samples', unit: 'count' }]
    profile.notes.add('period-unknown', 'pprof --raw replaced the period, so the time of the samples is unknown')
    readSamples(profile, words, false)
    return profile
  }
  profile.types = [
    { type: 'samples', unit: 'count' },
    { type: 'cpu', unit: 'nanoseconds' },
  ]
  profile.periodType = profile.types[1]
  profile.period = inInt64(period * 1000n, 3 * words.size)
  readSamples(profile, words, !isJava)
  const line = new LineReader(bytes, words.at)
  if (isJava) {
    readJavaLocations(profile, line)
    return profile
  }
  removeHandlerFrames(profile)
  profile.memoryMap = readMemoryMap(line)
  profile.removeDoubledLeaves()
  return profile
}

function readSamples(profile: LegacyProfile, words: WordReader, hasReturnAddresses: boolean): void {
  for (;;) {
    const start = words.at
    if (words.wordsLeft < 2) {
      if (profile.period !== 0n) profile.notes.addDamage('truncated', 'the profile ends without an end marker')
      // A file may end after a complete sample. A rest of less than two words is an incomplete one.
      if (words.wordsLeft > 0 && profile.options.lenient !== true)
        throw new FormatError(FORMAT, start, 'truncated sample')
      return
    }
    const count = words.whole()
    const length = words.whole()
    if (length > BigInt(words.wordsLeft)) {
      if (profile.options.lenient !== true) {
        throw new FormatError(FORMAT, start, `stack of ${length} addresses, but only ${words.wordsLeft} words are left`)
      }
      profile.notes.addDamage('truncated', 'the profile ends within a sample')
      return
    }
    for (let i = 0; i < Number(length); i++) {
      words.next()
      if (count === 0n && length === 1n && words.lo === 0 && words.hi === 0) return
      profile.frame(words.lo, words.hi, hasReturnAddresses && i > 0)
    }
    const counted = inInt64(count, start)
    profile.sample(profile.types.length === 1 ? [counted] : [counted, inInt64(count * profile.period, start)])
  }
}

/** Removes the second frame if nearly all samples share it: it belongs to the signal handler, not to the program. */
function removeHandlerFrames(profile: LegacyProfile): void {
  const { frames, ends } = profile
  const enough = ends.length - Math.floor(ends.length / SAMPLES_PER_EXCEPTION)
  for (let round = 0; round < MAX_HANDLER_FRAMES; round++) {
    const counts = new Map<number, number>()
    for (let sample = 0, from = 0; sample < ends.length; sample++) {
      const end = ends.array[sample]
      if (end - from > 1) counts.set(frames.array[from + 1], (counts.get(frames.array[from + 1]) ?? 0) + 1)
      from = end
    }
    for (const [address, count] of counts) {
      if (count < enough) continue
      const removed = profile.removeSecondFrames((_, second) => second === address)
      profile.notes.add('handler-frames', 'frames of the signal handler were dropped', removed)
      break
    }
  }
}
