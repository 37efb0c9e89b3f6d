// The common shape of executables, shared libraries and debug files, whatever their format.
import type { ImageBase } from '../byte-cursor.ts'

export interface Section {
  readonly name: string
  readonly address: bigint
  readonly size: number
  readonly executable: boolean
  /** The content, decompressed. Empty if the file does not hold it, as in debug files. */
  readonly content: () => Uint8Array
}

/** A part of the file that is mapped into memory. */
export interface Segment {
  readonly fileOffset: number
  readonly fileSize: number
  readonly address: bigint
  readonly memorySize: number
  readonly executable: boolean
}

export interface FunctionSymbol {
  readonly name: string
  /** Distance from the image base. */
  readonly start: number
  /** 0 if the file does not say. */
  readonly size: number
  /** The end of the symbol's section: a symbol without a size reaches at most that far. */
  readonly limit: number
  /** Higher wins if symbols share an address: global 2, weak 1, local 0. */
  readonly rank: number
  /** The source file of a local symbol, if the symbol table says it. */
  readonly file?: string | undefined
}

export interface ObjectFile {
  readonly format: 'elf' | 'mach-o' | 'pe'
  /** As in `uname -m`: x86_64, aarch64, … */
  readonly machine: string
  readonly littleEndian: boolean
  readonly wide: boolean
  readonly base: ImageBase
  readonly sections: readonly Section[]
  readonly segments: readonly Segment[]
  /** GNU build id, Mach-O UUID or PDB signature, in lower-case hex. */
  readonly buildId: string | undefined
  readonly goBuildId: string | undefined
  /** The name in `.gnu_debuglink` and the CRC of that file. */
  readonly debugLink: { readonly name: string; readonly crc: number } | undefined
  /** The supplementary file that `dwz` shares among debug files. */
  readonly supplement: { readonly name: string; readonly buildId: string } | undefined
  readonly symbols: () => FunctionSymbol[]
}

/** Names of symbols are kept, so they may share fewer bytes than other texts. */
export const SYMBOL_TEXTS_PER_BYTE = 16

export function sectionNamed(file: ObjectFile, ...names: readonly string[]): Section | undefined {
  return file.sections.find(({ name }) => names.includes(name))
}
