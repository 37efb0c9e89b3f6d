// Lists the binaries and debug files below some folders with their build ids. Runs in an indexing thread.
import { closeSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import { SymbolFileError, htlhash, openObject } from '@hearth/profile'

export interface FolderFile {
  readonly path: string
  readonly buildIds: readonly string[]
}

/** Folders of build machines have some ten thousand files. More are not looked through. */
const MAX_FILES = 200_000
const MAX_FILE_BYTES = 2 ** 31 - 1

export function scanFolders(folders: readonly string[]): FolderFile[] {
  const found: FolderFile[] = []
  let left = MAX_FILES
  for (const path of folders.flatMap(filesBelow)) {
    if (left-- === 0) break
    try {
      const ids = buildIdsOf(path)
      if (ids.length > 0) found.push({ path, buildIds: ids })
    } catch (error) {
      // A broken or unreadable file among many is skipped: its binary stays without names.
      if (!(error instanceof SymbolFileError) && !isFileError(error)) throw error
    }
  }
  return found
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

function buildIdsOf(path: string): string[] {
  if (!isObjectFile(path) || statSync(path).size > MAX_FILE_BYTES) return []
  const bytes = new Uint8Array(readFileSync(path))
  const object = openObject(bytes, { codecs: nodeCodecs })
  if (object === undefined) return []
  // In the layout of /usr/lib/debug the path has the build id, also if the file has none.
  const inPath = /\.build-id\/([0-9a-f]{2})\/([0-9a-f]+)\.debug$/.exec(path)
  return [
    ...new Set([object.buildId, object.goBuildId, htlhash(bytes), inPath && inPath[1] + inPath[2]].filter(isText)),
  ]
}

function isText(value: string | null | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

/** Looks at the first bytes only: ELF, Mach-O, universal Mach-O, PE. */
function isObjectFile(path: string): boolean {
  if (basename(path).startsWith('.')) return false
  const head = Buffer.alloc(4)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, head, 0, 4, 0) < 4) return false
  } finally {
    closeSync(file)
  }
  const magic = head.toString('hex')
  return ['7f454c46', 'cefaedfe', 'cffaedfe', 'cafebabe'].includes(magic) || magic.startsWith('4d5a')
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
