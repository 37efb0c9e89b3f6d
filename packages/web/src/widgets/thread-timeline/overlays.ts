// Other signals of the same time: spans above their lanes, logs as marks, metrics as charts.
import type { OfLoad } from '../../address/time-range.ts'
import type { HearthClient } from '@hearth/client'
import type { TimelineEvents } from '../../api/profile-source.ts'
import type { LogMark, MetricTrack, SpanMark } from '../../draw/timeline/timeline-rows.ts'
import type { Span } from '../../draw/flame-graph/viewport.ts'

/** Limits of one request. */
const SPANS = 5000
const LOGS = 5000
const SPANS_SEEN = 4000
const STEPS = 400
/** The number of steps of the requested range. A mark is some pixels wide. */
const LOG_STEPS = 1000

export interface Range extends OfLoad {
  readonly from: string
  readonly to: string
}

/**
 * The range to request around the visible part: up to four times as long and on a grid, so small moves need no new
 * request.
 */
export function windowAround(shown: Span | undefined, whole: number): Span {
  if (shown === undefined || 2 * shown.width >= whole) return { left: 0, width: whole }
  const length = 2 ** Math.ceil(Math.log2(shown.width))
  const left = Math.max(0, Math.floor(shown.left / length) * length)
  return { left, width: Math.min(2 * length, whole - left) }
}

/** The threads of each span's samples, and their first and last time. */
export class SeenSpans {
  /** By link: the thread with most of its events. */
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

  /** The thread; -1 if no sample names the span. */
  threadOf(traceId: string, spanId: string): number {
    const link = this.#byId.get(`${traceId} ${spanId}`)
    return link === undefined ? -1 : this.thread[link]
  }
}

export interface LoadedSpans {
  readonly spans: readonly SpanMark[]
  /** The total number, which can be larger. */
  readonly all: number
}

/** Spans that are known only from samples, from the first to the last. Includes those that overlap the window. */
export function seenSpans(
  { links, threads }: TimelineEvents,
  seen: SeenSpans,
  stored: ReadonlySet<string>,
  { left, width }: Span,
): LoadedSpans {
  const spans: SpanMark[] = []
  let all = 0
  for (let i = 1; i < links.length; i++) {
    const { traceId, spanId } = links[i]
    const thread = seen.thread[i]
    if (thread < 0 || seen.end[i] < left || seen.start[i] > left + width || stored.has(`${traceId} ${spanId}`)) continue
    if (all++ >= SPANS_SEEN) continue
    spans.push({
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
  return { spans, all }
}

/** The processes with lanes, and the lanes of their spans and logs. */
export class Processes {
  /** Ids of their resources. */
  readonly ids: readonly string[]
  /** The number of processes beyond the limit. */
  readonly dropped: number
  readonly #events: TimelineEvents
  readonly #byThread = new Map<string, number>()
  readonly #groups = new Map<string, string>()

  constructor(events: TimelineEvents) {
    this.#events = events
    for (const [t, { resource, id, group }] of events.threads.entries()) {
      if (!this.#groups.has(resource)) this.#groups.set(resource, group)
      if (id !== '' && !this.#byThread.has(`${resource} ${id}`)) this.#byThread.set(`${resource} ${id}`, t)
    }
    this.ids = [...this.#groups.keys()].slice(0, MAX_PROCESSES)
    this.dropped = this.#groups.size - this.ids.length
  }

  /** The lane of a known thread, or of the thread id; undefined if the process has no lanes. */
  laneOf(process: number, thread: string, known: number): Pick<SpanMark, 'thread' | 'group'> | undefined {
    const { threads } = this.#events
    if (known >= 0) return { thread: known, group: threads[known].group }
    if (process < 0) return undefined
    const resource = this.ids[process]
    const own = this.#byThread.get(`${resource} ${thread}`)
    return own === undefined
      ? { thread: -1, group: this.#groups.get(resource) ?? '' }
      : { thread: own, group: threads[own].group }
  }
}

/** The limit of a request. */
const MAX_PROCESSES = 1000

export async function storedSpans(
  client: HearthClient,
  { origin }: TimelineEvents,
  seen: SeenSpans,
  processes: Processes,
  range: Range,
  signal: AbortSignal,
): Promise<LoadedSpans> {
  const request = { ...range, resources: [...processes.ids], limit: SPANS }
  const { spans, all } = await client.query('spans', request, { signal })
  const marks = spans.flatMap(({ process, thread, traceId, spanId, name, status, start, duration }): SpanMark[] => {
    const lane = processes.laneOf(process, thread, seen.threadOf(traceId, spanId))
    if (lane === undefined) return []
    const times = { start: Number(BigInt(start) - origin), duration: Number(duration) }
    return [{ name, traceId, spanId, ...times, isError: status === 'error', isStored: true, ...lane }]
  })
  return { spans: marks, all }
}

export interface LoadedLogs {
  readonly logs: readonly LogMark[]
  /** The number of records without a mark. */
  readonly hidden: number
}

export async function logMarks(
  client: HearthClient,
  { origin }: TimelineEvents,
  seen: SeenSpans,
  processes: Processes,
  range: Range,
  width: number,
  signal: AbortSignal,
): Promise<LoadedLogs> {
  const step = `${Math.max(1, Math.ceil(width / LOG_STEPS))}ns`
  const request = { ...range, resources: [...processes.ids], step, limit: LOGS }
  const { marks, hidden } = await client.query('logMarks', request, { signal })
  const logs = marks.flatMap(({ process, thread, time, service: _, ...mark }): LogMark[] => {
    const bySpan = thread === '' ? seen.threadOf(mark.traceId, mark.spanId) : -1
    const lane = processes.laneOf(process, thread, bySpan)
    return lane === undefined ? [] : [{ ...mark, time: Number(BigInt(time) - origin), ...lane }]
  })
  return { logs, hidden }
}

export async function metricTracks(
  client: HearthClient,
  { origin }: TimelineEvents,
  names: readonly string[],
  { service, ...range }: Range & { readonly service: string },
  lengthMs: number,
  signal: AbortSignal,
): Promise<MetricTrack[]> {
  const step = `${Math.max(1, Math.ceil(lengthMs / 1000 / STEPS))}s`
  const loading = names.map(async (name): Promise<MetricTrack> => {
    const request = { name, ...range, step, ...(service === '' ? {} : { service }) }
    const { groups, unit } = await client.query('metricSeries', request, { signal })
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
  return await Promise.all(loading)
}
