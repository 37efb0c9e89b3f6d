// Finds the spans of a file; see README.md.
import { nanosecondsOf } from '../../../model/text/units.ts'
import { compareLongs } from '../../../model/columns/order.ts'
import type { LedgerSpan } from '../ledger-input.ts'
import type { FileEvents } from './file-events.ts'

/** Observations of this type are spans: regions, tasks and events of one's own. */
export const SPAN_TYPE = 'span'

export interface FileSpans {
  readonly spans: readonly LedgerSpan[]
  /** The span of each link; -1 for none. */
  readonly owners: Int32Array
}

/** A span of a trace that was recorded with the profiles. */
export interface GivenSpan {
  /** In hex. */
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly name: string
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: bigint
}

type Draft = Omit<LedgerSpan, 'parent' | 'traceId' | 'spanId'> & {
  readonly task: string
  readonly parentTask: string
  readonly isTask: boolean
  readonly link: number
}

/** `lanes` has the lane of each thread. Given spans replace those of the file. They belong to its first process. */
export function fileSpans(events: FileEvents, lanes: readonly number[], given: readonly GivenSpan[] = []): FileSpans {
  if (given.length > 0) return givenSpans(events, given)
  const drafts = [...ownSpans(events, lanes), ...linkedSpans(events)]
  if (drafts.length === 0) drafts.push(...nestedSpans(events, lanes))
  if (drafts.length === 0) drafts.push(...threadSpans(events, lanes))
  drafts.sort((a, b) => compareLongs(a.start, b.start) || compareLongs(b.end, a.end))
  const parents = parentsOf(drafts)
  const owners = new Int32Array(events.links.length).fill(-1)
  const spans = drafts.map(({ name, service, start, end, process, lane, link }, row): LedgerSpan => {
    if (link > 0) owners[link] = row
    const { traceId, spanId } = events.links[link]
    return {
      name,
      service,
      start,
      end,
      process,
      lane,
      parent: parents[row],
      traceId,
      spanId: spanId || (row + 1).toString(16).padStart(16, '0'),
    }
  })
  return { spans, owners }
}

function givenSpans({ links, services }: FileEvents, given: readonly GivenSpan[]): FileSpans {
  const rows = new Map(given.map(({ traceId, spanId }, row) => [`${traceId} ${spanId}`, row]))
  const spans = given.map(({ parentSpanId, ...span }): LedgerSpan => {
    const parent = rows.get(`${span.traceId} ${parentSpanId}`) ?? -1
    return { ...span, parent, service: services[0] ?? '', process: 0, lane: -1 }
  })
  return { spans, owners: Int32Array.from(links, ({ traceId, spanId }) => rows.get(`${traceId} ${spanId}`) ?? -1) }
}

function kindOf(
  { kinds }: FileEvents,
  wanted: (type: string, kind: FileEvents['kinds'][number]) => boolean,
): Set<number> {
  return new Set(kinds.flatMap((kind, row) => (wanted(kind.type, kind) ? [row] : [])))
}

const NO_TASK = { task: '', parentTask: '', isTask: false, link: 0 }

function* ownSpans(events: FileEvents, lanes: readonly number[]): Generator<Draft> {
  const spanKinds = kindOf(events, type => type === SPAN_TYPE)
  for (let row = 0; row < events.length; row++) {
    if (!spanKinds.has(events.kind[row])) continue
    const thread = events.threads[events.thread[row]]
    const task = events.texts[events.task[row]]
    const parentTask = events.texts[events.parentTask[row]]
    const isTask = parentTask !== ''
    yield {
      name: events.texts[events.name[row]] || 'span',
      service: events.services[thread.process] ?? '',
      start: events.time[row],
      end: events.time[row] + events.value[row] * (nanosecondsOf(events.kinds[events.kind[row]].unit) ?? 1n),
      process: thread.process,
      // A task may end on another goroutine than the one that began it.
      lane: isTask ? -1 : lanes[events.thread[row]],
      task,
      parentTask,
      isTask,
      link: 0,
    }
  }
}

