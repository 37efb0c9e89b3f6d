// An embedded store in its own directory. Inserts rows like a group commit, without the journal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { writeRequest } from '../../containers.ts'
import type { Engine } from '../../engine.ts'
import { openEmbedded } from '../../engines/embedded.ts'
import { GroupRows } from '../../group-rows.ts'
import type { RowContext } from '../../group-rows.ts'
import { migrate } from '../../schema/migrations.ts'
import type { SymbolLedger } from '../../symbol-ledger.ts'
import { writeProfiles } from '../write-profiles.ts'

export interface ProfileStore {
  readonly engine: Engine
  /** Inserts the rows of a group. */
  commit(rows: GroupRows): Promise<void>
  close(): Promise<void>
}

export async function openProfileStore(options: { readonly threads?: number } = {}): Promise<ProfileStore> {
  const directory = await mkdtemp(join(tmpdir(), 'hearth-rows-'))
  const engine = await openEmbedded({ directory: join(directory, 'data'), ...options })
  await migrate(engine)
  let inserted = 0
  return {
    engine,
    async commit(rows) {
      for (const batch of rows.batches()) {
        const file = join(directory, `${++inserted}.native`)
        await writeFile(file, batch.toNative())
        const { name, columns } = batch.table
        await engine.insert(name, { file, columns: Object.keys(columns) }, { token: `${inserted}` })
        await rm(file)
      }
    },
    async close() {
      await engine.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export const RECEIVED = 1_790_000_000_123_456_789n
let requests = 0

/** Returns a context with a unique id. */
export function newContext(tenant: string, received = RECEIVED): RowContext {
  const request = new Uint8Array(16)
  new DataView(request.buffer).setUint32(12, ++requests)
  return { tenant, request, received, day: Number(received / 86_400_000_000_000n) }
}

/** Writes all rows of a request of profiles. */
export function keepProfiles(rows: GroupRows, context: RowContext, profiles: Profiles, ledger: SymbolLedger): void {
  const written = writeProfiles(rows, context, profiles, ledger)
  writeRequest(rows, context, {
    signal: 'profiles',
    generation: 'v1development',
    client: 'test',
    bytes: 0,
    accepted: written.profiles,
    rejected: 0,
    ...written,
  })
}

/** Writes and commits one request in its own group. */
export async function keepOne(
  store: ProfileStore,
  context: RowContext,
  profiles: Profiles,
  ledger: SymbolLedger,
): Promise<void> {
  const rows = new GroupRows()
  keepProfiles(rows, context, profiles, ledger)
  await store.commit(rows)
}
