// The rows of a timeline from top to bottom: charts of metrics, then each process with its threads.
import { partitionPoint } from '@hearth/profile'
import type { LaneSort } from '../../timeline/lane-sort.ts'
import type { Lanes } from './timeline-lanes.ts'

/** A span of a trace on a thread, or on a process if its thread is not known. */
export interface SpanMark {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Nanoseconds from the origin. */
  readonly start: number
  readonly duration: number
  readonly isError: boolean
  /** Whether the span is stored; otherwise it is known only from the samples that name it. */
  readonly isStored: boolean
  /** The row of its thread; -1 if it is not known. */
  readonly thread: number
  readonly group: string
}

/** A log record, or the most severe of several that are too close to distinguish. */
export interface LogMark {
  readonly records: number
  readonly time: number
  /** 1 to 24; 0 if the record has none. */
  readonly severity: number
  readonly text: string
  readonly traceId: string
  readonly spanId: string
  readonly thread: number
  readonly group: string
}

export interface MetricTrack {
  readonly title: string
  readonly unit: string
  /** Nanoseconds from the origin. */
  readonly time: Float64Array
  readonly value: Float64Array
}

export interface Overlays {
  readonly spans: readonly SpanMark[]
  readonly logs: readonly LogMark[]
  readonly metrics: readonly MetricTrack[]
}

export const NO_OVERLAYS: Overlays = { spans: [], logs: [], metrics: [] }

export interface PlacedSpan {
  readonly span: SpanMark
  /** 0 is the level nearest to the top of the lane. */
  readonly level: number
}

export interface TimelineRow {
  readonly kind: 'metric' | 'group' | 'lane'
  readonly top: number
  readonly height: number
  readonly title: string
  /** -1 if the row has no thread. */
  readonly thread: number
  readonly metric: MetricTrack | undefined
  readonly spans: readonly PlacedSpan[]
  readonly levels: number
  readonly logs: readonly LogMark[]
}

const METRIC_HEIGHT = 52
export const GROUP_HEIGHT = 24
export const BAND_HEIGHT = 22
/** The part of a lane's height that its band does not use. */
export const LANE_GAP = 6
export const SPAN_HEIGHT = 15
/** The maximum number of levels of spans. Deeper spans are dropped and counted. */
const MAX_LEVELS = 4

export interface ThreadRowChoice {
  readonly sort: LaneSort
  /** Keys of threads. */
  readonly hidden: ReadonlySet<string>
  /** A part of the name of a thread or process; empty for all. */
  readonly search: string
}

export interface Rows {
  readonly list: readonly TimelineRow[]
  readonly height: number
  /** Shown threads from top to bottom. */
  readonly threads: readonly number[]
  /** Spans that are deeper than the maximum number of levels. */
  readonly hiddenSpans: number
}

export function rowsOf(lanes: Lanes, choice: ThreadRowChoice, overlays: Overlays): Rows {
  const { events } = lanes
  const shown = shownThreads(lanes, choice)
  const groups = new Map<string, number[]>()
  for (const thread of shown) {
    const { group } = events.threads[thread]
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [thread])
    else members.push(thread)
  }
  const marks = new MarksByRow(overlays)
  const list: TimelineRow[] = []
  let top = 0
  let hiddenSpans = 0
  const add = (row: Omit<TimelineRow, 'top'>): void => {
    list.push({ ...row, top })
    top += row.height
  }
  const plain = { thread: -1, metric: undefined, spans: [], levels: 0, logs: [] }
  for (const metric of overlays.metrics) {
    add({ ...plain, kind: 'metric', height: METRIC_HEIGHT, title: metric.title, metric })
  }
  for (const [group, threads] of groups) {
    const placed = placeSpans(marks.spansOf(-1, group))
    hiddenSpans += placed.hidden
    const logs = marks.logsOf(-1, group)
    if (group !== '' || placed.levels > 0 || logs.length > 0) {
      const title = group === '' ? 'no process' : group
      const height = GROUP_HEIGHT + placed.levels * SPAN_HEIGHT
      add({ ...plain, kind: 'group', height, title, spans: placed.spans, levels: placed.levels, logs })
    }
    for (const thread of threads) {
      const own = placeSpans(marks.spansOf(thread, ''))
      hiddenSpans += own.hidden
      add({
        ...plain,
        kind: 'lane',
        height: BAND_HEIGHT + LANE_GAP + own.levels * SPAN_HEIGHT,
        title: events.threads[thread].title,
        thread,
        spans: own.spans,
        levels: own.levels,
        logs: marks.logsOf(thread, ''),
      })
    }
  }
  return { list, height: top, threads: list.filter(row => row.thread >= 0).map(row => row.thread), hiddenSpans }
}

