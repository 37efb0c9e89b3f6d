// manifest.json of a backup: which objects have which rows and files. It is written last, so that a backup that was interrupted
// leaves the earlier one valid.
import { createHash } from 'node:crypto'
import { decodeState, encodeState } from '../../files/state-file.ts'
import type { BackupTarget } from './backup-target.ts'
import { BackupError } from './backup-target.ts'
import type { Chunk } from './chunks.ts'

/** An object is named by the hash of its content. */
export interface StoredObject {
  readonly sha256: string
  /** The compressed size. */
  readonly bytes: number
}

export interface StoredChunk extends Chunk, StoredObject {
  readonly columns: readonly string[]
}

export interface StoredFile extends StoredObject {
  /** Relative to the data directory. */
  readonly path: string
  /** The place of this piece in the file, and the size and time (Unix milliseconds) of the complete file. Earlier backups have neither. */
  readonly offset?: number
  readonly size?: number
  readonly modified?: number
}

export interface BackupManifest {
  readonly version: 1
  /** ISO 8601. */
  readonly created: string
  /** Everything that the server received before this time (nanoseconds) is in the backup. */
  readonly cut: string
  readonly schema: number
  readonly chunks: readonly StoredChunk[]
  readonly files: readonly StoredFile[]
}

const MANIFEST = 'manifest.json'

export function objectName(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new BackupError('the manifest has an invalid name of an object')
  return `data/${sha256}.gz`
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Returns undefined if the target has no backup. */
export async function readManifest(target: BackupTarget): Promise<BackupManifest | undefined> {
  const bytes = await target.read(MANIFEST)
  if (bytes === undefined) return undefined
  const { content, fault } = decodeState(Buffer.from(bytes).toString('utf8'))
  const manifest = content as BackupManifest | undefined
  if (fault !== undefined || manifest === undefined) throw new BackupError(`${target.name}: ${MANIFEST} ${fault}`)
  if (manifest.version !== 1)
    throw new BackupError(
      `${target.name}: the backup has version ${String(manifest.version)}, which this Hearth does not support`,
    )
  return manifest
}

export async function writeManifest(target: BackupTarget, manifest: BackupManifest): Promise<void> {
  await target.write(MANIFEST, Buffer.from(encodeState(manifest)))
}
