// The file system operations of the journal. Tests replace them to fill the disk or to crash between any two steps.
import { mkdir, statfs } from 'node:fs/promises'
import type { FileDisk } from '../../files/file-disk.ts'
import { realFileDisk } from '../../files/file-disk.ts'

export { errorCode, messageOf } from '../../files/file-disk.ts'

export interface DiskSpace {
  /** Bytes that can still be written. */
  readonly free: number
  readonly total: number
}

export interface JournalDisk extends FileDisk {
  makeDirectory(path: string): Promise<void>
  space(path: string): Promise<DiskSpace>
}

export const realDisk: JournalDisk = {
  ...realFileDisk,
  async makeDirectory(path) {
    await mkdir(path, { recursive: true })
  },
  async space(path) {
    const { bavail, blocks, bsize } = await statfs(path)
    return { free: bavail * bsize, total: blocks * bsize }
  },
}
