// Creates the DDL of a table for one node and for a cluster. Only engine names and the cluster clause differ. Queries use the
// same names.
//
//   one node     requests            MergeTree
//   cluster      requests_local      ReplicatedMergeTree, on every node
//                requests            Distributed over them, which queries and inserts name
import { quoteName } from '../sql-text.ts'
import type { TableDefinition } from '../native/table.ts'

export interface Layout {
  /** The cluster's name in `system.clusters`. Undefined for one node. */
  readonly cluster?: string | undefined
}

/**
 * Number of insert tokens that the engine remembers per table. Each partition of an insert counts. Only the group that was
 * being applied at a crash can be inserted again. It has one partition per tenant: a few thousand at most.
 */
const REMEMBERED_INSERTS = 10_000

/**
 * Merges go column by column, whatever the number of rows. Otherwise, a merge of large profiles, of which a part has few, opens
 * the files of all columns of all parts at once: 775 files for six parts, instead of 185.
 */
const MERGE_BY_COLUMN = 'vertical_merge_algorithm_min_rows_to_activate = 1'

/** The table that holds the rows. */
export function storedName(table: string, layout: Layout): string {
  return layout.cluster === undefined ? table : `${table}_local`
}

export function onCluster(layout: Layout): string {
  return layout.cluster === undefined ? '' : ` ON CLUSTER ${quoteName(layout.cluster)}`
}

/** The statements that create the table, in order. Each does nothing if it ran before. */
export function createTable(table: TableDefinition, layout: Layout): readonly string[] {
  const stored =
    `CREATE TABLE IF NOT EXISTS ${quoteName(storedName(table.name, layout))}${onCluster(layout)}\n` +
    `(\n${[...columnLines(table), ...indexLines(table)].join(',\n')}\n)\n` +
    `ENGINE = ${engineOf(table, layout)}\n` +
    partitionLine(table) +
    `ORDER BY ${table.layout.orderBy}\n` +
    `SETTINGS ${settingsOf(table, layout)}`
  return layout.cluster === undefined ? [stored] : [stored, createDistributed(table, layout, layout.cluster)]
}

/** The statements that add a column of the definition to an older table. None if the table has no such column. */
export function addColumn(table: TableDefinition, name: string, layout: Layout): readonly string[] {
  const column = table.columns[name]
  if (column === undefined) return []
  const add = (place: string, ddl: string): string =>
    `ALTER TABLE ${quoteName(place)}${onCluster(layout)} ADD COLUMN IF NOT EXISTS ${quoteName(name)} ${ddl}`
  const stored = add(storedName(table.name, layout), column.ddl)
  // A Distributed table stores nothing, so it takes no codec.
  return layout.cluster === undefined ? [stored] : [stored, add(table.name, column.ddl.replace(/ CODEC\(.*\)$/, ''))]
}

/** The statement that gives an older table the setting of new ones. */
export function mergeByColumn(table: TableDefinition, layout: Layout): string {
  return `ALTER TABLE ${quoteName(storedName(table.name, layout))}${onCluster(layout)} MODIFY SETTING ${MERGE_BY_COLUMN}`
}

/**
 * The table that queries and inserts name in a cluster. It has no column list of its own, so that it follows the stored
 * table.
 */
function createDistributed(table: TableDefinition, layout: Layout, cluster: string): string {
  const stored = storedName(table.name, layout)
  return (
    `CREATE TABLE IF NOT EXISTS ${quoteName(table.name)}${onCluster(layout)} AS ${quoteName(stored)}\n` +
    `ENGINE = Distributed(${quoteName(cluster)}, currentDatabase(), ${quoteName(stored)}, ${table.layout.shardBy})`
  )
}

function columnLines(table: TableDefinition): string[] {
  return Object.entries(table.columns).map(([name, column]) => `  ${quoteName(name)} ${column.ddl}`)
}

function indexLines(table: TableDefinition): string[] {
  return (table.layout.indexes ?? []).map(index => `  ${index}`)
}

function partitionLine(table: TableDefinition): string {
  const { partitionBy } = table.layout
  return partitionBy === undefined ? '' : `PARTITION BY ${partitionBy}\n`
}

function engineOf(table: TableDefinition, layout: Layout): string {
  const { engine } = table.layout
  const version = engine === 'merge' ? [] : [engine.replacing]
  const kind = engine === 'merge' ? 'MergeTree' : 'ReplacingMergeTree'
  if (layout.cluster === undefined) return `${kind}(${version.join(', ')})`
  // {uuid} belongs to this very table. A table that is dropped and created again does not find its old state in Keeper.
  const place = ["'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'"]
  return `Replicated${kind}(${[...place, ...version].join(', ')})`
}

function settingsOf(table: TableDefinition, layout: Layout): string {
  const settings = [`index_granularity = ${table.layout.granularity ?? 8192}`, MERGE_BY_COLUMN]
  settings.push(
    layout.cluster === undefined
      ? `non_replicated_deduplication_window = ${REMEMBERED_INSERTS}`
      : `replicated_deduplication_window = ${REMEMBERED_INSERTS}`,
  )
  return settings.join(', ')
}
