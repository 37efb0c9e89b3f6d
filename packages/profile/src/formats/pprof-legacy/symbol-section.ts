// Reads the names that gperftools' `pprof --raw` writes before a profile. Inlined functions follow their callers after `--`:
//   --- symbol
//   binary=/bin/app
//   0x0000000000402100 main--inlined
//   ---
//   --- profile
import { uint64 } from '../../model/columns/int64.ts'
import { FormatError } from '../format.ts'
import { FORMAT } from './legacy-profile.ts'
import type { LegacyProfile, SymbolLine } from './legacy-profile.ts'
import { LineReader } from './line-reader.ts'

const FIRST_LINE = /^--- *symbol$/
const SYMBOL = /^0x([\da-f]{1,16})\s+/
const BINARY = 'binary='
/** An address without a name is its own name. */
const UNNAMED = /^(?:0x[\da-f]+|\?\?)$/
/** `operator--` is the only C++ name with two hyphens. */
const INLINED = /(?<!operator)--/
/** The page of the profile, for example `--- profile` or `--- heap`. The profile itself follows. */
const PAGE = /^--- *[a-z]+$/
const MAX_HEADER = 1000

export interface SymbolSection {
  readonly names: ReadonlyMap<bigint, string>
  /** The path of the program, or empty. */
  readonly program: string
  /** The offset of the profile after the section. */
  readonly end: number
}

export function isSymbolized(bytes: Uint8Array): boolean {
  const line = new LineReader(bytes)
  return line.nextContent() && FIRST_LINE.test(line.text(MAX_HEADER))
}

/** Reads the section of a file for which `isSymbolized` is true. */
export function readSymbolSection(bytes: Uint8Array): SymbolSection {
  const line = new LineReader(bytes)
  line.nextContent()
  const names = new Map<bigint, string>()
  let program = ''
  while (line.next()) {
    if (line.startsWith('---')) return { names, program, end: profileStart(line) }
    const text = line.text()
    const symbol = SYMBOL.exec(text)
    if (symbol !== null) names.set(BigInt(`0x${symbol[1]}`), text.slice(symbol[0].length))
    else if (text.startsWith(BINARY)) program = text.slice(BINARY.length).trim()
  }
  throw new FormatError(FORMAT, bytes.length, 'the file ends within the list of symbols')
}

/** Expects the end of the symbols to be the current line. */
function profileStart(line: LineReader): number {
  const page = new LineReader(line.bytes, line.nextFrom)
  return page.next() && PAGE.test(page.text(MAX_HEADER)) ? page.nextFrom : line.nextFrom
}

export function nameAddresses(profile: LegacyProfile, { names, program }: SymbolSection): void {
  profile.program = program.slice(program.lastIndexOf('/') + 1)
  const { array } = profile.addresses.pool
  for (let row = 0; row < profile.addresses.length; row++) {
    const address = uint64(array[2 * row], array[2 * row + 1])
    // The reader moves the leaf of heap and contention profiles back by one. `pprof --raw` does not.
    const name = names.get(address) ?? names.get(address + 1n)
    if (name === undefined || UNNAMED.test(name) || profile.symbols.has(row)) continue
    const lines = name.split(INLINED).map((part): SymbolLine => ({ name: part, file: '', line: 0n }))
    profile.symbols.set(row, lines.reverse())
  }
}
