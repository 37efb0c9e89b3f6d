// Feeds broken files to the readers of native symbols. They must return an index or throw SymbolFileError.
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { FuzzReport } from '../../../formats/testing/fuzz.ts'
import { fuzzInput } from '../../../formats/testing/fuzz.ts'
import { SymbolIndex } from '../index/symbol-index.ts'
import { stripElf } from '../object/strip-elf.ts'
import { openObject, readSymbols } from '../read-symbols.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { programs } from './generated/programs.ts'
import { goProgram, programWithTextsInEntries } from './elf-files.ts'
import { jitClose, jitdump, jitLines, jitLoad, jitMove, machO, pe, universal } from './object-files.ts'

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

/** Bytes that a section may have in the fuzzer. A broken size must not take the time of a real one. */
const LIMIT = 1 << 22
/** Every eighth input is also read as a package of split units, and stripped. */
const OTHER_READERS = 8

/** Files of every kind that `readSymbols` knows. */
export function symbolFiles(): readonly Uint8Array[] {
  const records = [
    jitLines(0x1000, [
      [0x1000, 3, 'a.js'],
      [0x1008, 4],
    ]),
    jitLoad('run', 0x1000, 16, 1),
  ]
  const texts = [
    '7f0010 10 LazyCompile:~old\n7f0040 20 stub\n7f0010 18 *new a.js:3\n',
    'ffffffff81000000 T _stext\nffffffff81000007 t do_work\nffffffffc0000001 t probe\t[nvme]\n',
    'MODULE Linux x86_64 6EDC6ACD0 app\nFILE 0 main.cc\nINLINE_ORIGIN 0 rounded(long)\nFUNC 1000 20 0 checkout(int)\n' +
      'INLINE 0 12 0 0 1008 8\n1000 8 11 0\n1008 8 4 0\n1010 10 13 0\nPUBLIC 2000 0 _start\n',
  ]
  return [
    ...Object.values(programs).map(bytesOf),
    goProgram(),
    goProgram({ version: 12 }),
    goProgram({ version: 116, wide: false }),
    goProgram({ version: 118, littleEndian: false }),
    programWithTextsInEntries(),
    machO(),
    machO({ wide: false, cpu: 7 }),
    universal([
      { cpu: 7, bytes: machO({ wide: false, cpu: 7 }) },
      { cpu: 0x100_000c, bytes: machO() },
    ]),
    pe(),
    pe({ wide: false }),
    jitdump([...records, jitMove(0x1000, 0x2000, 1), jitClose]),
    jitdump(records, false),
    ...texts.map(encodeUtf8),
  ]
}

/** Runs until `goOn` returns false or a run fails. Run i can be repeated with the seed `seed` + i. */
export function fuzzSymbols(corpus: readonly Uint8Array[], seed: number, goOn: (runs: number) => boolean): FuzzReport {
  let runs = 0
  let read = 0
  let rejected = 0
  while (goOn(runs)) {
    const input = fuzzInput(corpus, seed + runs)
    runs++
    try {
      const found = SymbolIndex.open(readSymbols(input, { limit: LIMIT }).index)
      found.lookup(0x401000n)
      found.functionAround(0x401000n)
      if (runs % OTHER_READERS === 0) {
        readSymbols(bytesOf(programs.split5), { limit: LIMIT, package: openObject(input, { limit: LIMIT }) })
        stripElf(input)
      }
      read++
    } catch (error) {
      if (!(error instanceof SymbolFileError)) {
        return { runs, read, rejected, failure: { format: 'symbols', seed: seed + runs - 1, input, error } }
      }
      rejected++
    }
  }
  return { runs, read, rejected }
}
