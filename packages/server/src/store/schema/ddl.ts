// CREATE TABLE out of a table's definition, for one node and for a cluster. Between the two only the engines' names and the
// cluster clause differ; names in queries are the same.
//
//   one node     requests            MergeTree
//   cluster      requests_local      ReplicatedMergeTree, on every node
//                requests            Distributed over them, which queries and inserts name
import { quoteName } from '../sql-text.ts'
import type { TableDefinition } from '../native/table.ts'

export interface Layout {
  /** The cluster's name as `system.clusters` has it; undefined for one node. */
  readonly cluster?: string | undefined
}

/**
 * How many inserts are remembered by their tokens, per table; each of an insert's partitions counts. Only the group that was
 * being applied at a crash can come twice, and that has a partition for each tenant in it: some thousands at the most.
 */
const REMEMBERED_INSERTS = 10_000

/** The table that holds the rows. */
export function storedName(table: string, layout: Layout): string {
  return layout.cluster === undefined ? table : `${table}_local`
}

export function onCluster(layout: Layout): string {
  return layout.cluster === undefined ? '' : ` ON CLUSTER ${quoteName(layout.cluster)}`
}

/** The statements that make the table, in order; each does nothing where it was done before. */
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

/** The table that queries and inserts name in a cluster. Without its own column list, so that it follows the stored one. */
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
  // {uuid} is of this very table: one that is dropped and made again does not meet its own past in Keeper.
  const place = ["'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'"]
  return `Replicated${kind}(${[...place, ...version].join(', ')})`
}

function settingsOf(table: TableDefinition, layout: Layout): string {
  const settings = [`index_granularity = ${table.layout.granularity ?? 8192}`]
  settings.push(
    layout.cluster === undefined
      ? `non_replicated_deduplication_window = ${REMEMBERED_INSERTS}`
      : `replicated_deduplication_window = ${REMEMBERED_INSERTS}`,
  )
  return settings.join(', ')
}