/** Threads without empty, hidden and non-matching ones. */
function shownThreads(lanes: Lanes, { sort, hidden, search }: ThreadRowChoice): number[] {
  const { threads } = lanes.events
  const wanted = search.trim().toLowerCase()
  const fits = (thread: number): boolean => {
    const { key, title, group } = threads[thread]
    if (lanes.count(thread) === 0 || hidden.has(key)) return false
    return wanted === '' || `${title} ${group}`.toLowerCase().includes(wanted)
  }
  const found = threads.map((_, thread) => thread).filter(fits)
  const rank = rankOf(lanes, sort)
  // Threads of a process stay together, in the order of their first thread.
  const best = new Map<string, number>()
  const ranks = new Map(found.map(thread => [thread, rank(thread)]))
  const byName = (a: number, b: number): number => compareNames(threads[a].title, threads[b].title) || a - b
  const byRank = (a: number, b: number): number => ranks.get(a)! - ranks.get(b)! || byName(a, b)
  const sorted = found.sort(byRank)
  sorted.forEach((thread, i) => {
    if (!best.has(threads[thread].group)) best.set(threads[thread].group, i)
  })
  if (sort === 'name') {
    const isHost = best.size > MAX_NAMED_GROUPS
    const totals = isHost ? totalByGroup(lanes, sorted) : new Map<string, number>()
    const byTotal = (a: string, b: string): number => (totals.get(b) ?? 0) - (totals.get(a) ?? 0)
    const groups = [...best.keys()].sort((a, b) => byTotal(a, b) || compareNames(a, b))
    groups.forEach((group, i) => best.set(group, i))
  }
  return sorted.toSorted((a, b) => best.get(threads[a].group)! - best.get(threads[b].group)! || byRank(a, b))
}

/** With more processes, such as those of a whole host, the busiest are first: nobody reads hundreds of names. */
const MAX_NAMED_GROUPS = 8

function totalByGroup(lanes: Lanes, threads: readonly number[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const thread of threads) {
    const { group } = lanes.events.threads[thread]
    totals.set(group, (totals.get(group) ?? 0) + lanes.total(thread))
  }
  return totals
}

const names = new Intl.Collator('en', { numeric: true })

function compareNames(a: string, b: string): number {
  return names.compare(a, b)
}

/** The lowest rank is first. */
function rankOf(lanes: Lanes, sort: LaneSort): (thread: number) => number {
  if (sort === 'busy') return thread => -lanes.total(thread)
  if (sort === 'first') return thread => lanes.firstStart(thread)
  return () => 0
}

/** Spans and logs by thread or process. */
class MarksByRow {
  readonly #spans = new Map<string, SpanMark[]>()
  readonly #logs = new Map<string, LogMark[]>()

  constructor({ spans, logs }: Overlays) {
    for (const span of spans) put(this.#spans, keyOf(span.thread, span.group), span)
    // The most severe record is last, so it is drawn on top.
    const bySeverity = logs.toSorted((a, b) => a.severity - b.severity)
    for (const log of bySeverity) put(this.#logs, keyOf(log.thread, log.group), log)
  }

  spansOf(thread: number, group: string): readonly SpanMark[] {
    return this.#spans.get(keyOf(thread, group)) ?? []
  }

  logsOf(thread: number, group: string): readonly LogMark[] {
    return this.#logs.get(keyOf(thread, group)) ?? []
  }
}

function keyOf(thread: number, group: string): string {
  return thread >= 0 ? `${thread}` : `of ${group}`
}

function put<T>(into: Map<string, T[]>, key: string, item: T): void {
  const list = into.get(key)
  if (list === undefined) into.set(key, [item])
  else list.push(item)
}

/** Puts each span on the first level where it overlaps none. Outer spans start first, so they come above. */
function placeSpans(spans: readonly SpanMark[]): {
  readonly spans: readonly PlacedSpan[]
  readonly levels: number
  readonly hidden: number
} {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.duration - a.duration)
  const ends: number[] = []
  const placed: PlacedSpan[] = []
  let hidden = 0
  for (const span of sorted) {
    let level = ends.findIndex(end => end <= span.start)
    if (level < 0) level = ends.length
    if (level >= MAX_LEVELS) {
      hidden++
      continue
    }
    ends[level] = span.start + span.duration
    placed.push({ span, level })
  }
  return { spans: placed, levels: ends.length, hidden }
}

/** The row at a height; undefined below the last. */
export function rowAt({ list }: Rows, y: number): TimelineRow | undefined {
  const at = firstBelow(list, y) - 1
  const row = list[at]
  return row !== undefined && y >= row.top && y < row.top + row.height ? row : undefined
}

/** The number of rows that start at or above a height. */
export function firstBelow(list: readonly TimelineRow[], y: number): number {
  return partitionPoint(0, list.length, i => list[i].top <= y)
}
