// The files of a data directory outside the store: tokens, triggers, captures, the audit log, the redaction key, debug files, and
// groups of the journal that could not be inserted. A backup has all of them, except for files that a server makes again.
import { open, mkdir, readdir, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PREVIOUS_USED, stateFileProblems } from '../../files/state-problems.ts'
import type { StoredFile } from './manifest.ts'
import { BackupError } from './backup-target.ts'

/** Files with the state of one process, caches, earlier versions of state files, and damaged ones. */
const LEFT_OUT = [
  /^(?:store|quarantine|restoring-[^/]+|symbols\/(?:incoming|shared))(?:\/|$)/,
  /^journal\/(?!(?:refused|broken)(?:\/|$))/,
  /^(?:control\.\w+|sessions\.json|verified\.json|damaged-parts\.json)$/,
  /\.(?:tmp|previous|sock|lock)$/,
  /\.damaged-/,
]
const PATH = /^[^/\\\0]+(?:\/[^/\\\0]+)*$/

/** Large files are stored in pieces of this size. */
const PIECE_BYTES = 32 * 2 ** 20

export function isBackedUp(path: string): boolean {
  return (
    PATH.test(path) &&
    !path.split('/').some(name => name === '.' || name === '..') &&
    !LEFT_OUT.some(pattern => pattern.test(path))
  )
}

/** Paths relative to the data directory. */
export async function filesToBackUp(dataDirectory: string, folder = ''): Promise<readonly string[]> {
  const paths: string[] = []
  const entries = await readdir(join(dataDirectory, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (path === 'journal' || isBackedUp(path)) paths.push(...(await filesToBackUp(dataDirectory, path)))
    } else if (entry.isFile() && isBackedUp(path)) paths.push(path)
  }
  return paths.sort()
}

/** State files whose content a backup would lack: their previous versions are not part of it. */
export async function lostFiles(dataDirectory: string): Promise<readonly string[]> {
  const problems = await stateFileProblems(dataDirectory, { content: true })
  const lost = problems.filter(({ message, inContent }) => inContent || message === PREVIOUS_USED)
  return [...new Set(lost.map(({ file }) => file))].filter(isBackedUp)
}

/** Writes the file as pieces, unless `known` has them. Returns nothing if the file is gone. */
export async function backUpFile(
  dataDirectory: string,
  path: string,
  known: readonly StoredFile[],
  write: (content: Uint8Array) => Promise<{ readonly sha256: string; readonly bytes: number }>,
): Promise<readonly StoredFile[]> {
  const file = await open(join(dataDirectory, path)).catch(() => undefined)
  if (file === undefined) return []
  try {
    const { size, mtimeMs: modified } = await file.stat()
    const before = known.filter(each => each.path === path && each.size === size && each.modified === modified)
    if (before.length > 0) return before
    const pieces: StoredFile[] = []
    for (let offset = 0; offset === 0 || offset < size; offset += PIECE_BYTES) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, size - offset))
      const { bytesRead } = await file.read(piece, 0, piece.length, offset)
      pieces.push({ path, size, modified, offset, ...(await write(piece.subarray(0, bytesRead))) })
    }
    return pieces
  } finally {
    await file.close()
  }
}

/** Restores the files that the directory lacks. A file appears when it is complete. */
export async function restoreFiles(
  dataDirectory: string,
  files: readonly StoredFile[],
  read: (file: StoredFile) => Promise<Uint8Array>,
): Promise<void> {
  const byPath = new Map<string, StoredFile[]>()
  for (const file of files) byPath.set(file.path, [...(byPath.get(file.path) ?? []), file])
  for (const path of byPath.keys())
    if (!isBackedUp(path)) throw new BackupError(`the backup has an unknown file ${JSON.stringify(path)}`)
  for (const [path, pieces] of byPath) {
    const full = join(dataDirectory, path)
    if ((await stat(full).catch(() => undefined)) !== undefined) continue
    await mkdir(dirname(full), { recursive: true })
    const file = await open(`${full}.tmp`, 'w', 0o600)
    try {
      for (const piece of pieces.toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0)))
        await file.writeFile(await read(piece))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${full}.tmp`, full)
  }
}
