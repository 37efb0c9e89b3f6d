// Reads the stacks of all threads that C++ servers print:
//   --- threadz 1 ---
//   --- Thread 7f794ab90940 (name: main/14748) stack: ---
//     PC:  0x00bc8f1c: helper(arg *)
//     0x0040be31: main
import { FormatError } from '../format.ts'
import type { ReadOptions } from '../format.ts'
import { FORMAT, LegacyProfile } from './legacy-profile.ts'
import type { ThreadName } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'
import { findMemoryMap, isMemoryMapStart } from './memory-map.ts'

const FIRST_LINE = /--- threadz \d+ ---/
const THREAD = /^--- Thread [\da-f]+ \(name: (.*)\/(\d{1,18})\) stack: ---/i
const MAX_HEADER = 1000

export function isThreadsHeader(text: string): boolean {
  return FIRST_LINE.test(text) || THREAD.test(text)
}

/** Expects the header to be the current line. */
export function readThreads(line: LineReader, options: ReadOptions): LegacyProfile {
  const profile = new LegacyProfile(options)
  profile.types = [{ type: 'thread', unit: 'count' }]
  profile.periodType = profile.types[0]
  profile.period = 1n
  let isThere = true
  if (FIRST_LINE.test(line.text(MAX_HEADER))) {
    do isThere = line.next()
    while (isThere && !line.startsWith('-') && !isMemoryMapStart(line))
  }
  while (isThere && !isMemoryMapStart(line) && !line.startsWith('---- no stack trace for')) {
    const [, name, id] = THREAD.exec(line.text(MAX_HEADER)) ?? []
    if (name === undefined) {
      if (profile.options.lenient === true) break
      throw new FormatError(FORMAT, line.from, 'invalid header of a thread')
    }
    isThere = readThread(profile, line, { name, id: BigInt(id) })
  }
  profile.memoryMap = findMemoryMap(line)
  profile.removeDoubledLeaves()
  return profile
}

/** Returns whether another line follows. */
function readThread(profile: LegacyProfile, line: LineReader, thread: ThreadName): boolean {
  let isSame = false
  let isThere = false
  while ((isThere = line.next())) {
    if (line.startsWith('---')) break
    if (line.to - line.from < MAX_HEADER && line.text().includes('same as previous thread')) isSame = true
    else profile.hexFrames(line.bytes, line.from, line.to, frame => frame > 0)
  }
  const { frames, ends, sampleCount } = profile
  if (isSame) {
    profile.dropFrames()
    if (sampleCount > 0) {
      const previous = frames.array.slice(sampleCount > 1 ? ends.array[sampleCount - 2] : 0, frames.length)
      frames.pushAll(previous, 0, previous.length)
    }
  }
  // A thread without frames has nothing to show.
  if (frames.length === (sampleCount === 0 ? 0 : ends.array[sampleCount - 1])) {
    profile.notes.add('empty-stacks', 'threads without a stack were dropped')
    return isThere
  }
  profile.threads[sampleCount] = thread
  profile.sample([1n])
  return isThere
}
