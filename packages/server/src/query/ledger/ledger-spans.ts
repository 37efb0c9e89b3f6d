// Reads spans for ledgers, of one trace or of processes in a range.
import type { Block } from '../../store/native/block.ts'
import type { RunningQuery } from '../query.ts'
import { tenantWhere } from '../query.ts'
import { Values } from '../statement.ts'
import { THREAD_ID } from '../signals/lane-processes.ts'

export interface StoredSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly name: string
  readonly service: string
  readonly start: bigint
  /** 0 if it has none. */
  readonly end: bigint
  readonly resource: bigint
  /** thread.id; empty if unknown. */
  readonly thread: string
}

/** 200,000 spans need about 100 MB. */
const MAX_SPANS = 200_000
/** A span that began this long before the range can still reach into it. */
const LOOK_BACK = 600_000_000_000n

/** The columns of `spanRows`. */
export const COLUMNS =
  'lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ' +
  "if(parent_span_id = toFixedString('', 8), '', lower(hex(parent_span_id))) AS parent, " +
  `toString(name) AS of_name, toString(service) AS of_service, start_unix_nano, end_unix_nano, resource, ${THREAD_ID} AS thread`
/** The same span in another request is a duplicate. */
export const ONCE = 'LIMIT 1 BY trace, span, start_unix_nano'

export async function spansOfTraces(running: RunningQuery, ids: readonly Uint8Array[]): Promise<StoredSpan[]> {
  if (ids.length === 0) return []
  const values = new Values()
  const block = await running.selectLimited(
    `SELECT ${COLUMNS} FROM spans WHERE ${tenantWhere(running, values)} AND ` +
      `trace_id IN ${values.add('Array(FixedString(16))', ids)} ${ONCE}`,
    values.all,
    'spans of the traces',
    MAX_SPANS,
  )
  return spanRows(block)
}

/** The spans of processes that may have a part in the range. */
export async function spansOfProcesses(
  running: RunningQuery,
  resources: readonly bigint[],
  from: bigint,
  to: bigint,
): Promise<StoredSpan[]> {
  if (resources.length === 0) return []
  const values = new Values()
  const block = await running.selectLimited(
    `SELECT ${COLUMNS} FROM spans WHERE ${tenantWhere(running, values)} AND resource IN ${values.ids(resources)} AND ` +
      `time >= ${values.time(from > LOOK_BACK ? from - LOOK_BACK : 0n)} AND time < ${values.time(to)} AND ` +
      `end_unix_nano >= ${values.add('UInt64', from)} ${ONCE}`,
    values.all,
    'spans in the range',
    MAX_SPANS,
  )
  return spanRows(block)
}

export function spanRows(block: Block): StoredSpan[] {
  if (block.rows === 0) return []
  const column = (name: string) => block.column(name)
  const [trace, span, parent, name, service] = ['trace', 'span', 'parent', 'of_name', 'of_service'].map(column)
  const [start, end, resource, thread] = ['start_unix_nano', 'end_unix_nano', 'resource', 'thread'].map(column)
  return Array.from({ length: block.rows }, (_, row) => ({
    traceId: trace.text(row),
    spanId: span.text(row),
    parentSpanId: parent.text(row),
    name: name.text(row),
    service: service.text(row),
    start: start.bigint(row),
    end: end.bigint(row),
    resource: resource.bigint(row),
    thread: thread.text(row),
  }))
}
