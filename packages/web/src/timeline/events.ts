// Events of threads as columns, from a file or from the server. Lanes and flame charts show them.
//
//   thread    main                     worker
//   start     0    10   20   90       5
//   duration  10   10   50   4        10           in nanoseconds, from the origin
//   role      run  run  lock gc       run
//   first     0                       4    5       index of each thread's first event
import type { FrameTable, LaneKind, SampleClock, SpanLink } from '@hearth/profile'
import { MARK } from './roles.ts'

export interface TimelineEvents {
  /** Nanoseconds since 1970, or the clock of the file. */
  readonly origin: bigint
  /** Nanoseconds from the origin to the end of the last event. */
  readonly whole: number
  /** The kind of `threads`, and the other kinds that the events name. */
  readonly laneKind: LaneKind
  readonly laneKinds: readonly LaneKind[]
  readonly threads: readonly TimelineThread[]
  /** The events of thread t are [first[t], first[t + 1]), in time order. */
  readonly first: Uint32Array
  /** The longest gap between two samples of each thread that is not shown as a gap: a period. */
  readonly bridge: Float64Array
  readonly length: number
  readonly start: Float64Array
  readonly duration: Float64Array
  /** An index of ROLES. */
  readonly role: Uint8Array
  /** Row in `kinds`. */
  readonly kind: Uint8Array
  /** Row in `states`. */
  readonly state: Uint8Array
  /** -1 if it is unknown. */
  readonly cpu: Int32Array
  /** Row in `links`. */
  readonly link: Uint32Array
  /** The node of the innermost frame; -1 without a stack. */
  readonly node: Int32Array
  readonly kinds: readonly EventKind[]
  /** The first entry is empty, for events without a state. The same applies to links. */
  readonly states: readonly string[]
  readonly links: readonly SpanLink[]
  /** Nodes of the stacks: the parent of each (-1 for roots), and its row in `frames`. */
  readonly parent: Int32Array
  readonly frame: Uint32Array
  readonly frames: FrameTable
  readonly coverage: Coverage
}

export interface TimelineThread {
  /** Identifies the thread in a Part. */
  readonly key: string
  readonly title: string
  /** The process. Threads of a process are shown together. */
  readonly group: string
  readonly service: string
  /** The id of the resource on the server; empty for a file. */
  readonly resource: string
  /** thread.id as text. */
  readonly id: string
}

export interface EventKind {
  /** Such as `cpu:ns`. */
  readonly type: string
  readonly unit: string
  /** A wall clock also samples threads that do not run. */
  readonly clock: SampleClock
  /** Nanoseconds that a sample stands for; 0 if it is unknown. */
  readonly period: number
}

/** Counts of the events that are shown, sampled and hidden. */
export interface Coverage {
  /** The number of profiles. */
  readonly profiles: number
  readonly untimed: number
  /** The number of events, of which one in `every` is included. */
  readonly all: number
  readonly every: number
  /** Events of at least this many nanoseconds are all included; 0 if there is no such limit. */
  readonly longest: number
  readonly hiddenThreads: number
  /** Events outside of the time of their profile that are included. */
  readonly outside: number
  /** Events too far away to be shown with the others, with their first and last time. */
  readonly elsewhere: number
  readonly firstElsewhere: bigint
  readonly lastElsewhere: bigint
}

export const EMPTY_COVERAGE: Coverage = {
  profiles: 0,
  untimed: 0,
  all: 0,
  every: 1,
  longest: 0,
  hiddenThreads: 0,
  outside: 0,
  elsewhere: 0,
  firstElsewhere: 0n,
  lastElsewhere: 0n,
}

/** Nanoseconds per unit of time. */
export const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 6e10,
  h: 3.6e12,
}

/** Events of threads in time order. An event without a duration has NaN. */
export type SortedEvents = Pick<TimelineEvents, 'first' | 'start' | 'duration' | 'role' | 'kind' | 'kinds'>

/**
 * Gives samples without a duration the period of their profile, or the median gap between such samples. Returns
 * `bridge` of each thread. Instant events keep a duration of 0.
 */
export function fillDurations({ first, start, duration, role, kind, kinds }: SortedEvents): Float64Array {
  const threads = first.length - 1
  const bridge = new Float64Array(threads)
  for (let t = 0; t < threads; t++) {
    let isUnknown = false
    for (let i = first[t]; i < first[t + 1]; i++) {
      const { period } = kinds[kind[i]]
      if (role[i] === MARK) duration[i] = 0
      else if (period > bridge[t]) bridge[t] = period
      if (!Number.isNaN(duration[i])) continue
      if (period > 0) duration[i] = period
      else isUnknown = true
    }
    if (!isUnknown) continue
    const usual = medianGap(start, duration, first[t], first[t + 1])
    if (usual > bridge[t]) bridge[t] = usual
    for (let i = first[t]; i < first[t + 1]; i++) if (Number.isNaN(duration[i])) duration[i] = usual
  }
  return bridge
}

const ONE_MS = 1e6

/** The median gap between events without a duration. */
function medianGap(start: Float64Array, duration: Float64Array, from: number, to: number): number {
  const gaps: number[] = []
  let last = Number.NaN
  for (let i = from; i < to; i++) {
    if (!Number.isNaN(duration[i])) continue
    if (!Number.isNaN(last)) gaps.push(start[i] - last)
    last = start[i]
  }
  const sorted = Float64Array.from(gaps).sort()
  return sorted.find((gap, i) => i >= sorted.length >> 1 && gap > 0) ?? ONE_MS
}
