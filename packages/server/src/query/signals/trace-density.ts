// The number of traces by time and duration, for a chart of all traces.
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { Values } from '../statement.ts'
import type { SpanFilter } from './span-filter.ts'
import { SpanConditions } from './span-filter.ts'

export interface TraceDensity {
  /** Nanoseconds. */
  readonly step: bigint
  readonly traces: number
  readonly cells: readonly DensityCell[]
}

interface DensityCell {
  /** From 0, at the start of the range. */
  readonly column: number
  /** The tenth of a power of ten of the duration: row 60 is from 1 ms (10^6 ns), row 61 from 1.26 ms. */
  readonly row: number
  readonly traces: number
  readonly errors: number
}

/** Rows per power of ten. */
export const ROWS_PER_DECADE = 10
const MAX_COLUMNS = 1000

/** A trace counts once, at the start of its first matching span and with the duration of its longest one. */
export async function traceDensity(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  columns: number,
): Promise<TraceDensity> {
  if (columns < 1 || columns > MAX_COLUMNS)
    throw new QueryError('argument', `columns is ${columns}; it must be from 1 to ${MAX_COLUMNS}`)
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const values = new Values()
  const length = running.to - running.from
  const step = length / BigInt(columns) + (length % BigInt(columns) === 0n ? 0n : 1n)
  const from = values.add('Int64', running.from)
  const by = values.add('Int64', step < 1n ? 1n : step)
  const inner =
    'SELECT min(toUnixTimestamp64Nano(time)) AS at, max(duration_nano) AS length, max(status_code = 2) AS failed ' +
    `FROM spans WHERE ${conditions.where(values)} GROUP BY trace_id`
  const block = await running.select(
    `SELECT toUInt32(greatest(0, intDiv(at - ${from}, ${by}))) AS in_column, ` +
      `toUInt32(floor(${ROWS_PER_DECADE} * log10(greatest(1, length)))) AS in_row, count() AS traces, ` +
      `countIf(failed = 1) AS errors FROM (${inner}) GROUP BY in_column, in_row ORDER BY in_column, in_row`,
    values.all,
  )
  const cells: DensityCell[] = []
  for (let row = 0; row < block.rows; row++) {
    cells.push({
      column: block.column('in_column').number(row),
      row: block.column('in_row').number(row),
      traces: Number(block.column('traces').bigint(row)),
      errors: Number(block.column('errors').bigint(row)),
    })
  }
  return { step: step < 1n ? 1n : step, traces: cells.reduce((sum, each) => sum + each.traces, 0), cells }
}
