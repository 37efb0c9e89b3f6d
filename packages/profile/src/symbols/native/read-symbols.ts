// Makes the symbol index of a binary or debug file, whatever its format.
import type { Codecs } from '../../wire/compression/compression.ts'
import { indexDwarf, type DwarfFiles, type DwarfReport } from './dwarf/index-dwarf.ts'
import { indexPclntab } from './go/pclntab.ts'
import { IndexBuilder } from './index/index-builder.ts'
import { encodeIndex } from './index/symbol-index.ts'
import { readElf } from './object/elf.ts'
import { sectionNamed, type ObjectFile } from './object/object-file.ts'
import { sectionCodecs } from './object/section-codecs.ts'

export interface SymbolsOptions extends DwarfFiles {
  readonly codecs?: Codecs | undefined
}

export interface ReadSymbols {
  readonly object: ObjectFile
  /** The bytes of a SymbolIndex. */
  readonly index: Uint8Array
  readonly dwarf: DwarfReport | undefined
}

export function readSymbols(bytes: Uint8Array, options: SymbolsOptions = {}): ReadSymbols {
  const object = readElf(bytes, sectionCodecs(options.codecs))
  const builder = new IndexBuilder(object.base)
  const hasDwarf = sectionNamed(object, '.debug_info', '.zdebug_info', '__debug_info') !== undefined
  const symbols = object.symbols()
  const dwarf = hasDwarf ? indexDwarf(object, symbols, options, builder) : undefined
  // Go's own table is complete, and debug information of Go says nothing more.
  if (dwarf === undefined) indexPclntab(object, builder)
  builder.addSymbols(symbols)
  return { object, index: encodeIndex(builder.finish()), dwarf }
}
