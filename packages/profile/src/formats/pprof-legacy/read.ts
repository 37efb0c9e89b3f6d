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
import type { SymbolSection } from './symbol-section.ts'
import { isSymbolized, nameAddresses, readSymbolSection } from './symbol-section.ts'
import { readThreads } from './threads.ts'
import { toProfiles } from './to-profiles.ts'

export function readLegacyPprof(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const section = isSymbolized(bytes) ? readSymbolSection(bytes) : undefined
  if (section === undefined) return readProfile(bytes, options)
  try {
    return readProfile(bytes.subarray(section.end), options, section)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new FormatError(FORMAT, section.end + error.offset, error.what)
  }
}

function readProfile(bytes: Uint8Array, options: ReadOptions, section?: SymbolSection): ReadResult {
  const header = readCpuHeader(bytes)
  if (header !== undefined) {
    const profile = readCpu(bytes, header, options, section !== undefined)
    return resultOf(profile, header.isJava ? 'java-cpu' : 'cpu', section)
  }
  const line = new LineReader(bytes)
  const dialect = textDialect(line)
  if (dialect === undefined) {
    throw new FormatError(FORMAT, 0, 'expected a legacy CPU, heap, contention, thread or goroutine profile')
  }
  return resultOf(readText(line, dialect, options), dialect, section)
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

function resultOf(profile: LegacyProfile, generation: string, section?: SymbolSection): ReadResult {
  if (section !== undefined) nameAddresses(profile, section)
  return { profiles: toProfiles(profile), notes: profile.notes.list(), generation }
}
