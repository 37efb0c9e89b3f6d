// Brings a backup back, and copies rows between stores. Both insert chunk by chunk. A chunk that the target has already is
// skipped, so that a run that was interrupted can be repeated.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Engine } from '../../store/engine.ts'
import { openClickHouse } from '../../store/engines/clickhouse.ts'
import { parseClickHouseUrl } from '../../store/engines/clickhouse-url.ts'
import { openEmbedded } from '../../store/engines/embedded.ts'
import { migrate, schemaVersion } from '../../store/schema/migrations.ts'
import type { Store } from '../../store/store.ts'
import type { DataPlace } from '../open-data.ts'
import type { Progress } from '../verify.ts'
import { restoreFiles } from './backup-files.ts'
import type { BackupTarget } from './backup-target.ts'
import { BackupError } from './backup-target.ts'
import type { Chunk } from './chunks.ts'
import { measureChunk, planChunks, readChunk, rowsIn, tableOf } from './chunks.ts'
import type { StoredObject } from './manifest.ts'
import { hashOf, objectName, readManifest } from './manifest.ts'

const decompress = promisify(gunzip)

/** Limits memory if a compressed object is not what the manifest says. */
const MAX_CHUNK_BYTES = 2 ** 31

export interface CopyReport {
  readonly rows: number
  readonly chunks: number
  /** Chunks that the target had already. */
  readonly skipped: number
}

/** Restores state files, too, unless the directory has them. */
export async function restore(source: BackupTarget, place: DataPlace, progress: Progress): Promise<CopyReport> {
  const manifest = await readManifest(source)
  if (manifest === undefined) throw new BackupError(`${source.name} has no backup`)
  const { chunks, files } = manifest
  await mkdir(place.dataDirectory, { recursive: true, mode: 0o700 })
  const report = await withTarget(place, async (engine, folder) => {
    const known = await schemaVersion(engine)
    if (manifest.schema > known)
      throw new BackupError(`the backup has schema ${manifest.schema}; this Hearth supports up to ${known}`)
    return copyChunks(engine, folder, chunks, progress, async chunk => {
      const bytes = await readObject(source, chunk)
      if (rowsIn(bytes) !== chunk.rows) throw new BackupError(`${objectName(chunk.sha256)} has another number of rows`)
      return { columns: chunk.columns, bytes }
    })
  })
  await restoreFiles(place.dataDirectory, files, file => readObject(source, file))
  return report
}

/** Copies all rows of an open store to another one. */
export async function copyStore(
  from: Pick<Store, 'engine' | 'visible' | 'visibleBefore'>,
  to: DataPlace,
  progress: Progress,
): Promise<CopyReport> {
  await from.visible()
  const chunks = await planChunks(from.engine, from.visibleBefore())
  return withTarget(to, (engine, folder) =>
    copyChunks(engine, folder, chunks, progress, async chunk => {
      const { rows, bytes } = await readChunk(from.engine, chunk)
      if (rows !== chunk.rows)
        throw new BackupError(`${chunk.table} changed while it was copied; stop the server first`)
      return { columns: Object.keys(tableOf(chunk.table).columns), bytes }
    }),
  )
}

/** Opens the target with all its tables, and a folder for files that the engine reads. */
async function withTarget<Result>(
  { dataDirectory, url }: DataPlace,
  run: (engine: Engine, folder: string) => Promise<Result>,
): Promise<Result> {
  const engine =
    url === undefined ? await openEmbedded({ directory: join(dataDirectory, 'store') }) : await openClickHouse({ url })
  const folder = await mkdtemp(join(dataDirectory, 'restoring-'))
  try {
    await migrate(engine, { cluster: url === undefined ? undefined : parseClickHouseUrl(url).cluster })
    return await run(engine, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await engine.close()
  }
}

async function copyChunks<Each extends Chunk>(
  engine: Engine,
  folder: string,
  chunks: readonly Each[],
  progress: Progress,
  read: (chunk: Each) => Promise<{ readonly columns: readonly string[]; readonly bytes: Uint8Array }>,
): Promise<CopyReport> {
  const report = { rows: 0, chunks: 0, skipped: 0 }
  for (const chunk of chunks) {
    const { table, tenant, rows, check } = chunk
    const there = await measureChunk(engine, chunk)
    report.rows += rows
    report.chunks++
    if (there.rows === rows && there.check === check) report.skipped++
    // Symbols may be there from another day. The engine keeps one of equal symbols.
    else if (there.rows > 0 && tableOf(table).layout.engine === 'merge')
      throw new BackupError(
        `the target has other rows of ${table} (tenant ${tenant}); use an empty directory or database`,
      )
    else {
      const { columns, bytes } = await read(chunk)
      const file = join(folder, `${table}.native`)
      await writeFile(file, bytes)
      const token = `copy-${table}-${tenant}-${chunk.day}-${chunk.from}-${chunk.to}-${check}`
      await engine.insert(table, { file, columns }, { token, sync: true })
    }
    if (report.chunks % 20 === 0) progress(`copied ${report.chunks} of ${chunks.length} chunks`)
  }
  return report
}

async function readObject(source: BackupTarget, { sha256 }: StoredObject): Promise<Uint8Array> {
  const name = objectName(sha256)
  const bytes = await source.read(name)
  if (bytes === undefined) throw new BackupError(`${source.name}: ${name} is missing`)
  if (hashOf(bytes) !== sha256) throw new BackupError(`${source.name}: ${name} is damaged`)
  return decompress(bytes, { maxOutputLength: MAX_CHUNK_BYTES })
}
