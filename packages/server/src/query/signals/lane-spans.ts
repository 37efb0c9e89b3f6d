// Spans for the lanes of a timeline. If there are few, all of them. If there are many, those that are long enough to be
// visible, and the longest of the others in each step of each thread, so that the picture is nearly complete.
import type { Block } from '../../store/native/block.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import { checkItemSelector, itemsWhere } from './items-where.ts'
import { LaneProcesses, THREAD_ID } from './lane-processes.ts'
import type { SpanStatus } from './span-filter.ts'
import { SPAN_STATUSES } from './span-filter.ts'

export interface LaneChoice {
  readonly service?: string
  /** Ids of resources. Selects spans of their services, and assigns each to one of these processes. */
  readonly resources?: readonly bigint[]
  /** 5,000 unless given. */
  readonly limit?: number
}

interface LaneSpan {
  readonly traceId: string
  readonly spanId: string
  readonly service: string
  readonly name: string
  readonly status: SpanStatus
  readonly start: bigint
  /** 0 if it has no end. */
  readonly duration: bigint
  /** thread.id; empty if unknown. */
  readonly thread: string
  /** The index of its resource among the requested ones; -1 if none were requested. */
  readonly process: number
}

export interface LaneSpans {
  /** Spans that overlap the range, longest first. */
  readonly spans: readonly LaneSpan[]
  /** The number of spans. */
  readonly all: number
}

const MAX_SPANS = 20_000
/** The maximum distance before the range of a span that extends into it. */
const LOOK_BACK = 86_400n * 1_000_000_000n
/** The number of steps in the range: a pixel or two of a screen. */
const STEPS = 1000n

const COLUMNS = [
  'lower(hex(trace_id))',
  'lower(hex(span_id))',
  'toString(service)',
  'toString(name)',
  'status_code',
  'toUnixTimestamp64Nano(time)',
  'duration_nano',
  THREAD_ID,
  'resource',
] as const

const DURATION = COLUMNS.indexOf('duration_nano')

export async function laneSpans(
  context: QueryContext,
  query: Query,
  { service, resources, limit = 5000 }: LaneChoice = {},
): Promise<LaneSpans> {
  checkCount('limit', limit, MAX_SPANS)
  const running = new RunningQuery(context.engine, query)
  await checkItemSelector(running, 'span')
  const { from, to } = running
  const processes = resources && (await LaneProcesses.of(running, resources))
  const where = (values: Values): string => {
    const began = from > LOOK_BACK ? from - LOOK_BACK : 0n
    const reaches = `duration_nano > ${values.add('Int64', from)} - toUnixTimestamp64Nano(time)`
    const conditions = [
      itemsWhere(running, values, service, began),
      `(time >= ${values.time(from)} OR ${reaches})`,
      ...(processes === undefined ? [] : [processes.where(values)]),
    ]
    return conditions.join(' AND ')
  }
  const values = new Values()
  const longest = await running.select(
    `SELECT tuple(${COLUMNS.join(', ')}) AS row FROM spans WHERE ${where(values)} ` +
      `ORDER BY duration_nano DESC, time, span_id LIMIT ${limit + 1}`,
    values.all,
  )
  const rows = new SpanRows(processes)
  if (longest.rows <= limit) {
    rows.add(longest, longest.rows)
    return { spans: rows.all, all: longest.rows }
  }
  const step = (to - from + STEPS - 1n) / STEPS
  const lengths = longest.column('row').parts[DURATION]
  let seen = 0
  while (seen < limit >> 1 && lengths.bigint(seen) >= step) seen++
  rows.add(longest, seen)
  const stepped = new Values()
  const begins = stepped.add('Int64', from)
  const steps = await running.select(
    `SELECT argMax(tuple(${COLUMNS.join(', ')}), duration_nano) AS row, max(duration_nano) AS length, ` +
      `intDiv(greatest(toUnixTimestamp64Nano(time) - ${begins}, 0), ${stepped.add('Int64', step)}) AS step, ` +
      `${THREAD_ID} AS thread, count() AS own, sum(own) OVER () AS all_spans FROM spans WHERE ${where(stepped)} ` +
      // Any of several that have the same length, not the first.
      `GROUP BY resource, thread, step ORDER BY length DESC, cityHash64(step) LIMIT ${limit - seen}`,
    stepped.all,
  )
  rows.add(steps, steps.rows)
  return { spans: rows.all, all: Number(steps.column('all_spans').bigint(0)) }
}

/** Each span once, however often it was sent and found. */
class SpanRows {
  readonly #processes: LaneProcesses | undefined
  readonly #found = new Map<string, LaneSpan>()

  constructor(processes: LaneProcesses | undefined) {
    this.#processes = processes
  }

  get all(): readonly LaneSpan[] {
    return [...this.#found.values()]
  }

  add(block: Block, length: number): void {
    if (length === 0) return
    const [trace, span, service, name, status, start, duration, thread, resource] = block.column('row').parts
    for (let row = 0; row < length; row++) {
      const key = `${trace.text(row)} ${span.text(row)} ${start.bigint(row)}`
      if (this.#found.has(key)) continue
      this.#found.set(key, {
        traceId: trace.text(row),
        spanId: span.text(row),
        service: service.text(row),
        name: name.text(row),
        status: SPAN_STATUSES[status.number(row)] ?? 'unset',
        start: start.bigint(row),
        duration: duration.bigint(row),
        thread: thread.text(row),
        process: this.#processes?.of(resource.bigint(row)) ?? -1,
      })
    }
  }
}
