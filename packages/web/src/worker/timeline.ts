// The flame chart of a thread: its events as calls that last as long as the stacks around them stay.
//
//   events         main run gc | main run | main run gc          | main idle
//   from, until    0        10   10    20   20        30           70      80
//   calls          main 0-30, run 0-30, gc 0-10, gc 20-30, main 70-80, idle 70-80     period 10, and 40 is a gap
//
// Intervals have a length. A sample stands for the time until the next, but at most for the period. A gap of at most
// another period is a missed sample, and calls continue across it.
import type { TimelineEvents } from '../timeline/events.ts'
import { MARK, RUNNING } from '../timeline/roles.ts'
import type { ThreadSummary, TimelineResult } from './results.ts'
import { CallRecorder } from './call-recorder.ts'

/** Shows the thread with the key, or the busiest: events of the type, and waits. */
export function timeline(events: TimelineEvents, key: string, type: string): TimelineResult {
  const own = events.kinds.findIndex(each => each.type === type)
  const isShown = shownKinds(events, own)
  const counts = countsOf(events, isShown)
  const threads: ThreadSummary[] = events.threads
    .map(({ key: each, title, group, id }, t) => ({
      key: each,
      title: group === '' || group === `process ${id}` ? title : `${title}, ${group}`,
      observations: counts[t],
    }))
    .filter(({ observations }) => observations > 0)
    .sort((a, b) => b.observations - a.observations)
  const chosen = threads.find(each => each.key === key) ?? threads.at(0)
  const calls = new CallRecorder()
  const { origin, whole, frames } = events
  if (chosen === undefined) return { threads, thread: '', tree: calls.tree(frames, 0), origin, dropped: 0 }
  const thread = events.threads.findIndex(each => each.key === chosen.key)
  const dropped = record(calls, events, thread, own, isShown)
  return { threads, thread: chosen.key, tree: calls.tree(frames, whole), origin, dropped }
}

type IsShown = (event: number) => boolean

/** Only one type that shows running code is included. Two would overlap. */
function shownKinds({ kind, role }: TimelineEvents, own: number): IsShown {
  if (own < 0) return i => role[i] !== MARK
  return i => kind[i] === own || (role[i] !== RUNNING && role[i] !== MARK)
}

function countsOf({ first, threads }: TimelineEvents, isShown: IsShown): Uint32Array {
  const counts = new Uint32Array(threads.length)
  for (let t = 0; t < counts.length; t++) for (let i = first[t]; i < first[t + 1]; i++) if (isShown(i)) counts[t]++
  return counts
}

/** Returns the number of events beyond the limit. */
function record(calls: CallRecorder, events: TimelineEvents, thread: number, own: number, isShown: IsShown): number {
  const { first, start, duration, node, whole } = events
  const period = own < 0 ? 0 : events.kinds[own].period
  const bridge = period > 0 ? period : events.bridge[thread]
  const end = first[thread + 1]
  const path = new Path(events)
  let next = following(first[thread], end, isShown)
  while (next < end) {
    const i = next
    next = following(i + 1, end, isShown)
    // Events that reach beyond the shown time are cut.
    const from = Math.max(0, start[i])
    const until = Math.min(start[i] + duration[i], next < end ? start[next] : Infinity, whole)
    if (!(until > from)) continue
    path.read(node[i])
    if (!calls.observe(path.frames, path.length, from, until, bridge)) return end - i
  }
  calls.end()
  return 0
}

function following(from: number, end: number, isShown: IsShown): number {
  let i = from
  while (i < end && !isShown(i)) i++
  return i
}

/** The frames of a stack, outermost first. */
class Path {
  frames = new Uint32Array(256)
  length = 0
  readonly #parent: Int32Array
  readonly #frame: Uint32Array
  #last = -2

  constructor({ parent, frame }: TimelineEvents) {
    this.#parent = parent
    this.#frame = frame
  }

  read(node: number): void {
    if (node === this.#last) return
    this.#last = node
    let depth = 0
    for (let at = node; at >= 0; at = this.#parent[at]) depth++
    if (depth > this.frames.length) this.frames = new Uint32Array(depth * 2)
    this.length = depth
    for (let at = node; at >= 0; at = this.#parent[at]) this.frames[--depth] = this.#frame[at]
  }
}
