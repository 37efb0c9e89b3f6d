// Makes the index of one debug file. Runs in a thread of its own: the file is untrusted.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { nodeCodecs } from '@hearth/codecs'
import type { ObjectFile, ReadSymbols } from '@hearth/profile'
import {
  SymbolFileError,
  SymbolIndex,
  baseName,
  compressionOf,
  hasLines,
  isPackage,
  htlhash,
  openObject,
  readSymbols,
} from '@hearth/profile'
import type { AboutFile, Quality } from './about-file.ts'
import { SOURCES_FORMAT, storedSegments } from './about-file.ts'
import { isTar } from '../source/read-tar.ts'
import { SourceArchive } from '../source/source-archive.ts'
import { encodeSources } from '../source/source-index.ts'
import { fileBytes } from './file-bytes.ts'
import { MACHINES_WITH_ASSEMBLY } from './assembly/capstone.ts'

export interface IndexTask {
  readonly file: string
  /** The path of the index to write. */
  readonly index: string
  /** The file with the rest of the debug information, if the store has it. */
  readonly supplement?: string | undefined
  /** The package with the split units of the file (.dwp), if the store has it. */
  readonly package?: string | undefined
  /** Files with split units (.dwo), by name. */
  readonly splitUnits?: Readonly<Record<string, string>> | undefined
  /** Accepts a binary without names for its code. */
  readonly acceptsCode?: boolean | undefined
}

export type IndexedFile = Pick<
  AboutFile,
  | 'id'
  | 'buildIds'
  | 'format'
  | 'quality'
  | 'fileBytes'
  | 'indexBytes'
  | 'segments'
  | 'kernelStart'
  | 'supplement'
  | 'supplemented'
  | 'code'
  | 'sources'
  | 'isPackage'
  | 'missingUnits'
>

/** Throws SymbolFileError. */
export function indexFile(task: IndexTask): IndexedFile {
  const { file, index, supplement, package: packed, splitUnits = {}, acceptsCode } = task
  const bytes = fileBytes(file)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const sources = sourcesIn(bytes)
  if (sources !== undefined) {
    const content = encodeSources(sources.files)
    writeFileSync(index, content)
    const sizes = { fileBytes: bytes.length, indexBytes: content.length, sources: sources.files.size }
    return {
      id: sha256.slice(0, 32),
      buildIds: [sha256],
      format: SOURCES_FORMAT,
      quality: 'none',
      segments: [],
      ...sizes,
    }
  }
  const extra = supplement === undefined ? undefined : opened(supplement)
  const split = packed === undefined ? undefined : opened(packed)
  const read = readSymbols(bytes, {
    codecs: nodeCodecs,
    supplement: extra,
    package: split,
    splitUnit(_, name) {
      const path = splitUnits[baseName(name)]
      return path === undefined ? undefined : opened(path)
    },
  })
  const { object, format } = read
  const quality = qualityOf(read)
  // A supplementary file has no code of its own.
  const code = machineOfCode(object)
  if (quality === 'none' && !hasDebugInfo(object) && (acceptsCode !== true || code === undefined))
    throw new SymbolFileError(format, 'the file has no names of functions; it is stripped')
  writeFileSync(index, read.index)
  const kernelStart = format === 'kallsyms' ? startOfKernel(bytes) : object && startOfKernelImage(object)
  const ids = [read.buildId, object?.goBuildId, htlhash(bytes), sha256]
  return {
    id: sha256.slice(0, 32),
    buildIds: [...new Set(ids.filter(id => id !== undefined))],
    format,
    quality,
    fileBytes: bytes.length,
    indexBytes: read.index.length,
    segments: storedSegments(object?.segments ?? []),
    ...(kernelStart === undefined ? {} : { kernelStart }),
    ...(code === undefined ? {} : { code }),
    ...(object !== undefined && isPackage(object) ? { isPackage: true } : {}),
    ...(read.dwarf === undefined || read.dwarf.missingSplitUnits === 0
      ? {}
      : { missingUnits: read.dwarf.missingSplitUnits }),
    ...(object?.supplement === undefined
      ? {}
      : { supplement: object.supplement.buildId, supplemented: extra !== undefined }),
  }
}

/** Archives of source files and source maps. Undefined for other files. Throws FormatError or CompressionError. */
function sourcesIn(bytes: Uint8Array): SourceArchive | undefined {
  const isCompressed = ['gzip', 'zstd'].includes(compressionOf(bytes))
  const isMap = bytes[0] === 0x7b || (bytes[0] === 0x29 && bytes[1] === 0x5d)
  return isCompressed || isMap || isTar(bytes) ? SourceArchive.read(bytes) : undefined
}

function opened(path: string): ObjectFile | undefined {
  return openObject(fileBytes(path), { codecs: nodeCodecs })
}

function hasDebugInfo(object: ObjectFile | undefined): boolean {
  return object?.sections.some(({ name }) => /^(?:\.z?debug_info(?:\.dwo)?|__debug_info)$/.test(name)) ?? false
}

/** Debug files and stripped uploads have sections of code without content. */
function machineOfCode(object: ObjectFile | undefined): string | undefined {
  if (object?.format !== 'elf' || !MACHINES_WITH_ASSEMBLY.has(object.machine)) return undefined
  const hasCode = object.sections.some(({ executable, content }) => executable && content().length > 0)
  return hasCode ? object.machine : undefined
}

function qualityOf(read: ReadSymbols): Quality {
  if (SymbolIndex.open(read.index).starts.length === 0) return 'none'
  return hasLines(read) ? 'lines' : 'names'
}

/** Undefined for other files than a kernel's image (vmlinux). Only kernels have addresses in the upper half. */
function startOfKernelImage({ format, base, symbols }: ObjectFile): string | undefined {
  if (format !== 'elf' || base.address < KERNEL_SPACE) return undefined
  const all = symbols()
  for (const wanted of ['_stext', '_text']) {
    const found = all.find(({ name }) => name === wanted)
    if (found !== undefined) return (base.address + BigInt(found.start)).toString(16)
  }
  return undefined
}

const KERNEL_SPACE = 1n << 63n

/** `_stext` is the start of the kernel's code. Few kernels lack it. */
function startOfKernel(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (const name of ['_stext', '_text']) {
    const at = text.indexOf(` ${name}\n`)
    const line = at < 0 ? '' : text.toString('latin1', Math.max(0, at - 32), at)
    const address = /([0-9a-fA-F]{8,16}) \w$/.exec(line)?.[1]
    if (address !== undefined) return address.toLowerCase()
  }
  return undefined
}
