// Makes the index of one debug file. Runs in a thread of its own: the file is untrusted.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { nodeCodecs } from '@hearth/codecs'
import type { ObjectFile, ReadSymbols } from '@hearth/profile'
import { SymbolFileError, SymbolIndex, hasLines, htlhash, openObject, readSymbols } from '@hearth/profile'
import type { AboutFile, Quality } from './about-file.ts'
import { storedSegments } from './about-file.ts'

export interface IndexTask {
  readonly file: string
  /** The path of the index to write. */
  readonly index: string
  /** The file with the rest of the debug information, if the store has it. */
  readonly supplement?: string | undefined
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
>

/** Throws SymbolFileError. */
export function indexFile({ file, index, supplement }: IndexTask): IndexedFile {
  const bytes = new Uint8Array(readFileSync(file))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const extra = supplement === undefined ? undefined : opened(supplement)
  const read = readSymbols(bytes, { codecs: nodeCodecs, supplement: extra })
  const { object, format } = read
  const quality = qualityOf(read)
  // A supplementary file has no code of its own.
  if (quality === 'none' && !hasDebugInfo(object))
    throw new SymbolFileError(format, 'the file has no names of functions; it is stripped')
  writeFileSync(index, read.index)
  const kernelStart = format === 'kallsyms' ? startOfKernel(bytes) : undefined
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
    ...(object?.supplement === undefined
      ? {}
      : { supplement: object.supplement.buildId, supplemented: extra !== undefined }),
  }
}

function opened(path: string): ObjectFile | undefined {
  return openObject(new Uint8Array(readFileSync(path)), { codecs: nodeCodecs })
}

function hasDebugInfo(object: ObjectFile | undefined): boolean {
  return object?.sections.some(({ name }) => /^(?:\.z?debug_info|__debug_info)$/.test(name)) ?? false
}

function qualityOf(read: ReadSymbols): Quality {
  if (SymbolIndex.open(read.index).starts.length === 0) return 'none'
  return hasLines(read) ? 'lines' : 'names'
}

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
