// Lists the binaries and debug files below some folders with their build ids. Runs in an indexing thread.
import { closeSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import { SymbolFileError, crc32, formatOfSymbols, htlhash, openObject, readSymbols } from '@hearth/profile'
import { fileBytes } from '../file-bytes.ts'

export interface FolderFile {
  readonly path: string
  readonly buildIds: readonly string[]
}

/** Folders of build machines have some ten thousand files. More are not looked through. */
const MAX_FILES = 200_000
const MAX_FILE_BYTES = 2 ** 31 - 1
const HEAD_BYTES = 4096

interface ScannedFile extends FolderFile {
  /** The debug file that a stripped binary without a GNU build id names. */
  readonly debugLink: { readonly name: string; readonly crc: number } | undefined
}

export function scanFolders(folders: readonly string[]): FolderFile[] {
  const found: ScannedFile[] = []
  let left = MAX_FILES
  for (const path of folders.flatMap(filesBelow)) {
    if (left-- === 0) break
    skippingBroken(() => {
      const scanned = scannedFile(path)
      if (scanned !== undefined) found.push(scanned)
    })
  }
  const linked = found.flatMap(({ buildIds, debugLink }): FolderFile[] => {
    const path = debugLink && found.find(each => isLinked(each.path, debugLink))?.path
    return path === undefined ? [] : [{ path, buildIds }]
  })
  return [...linked, ...found.map(({ path, buildIds }) => ({ path, buildIds }))]
}

/** A broken or unreadable file among many is skipped: its binary stays without names. */
function skippingBroken(look: () => void): void {
  try {
    look()
  } catch (error) {
    if (!(error instanceof SymbolFileError) && !isFileError(error)) throw error
  }
}

function isLinked(path: string, { name, crc }: NonNullable<ScannedFile['debugLink']>): boolean {
  if (basename(path) !== name) return false
  let isEqual = false
  skippingBroken(() => {
    const bytes = readFileSync(path)
    isEqual = crc32(bytes, 0, bytes.length) >>> 0 === crc
  })
  return isEqual
}

function filesBelow(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
  } catch (error) {
    if (isFileError(error)) return []
    throw error
  }
}

function scannedFile(path: string): ScannedFile | undefined {
  const format = basename(path).startsWith('.') ? undefined : formatOfSymbols(headOf(path))
  if (format === undefined || statSync(path).size > MAX_FILE_BYTES) return undefined
  if (format === 'breakpad') {
    const { buildId } = readSymbols(fileBytes(path))
    return buildId === undefined ? undefined : { path, buildIds: [buildId], debugLink: undefined }
  }
  if (format !== 'elf' && format !== 'mach-o' && format !== 'pe') return undefined
  const bytes = fileBytes(path)
  const object = openObject(bytes, { codecs: nodeCodecs })
  if (object === undefined) return undefined
  // In the layout of /usr/lib/debug the path has the build id, also if the file has none.
  const inPath = /\.build-id\/([0-9a-f]{2})\/([0-9a-f]+)\.debug$/.exec(path)
  const ids = [object.buildId, object.goBuildId, htlhash(bytes), inPath && inPath[1] + inPath[2]].filter(isText)
  return { path, buildIds: [...new Set(ids)], debugLink: object.buildId === undefined ? object.debugLink : undefined }
}

function isText(value: string | null | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function headOf(path: string): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
