// What happened on threads, event by event, as columns: out of a file or out of the store. Lanes and flame charts are drawn
// of these.
//
//   thread    main                     worker
//   start     0    10   20   90       5
//   duration  10   10   50   4        10           in nanoseconds, from the origin
//   role      run  run  lock gc       run
//   first     0                       4    5       where each thread's events begin
import type { FrameTable } from '@hearth/profile'
import { MARK } from './roles.ts'

export interface TimelineEvents {
  /** Nanoseconds since 1970, or whatever else a file counts from. */
  readonly origin: bigint
  /** From the origin until the last event ends. */
  readonly whole: number
  readonly threads: readonly TimelineThread[]
  /** Of thread t the events [first[t], first[t + 1]), in the order of time. */
  readonly first: Uint32Array
  /** For each thread how long a gap between two samples may be that is none: a period. */
  readonly bridge: Float64Array
  readonly length: number
  readonly start: Float64Array
  readonly duration: Float64Array
  /** A number of ROLES. */
  readonly role: Uint8Array
  /** Row in `kinds`. */
  readonly kind: Uint8Array
  /** Row in `states`. */
  readonly state: Uint8Array
  /** -1 where it is not known. */
  readonly cpu: Int32Array
  /** Row in `links`. */
  readonly link: Uint32Array
  /** The node in which its stack ends; -1 where it has none. */
  readonly node: Int32Array
  readonly kinds: readonly EventKind[]
  /** The first is empty, for events that do not say; so of links. */
  readonly states: readonly string[]
  readonly links: readonly EventLink[]
  /** Nodes of the stacks: the parent of each (-1 for roots), and its row in `frames`. */
  readonly parent: Int32Array
  readonly frame: Uint32Array
  readonly frames: FrameTable
  readonly told: Told
}

export interface TimelineThread {
  /** What a part of the observations chooses it by. */
  readonly key: string
  readonly title: string
  /** Of its process; those with the same stand together. */
  readonly group: string
  readonly service: string
  /** Of the resource on the server; empty of a file. */
  readonly resource: string
  /** thread.id, as text. */
  readonly id: string
}

export interface EventKind {
  /** As `cpu:ns`. */
  readonly type: string
  readonly unit: string
  /** Nanoseconds that a sample stands for; 0 where it is not known. */
  readonly period: number
}

export interface EventLink {
  /** Hex. */
  readonly traceId: string
  readonly spanId: string
}

/** What has to be said beside what is shown. */
export interface Told {
  /** Profiles, and those of them without times. */
  readonly profiles: number
  readonly untimed: number
  /** How many events there are, */
  readonly all: number
  /** of which one in so many is here, */
  readonly every: number
  /** and of those that take as long as this, in nanoseconds, every one; 0 where that is said of none. */
  readonly longest: number
  readonly hiddenThreads: number
  /** Events outside the time that their profile says it is of: here, */
  readonly outside: number
  /** and those too far away to be shown with the others, with their first and last time. */
  readonly elsewhere: number
  readonly firstElsewhere: bigint
  readonly lastElsewhere: bigint
}

export const NOTHING_TOLD: Told = {
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

/** Of units of time, in nanoseconds. */
export const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 6e10,
  h: 3.6e12,
}

/** Events of a thread in the order of time, of which some have no length yet: NaN. */
export type Arranged = Pick<TimelineEvents, 'first' | 'start' | 'duration' | 'role' | 'kind' | 'kinds'>

/**
 * Gives samples without a length that of the period: their profile's, or the usual distance between two of them. Returns
 * each thread's `bridge`. Moments keep none.
 */
export function giveLengths({ first, start, duration, role, kind, kinds }: Arranged): Float64Array {
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
    const usual = usualDistance(start, duration, first[t], first[t + 1])
    if (usual > bridge[t]) bridge[t] = usual
    for (let i = first[t]; i < first[t + 1]; i++) if (Number.isNaN(duration[i])) duration[i] = usual
  }
  return bridge
}

const ONE_MS = 1e6

/** The middle one of the distances between those that have no length. */
function usualDistance(start: Float64Array, duration: Float64Array, from: number, to: number): number {
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
