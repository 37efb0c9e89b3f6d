// The file system operations of files that must not be lost. Tests replace them to fill the disk or to crash between any two
// steps.
import type { FileHandle } from 'node:fs/promises'
import { open, rename, rm } from 'node:fs/promises'

export interface FileDisk {
  /** With `sync`, waits until the bytes would survive a power loss. Only the owner can read the file. */
  write(path: string, pieces: readonly Uint8Array[], sync: boolean): Promise<void>
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Recursively. */
  remove(path: string): Promise<void>
}

export const realFileDisk: FileDisk = {
  async write(path, pieces, sync) {
    const file = await open(path, 'w', 0o600)
    try {
      await writeAll(file, pieces)
      if (sync) await file.sync()
    } finally {
      await file.close()
    }
  },
  async syncDirectory(path) {
    const directory = await open(path, 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  },
  rename,
  async remove(path) {
    await rm(path, { recursive: true, force: true })
  },
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let left = pieces.filter(piece => piece.length > 0)
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left)
    if (bytesWritten === 0) throw new Error('the system wrote no bytes and reported no error')
    let written = bytesWritten
    let complete = 0
    for (; complete < left.length && written >= left[complete].length; complete++) written -= left[complete].length
    left = left.slice(complete)
    if (written > 0) left[0] = left[0].subarray(written)
  }
}

/** The system's error code (`ENOSPC`), or empty. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
