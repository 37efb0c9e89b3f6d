// Schemas of parameters that endpoints for traces, logs and metrics share, and the query filters they become.
import { z } from 'zod'
import type { Query } from '../../../query/query.ts'
import type { LogFilter } from '../../../query/signals/logs.ts'
import type { SpanFilter } from '../../../query/signals/span-filter.ts'
import { SPAN_KINDS, SPAN_STATUSES } from '../../../query/signals/span-filter.ts'
import { TIME, flag, receivedBefore, text } from './parameters.ts'
import type { CallerContext } from './request-context.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from './request-context.ts'
import { parseDuration, parseTime } from './times.ts'

const resourceId = z.string().regex(/^\d{1,20}$/)

/** `item` is a span, record or data point. */
export const selection = (item: string) => ({
  selector: text(
    `Such as {http.request.method="GET", region=~"eu.*"}, over attributes of the resource, the scope and the ${item}; default: all`,
  ),
  from: text(`From this time: ${TIME}; default: now-1h`),
  to: text('Before this time; default: now'),
  receivedBefore,
  service: text('service.name of the resource'),
})

export const spanFilter = {
  ...selection('span'),
  name: text('The operation: the name of the span'),
  kind: z.enum(SPAN_KINDS).optional().meta({ description: 'The kind of the span' }),
  status: z.enum(SPAN_STATUSES).optional().meta({ description: 'The status of the span' }),
  minDuration: text('Minimum duration of the span, such as 500ms or 1s500ms'),
  maxDuration: text('Maximum duration of the span'),
  samples: text('Only traces with samples that this profile selector selects, such as cpu | frame "gc"'),
}

export const logFilter = {
  ...selection('record'),
  text: text('Only records whose body contains this text'),
  regex: text('Only records whose body matches this regular expression (RE2)'),
  ignoreCase: flag('Whether text and regex ignore case'),
  severity: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .optional()
    .meta({ description: 'Minimum severity' }),
  traceId: text('Only records of this trace: 32 hex digits'),
  spanId: text('Only records of this span: 16 hex digits'),
  profileId: text('Only records with this profile id in the attribute profile_id: hex'),
  resource: resourceId
    .optional()
    .meta({ description: 'Only records of the process with this resource id; see `resources` of /events' }),
  thread: text('Only records with this thread.id'),
  receivedAfter: text(`Only records that the server received after this time, whatever their own time: ${TIME}`),
}

/** For timelines: items by process. */
export const lanes = {
  resources: z.array(resourceId).max(1000).optional().meta({
    description: 'Resource ids, see `resources` of /events: only items of their services, each assigned to its process',
  }),
}

export const ITEM_KINDS = { traces: 'span', logs: 'log', metrics: 'point' } as const

/** The lowest severity number of each range in OTLP. */
const SEVERITIES = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const

interface SelectionRequest {
  readonly selector?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly receivedBefore?: string | undefined
}

/** The query without traceId and spanId, which would select samples. */
export function signalQueryOf(context: CallerContext, request: SelectionRequest): Query {
  const { selector, from, to, receivedBefore: received } = request
  return queryOf(context, { selector, from, to, receivedBefore: received })
}

type Values<Shape extends Readonly<Record<string, z.ZodType>>> = { readonly [Key in keyof Shape]?: z.infer<Shape[Key]> }

export function resourcesOf({ resources }: Values<typeof lanes>): bigint[] | undefined {
  return resources?.map(resourceBits)
}

function resourceBits(id: string): bigint {
  return BigInt.asUintN(64, BigInt(id))
}

export function logFilterOf(request: Values<typeof logFilter>, now: bigint): LogFilter {
  const { service, text: contains, regex, ignoreCase, traceId, spanId, profileId, thread } = request
  const minSeverity = request.severity === undefined ? undefined : SEVERITIES[request.severity]
  const resource = request.resource === undefined ? undefined : resourceBits(request.resource)
  const receivedAfter = request.receivedAfter === undefined ? undefined : parseTime(request.receivedAfter, now)
  return defined({
    receivedAfter,
    service,
    text: contains,
    regex,
    ignoreCase,
    minSeverity,
    traceId,
    spanId,
    profileId,
    resource,
    thread,
  })
}

export function spanFilterOf(request: Values<typeof spanFilter>): SpanFilter {
  const { service, name, kind, status, samples } = request
  const minDuration = request.minDuration === undefined ? undefined : parseDuration(request.minDuration)
  const maxDuration = request.maxDuration === undefined ? undefined : parseDuration(request.maxDuration)
  return defined({ service, name, kind, status, samples, minDuration, maxDuration })
}
