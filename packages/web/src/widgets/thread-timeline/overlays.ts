// What other signals say of the same time: spans above the lanes they ran in, logs as marks, metrics as lines.
import type { HearthClient, LogRow, SignalResource, TraceAnswer, TraceSpan } from '@hearth/client'
import type { TimelineEvents } from '../../api/profile-source.ts'
import type { LogMark, MetricTrack, SpanMark } from '../../draw/timeline-rows.ts'

/** The longest stay; of a trace all spans. */
const TRACES = 60
const AT_ONCE = 6
const LOGS = 500
const SPANS_SEEN = 4000
const STEPS = 400

export interface Range {
  readonly service: string
  readonly from: string
  readonly to: string
}

/** Which threads samples of a span were taken on, and from when until when. */
export class SeenSpans {
  /** By link: the thread with the most of its events. */
  readonly thread: Int32Array
  readonly start: Float64Array
  readonly end: Float64Array
  readonly #byId = new Map<string, number>()

  constructor({ links, link, first, start, duration, threads }: TimelineEvents) {
    this.thread = new Int32Array(links.length).fill(-1)
    this.start = new Float64Array(links.length).fill(Infinity)
    this.end = new Float64Array(links.length).fill(-Infinity)
    const most = new Uint32Array(links.length)
    const here = new Uint32Array(links.length)
    links.forEach(({ traceId, spanId }, i) => i > 0 && this.#byId.set(`${traceId} ${spanId}`, i))
    if (links.length < 2) return
    for (let t = 0; t < threads.length; t++) {
      const met: number[] = []
      for (let i = first[t]; i < first[t + 1]; i++) {
        const of = link[i]
        if (of === 0) continue
        if (here[of]++ === 0) met.push(of)
        if (start[i] < this.start[of]) this.start[of] = start[i]
        if (start[i] + duration[i] > this.end[of]) this.end[of] = start[i] + duration[i]
      }
      for (const of of met) {
        if (here[of] > most[of]) {
          most[of] = here[of]
          this.thread[of] = t
        }
        here[of] = 0
      }
    }
  }

  /** The thread; -1 where no sample names the span. */
  threadOf(traceId: string, spanId: string): number {
    const link = this.#byId.get(`${traceId} ${spanId}`)
    return link === undefined ? -1 : this.thread[link]
  }
}

/** Spans that are known by their samples alone, from the first to the last. */
export function seenSpans(
  { links, threads }: TimelineEvents,
  seen: SeenSpans,
  stored: ReadonlySet<string>,
): SpanMark[] {
  const marks: SpanMark[] = []
  for (let i = 1; i < links.length && marks.length < SPANS_SEEN; i++) {
    const { traceId, spanId } = links[i]
    const thread = seen.thread[i]
    if (thread < 0 || stored.has(`${traceId} ${spanId}`)) continue
    marks.push({
      name: `span ${spanId.slice(0, 8)}`,
      traceId,
      spanId,
      start: seen.start[i],
      duration: seen.end[i] - seen.start[i],
      isError: false,
      isStored: false,
      thread,
      group: threads[thread].group,
    })
  }
  return marks
}

export interface StoredSpans {
  readonly spans: readonly SpanMark[]
  /** Whether there are more traces than were asked for. */
  readonly areMore: boolean
}

export async function storedSpans(
  client: HearthClient,
  events: TimelineEvents,
  seen: SeenSpans,
  { service, from, to }: Range,
  signal: AbortSignal,
): Promise<StoredSpans> {
  const request = { from, to, sort: 'duration', limit: TRACES, ...(service === '' ? {} : { service }) } as const
  const { traces, next } = await client.ask('traces', request, { signal })
  const spans: SpanMark[] = []
  for (let at = 0; at < traces.length; at += AT_ONCE) {
    const some = traces.slice(at, at + AT_ONCE)
    const answers = await Promise.all(some.map(({ traceId }) => client.trace(traceId, { limit: 1000 }, { signal })))
    for (const answer of answers) for (const span of answer.spans) place(spans, events, seen, answer, span)
  }
  return { spans, areMore: next !== undefined }
}

/** Only spans of processes that have lanes here. */
function place(
  into: SpanMark[],
  events: TimelineEvents,
  seen: SeenSpans,
  { traceId, resources }: TraceAnswer,
  span: TraceSpan,
): void {
  const bySample = seen.threadOf(traceId, span.spanId)
  const id = span.attributes?.find(({ key }) => key === 'thread.id')?.value
  const thread = bySample >= 0 ? bySample : threadWith(events, span.service, id?.intValue ?? id?.stringValue ?? '')
  const group = thread >= 0 ? events.threads[thread].group : groupOf(events, span.service, resources[span.resource])
  if (group === undefined) return
  into.push({
    name: span.name,
    traceId,
    spanId: span.spanId,
    start: sinceOrigin(events, span.start),
    duration: Number(span.duration),
    isError: span.status === 'error',
    isStored: true,
    thread,
    group,
  })
}

function sinceOrigin({ origin }: TimelineEvents, time: string): number {
  return Number(BigInt(time) - origin)
}

function threadWith({ threads }: TimelineEvents, service: string, id: string): number {
  return id === '' ? -1 : threads.findIndex(thread => thread.id === id && thread.service === service)
}

/** The process of the service that the resource names, or the first. */
function groupOf(
  { threads }: TimelineEvents,
  service: string,
  resource: SignalResource | undefined,
): string | undefined {
  const own = threads.filter(thread => thread.service === service)
  const pid = resource?.attributes.find(({ key }) => key === 'process.pid')?.value.intValue
  const same = own.find(({ group }) => pid !== undefined && group.endsWith(`process ${pid}`))
  return (same ?? own.at(0))?.group
}

export async function logMarks(
  client: HearthClient,
  events: TimelineEvents,
  seen: SeenSpans,
  { service, from, to }: Range,
  signal: AbortSignal,
): Promise<{ readonly logs: readonly LogMark[]; readonly areMore: boolean }> {
  const request = { from, to, limit: LOGS, ...(service === '' ? {} : { service }) }
  const { logs, resources, next } = await client.ask('logs', request, { signal })
  const marks = logs.flatMap((log): LogMark[] => {
    const id = log.attributes.find(({ key }) => key === 'thread.id')?.value
    const byId = threadWith(events, log.service, id?.intValue ?? id?.stringValue ?? '')
    const thread = byId >= 0 ? byId : seen.threadOf(log.traceId, log.spanId)
    const group = thread >= 0 ? events.threads[thread].group : groupOf(events, log.service, resources[log.resource])
    if (group === undefined) return []
    const { severity, traceId, spanId } = log
    return [{ time: sinceOrigin(events, log.time), severity, text: bodyOf(log), traceId, spanId, thread, group }]
  })
  return { logs: marks, areMore: next !== undefined }
}

function bodyOf({ body, eventName = '' }: LogRow): string {
  return body.stringValue ?? (eventName === '' ? JSON.stringify(body) : eventName)
}

export async function metricTracks(
  client: HearthClient,
  { origin }: TimelineEvents,
  names: readonly string[],
  { service, from, to }: Range,
  lengthMs: number,
  signal: AbortSignal,
): Promise<MetricTrack[]> {
  const step = `${Math.max(1, Math.ceil(lengthMs / 1000 / STEPS))}s`
  const asked = names.map(async (name): Promise<MetricTrack> => {
    const request = { name, from, to, step, ...(service === '' ? {} : { service }) }
    const { groups, unit } = await client.ask('metricSeries', request, { signal })
    const points = (groups[0]?.points ?? []).flatMap(({ time, value, quantiles }) => {
      const number = Number(value ?? quantiles?.[0] ?? Number.NaN)
      return Number.isFinite(number) ? [{ at: Number(BigInt(time) - origin), number }] : []
    })
    return {
      title: unit === '' ? name : `${name} (${unit})`,
      unit,
      time: Float64Array.from(points, ({ at }) => at),
      value: Float64Array.from(points, ({ number }) => number),
    }
  })
  return await Promise.all(asked)
}
