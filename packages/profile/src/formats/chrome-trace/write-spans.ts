// Turns intervals of stacks into nested X events. A frame lasts as long as consecutive stacks share it.
import type { LocationIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { microsText } from '../cpuprofile/micro-time.ts'
import type { NoteList } from '../format.ts'
import { WALL_TYPE } from './attribute-names.ts'
import type { TraceEventWriter } from './event-writer.ts'
import type { TraceObservation, ThreadObservations } from './observations.ts'
import type { PlainFrames } from './plain-frames.ts'
import { writePosition } from './plain-frames.ts'

interface Span {
  readonly frame: number
  readonly start: bigint
  end: bigint
}

/** Whether an interval begins before another has ended. */
export function overlaps(rows: readonly TraceObservation[]): boolean {
  return rows.some(({ time, value }, i) => value < 0n || (i + 1 < rows.length && time + value > rows[i + 1].time))
}

export function writeSpans(
  payload: Profiles,
  thread: ThreadObservations,
  events: TraceEventWriter,
  frames: PlainFrames,
  notes: NoteList,
): void {
  // In the order in which they open: of two spans of equal length the outer one comes first.
  const spans: Span[] = []
  const open: Span[] = []
  for (const { sample, time, value } of thread.rows) {
    if (value === 0n) {
      notes.add('empty-events', 'intervals of length zero are skipped')
      continue
    }
    const path = pathOf(payload, sample, frames)
    if (path.length === 0) notes.add('empty-stacks', 'intervals without a stack are skipped')
    let shared = 0
    // No frame continues after a gap.
    if (open.length > 0 && open[open.length - 1].end === time) {
      while (shared < open.length && shared < path.length && open[shared].frame === path[shared]) shared++
    }
    open.length = shared
    for (let i = shared; i < path.length; i++) {
      const span = { frame: path[i], start: time, end: time }
      open.push(span)
      spans.push(span)
    }
    for (const span of open) span.end = time + value
  }
  const tid = events.thread(thread)
  const { json } = events
  for (const { frame, start, end } of spans) {
    const plain = frames.frames[frame]
    events.begin('X', plain.name, tid, start)
    // DevTools fails on events without a category.
    json.key('cat')
    json.string(WALL_TYPE)
    json.key('dur')
    json.raw(microsText(end - start))
    if (plain.url !== '') {
      json.key('args')
      json.beginObject()
      writePosition(json, plain)
      json.endObject()
    }
    json.endObject()
  }
}

/** Frames from the root to the leaf. */
function pathOf({ samples, dictionary: { stacks } }: Profiles, sample: number, frames: PlainFrames): number[] {
  const stack = samples.stack(sample)
  const path: number[] = []
  for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
    for (const frame of frames.of(stacks.locations.at(k) as LocationIndex)) path.push(frame)
  }
  return path
}
