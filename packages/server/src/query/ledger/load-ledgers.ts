// Reads everything that the ledgers of spans need: the spans themselves, the observations of their processes, and the spans of
// other requests that ran there.
import type { FrameTable, LedgerLane, LedgerSpan, ObservedEvents } from '@hearth/profile'
import { Ledgers, evidenceOfEvents, laneTitle, nanosecondsOf, valueText } from '@hearth/profile'
import type { Events } from '../events/events.ts'
import { events as readEvents } from '../events/events.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { readSeries } from '../select/read-series.ts'
import { resourcesOfProcesses } from '../signals/same-process.ts'
import { traceTree } from '../signals/trace-tree.ts'
import type { StoredSpan } from './ledger-spans.ts'
import { spansOfProcesses } from './ledger-spans.ts'

export interface LoadedLedgers {
  readonly ledgers: Ledgers
  /** The stacks of the evidence: the parent of each node and its row in the frames. */
  readonly nodes: { readonly parent: Int32Array; readonly frame: Uint32Array; readonly frames: FrameTable }
  /** Whether the lanes are event loops. */
  readonly isEventLoop: boolean
  /** The number of observations that were read. */
  readonly observations: number
}

/** A sample covers the time since the one before it: up to a second, so that later samples count too. */
const AFTER = 1_500_000_000n
/** The maximum number of observations. */
const MAX_OBSERVATIONS = 3_000_000
const UNSTORED = 'a span that is not stored'

/** Types of observations that say nothing about time. */
const IGNORED = /alloc|inuse|heap|space|objects|bytes|exceptions|errors/

/** Rows of the ledgers' spans are those of `own`, then others. */
export async function loadLedgers(
  context: QueryContext,
  query: Query,
  own: readonly StoredSpan[],
): Promise<LoadedLedgers> {
  const { from, to } = rangeOf(own)
  const running = new RunningQuery(context.engine, { ...query, from, to })
  const sameProcess = await resourcesOfProcesses(running, [...new Set(own.map(({ resource }) => resource))])
  const near = new Set([...sameProcess.values()].flat())
  const all = await readSeries(running, undefined)
  const series = all.filter(
    ({ resource, type, unit, periodUnit }) =>
      near.has(resource) &&
      !IGNORED.test(type) &&
      (nanosecondsOf(unit) !== undefined || nanosecondsOf(periodUnit) !== undefined),
  )
  const processes = new Processes(sameProcess, new Set(series.map(({ resource }) => resource)))
  const [found, local] = await Promise.all([
    series.length === 0
      ? undefined
      : readEvents(
          context,
          {
            ...query,
            from,
            to: to + AFTER,
            only: { series: new Set(series.map(({ id }) => id)) },
            limits: { ...query.limits, maxRows: MAX_OBSERVATIONS },
          },
          { reaching: true, summary: false },
        ),
    spansOfProcesses(running, [...near], from, to),
  ])
  const stored = new Map(own.map(span => [keyOf(span), span]))
  for (const span of local) if (!stored.has(keyOf(span))) stored.set(keyOf(span), span)
  return assemble([...stored.values()], processes, found)
}

function rangeOf(spans: readonly StoredSpan[]): { readonly from: bigint; readonly to: bigint } {
  let [from, to] = [spans[0].start, spans[0].start]
  for (const { start, end } of spans) {
    if (start < from) from = start
    if (end > to) to = end
  }
  return { from, to: to + 1n }
}

function keyOf({ traceId, spanId, start }: StoredSpan): string {
  return `${traceId}${spanId}${start}`
}

/**
 * Numbers processes. Resources of one process have one number. A resource that names only the service, such as that of its
 * logs, matches two instances of the service. It joins them only if it has profiles.
 */
class Processes {
  readonly #numbers = new Map<bigint, number>()

