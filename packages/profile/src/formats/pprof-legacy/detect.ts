// Detects legacy pprof by its first words or its first line, which are unique to it.
import type { Confidence } from '../format.ts'
import { readCpuHeader } from './cpu.ts'
import { textDialect } from './dialect.ts'
import { LineReader } from './line-reader.ts'
import { isSymbolized } from './symbol-section.ts'

export function detectLegacyPprof(head: Uint8Array): Confidence {
  const isLegacy =
    isSymbolized(head) || readCpuHeader(head) !== undefined || textDialect(new LineReader(head)) !== undefined
  return isLegacy ? 'certain' : 'no'
}
