// The number of log records by step and severity, for the chart above a list of records.
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { LogFilter } from './logs.ts'
import { logsWhere } from './logs.ts'

/** The ranges of OTLP, four numbers each. `none` is for records without a valid severity. */
export const SEVERITY_RANGES = ['none', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export interface LogCounts {
  /** Nanoseconds. The first step begins at the start of the range. */
  readonly step: bigint
  /** Steps that are not empty. */
  readonly points: readonly LogCount[]
}

interface LogCount {
  readonly time: bigint
  /** One per entry of SEVERITY_RANGES. */
  readonly counts: readonly number[]
}

const MAX_STEPS = 10_000n

export async function countLogs(
  context: QueryContext,
  query: Query,
  filter: LogFilter,
  step: bigint,
): Promise<LogCounts> {
  const running = new RunningQuery(context.engine, query)
  if (step < 1n) throw new QueryError('argument', `the step is ${step} ns; it must be positive`)
  if ((running.to - running.from + step - 1n) / step > MAX_STEPS) {
    throw new QueryError('argument', `more than ${MAX_STEPS} steps; use longer ones`)
  }
  const values = new Values()
  const where = await logsWhere(running, values, filter)
  const begin = values.add('Int64', running.from)
  const block = await running.select(
    `SELECT intDiv(toUnixTimestamp64Nano(time) - ${begin}, ${values.add('Int64', step)}) AS step_number, ` +
      'if(severity_number BETWEEN 1 AND 24, toUInt8(intDiv(severity_number - 1, 4) + 1), toUInt8(0)) AS severity, ' +
      `count() AS found FROM logs WHERE ${where} GROUP BY step_number, severity ORDER BY step_number, severity`,
    values.all,
  )
  const points: { readonly time: bigint; readonly counts: number[] }[] = []
  for (let row = 0; row < block.rows; row++) {
    const time = running.from + block.column('step_number').bigint(row) * step
    let point = points.at(-1)
    if (point?.time !== time) points.push((point = { time, counts: SEVERITY_RANGES.map(() => 0) }))
    point.counts[block.column('severity').number(row)] = Number(block.column('found').bigint(row))
  }
  return { step, points }
}
