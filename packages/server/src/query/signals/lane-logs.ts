// Log records for the lanes of a timeline: the number of records in each step of each thread, and the most severe one.
// With short steps and few records, that is every single record.
import { compareLongs } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import { checkItemSelector, itemsWhere } from './items-where.ts'
import { LaneProcesses, THREAD_ID } from './lane-processes.ts'
import type { LaneChoice } from './lane-spans.ts'

export interface LogMarksChoice extends LaneChoice {
  /** Nanoseconds; a thousandth of the range unless given. */
  readonly step?: bigint
}

/** The records of a thread and step. */
interface LogMark {
  readonly records: number
  /** The severity of the most severe record (the first of several): 1 to 24, 0 if unset. */
  readonly severity: number
  readonly time: bigint
  /** Its text, up to 500 characters. */
  readonly text: string
  readonly traceId: string
  readonly spanId: string
  readonly service: string
  /** thread.id; empty if unknown. */
  readonly thread: string
  /** The index of its resource among the requested ones; -1 if none were requested. */
  readonly process: number
}

export interface LogMarks {
  readonly step: bigint
  /** By time. */
  readonly marks: readonly LogMark[]
  /** The number of records. */
  readonly all: number
  /** The number of records without a mark: those of the least severe steps beyond the limit. */
  readonly hidden: number
}

const MAX_MARKS = 20_000
const STEPS = 1000n
const MAX_STEPS = 100_000n
const TEXT = 500

const id = (column: string, bytes: number): string =>
  `if(${column} = toFixedString('', ${bytes}), '', lower(hex(${column})))`

const COLUMNS = [
  'toUnixTimestamp64Nano(time)',
  `substringUTF8(if(body = '', toString(event_name), body), 1, ${TEXT})`,
  id('trace_id', 16),
  id('span_id', 8),
  'toString(service)',
] as const

export async function logMarks(
  context: QueryContext,
  query: Query,
  { service, resources, limit = 5000, step: given }: LogMarksChoice = {},
): Promise<LogMarks> {
  checkCount('limit', limit, MAX_MARKS)
  const running = new RunningQuery(context.engine, query)
  const { from, to } = running
  const step = given ?? (to - from) / STEPS + 1n
  if (step < 1n || (to - from) / step > MAX_STEPS) {
    throw new QueryError('argument', `the step is ${step} ns; the range may have at most ${MAX_STEPS} steps`)
  }
  await checkItemSelector(running, 'log')
  const processes = resources && (await LaneProcesses.of(running, resources))
  const values = new Values()
  const where = [itemsWhere(running, values, service), ...(processes === undefined ? [] : [processes.where(values)])]
  const begins = values.add('Int64', from)
  const block = await running.select(
    `SELECT argMin(tuple(${COLUMNS.join(', ')}), (-severity_number, time)) AS row, max(severity_number) AS severity, ` +
      `count() AS records, sum(records) OVER () AS all_records, ${THREAD_ID} AS thread, resource, ` +
      `intDiv(toUnixTimestamp64Nano(time) - ${begins}, ${values.add('Int64', step)}) AS step FROM logs ` +
      `WHERE ${where.join(' AND ')} GROUP BY resource, thread, step ORDER BY severity DESC, records DESC, step LIMIT ${limit}`,
    values.all,
  )
  if (block.rows === 0) return { step, marks: [], all: 0, hidden: 0 }
  const [time, text, trace, span, ofService] = block.column('row').parts
  const [severity, records, thread, resource] = ['severity', 'records', 'thread', 'resource'].map(name =>
    block.column(name),
  )
  const marks = Array.from({ length: block.rows }, (_, row): LogMark => ({
    records: Number(records.bigint(row)),
    severity: severity.number(row),
    time: time.bigint(row),
    text: text.text(row),
    traceId: trace.text(row),
    spanId: span.text(row),
    service: ofService.text(row),
    thread: thread.text(row),
    process: processes?.of(resource.bigint(row)) ?? -1,
  }))
  marks.sort((a, b) => compareLongs(a.time, b.time))
  const all = Number(block.column('all_records').bigint(0))
  return { step, marks, all, hidden: all - marks.reduce((sum, mark) => sum + mark.records, 0) }
}
