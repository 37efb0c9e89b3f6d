// The history of the schema: the statements that upgrade a store of an earlier Hearth, in order. Every statement can run
// again, so that the next start completes an interrupted migration.
import type { Engine } from '../engine.ts'
import { quoteText } from '../sql-text.ts'
import { defineTable, text, time64, uint32, uint64, uint8 } from '../native/table.ts'
import { Lease } from '../sharing/lease.ts'
import { leases, sharingTables } from '../sharing/sharing-tables.ts'
import { allTables } from './all-tables.ts'
import type { Layout } from './ddl.ts'
import { addColumn, createTable, mergeByColumn } from './ddl.ts'

export interface Migration {
  /** Starts at 1, without gaps. Never changes after a release. */
  readonly version: number
  readonly name: string
  /** Statements that have no effect the second time: CREATE … IF NOT EXISTS, ADD COLUMN IF NOT EXISTS. */
  statements(layout: Layout): readonly string[]
}

/** The state of each server's journal, see commit/journal-counter.ts. */
export const journals = defineTable(
  'journals',
  { server: text(), journal: text(), groups: uint64(), open: uint8(), changed: time64() },
  { engine: { replacing: 'changed' }, orderBy: 'server', shardBy: 'sipHash64(server)' },
)

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'all tables',
    statements: layout => allTables.flatMap(table => createTable(table, layout)),
  },
  {
    version: 2,
    name: 'unknown fields',
    statements: layout => allTables.flatMap(table => addColumn(table, 'unknown_fields', layout)),
  },
  {
    version: 3,
    name: 'original messages',
    statements: layout => allTables.flatMap(table => addColumn(table, 'original', layout)),
  },
  {
    version: 4,
    name: 'journals',
    statements: layout => createTable(journals, layout),
  },
  {
    version: 5,
    name: 'merges by column',
    statements: layout => allTables.map(table => mergeByColumn(table, layout)),
  },
  {
    version: 6,
    name: 'several servers',
    statements: layout => sharingTables.flatMap(table => createTable(table, layout)),
  },
]

/** The migrations that ran, with their time. */
export const schemaVersions = defineTable(
  'schema_versions',
  { version: uint32(), name: text(), applied: time64() },
  { engine: { replacing: 'applied' }, orderBy: 'version', shardBy: 'version' },
)

class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError'
  readonly found: number
  readonly known: number

  constructor(found: number, known: number) {
    super(`the store has schema ${found}, created by a newer Hearth; this version supports schemas up to ${known}`)
    this.found = found
    this.known = known
  }
}

/** The number of migrations that the store lacks. Rejects a store that is newer than the code. */
export async function missingMigrations(engine: Engine, layout: Layout, list = migrations): Promise<number> {
  for (const sql of createTable(schemaVersions, layout)) await engine.command(sql)
  const known = list.at(-1)?.version ?? 0
  const found = await schemaVersion(engine)
  if (found > known) throw new SchemaTooNewError(found, known)
  return list.filter(({ version }) => version > found).length
}

/** Upgrades the store to the newest schema and returns the versions that ran. Rejects a store that is newer than the code. */
export async function migrate(engine: Engine, layout: Layout = {}, list = migrations): Promise<readonly number[]> {
  await missingMigrations(engine, layout, list)
  const found = await schemaVersion(engine)
  const ran: number[] = []
  for (const migration of list) {
    if (migration.version <= found) continue
    for (const sql of migration.statements(layout)) await engine.command(sql)
    await engine.command(
      'INSERT INTO schema_versions (version, name, applied) ' +
        `SELECT ${migration.version}, ${quoteText(migration.name)}, now64(9)`,
    )
    ran.push(migration.version)
  }
  return ran
}

/** The longest that a server that died during a migration keeps others waiting. */
const LEASE_MS = 15_000

/** The same for a store that several servers share: one of them upgrades it, and the others wait. */
export async function migrateShared(engine: Engine, layout: Layout, server: string): Promise<readonly number[]> {
  if ((await missingMigrations(engine, layout)) === 0) return []
  for (const sql of createTable(leases, layout)) await engine.command(sql)
  // Statements can run twice, so that a lost lease does no harm.
  const onError = (): void => undefined
  const lease = new Lease({ engine, name: 'migrations', holder: server, milliseconds: LEASE_MS, onError })
  await lease.wait()
  lease.start()
  try {
    return await migrate(engine, layout)
  } finally {
    await lease.release()
  }
}

/** Returns 0 for a store without a schema. */
export async function schemaVersion(engine: Engine): Promise<number> {
  const response = await engine.select('SELECT max(version) AS version FROM schema_versions')
  return response.rows === 0 ? 0 : response.column('version').number(0)
}
