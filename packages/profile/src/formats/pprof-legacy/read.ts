// Reads legacy pprof into the model. `generation` of the result names the dialect.
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError } from '../format.ts'
import { readContention } from './contention.ts'
import { readCount } from './count.ts'
import { readCpu, readCpuHeader } from './cpu.ts'
import type { TextDialect } from './dialect.ts'
import { textDialect } from './dialect.ts'
import { readHeap } from './heap.ts'
import { readJava } from './java.ts'
import { FORMAT } from './legacy-profile.ts'
import type { LegacyProfile } from './legacy-profile.ts'
import { LineReader } from './line-reader.ts'
import { readThreads } from './threads.ts'
import { toProfiles } from './to-profiles.ts'

export function readLegacyPprof(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const header = readCpuHeader(bytes)
  if (header !== undefined) {
    return resultOf(readCpu(bytes, header, options), header.isJava ? 'java-cpu' : 'cpu')
  }
  const line = new LineReader(bytes)
  const dialect = textDialect(line)
  if (dialect === undefined) {
    throw new FormatError(FORMAT, 0, 'expected a legacy CPU, heap, contention, thread or goroutine profile')
  }
  return resultOf(readText(line, dialect, options), dialect)
}

function readText(line: LineReader, dialect: TextDialect, options: ReadOptions): LegacyProfile {
  switch (dialect) {
    case 'heap':
      return readHeap(line, options)
    case 'count':
      return readCount(line, options)
    case 'threads':
      return readThreads(line, options)
    case 'contention':
      return readContention(line, options)
    case 'java-heap':
      return readJava(line, 'heap', options)
    case 'java-contention':
      return readJava(line, 'contention', options)
  }
}

function resultOf(profile: LegacyProfile, generation: string): ReadResult {
  return { profiles: toProfiles(profile), notes: profile.notes.list(), generation }
}
