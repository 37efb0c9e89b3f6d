// Makes a consistent copy of a store while the server runs. Everything received before the cut is in it, and nothing received
// later. The second backup to the same target writes only chunks that are new or have changed.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { schemaVersion } from '../../store/schema/migrations.ts'
import type { Store } from '../../store/store.ts'
import type { Progress } from '../verify.ts'
import { backUpFile, filesToBackUp, lostFiles } from './backup-files.ts'
import type { BackupTarget } from './backup-target.ts'
import { BackupError } from './backup-target.ts'
import type { Chunk } from './chunks.ts'
import { measureChunk, planChunks, readChunk, tableOf } from './chunks.ts'
import type { StoredChunk, StoredFile, StoredObject } from './manifest.ts'
import { hashOf, objectName, readManifest, writeManifest } from './manifest.ts'

const compress = promisify(gzip)

export interface BackupReport {
  readonly target: string
  readonly rows: number
  readonly chunks: number
  /** Chunks and bytes that this run wrote. */
  readonly written: number
  readonly writtenBytes: number
  /** Size of the complete backup. */
  readonly bytes: number
}

export interface BackupOptions {
  readonly store: Pick<Store, 'engine' | 'damaged' | 'visible' | 'visibleBefore'>
  readonly dataDirectory: string
  readonly target: BackupTarget
  readonly progress: Progress
  readonly signal?: AbortSignal
}

export async function backup({ store, dataDirectory, target, progress, signal }: BackupOptions): Promise<BackupReport> {
  const { engine, damaged } = store
  const refuseDamage = (): void => {
    // Rows of a damaged part would look deleted and would leave the backup.
    if (damaged.list.length > 0)
      throw new BackupError(
        'the store has damaged parts; run `hearth admin repair` first, so that the backup keeps their rows',
      )
  }
  refuseDamage()
  const lost = await lostFiles(dataDirectory)
  if (lost.length > 0)
    throw new BackupError(
      `state files are damaged or missing: ${lost.join(', ')}; run \`hearth admin repair\` first, so that the backup has their content`,
    )
  const before = await readManifest(target)
  await store.visible()
  const cut = store.visibleBefore()
  const plan = await planChunks(engine, cut, before?.chunks)
  const known = new Set<Chunk>(before?.chunks ?? [])
  const due = plan.filter(chunk => !known.has(chunk)).length
  progress(`${plan.length} chunks, ${due} of them new or changed`)
  const written: StoredObject[] = []
  const chunks: StoredChunk[] = []
  for (const chunk of plan) {
    signal?.throwIfAborted()
    if (known.has(chunk)) {
      chunks.push(chunk as StoredChunk)
      continue
    }
    const stored = await writeChunk(engine, chunk, target, signal)
    refuseDamage()
    if (stored === undefined) continue
    chunks.push(stored)
    written.push(stored)
    if (written.length % 20 === 0) progress(`wrote ${written.length} of ${due} chunks`)
  }
  const files = await writeFiles(dataDirectory, target, before?.files ?? [], written)
  const created = new Date().toISOString()
  const schema = await schemaVersion(engine)
  await writeManifest(target, { version: 1, created, cut: String(cut), schema, chunks, files })
  await removeOthers(target, [...chunks, ...files])
  return {
    target: target.name,
    rows: chunks.reduce((sum, { rows }) => sum + rows, 0),
    chunks: chunks.length,
    written: written.length,
    writtenBytes: sizeOf(written),
    bytes: sizeOf([...chunks, ...files]),
  }
}

/** Returns undefined if the rows were deleted meanwhile. */
async function writeChunk(
  engine: Store['engine'],
  planned: Chunk,
  target: BackupTarget,
  signal: AbortSignal | undefined,
): Promise<StoredChunk | undefined> {
  let chunk = planned
  for (;;) {
    const { rows, bytes } = await readChunk(engine, chunk, signal)
    if (rows === chunk.rows) {
      const columns = Object.keys(tableOf(chunk.table).columns)
      return rows === 0 ? undefined : { ...chunk, columns, ...(await writeObject(target, bytes)).object }
    }
    // Retention or a deletion was faster.
    chunk = await measureChunk(engine, chunk)
  }
}

/** Objects of the earlier backup are not written again. */
async function writeObject(
  target: BackupTarget,
  content: Uint8Array,
  known: readonly StoredObject[] = [],
): Promise<{ readonly object: StoredObject; readonly isNew: boolean }> {
  const bytes = await compress(content, { level: 1 })
  const sha256 = hashOf(bytes)
  const isNew = !known.some(object => object.sha256 === sha256)
  if (isNew) await target.write(objectName(sha256), bytes)
  return { object: { sha256, bytes: bytes.length }, isNew }
}

async function writeFiles(
  dataDirectory: string,
  target: BackupTarget,
  known: readonly StoredFile[],
  written: StoredObject[],
): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = []
  for (const path of await filesToBackUp(dataDirectory))
    files.push(
      ...(await backUpFile(dataDirectory, path, known, async content => {
        const stored = await writeObject(target, content, known)
        if (stored.isNew) written.push(stored.object)
        return stored.object
      })),
    )
  return files
}

/** Removes objects that the manifest does not name: of earlier backups, and of interrupted ones. */
async function removeOthers(target: BackupTarget, objects: readonly StoredObject[]): Promise<void> {
  const named = new Set(objects.map(({ sha256 }) => objectName(sha256)))
  for (const name of await target.list()) if (/^data\/[^/]+$/.test(name) && !named.has(name)) await target.remove(name)
}

function sizeOf(objects: readonly StoredObject[]): number {
  return objects.reduce((sum, { bytes }) => sum + bytes, 0)
}
