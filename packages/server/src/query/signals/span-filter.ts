// Conditions on a span, for lists of traces, operations and comparisons.
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import { LOOK_BACK } from '../select/observed.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import { parseSelector } from '../selector/parse-selector.ts'
import type { Values } from '../statement.ts'
import { checkItemSelector, itemsWhere } from './items-where.ts'

export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

export const SPAN_STATUSES = ['unset', 'ok', 'error'] as const
export type SpanStatus = (typeof SPAN_STATUSES)[number]

export interface SpanFilter {
  readonly service?: string
  /** The operation: the span's name. */
  readonly name?: string
  readonly kind?: SpanKind
  readonly status?: SpanStatus
  /** Nanoseconds; both ends are inclusive. Spans without an end have no duration and match neither. */
  readonly minDuration?: bigint
  readonly maxDuration?: bigint
  /** A selector of profiles: `cpu | frame "gc"`. Selects spans of traces with samples that it matches. */
  readonly samples?: string
}

/** Whether a span has a valid end. */
export const HAS_END = 'end_unix_nano >= start_unix_nano AND end_unix_nano != 0'

/** A filter as conditions for statements. */
export class SpanConditions {
  readonly #running: RunningQuery
  readonly #filter: SpanFilter
  readonly #samples: Selection | undefined

  private constructor(running: RunningQuery, filter: SpanFilter, samples: Selection | undefined) {
    this.#running = running
    this.#filter = filter
    this.#samples = samples
  }

  static async of(running: RunningQuery, query: Query, filter: SpanFilter): Promise<SpanConditions> {
    const { minDuration: least = 0n, maxDuration: most } = filter
    if (least < 0n || (most !== undefined && most < least)) {
      throw new QueryError('argument', `no duration is from ${least} to ${most ?? ''} ns`)
    }
    await checkItemSelector(running, 'span')
    const samples = filter.samples === undefined ? undefined : await sampleSelection(running, query, filter.samples)
    return new SpanConditions(running, filter, samples)
  }

  where(values: Values): string {
    const { service, name, kind, status, minDuration, maxDuration } = this.#filter
    const conditions = [itemsWhere(this.#running, values, service)]
    if (name !== undefined) conditions.push(`name = ${values.text(name)}`)
    if (kind !== undefined) conditions.push(`kind = ${values.add('Int32', SPAN_KINDS.indexOf(kind))}`)
    if (status !== undefined) conditions.push(`status_code = ${values.add('Int32', SPAN_STATUSES.indexOf(status))}`)
    if (minDuration !== undefined) conditions.push(`duration_nano >= ${values.add('UInt64', minDuration)}`)
    if (maxDuration !== undefined) conditions.push(`duration_nano <= ${values.add('UInt64', maxDuration)}`)
    if (minDuration !== undefined || maxDuration !== undefined) conditions.push(HAS_END)
    if (this.#samples !== undefined) conditions.push(tracesWithSamples(this.#samples, values))
    return conditions.join(' AND ')
  }
}

/** The samples of spans that a selector of profiles matches. Their profiles may begin before the query's range. */
async function sampleSelection(running: RunningQuery, query: Query, text: string): Promise<Selection> {
  const selector = parseSelector(text)
  const isOfTrace = { kind: 'presence', present: true, level: undefined, key: 'trace.id', position: 0 } as const
  const { from } = running
  const { tenant, to, signal, limits, receivedBefore } = query
  const wider = {
    tenant,
    to,
    ...(signal && { signal }),
    ...(limits && { limits }),
    ...(receivedBefore !== undefined && { receivedBefore }),
    from: from > LOOK_BACK ? from - LOOK_BACK : 0n,
    selector: { ...selector, matchers: [...selector.matchers, isOfTrace] },
  }
  return await resolve(new RunningQuery(running.engine, wider))
}

function tracesWithSamples(selection: Selection, values: Values): string {
  const samples = selection.samplesWhere(values).replaceAll('sample_set', 'attributes')
  return `trace_id GLOBAL IN (SELECT trace_id FROM span_samples WHERE ${selection.rowsWhere(values)} AND ${samples})`
}
