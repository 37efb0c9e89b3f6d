// The spans below a span, from the stored traces.
import type { RunningQuery, SpanChoice } from '../query.ts'
import { QueryError } from '../query-error.ts'
import { Values } from '../statement.ts'

export interface ChosenSpans {
  readonly traceId: Uint8Array
  /** Undefined for the whole trace. */
  readonly spanIds: readonly Uint8Array[] | undefined
}

/** Throws QueryError for invalid ids. A span whose trace is not stored has no spans below it. */
export async function spansBelow(
  running: RunningQuery,
  { traceId, spanId, subtree }: SpanChoice,
): Promise<ChosenSpans> {
  const trace = idOf(traceId, 16, 'trace')
  if (spanId === undefined) return { traceId: trace, spanIds: undefined }
  const root = idOf(spanId, 8, 'span')
  if (subtree !== true) return { traceId: trace, spanIds: [root] }
  const values = new Values()
  const block = await running.selectLimited(
    'SELECT DISTINCT lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent FROM spans ' +
      `WHERE tenant = ${values.text(running.tenant)} AND trace_id = ${values.add('FixedString(16)', trace)}`,
    values.all,
    'spans in the trace',
  )
  const children = new Map<string, string[]>()
  for (let row = 0; row < block.rows; row++) {
    const parent = block.column('parent').text(row)
    const list = children.get(parent)
    if (list === undefined) children.set(parent, [block.column('span').text(row)])
    else list.push(block.column('span').text(row))
  }
  // A set, because senders can create cycles of spans.
  const found = new Set([spanId.toLowerCase()])
  for (const span of found) for (const child of children.get(span) ?? []) found.add(child)
  return { traceId: trace, spanIds: Array.from(found, span => new Uint8Array(Buffer.from(span, 'hex'))) }
}

/** The bytes of a hex id. Throws QueryError if it is invalid. */
export function idOf(hex: string, bytes: number, what: string): Uint8Array {
  if (hex.length !== 2 * bytes || !/^[0-9a-fA-F]+$/.test(hex)) {
    throw new QueryError('argument', `${JSON.stringify(hex)} is not the id of a ${what}; use ${2 * bytes} hex digits`)
  }
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
