// Samples of one profile have one period. Where the rate has changed in between, there is a profile for each stretch; threads
// that recorded at the same rate at the same time share one.
//
//   main      100 Hz ────┐ 500 Hz ──────┐ 100 Hz ────
//   worker 1  100 Hz ─────┐ 500 Hz ─────┐ 100 Hz ────      three profiles
import type { Frames } from '../samples/frame-table.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'
import type { ThreadPart } from './thread-part.ts'

export interface PeriodGroup {
  readonly periodNanos: number
  /** Unix microseconds. */
  readonly from: number
  readonly until: number
  readonly members: readonly Member[]
}

export interface Member {
  readonly part: ThreadPart
  readonly batch: SampleBatch<Frames>
}

interface Stretch {
  readonly periodNanos: number
  from: number
  until: number
  readonly members: Member[]
}

/** In the order of time, within the range, which a single group fills. */
export function periodGroups(parts: readonly ThreadPart[], from: number, until: number): readonly PeriodGroup[] {
  const groups: Stretch[] = []
  for (const stretch of parts.flatMap(stretchesOf).sort((a, b) => a.from - b.from)) {
    const group = groups.find(({ periodNanos, until: end }) => {
      return periodNanos === stretch.periodNanos && stretch.from < end
    })
    if (group === undefined) groups.push(stretch)
    else extend(group, stretch)
  }
  if (groups.length === 1) return [{ ...groups[0], from, until }]
  return groups.map(group => {
    const begin = Math.max(from, group.from)
    return { ...group, from: begin, until: Math.max(begin, Math.min(until, group.until)) }
  })
}

function stretchesOf(part: ThreadPart): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const batch of part.batches) {
    const { periodNanos, from, until } = batch
    const next = { periodNanos, from, until, members: [{ part, batch }] }
    const last = stretches.at(-1)
    if (last?.periodNanos === periodNanos) extend(last, next)
    else stretches.push(next)
  }
  return stretches
}

function extend(stretch: Stretch, by: Stretch): void {
  stretch.from = Math.min(stretch.from, by.from)
  stretch.until = Math.max(stretch.until, by.until)
  stretch.members.push(...by.members)
}
