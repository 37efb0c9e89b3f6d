// The samples of a file in the order of time. Observations with timestamps keep them, and their value is the time until
// the next one. Totals without a time are placed one after another.
import type { Profiles } from '../../model/columns/profiles.ts'
import { NONE } from '../../model/columns/brand.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { NoteList } from '../format.ts'
import { LATEST } from './micro-time.ts'
import type { NodeTree } from './node-tree.ts'

export interface CpuTimeline {
  /** Nanoseconds. */
  readonly start: bigint
  readonly duration: bigint
  /** Parallel lists: node, line within its function (0n if unknown), nanoseconds. */
  readonly nodes: ArrayLike<number>
  readonly lines: ArrayLike<bigint>
  readonly times: ArrayLike<bigint>
}

/** Nanoseconds per unit. Values that are not times are written as microseconds, which viewers show. */
const NANOSECONDS: Readonly<Record<string, bigint>> = {
  nanoseconds: 1n,
  ns: 1n,
  microseconds: 1000n,
  us: 1000n,
  milliseconds: 1_000_000n,
  ms: 1_000_000n,
  seconds: 1_000_000_000n,
  s: 1_000_000_000n,
}

export function timelineOf(
  payload: Profiles,
  profile: number,
  tree: NodeTree,
  isOurs: boolean,
  notes: NoteList,
): CpuTimeline {
  const { profiles, samples } = payload
  if (profile === NONE) {
    const any = profiles.length > 0
    const [start, duration] = any ? [profiles.time(0), profiles.duration(0)] : [0n, 0n]
    return inRange({ start, duration, nodes: [], lines: [], times: [] }, notes)
  }
  const first = profiles.samplesFrom(profile)
  const isTimed = first < profiles.samplesTo(profile) && samples.timestampsTo(first) > samples.timestampsFrom(first)
  return inRange(isTimed ? timed(payload, profile, tree, isOurs, notes) : laidOut(payload, profile, tree, notes), notes)
}

function inRange(timeline: CpuTimeline, notes: NoteList): CpuTimeline {
  const start = earlier(timeline.start, LATEST)
  const duration = earlier(timeline.duration, LATEST - start)
  let clamped = start === timeline.start && duration === timeline.duration ? 0 : 1
  for (let i = 0; i < timeline.times.length; i++) if (timeline.times[i] > LATEST) clamped++
  if (clamped === 0) return timeline
  notes.add('clamped-times', 'times beyond 2^62 nanoseconds are written as 2^62', clamped)
  return { ...timeline, start, duration, times: Array.from(timeline.times, time => earlier(time, LATEST)) }
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function timed(payload: Profiles, profile: number, tree: NodeTree, isOurs: boolean, notes: NoteList): CpuTimeline {
  const { profiles } = payload
  const { owners, stamps, values } = observationsOf(payload, profile)
  const order = inTime(stamps, values)
  const count = order.length
  const header = profiles.time(profile)
  const start = header !== 0n || isOurs || count === 0 ? header : stamps[order[0]]
  const duration = profiles.duration(profile)
  const times = new BigUint64Array(count)
  for (let i = 0; i < count; i++) times[i] = stamps[order[i]]
  let changed = 0
  for (let i = 0; i + 1 < count; i++) if (values[order[i]] !== times[i + 1] - times[i]) changed++
  if (count > 0) {
    const rest = start + duration - times[count - 1]
    if (values[order[count - 1]] !== (rest > 0n ? rest : 0n)) changed++
  }
  notes.add('values-left-out', 'values other than the time until the next sample are dropped', changed)
  const nodes = new Int32Array(count)
  const lines = new Array<bigint>(count)
  for (let i = 0; i < count; i++) {
    const { node, line } = tree.position(payload.samples.stack(owners[order[i]]))
    nodes[i] = node
    lines[i] = line
  }
  return { start, duration, nodes, lines, times }
}

/** Parallel lists in the order of the profile: the sample of each observation, its time and its value. */
interface Observations {
  readonly owners: Int32Array
  readonly stamps: BigUint64Array
  readonly values: BigInt64Array
}

function observationsOf({ profiles, samples }: Profiles, profile: number): Observations {
  const first = profiles.samplesFrom(profile)
  const to = profiles.samplesTo(profile)
  const base = first < to ? samples.timestampsFrom(first) : 0
  const end = first < to ? samples.timestampsTo(to - 1) : 0
  const stamps = samples.timestamps.unsigned().slice(base, end)
  const owners = new Int32Array(stamps.length)
  const values = new BigInt64Array(stamps.length).fill(1n)
  const pool = samples.values.signed()
  for (let i = first; i < to; i++) {
    const from = samples.timestampsFrom(i)
    owners.fill(i, from - base, samples.timestampsTo(i) - base)
    const count = Math.min(samples.timestampsTo(i) - from, samples.valuesTo(i) - samples.valuesFrom(i))
    if (count > 0) values.set(pool.subarray(samples.valuesFrom(i), samples.valuesFrom(i) + count), from - base)
  }
  return { owners, stamps, values }
}

/**
 * Among samples at the same time, the one with a duration comes last. Sorting by doubles is 4 times faster than by
 * bigints.
 */
function inTime(stamps: BigUint64Array, values: BigInt64Array): Int32Array {
  const order = Int32Array.from({ length: stamps.length }, (_, i) => i)
  if (stamps.length === 0) return order
  let first = 0
  for (let i = 1; i < stamps.length; i++) if (stamps[i] < stamps[first]) first = i
  const base = stamps[first]
  const since = new Float64Array(stamps.length)
  let isExact = true
  for (let i = 0; i < stamps.length; i++) {
    since[i] = Number(stamps[i] - base)
    if (since[i] > Number.MAX_SAFE_INTEGER) isExact = false
  }
  const byValue = (a: number, b: number): number => compareLongs(values[a], values[b]) || a - b
  if (isExact) return order.sort((a, b) => since[a] - since[b] || byValue(a, b))
  return order.sort((a, b) => compareLongs(stamps[a], stamps[b]) || byValue(a, b))
}

function laidOut(payload: Profiles, profile: number, tree: NodeTree, notes: NoteList): CpuTimeline {
  const { profiles, samples, dictionary } = payload
  const unit = dictionary.strings.text(profiles.unit(profile))
  const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined
  if (scale === undefined) notes.add('unit-as-time', `values in ${unit || 'no unit'} are written as microseconds`)
  const start = profiles.time(profile)
  const nodes: number[] = []
  const lines: bigint[] = []
  const times: bigint[] = []
  let time = start
  let negative = 0
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    const { node, line } = tree.position(samples.stack(i))
    const value = samples.total(i)
    if (value < 0n) negative++
    nodes.push(node)
    lines.push(line)
    times.push(time)
    if (value > 0n) time += value * (scale ?? 1000n)
  }
  notes.add('negative-values', 'negative values are written as 0', negative)
  if (nodes.length > 0) notes.add('made-up-times', 'samples without a time are written one after another', nodes.length)
  return { start, duration: time - start, nodes, lines, times }
}
