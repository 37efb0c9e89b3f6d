// The times of the first and the last stored item of any signal.
import { compareLongs } from '@hearth/profile'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { services } from '../profiles/catalog.ts'
import { Values } from '../statement.ts'
import { TABLES } from '../signals/items-where.ts'

export interface DataRange {
  /** Nanoseconds since 1970; undefined if nothing is stored. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
}

export async function dataRange(context: QueryContext, query: Query): Promise<DataRange> {
  const running = new RunningQuery(context.engine, query)
  const rows = await services(context, { ...query, from: 0n })
  const times = rows.flatMap(each => [each.first, each.last])
  for (const table of Object.values(TABLES)) {
    const values = new Values()
    const block = await running.select(
      `SELECT count() AS items, min(toUnixTimestamp64Nano(time)) AS first, max(toUnixTimestamp64Nano(time)) AS last ` +
        `FROM ${table} WHERE tenant = ${values.text(running.tenant)}`,
      values.all,
    )
    if (block.rows > 0 && block.column('items').bigint(0) > 0n)
      times.push(block.column('first').bigint(0), block.column('last').bigint(0))
  }
  const ordered = times.toSorted(compareLongs)
  return { first: ordered.at(0), last: ordered.at(-1) }
}
