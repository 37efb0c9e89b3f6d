// Reads counts of stacks, which Go writes for goroutines, threads and custom profiles:
//   goroutine profile: total 6
//   4 @ 0x43e8ce 0x46d0c1
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { CommentSymbols } from './comment-symbols.ts'
import { FORMAT, LegacyProfile, int64Of } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'
import { findMemoryMap } from './memory-map.ts'

const HEADER = /^(\S+) profile: total \d+$/
const SAMPLE = /^(\d+) @$/

export function isCountHeader(text: string): boolean {
  return HEADER.test(text)
}

/** Expects the header to be the current line. */
export function readCount(line: LineReader, options: ReadOptions): LegacyProfile {
  const profile = new LegacyProfile(options)
  const type = HEADER.exec(line.text(1000))?.[1] ?? ''
  profile.types = [{ type, unit: 'count' }]
  profile.periodType = { type, unit: 'count' }
  profile.period = 1n
  const symbols = new CommentSymbols(profile)
  while (line.next()) {
    if (line.isComment) symbols.read(line)
    if (line.isBlank || line.isComment) continue
    if (line.startsWith('---')) break
    try {
      readSample(profile, line)
    } catch (error) {
      profile.skip(error)
    }
  }
  profile.memoryMap = findMemoryMap(line)
  return profile
}

function readSample(profile: LegacyProfile, line: LineReader): void {
  const at = line.indexOf('@')
  const [, count] = SAMPLE.exec(at < 0 ? '' : line.text(at + 1 - line.from)) ?? []
  if (count === undefined) throw new FormatError(FORMAT, line.from, 'invalid stack count')
  const value = int64Of(count, line.from)
  profile.hexFrames(line.bytes, at, line.to, () => true)
  profile.sample([value])
}
