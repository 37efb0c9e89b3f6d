// Makes the symbol index of a binary, a debug file or a list of symbols, whatever its format.
import { DEFAULT_LIMIT, type Codecs } from '../../wire/compression/compression.ts'
import { baseName } from '../../model/text/frame-name.ts'
import { indexDwarf, type DwarfFiles, type DwarfReport } from './dwarf/index-dwarf.ts'
import { indexPclntab } from './go/pclntab.ts'
import { IndexBuilder } from './index/index-builder.ts'
import { encodeIndex, type IndexColumns } from './index/symbol-index.ts'
import { indexBreakpad, indexKallsyms, indexPerfMap, isBreakpad, linesOf } from './listings/address-lines.ts'
import { indexJitdump, isJitdump } from './listings/jitdump.ts'
import { isElf, readElf } from './object/elf.ts'
import { isMachO, readMachO } from './object/mach-o.ts'
import { sectionNamed, type FunctionSymbol, type ObjectFile } from './object/object-file.ts'
import { isPe, readPe } from './object/pe.ts'
import { sectionCodecs, type SectionCodecs } from './object/section-codecs.ts'
import { unxz } from './object/xz.ts'
import { SymbolFileError } from './symbol-file-error.ts'

export interface SymbolsOptions extends DwarfFiles {
  readonly codecs?: Codecs | undefined
  /** Bytes that a compressed section may have. 1 GiB unless given. */
  readonly limit?: number | undefined
}

export type SymbolFormat = ObjectFile['format'] | 'perf-map' | 'jitdump' | 'breakpad' | 'kallsyms'

export interface ReadSymbols {
  readonly format: SymbolFormat
  /** GNU build id, Mach-O UUID, PDB or Breakpad signature. */
  readonly buildId: string | undefined
  /** Undefined for lists of symbols. */
  readonly object: ObjectFile | undefined
  /** The bytes of a SymbolIndex. */
  readonly index: Uint8Array
  /** Undefined if the file has no debug information. */
  readonly dwarf: DwarfReport | undefined
}

/** Symbol tables compress by less than 10 to 1. */
const MAX_XZ_RATIO = 200

/** Throws SymbolFileError if the format is unknown or the file is broken as a whole. */
export function readSymbols(bytes: Uint8Array, options: SymbolsOptions = {}): ReadSymbols {
  const codecs = sectionCodecs(options.codecs, options.limit)
  const object = readObject(bytes, codecs)
  if (object !== undefined) return readObjectSymbols(object, options, codecs)
  const format = formatOfSymbols(bytes)
  if (format === 'jitdump') return listing(format, indexJitdump(bytes))
  if (format === 'kallsyms') return listing(format, indexKallsyms(bytes))
  if (format === 'perf-map') return listing(format, indexPerfMap(bytes))
  if (format === 'breakpad') {
    const columns = indexBreakpad(bytes)
    return listing(format, columns, columns.buildId)
  }
  throw new SymbolFileError('symbols', 'not ELF, Mach-O, PE, jitdump, Breakpad, kallsyms or a perf map')
}

/** The format by the first bytes of a file. Undefined if they are those of no file with symbols. */
export function formatOfSymbols(head: Uint8Array): SymbolFormat | undefined {
  if (isElf(head)) return 'elf'
  if (isMachO(head)) return 'mach-o'
  if (head[0] === 0x4d && head[1] === 0x5a) return 'pe'
  if (isJitdump(head)) return 'jitdump'
  if (isBreakpad(head)) return 'breakpad'
  const [firstLine = ''] = linesOf(head.subarray(0, 4096))
  if (/^[0-9a-fA-F]{8,16} \w \S/.test(firstLine)) return 'kallsyms'
  return /^(?:0x)?[0-9a-fA-F]+ +(?:0x)?[0-9a-fA-F]+ +\S/.test(firstLine) ? 'perf-map' : undefined
}

/** Whether a file has symbols and no profile, by its name and first bytes. Output of `perf script` can look like a perf map. */
export function isSymbolFile(name: string, head: Uint8Array): boolean {
  const format = formatOfSymbols(head)
  return format === 'perf-map' ? /^perf-\d+\.map$/.test(baseName(name)) : format !== undefined
}

/** Whether the symbols have files and lines, and not only names. */
export function hasLines({ dwarf, format, object }: ReadSymbols): boolean {
  const ofGo = object?.sections.some(({ name }) => name.endsWith('gopclntab')) ?? false
  return dwarf !== undefined || ofGo || format === 'breakpad'
}

/** The headers and sections of an executable, library or debug file. Undefined if the bytes are none of them. */
export function openObject(bytes: Uint8Array, options: SymbolsOptions = {}): ObjectFile | undefined {
  return readObject(bytes, sectionCodecs(options.codecs, options.limit))
}

function readObject(bytes: Uint8Array, codecs: SectionCodecs): ObjectFile | undefined {
  if (isElf(bytes)) return readElf(bytes, codecs)
  if (isMachO(bytes)) return readMachO(bytes)
  return isPe(bytes) ? readPe(bytes) : undefined
}

function listing(format: SymbolFormat, columns: IndexColumns, buildId?: string): ReadSymbols {
  return { format, buildId, object: undefined, index: encodeIndex(columns), dwarf: undefined }
}

function readObjectSymbols(object: ObjectFile, options: SymbolsOptions, codecs: SectionCodecs): ReadSymbols {
  const builder = new IndexBuilder(object.base)
  const symbols = [...object.symbols(), ...minimalSymbols(object, options.limit ?? DEFAULT_LIMIT, codecs)]
  const hasDwarf = sectionNamed(object, '.debug_info', '.zdebug_info', '__debug_info') !== undefined
  const dwarf = hasDwarf ? indexDwarf(object, symbols, options, builder) : undefined
  // Go's own table is in stripped binaries too. Debug information wins; the table fills its gaps.
  indexPclntab(object, builder)
  builder.addSymbols(symbols)
  const { format, buildId } = object
  return { format, buildId, object, index: encodeIndex(builder.finish()), dwarf }
}

/** Fedora's binaries keep the names of their functions in a compressed ELF file inside, `.gnu_debugdata`. */
function minimalSymbols(object: ObjectFile, limit: number, codecs: SectionCodecs): FunctionSymbol[] {
  const section = sectionNamed(object, '.gnu_debugdata')
  if (section === undefined) return []
  const packed = section.content()
  const inner = readElf(unxz(packed, Math.min(limit, MAX_XZ_RATIO * packed.length + (1 << 20))), codecs)
  const shift = Number(inner.base.address - object.base.address)
  return inner.symbols().map(symbol => ({ ...symbol, start: symbol.start + shift, limit: symbol.limit + shift }))
}