  constructor(sameProcess: ReadonlyMap<bigint, readonly bigint[]>, profiled: ReadonlySet<bigint>) {
    for (const [resource, others] of sameProcess) {
      const joined = [resource, ...others.filter(other => profiled.has(other))]
      const known = joined.find(each => this.#numbers.has(each))
      this.#add(joined, known === undefined ? this.#numbers.size : this.#numbers.get(known)!)
    }
    for (const [resource, others] of sameProcess) this.#add(others, this.of(resource))
  }

  #add(resources: readonly bigint[], number: number): void {
    for (const each of resources) if (!this.#numbers.has(each)) this.#numbers.set(each, number)
  }

  of(resource: bigint): number {
    return this.#numbers.get(resource) ?? -1
  }
}

function assemble(stored: readonly StoredSpan[], processes: Processes, found: Events | undefined): LoadedLedgers {
  const lanes: LedgerLane[] = []
  const threadLanes: number[] = []
  const byThread = new Map<string, number>()
  const wideOf = new Map<number, number>()
  for (const { resource, id, name } of found?.threads ?? []) {
    const process = processes.of(found!.resources[resource].id)
    if (!wideOf.has(process)) wideOf.set(process, lanes.push({ process, title: 'process', isProcess: true }) - 1)
    const number = id === undefined ? '' : valueText(id)
    const title = laneTitle('thread', number, typeof name === 'string' ? name : '')
    // Observations without a thread are about the process.
    const lane = id === undefined ? wideOf.get(process)! : lanes.push({ process, title }) - 1
    threadLanes.push(lane)
    byThread.set(`${process} ${number}`, lane)
  }
  const tree = traceTree(
    stored.map(({ traceId, spanId, parentSpanId, start, end, resource }) => ({
      spanId: `${traceId}${spanId}`,
      parentSpanId: parentSpanId === '' ? '' : `${traceId}${parentSpanId}`,
      start,
      end,
      resource,
    })),
  )
  const spans: LedgerSpan[] = stored.map(({ traceId, spanId, name, service, start, resource, thread }, row) => {
    const process = processes.of(resource)
    return {
      traceId,
      spanId,
      name,
      service,
      parent: tree.parent[row],
      start,
      end: start + tree.duration[row],
      process,
      lane: thread === '' ? -1 : (byThread.get(`${process} ${thread}`) ?? -1),
    }
  })
  const base = spans.reduce((least, { start }) => (start < least ? start : least), spans[0].start)
  const owners = ownersOf(found, spans, lanes, threadLanes)
  const nodes: ObservedEvents = found ?? NO_EVENTS
  const evidence = evidenceOfEvents(nodes, {
    base,
    lanes: threadLanes,
    wide: threadLanes.map(lane => wideOf.get(lanes[lane].process) ?? lane),
    owners,
  })
  return {
    ledgers: new Ledgers({ base, spans, lanes, ...evidence }),
    nodes: { parent: nodes.parent, frame: nodes.frame, frames: nodes.frames },
    isEventLoop: nodes.frames.type.includes('v8js'),
    observations: found?.length ?? 0,
  }
}

/** The span of each link. A link to a span that is not stored gets a span of its own, because it ran for somebody else. */
function ownersOf(
  found: Events | undefined,
  spans: LedgerSpan[],
  lanes: readonly LedgerLane[],
  threadLanes: readonly number[],
): Int32Array {
  const rows = new Map<string, number>()
  for (const [row, { traceId, spanId }] of spans.entries()) {
    const key = `${traceId}${spanId}`
    if (!rows.has(key)) rows.set(key, row)
  }
  const owners = new Int32Array(found?.links.length ?? 0).fill(-1)
  if (found === undefined) return owners
  const places = new Map<number, number>()
  for (let row = 0; row < found.length; row++) {
    if (found.link[row] !== 0 && !places.has(found.link[row])) places.set(found.link[row], found.thread[row])
  }
  for (const [link, { traceId, spanId }] of found.links.entries()) {
    if (link === 0) continue
    const known = rows.get(`${traceId}${spanId}`)
    const lane = lanes[threadLanes[places.get(link) ?? 0]]
    owners[link] =
      known ??
      spans.push({
        traceId,
        spanId,
        name: UNSTORED,
        service: '',
        parent: -1,
        start: found.from,
        end: found.from,
        process: lane.process,
        lane: -1,
      }) - 1
  }
  return owners
}

const NO_EVENTS: ObservedEvents = {
  kinds: [],
  states: [''],
  length: 0,
  thread: new Uint32Array(0),
  kind: new Uint32Array(0),
  time: new BigInt64Array(0),
  value: new BigInt64Array(0),
  node: new Int32Array(0),
  state: new Uint8Array(0),
  link: new Uint32Array(0),
  parent: new Int32Array(0),
  frame: new Uint32Array(0),
  frames: { length: 0, name: [], file: [], mapping: [], type: [], line: [], address: [] },
}
