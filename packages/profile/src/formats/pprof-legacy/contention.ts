// Reads the lock contention of C++ and Go: `--- contentionz 1 ---`, `--- mutex:` or `--- contention:`, then `name = value` lines,
// then the delay in cycles and the count of each stack.
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { CommentSymbols } from './comment-symbols.ts'
import { ATTRIBUTE_LINE } from './header-line.ts'
import { wholeNumber } from './java.ts'
import { FORMAT, LegacyProfile, inInt64, int64Of, wholeOf } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'
import { findMemoryMap } from './memory-map.ts'

const SAMPLE = /^(\d+) +(\d+) @$/
const NANOS_PER_MILLI = 1_000_000n

/** Expects the header to be the current line. */
export function readContention(line: LineReader, options: ReadOptions): LegacyProfile {
  const profile = new LegacyProfile(options)
  profile.types = [
    { type: 'contentions', unit: 'count' },
    { type: 'delay', unit: 'nanoseconds' },
  ]
  profile.periodType = profile.types[0]
  profile.period = 1n
  let cyclesPerSecond = 0n
  const symbols = new CommentSymbols(profile)
  let isHeader = true
  while (line.next()) {
    if (line.isComment) symbols.read(line)
    if (line.isBlank || line.isComment) continue
    if (line.startsWith('---')) break
    const [, name, value] = (isHeader ? ATTRIBUTE_LINE.exec(line.text(200)) : undefined) ?? []
    if (name !== undefined) {
      const number = wholeNumber(value, line.from)
      if (name === 'cycles/second') cyclesPerSecond = number
      else readAttribute(profile, name, number, line.from)
      continue
    }
    isHeader = false
    try {
      readSample(profile, line, cyclesPerSecond)
    } catch (error) {
      profile.skip(error)
    }
  }
  profile.memoryMap = findMemoryMap(line)
  return profile
}

function readAttribute(profile: LegacyProfile, name: string, value: bigint, offset: number): void {
  switch (name) {
    case 'sampling period':
      profile.period = value
      return
    case 'ms since reset':
      profile.durationNano = inInt64(value * NANOS_PER_MILLI, offset)
      return
    case 'discarded samples':
      profile.notes.add(
        'discarded-samples',
        'the profiler discarded samples because its buffer was full',
        Number(value),
      )
      return
    default:
      throw new FormatError(FORMAT, offset, `header "${name}" is not known`)
  }
}

function readSample(profile: LegacyProfile, line: LineReader, cyclesPerSecond: bigint): void {
  const at = line.indexOf('@')
  const [, cycles, count] = SAMPLE.exec(at < 0 ? '' : line.text(at + 1 - line.from)) ?? []
  if (cycles === undefined) throw new FormatError(FORMAT, line.from, 'invalid contention sample')
  let delay = int64Of(cycles, line.from)
  let contentions = int64Of(count, line.from)
  const { period } = profile
  if (period > 0n) {
    if (cyclesPerSecond > 0n) {
      const cyclesPerNano = Number(cyclesPerSecond) / 1e9
      delay = wholeOf((Number(delay) * Number(period)) / cyclesPerNano, line.from)
    }
    contentions = inInt64(contentions * period, line.from)
  }
  profile.hexFrames(line.bytes, at, line.to, () => true)
  profile.sample([contentions, delay])
}
