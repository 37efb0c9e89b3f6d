// Computes the self time of each stack from the B, E and X events of a thread: events become spans, spans are nested by
// time, and every moment belongs to the innermost one.
//
//   main   [0 ............ 10)          main 0..2, main;run 2..7, main 7..10
//   run        [2 ... 7)
//
// Times are nanoseconds since the thread's first event, as doubles: exact for 104 days.
import { NONE } from '../../model/columns/brand.ts'
import type { NoteList } from '../format.ts'
import type { StackTrie } from './stack-trie.ts'
import type { TraceThread } from './trace.ts'
import { BEGIN, COMPLETE, END, EVENT_STRIDE } from './trace.ts'

/** Receives the self time of a stack, in the order of time: a node of the trie, start and end since the first event. */
export type OnInterval = (node: number, from: number, until: number) => void

/**
 * Spans by the events that begin them. They are columns, because objects for a large trace would need more memory than
 * everything else.
 */
interface Spans {
  readonly events: Int32Array
  /** Each span follows the spans that contain it. */
  readonly rows: Int32Array
  readonly starts: Float64Array
  readonly ends: Float64Array
}

/** `base` is the time of the thread's first event. */
export function eachInterval(
  thread: TraceThread,
  base: bigint,
  trie: StackTrie,
  notes: NoteList,
  onInterval: OnInterval,
): void {
  const starts = relativeTimes(thread, base, notes)
  const ends = endsOf(thread, starts, notes)
  const rows = outerFirst(thread, starts, ends, notes)
  nest({ events: thread.events.array, rows, starts, ends }, trie, notes, onInterval)
}

export function firstTime({ times: { array, length } }: TraceThread): bigint {
  let first = 0
  for (let i = 1; i < length; i++) if (array[i] < array[first]) first = i
  return length === 0 ? 0n : array[first]
}

function relativeTimes(thread: TraceThread, base: bigint, notes: NoteList): Float64Array {
  const { array, length } = thread.times
  const starts = new Float64Array(length)
  let coarse = 0
  for (let i = 0; i < length; i++) {
    starts[i] = Number(array[i] - base)
    if (starts[i] > Number.MAX_SAFE_INTEGER) coarse++
  }
  notes.add('rounded-times', 'times more than 104 days after the first are rounded', coarse)
  return starts
}

/** For each event, the end of the span that it begins, or its own time if it begins none. */
function endsOf(thread: TraceThread, starts: Float64Array, notes: NoteList): Float64Array {
  const events = thread.events.array
  const durations = thread.durations.array
  const ends = starts.slice()
  /** Events without an end so far, the innermost last. */
  const open: number[] = []
  let last = 0
  for (const row of inOrder(starts)) {
    const start = starts[row]
    const kind = events[row * EVENT_STRIDE]
    if (kind === COMPLETE) {
      ends[row] = start + Number(durations[row])
      last = Math.max(last, ends[row])
      continue
    }
    last = Math.max(last, start)
    if (kind === BEGIN) open.push(row)
    else for (const ended of endedBy(events[row * EVENT_STRIDE + 2], open, events, notes)) ends[ended] = start
  }
  notes.add('unended-events', 'events without an end last until the last event of their thread', open.length)
  for (const row of open) ends[row] = last
  return ends
}

/** Rows sorted by time. Rows with equal times keep the order of the file. */
function inOrder(starts: Float64Array): Int32Array {
  const order = Int32Array.from({ length: starts.length }, (_, i) => i)
  let isSorted = true
  for (let i = 1; i < starts.length && isSorted; i++) isSorted = starts[i - 1] <= starts[i]
  return isSorted ? order : order.sort((a, b) => starts[a] - starts[b] || a - b)
}

/** Removes the innermost open event of the name and all events inside it from the list. Name 0 matches any event. */
function endedBy(name: number, open: number[], events: Int32Array, notes: NoteList): readonly number[] {
  let found = open.length - 1
  while (found >= 0 && name !== 0 && events[open[found] * EVENT_STRIDE + 2] !== name) found--
  if (found < 0) {
    notes.addDamage('unmatched-ends', 'ends of events that did not begin are skipped')
    return []
  }
  notes.add('early-ends', 'events that end before an event inside them end it as well', open.length - 1 - found)
  return open.splice(found)
}

/**
 * Returns the events with a duration, each after the events that contain it. The first of two equal events is the outer
 * one.
 */
function outerFirst(thread: TraceThread, starts: Float64Array, ends: Float64Array, notes: NoteList): Int32Array {
  const events = thread.events.array
  const rows = new Int32Array(starts.length)
  let length = 0
  let empty = 0
  for (let row = 0; row < starts.length; row++) {
    if (ends[row] > starts[row]) rows[length++] = row
    else if (events[row * EVENT_STRIDE] !== END) empty++
  }
  notes.add('empty-events', 'events without a duration are skipped', empty)
  return rows.subarray(0, length).sort((a, b) => starts[a] - starts[b] || ends[b] - ends[a] || a - b)
}

function nest(spans: Spans, trie: StackTrie, notes: NoteList, onInterval: OnInterval): void {
  const result = new JoinedIntervals(onInterval)
  const nodes: number[] = []
  const ends: number[] = []
  let cursor = 0
  const advance = (to: number): void => {
    while (ends.length > 0 && ends[ends.length - 1] <= to) {
      result.add(nodes[nodes.length - 1], cursor, ends[ends.length - 1])
      cursor = Math.max(cursor, ends[ends.length - 1])
      nodes.pop()
      ends.pop()
    }
    if (ends.length > 0) result.add(nodes[nodes.length - 1], cursor, to)
    cursor = to
  }
  for (const row of spans.rows) {
    const until = spans.ends[row]
    const location = spans.events[row * EVENT_STRIDE + 1]
    advance(spans.starts[row])
    const outer = ends.length === 0 ? Infinity : ends[ends.length - 1]
    if (until > outer) notes.add('overlapping-events', 'events that outlast the event that contains them end with it')
    nodes.push(trie.child(nodes.length === 0 ? NONE : nodes[nodes.length - 1], location))
    ends.push(Math.min(until, outer))
  }
  advance(Infinity)
  result.end()
}

/** Joins adjacent intervals with the same stack, because a profile has no boundaries between calls. */
class JoinedIntervals {
  readonly #onInterval: OnInterval
  #node: number = NONE
  #from = 0
  #until = 0

  constructor(onInterval: OnInterval) {
    this.#onInterval = onInterval
  }

  add(node: number, from: number, until: number): void {
    if (until <= from) return
    if (this.#node !== node || this.#until !== from) {
      this.end()
      this.#node = node
      this.#from = from
    }
    this.#until = until
  }

  end(): void {
    if (this.#node !== NONE) this.#onInterval(this.#node, this.#from, this.#until)
  }
}
