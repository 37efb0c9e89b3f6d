// From the B, E and X events of a thread to the time that each stack spent itself: events become spans, spans are nested by
// time, and every moment belongs to the innermost one.
//
//   main   [0 ............ 10)          main 0..2, main;run 2..7, main 7..10
//   run        [2 ... 7)
//
// Times are nanoseconds since the thread's first event, as doubles: exact for 104 days.
import { NONE } from '../../model/brand.ts'
import type { NoteList } from '../format.ts'
import type { StackTrie } from './stack-trie.ts'
import type { Thread } from './trace.ts'
import { BEGIN, COMPLETE, EVENT_STRIDE } from './trace.ts'

/** In parallel, in the order of time. */
export interface Intervals {
  /** The thread's first event. */
  readonly base: bigint
  /** Nodes of the trie. */
  readonly nodes: number[]
  readonly starts: number[]
  readonly ends: number[]
}

interface Span {
  readonly start: number
  end: number
  readonly location: number
  readonly name: number
}

export function intervalsOf(thread: Thread, trie: StackTrie, notes: NoteList): Intervals {
  const { base, starts } = relativeTimes(thread, notes)
  const spans = spansOf(thread, starts, notes)
  const kept = spans.filter(({ start, end }) => end > start)
  notes.add('empty-events', 'events that took no time are left out', spans.length - kept.length)
  // Sorting is stable: of equal spans the first in the file is the outer one.
  kept.sort((a, b) => a.start - b.start || b.end - a.end)
  return nest(kept, base, trie, notes)
}

function relativeTimes(thread: Thread, notes: NoteList): { base: bigint; starts: Float64Array } {
  const { array, length } = thread.times
  let first = 0
  for (let i = 1; i < length; i++) if (array[i] < array[first]) first = i
  const base = length === 0 ? 0n : array[first]
  const starts = new Float64Array(length)
  let coarse = 0
  for (let i = 0; i < length; i++) {
    starts[i] = Number(array[i] - base)
    if (starts[i] > Number.MAX_SAFE_INTEGER) coarse++
  }
  notes.add('rounded-times', 'times more than 104 days after the first are rounded', coarse)
  return { base, starts }
}

function spansOf(thread: Thread, starts: Float64Array, notes: NoteList): Span[] {
  const events = thread.events.array
  const durations = thread.durations.array
  const order = Int32Array.from({ length: starts.length }, (_, i) => i)
  let isSorted = true
  for (let i = 1; i < starts.length && isSorted; i++) isSorted = starts[i - 1] <= starts[i]
  if (!isSorted) order.sort((a, b) => starts[a] - starts[b] || a - b)
  const spans: Span[] = []
  const open: Span[] = []
  let last = 0
  for (const i of order) {
    const at = i * EVENT_STRIDE
    const start = starts[i]
    const [kind, location, name] = [events[at], events[at + 1], events[at + 2]]
    if (kind === COMPLETE) {
      const end = start + Number(durations[i])
      spans.push({ start, end, location, name })
      last = Math.max(last, end)
      continue
    }
    last = Math.max(last, start)
    if (kind === BEGIN) {
      const span = { start, end: start, location, name }
      open.push(span)
      spans.push(span)
    } else end(open, name, start, notes)
  }
  notes.add('unended-events', 'events without an end last until the last event of their thread', open.length)
  for (const span of open) span.end = last
  return spans
}

/** Ends the innermost open span of that name and all within it; 0 is any name. */
function end(open: Span[], name: number, time: number, notes: NoteList): void {
  let found = open.length - 1
  while (found >= 0 && name !== 0 && open[found].name !== name) found--
  if (found < 0) return notes.add('unmatched-ends', 'ends of events that did not begin are left out')
  notes.add('early-ends', 'events that end before one within them end it as well', open.length - 1 - found)
  for (const span of open.splice(found)) span.end = time
}

function nest(spans: readonly Span[], base: bigint, trie: StackTrie, notes: NoteList): Intervals {
  const result: Intervals = { base, nodes: [], starts: [], ends: [] }
  const nodes: number[] = []
  const ends: number[] = []
  let cursor = 0
  const advance = (to: number): void => {
    while (ends.length > 0 && ends[ends.length - 1] <= to) {
      add(result, nodes[nodes.length - 1], cursor, ends[ends.length - 1])
      cursor = Math.max(cursor, ends[ends.length - 1])
      nodes.pop()
      ends.pop()
    }
    if (ends.length > 0) add(result, nodes[nodes.length - 1], cursor, to)
    cursor = to
  }
  for (const { start, end: until, location } of spans) {
    advance(start)
    const outer = ends.length === 0 ? Infinity : ends[ends.length - 1]
    if (until > outer) notes.add('overlapping-events', 'events that outlast the one they began in end with it')
    nodes.push(trie.child(nodes.length === 0 ? NONE : nodes[nodes.length - 1], location))
    ends.push(Math.min(until, outer))
  }
  advance(Infinity)
  return result
}

/** Intervals of one stack that touch are one: calls have no edges in a profile. */
function add({ nodes, starts, ends }: Intervals, node: number, from: number, to: number): void {
  if (to <= from) return
  const last = nodes.length - 1
  if (last >= 0 && nodes[last] === node && ends[last] === from) {
    ends[last] = to
    return
  }
  nodes.push(node)
  starts.push(from)
  ends.push(to)
}
