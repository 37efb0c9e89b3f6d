// Opens a place for backups: a directory, or a bucket of S3.
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { errorCode } from '../../files/file-disk.ts'
import type { BackupTarget } from './backup-target.ts'
import { BackupError } from './backup-target.ts'
import type { S3Credentials } from './s3-signature.ts'
import { S3Target } from './s3-target.ts'

/** `address` is a directory or `s3://bucket/prefix?endpoint=URL&region=NAME`. */
export function openTarget(
  address: string,
  credentials: S3Credentials | undefined,
  signal?: AbortSignal,
): BackupTarget {
  if (address.startsWith('s3://')) return new S3Target(address, credentials, signal)
  if (/^\w+:\/\//.test(address)) throw new BackupError(`${address}: use a directory or s3://bucket/prefix`)
  return new DirectoryTarget(resolve(address))
}

class DirectoryTarget implements BackupTarget {
  readonly name: string

  constructor(directory: string) {
    this.name = directory
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.name, name))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.name, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(`${path}.tmp`, 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.tmp`, path)
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.name, name), { force: true })
  }

  async list(): Promise<readonly string[]> {
    const entries = await readdir(this.name, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return []
      throw error
    })
    return entries.filter(entry => entry.isFile()).map(entry => relative(this.name, join(entry.parentPath, entry.name)))
  }
}
