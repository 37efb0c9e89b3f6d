// The samples of one profile have one period. If the rate changed, there is one profile per rate and time range. Threads that
// recorded at the same rate at the same time share one.
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

interface RateSpan {
  readonly periodNanos: number
  from: number
  until: number
  readonly members: Member[]
}

/** In order of time and within the range. A single group covers the whole range. */
export function periodGroups(parts: readonly ThreadPart[], from: number, until: number): readonly PeriodGroup[] {
  const groups: RateSpan[] = []
  for (const span of parts.flatMap(rateSpansOf).sort((a, b) => a.from - b.from)) {
    const group = groups.find(({ periodNanos, until: end }) => {
      return periodNanos === span.periodNanos && span.from < end
    })
    if (group === undefined) groups.push(span)
    else extend(group, span)
  }
  if (groups.length === 1) return [{ ...groups[0], from, until }]
  return groups.map(group => {
    const begin = Math.max(from, group.from)
    return { ...group, from: begin, until: Math.max(begin, Math.min(until, group.until)) }
  })
}

function rateSpansOf(part: ThreadPart): readonly RateSpan[] {
  const stretches: RateSpan[] = []
  for (const batch of part.batches) {
    const { periodNanos, from, until } = batch
    const next = { periodNanos, from, until, members: [{ part, batch }] }
    const last = stretches.at(-1)
    if (last?.periodNanos === periodNanos) extend(last, next)
    else stretches.push(next)
  }
  return stretches
}

function extend(span: RateSpan, by: RateSpan): void {
  span.from = Math.min(span.from, by.from)
  span.until = Math.max(span.until, by.until)
  span.members.push(...by.members)
}
