// Lists the partitions of the dated tables by tenant and day, for retention.
import type { Engine } from '../engine.ts'
import { datedTables } from '../schema/all-tables.ts'
import type { Layout } from '../schema/ddl.ts'
import { storedName } from '../schema/ddl.ts'
import { quoteText } from '../sql-text.ts'

export interface Partition {
  readonly table: string
  readonly tenant: string
  /** Days since 1970. */
  readonly day: number
  /** In the form that DROP PARTITION ID expects. */
  readonly id: string
  readonly bytes: number
}

const MS_PER_DAY = 86_400_000

/** A system table of every shard. Replicas of one shard have the same parts and mutations, so only one replica counts. */
export function systemTable(name: 'parts' | 'mutations', layout: Layout): string {
  return layout.cluster === undefined ? `system.${name}` : `cluster(${quoteText(layout.cluster)}, system, ${name})`
}

export async function listPartitions(engine: Pick<Engine, 'select'>, layout: Layout): Promise<readonly Partition[]> {
  const tables = new Map(datedTables.map(({ name }) => [storedName(name, layout), name]))
  // A part whose rows are all deleted is still listed for a while.
  const block = await engine.select(
    'SELECT table, partition, partition_id, sum(bytes_on_disk) AS bytes ' +
      `FROM ${systemTable('parts', layout)} WHERE database = currentDatabase() AND active ` +
      `AND rows > 0 AND table IN {tables:Array(String)} GROUP BY table, partition, partition_id ORDER BY partition`,
    { parameters: { tables: [...tables.keys()] } },
  )
  const partitions: Partition[] = []
  for (let row = 0; row < block.rows; row++) {
    const table = tables.get(block.column('table').text(row))
    const key = partitionKey(block.column('partition').text(row))
    if (table === undefined || key === undefined) continue
    const id = block.column('partition_id').text(row)
    partitions.push({ table, ...key, id, bytes: Number(block.column('bytes').bigint(row)) })
  }
  return partitions
}

/** `('tenant','2026-11-15')`. Tenant names contain no quotes. */
function partitionKey(text: string): { readonly tenant: string; readonly day: number } | undefined {
  const match = /^\('([^']*)','?(\d{4}-\d{2}-\d{2})'?\)$/.exec(text)
  return match === null ? undefined : { tenant: match[1], day: Date.parse(`${match[2]}T00:00:00Z`) / MS_PER_DAY }
}
