// Recovers what is intact of damaged groups in journal/broken: the files of a group whose checksums are right. Called by
// `hearth admin repair`.
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine.ts'
import { verifyFile } from './journal.ts'
import { messageOf } from './journal-disk.ts'
import type { Manifest } from './manifest.ts'
import { BrokenGroupError, decodeManifest } from './manifest.ts'
import { storedRequests } from './stored-requests.ts'

export interface RecoveredGroup {
  readonly group: string
  /** Rows that are in the store now. */
  readonly rows: number
  /** Tables whose rows are lost, or all if the manifest is damaged. */
  readonly lost: readonly string[]
  /** The directory that has the group now. */
  readonly kept: string
}

/** Moves the groups to `quarantine`. A repetition after a crash inserts no row twice. */
export async function recoverBroken(
  engine: Engine,
  journalDirectory: string,
  quarantine: string,
): Promise<readonly RecoveredGroup[]> {
  const recovered: RecoveredGroup[] = []
  const broken = join(journalDirectory, 'broken')
  for (const group of await readdir(broken).catch(() => [])) {
    const directory = join(broken, group)
    const { rows, lost } = await insertIntact(engine, directory)
    const kept = join(quarantine, group)
    await mkdir(quarantine, { recursive: true })
    await rm(kept, { recursive: true, force: true })
    await rename(directory, kept)
    recovered.push({ group, rows, lost, kept })
  }
  return recovered
}

async function insertIntact(engine: Engine, directory: string): Promise<{ rows: number; lost: readonly string[] }> {
  let manifest: Manifest
  try {
    manifest = decodeManifest(await readFile(join(directory, 'manifest.json')))
  } catch (error) {
    return { rows: 0, lost: [`all tables (${messageOf(error)})`] }
  }
  const lost: string[] = []
  let rows = 0
  for (const file of manifest.files) {
    const { table, columns, token } = file
    try {
      await verifyFile(directory, file)
    } catch (error) {
      if (!(error instanceof BrokenGroupError)) throw error
      lost.push(table)
      continue
    }
    const except = columns.includes('request') ? await storedRequests(engine, table, manifest.requests) : []
    await engine.insert(table, { file: join(directory, file.file), columns, except }, { token, sync: true })
    rows += file.rows
  }
  return { rows, lost }
}