/** A span of samples lasts from the time of its first sample, which covers the period before it, to its last. */
function* linkedSpans(events: FileEvents): Generator<Draft> {
  const ranges = new Map<number, { start: bigint; end: bigint; process: number }>()
  for (let row = 0; row < events.length; row++) {
    const link = events.link[row]
    if (link === 0) continue
    const { unit, type } = events.kinds[events.kind[row]]
    const scale = nanosecondsOf(unit)
    const nanos = scale === undefined || type === SPAN_TYPE ? 0n : events.value[row] * scale
    const isSample = type === 'wall' || type === 'cpu' || type === 'samples'
    const [start, end] = [events.time[row] - (isSample ? nanos : 0n), events.time[row] + (isSample ? 0n : nanos)]
    const known = ranges.get(link)
    if (known === undefined) ranges.set(link, { start, end, process: events.threads[events.thread[row]].process })
    else {
      if (start < known.start) known.start = start
      if (end > known.end) known.end = end
    }
  }
  for (const [link, { start, end, process }] of ranges) {
    const name = `span ${events.links[link].spanId}`
    yield { ...NO_TASK, name, service: events.services[process] ?? '', start, end, process, lane: -1, link }
  }
}

/** The nested events of Chrome traces: an event lasts as long as the intervals with its stack follow each other. */
function* nestedSpans(events: FileEvents, lanes: readonly number[]): Generator<Draft> {
  const intervals = kindOf(events, (type, { period }) => type === 'wall' && period === 0n)
  let open: { node: number; start: bigint; end: bigint; thread: number }[] = []
  function* close(keep: number): Generator<Draft> {
    for (const { node, start, end, thread } of open.slice(keep)) {
      const { process } = events.threads[thread]
      const name = events.frames.name[events.frame[node]]
      yield { ...NO_TASK, name, service: events.services[process] ?? '', start, end, process, lane: lanes[thread] }
    }
    open = open.slice(0, keep)
  }
  for (let row = 0; row < events.length; row++) {
    if (!intervals.has(events.kind[row])) continue
    const path: number[] = []
    for (let node = events.node[row]; node !== -1; node = events.parent[node]) path.unshift(node)
    const [start, end] = [events.time[row], events.time[row] + events.value[row]]
    let common = 0
    const isNext = open.length > 0 && open[0].thread === events.thread[row] && open[0].end === start
    while (isNext && common < open.length && common < path.length && open[common].node === path[common]) common++
    yield* close(common)
    for (const each of open) each.end = end
    for (const node of path.slice(common)) open.push({ node, start, end, thread: events.thread[row] })
  }
  yield* close(0)
}

/** Each thread with observations is one span of the recorded time. */
function* threadSpans(events: FileEvents, lanes: readonly number[]): Generator<Draft> {
  const ranges = new Map<number, { start: bigint; end: bigint }>()
  for (let row = 0; row < events.length; row++) {
    const scale = nanosecondsOf(events.kinds[events.kind[row]].unit) ?? 0n
    const isSample = events.kinds[events.kind[row]].period > 0n
    const nanos = events.value[row] * scale
    const [start, end] = [events.time[row] - (isSample ? nanos : 0n), events.time[row] + (isSample ? 0n : nanos)]
    const known = ranges.get(events.thread[row])
    if (known === undefined) ranges.set(events.thread[row], { start, end })
    else {
      if (start < known.start) known.start = start
      if (end > known.end) known.end = end
    }
  }
  for (const [thread, { start, end }] of ranges) {
    const { process, title, id } = events.threads[thread]
    if (id === '') continue
    yield { ...NO_TASK, name: title, service: events.services[process] ?? '', start, end, process, lane: lanes[thread] }
  }
}

/** The parent of each span, sorted by start: the innermost span around it on its lane, or else its task. */
function parentsOf(drafts: readonly Draft[]): number[] {
  const tasks = new Map<string, number>()
  for (const [row, { isTask, task, process }] of drafts.entries()) if (isTask) tasks.set(`${process} ${task}`, row)
  const open = new Map<string, number[]>()
  return drafts.map((draft, row) => {
    const { lane, process, end, start, task, parentTask, isTask } = draft
    const ofTask = (id: string): number => tasks.get(`${process} ${id}`) ?? -1
    if (isTask) {
      const parent = ofTask(parentTask)
      return parent === row ? -1 : parent
    }
    if (lane === -1) return -1
    const key = `${process} ${lane}`
    const around = (open.get(key) ?? []).filter(each => drafts[each].end > start)
    open.set(key, [...around, row])
    const inner = around.findLast(each => drafts[each].end >= end)
    return inner ?? (task === '' ? -1 : ofTask(task))
  })
}
