// Snapshots of a state, such as the live heap: those of one instance at several times must not be added up, those of several
// instances must. An instance is a series with one set of attributes.
//
//   average   every snapshot, divided by the number of snapshots of its instance, by the share of its presence
//   latest    the last snapshot of each instance
//   maximum   the snapshot of each instance with the greatest total
//   sum       every snapshot
import type { Profiles } from '../columns/profiles.ts'
import { profileTimeRange } from '../columns/time-range.ts'
import { cumulativeState, seriesKey, seriesKeys, summableRows, temporalityOf } from './cumulative-series.ts'
import type { SnapshotMode } from './gauge-types.ts'
import { isGaugeType } from './gauge-types.ts'
import type { Replacement } from './latest-profiles.ts'

export interface CountedRows {
  readonly rows: readonly number[]
  /** The factor of the values of each row. Undefined if all rows count fully. */
  readonly factors: Float64Array | undefined
  /** How snapshots were combined. Undefined if no instance has several. */
  readonly snapshots: SnapshotMode | undefined
}

/**
 * Returns the rows that count for a total of profiles of one type. The last cumulative profile of each start counts, and
 * snapshots are combined. Throws RangeError like summableRows.
 */
export function countedRows(profiles: Profiles, rows: readonly number[], mode: SnapshotMode = 'average'): CountedRows {
  if (rows.length < 2) return { rows, factors: undefined, snapshots: undefined }
  const all: CountedRows = { rows: summableRows(profiles, rows), factors: undefined, snapshots: undefined }
  if (!rows.every(row => isSnapshot(profiles, row))) return all
  const snapshots = rows.map(row => snapshotOf(profiles, row))
  if (new Set(snapshots.map(({ instance }) => instance)).size === rows.length) return all
  if (mode === 'sum') return { ...all, snapshots: mode }
  if (mode === 'average') {
    const factors = averageFactors(snapshots)
    return { rows, factors: Float64Array.from(snapshots, ({ instance }) => factors.get(instance)!), snapshots: mode }
  }
  const kept = new Map<string, { readonly row: number; readonly state: SnapshotState }>()
  for (const [i, { instance }] of snapshots.entries()) {
    const state = snapshotState(profiles, rows[i])
    const known = kept.get(instance)
    if (known === undefined || replacesSnapshot(state, known.state, mode)) kept.set(instance, { row: rows[i], state })
  }
  return { ...all, rows: Array.from(kept.values(), ({ row }) => row), snapshots: mode }
}

/** The total of profiles of one type, with snapshots combined. Throws RangeError like summableRows. */
export function countedTotal(profiles: Profiles, rows: readonly number[], mode?: SnapshotMode): bigint {
  const counted = countedRows(profiles, rows, mode)
  const totals = counted.rows.map(row => cumulativeState(profiles, row).total)
  const { factors } = counted
  if (factors === undefined) return totals.reduce((sum, total) => sum + total, 0n)
  return BigInt(Math.round(totals.reduce((sum, total, i) => sum + Number(total) * factors[i], 0)))
}

/** Whether a profile is a snapshot of a state. Cumulative profiles of such types are increases since their start. */
export function isSnapshot(profiles: Profiles, row: number): boolean {
  const type = profiles.dictionary.strings.text(profiles.profiles.type(row))
  return isGaugeType(type) && temporalityOf(profiles, row) !== 'cumulative'
}

/** Whether an instance has several snapshots. */
export function hasRepeatedSnapshots(profiles: Profiles): boolean {
  const instances = new Set<string>()
  for (let row = 0; row < profiles.profiles.length; row++) {
    if (!isSnapshot(profiles, row)) continue
    const instance = seriesKey(profiles, row)
    if (instances.has(instance)) return true
    instances.add(instance)
  }
  return false
}

export interface Snapshot {
  readonly series: string
  readonly instance: string
  /** Undefined if neither the profile nor its samples have a time. */
  readonly time: bigint | undefined
}

export function snapshotOf(profiles: Profiles, row: number): Snapshot {
  const { series } = seriesKeys(profiles, row)
  return { series, instance: seriesKey(profiles, row), time: profileTimeRange(profiles, row)?.first }
}

export interface SnapshotState {
  readonly time: bigint
  readonly total: bigint
}

function snapshotState(profiles: Profiles, row: number): SnapshotState {
  const { total } = cumulativeState(profiles, row)
  return { time: profileTimeRange(profiles, row)?.first ?? 0n, total }
}

/** Snapshots of one instance replace each other. */
export function snapshotReplacement(mode: 'latest' | 'maximum'): Replacement<SnapshotState> {
  return {
    keyOf: (profiles, i) => seriesKey(profiles, i),
    stateOf: snapshotState,
    replaces: (a, b) => replacesSnapshot(a, b, mode),
  }
}

/** Whether snapshot `a` counts instead of `b` of the same instance. */
function replacesSnapshot(a: SnapshotState, b: SnapshotState, mode: 'latest' | 'maximum'): boolean {
  const [first, second] = mode === 'latest' ? (['time', 'total'] as const) : (['total', 'time'] as const)
  return a[first] > b[first] || (a[first] === b[first] && a[second] > b[second])
}

/** The first and last time of snapshots, and the number of different times. */
interface Extent {
  readonly first: bigint
  readonly last: bigint
  readonly times: number
}

/**
 * Returns the factor of each instance for its snapshots: the share of time in which it is present, divided by the number of its
 * snapshots. Without the share, ten instances that replace ten others would double the result. An instance is present from its
 * first to its last snapshot and one interval longer. It is present from the start if its first snapshot is less than an
 * interval later than that of the others.
 *
 *   first  S     ●   ●   ●                      S and E: the first and the last snapshot of all instances
 *   other  ·     ·   ·   · ●   ●   ●  E         presence: 4 and 3 of 7 intervals
 *
 * An instance with a single snapshot has the interval of its series, or else the longest of the others. If all have a single
 * one, or an instance has no time, it is always present. The server computes the same for stored profiles.
 */
export function averageFactors(snapshots: readonly Snapshot[]): Map<string, number> {
  const all = extentOf(snapshots)
  const bySeries = extents(snapshots, ({ series }) => series)
  const byInstance = extents(snapshots, ({ instance }) => instance)
  const longest = Math.max(0, ...Array.from(byInstance.values(), ({ extent }) => intervalOf(extent) ?? 0))
  const factors = new Map<string, number>()
  for (const { series, instance } of snapshots) {
    const { extent, count } = byInstance.get(instance)!
    const interval = intervalOf(extent) ?? intervalOf(bySeries.get(series)!.extent) ?? longest
    factors.set(instance, shareOf(extent, all, interval) / count)
  }
  return factors
}

function extents(
  snapshots: readonly Snapshot[],
  keyOf: (snapshot: Snapshot) => string,
): Map<string, { readonly extent: Extent | undefined; readonly count: number }> {
  const groups = new Map<string, Snapshot[]>()
  for (const snapshot of snapshots) {
    const key = keyOf(snapshot)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [snapshot])
    else known.push(snapshot)
  }
  return new Map(Array.from(groups, ([key, of]) => [key, { extent: extentOf(of), count: of.length }]))
}

function extentOf(snapshots: readonly Snapshot[]): Extent | undefined {
  const times = new Set(snapshots.flatMap(({ time }) => (time === undefined ? [] : [time])))
  if (times.size === 0) return undefined
  const sorted = [...times].sort((a, b) => (a < b ? -1 : 1))
  return { first: sorted[0], last: sorted[sorted.length - 1], times: times.size }
}

/** Undefined if there is only one time. */
function intervalOf(extent: Extent | undefined): number | undefined {
  return extent === undefined || extent.times === 1
    ? undefined
    : Number(extent.last - extent.first) / (extent.times - 1)
}

/** An interval of 0 is unknown. */
function shareOf(own: Extent | undefined, all: Extent | undefined, interval: number): number {
  if (own === undefined || all === undefined || interval === 0) return 1
  const length = Number(all.last - all.first)
  if (length === 0) return 1
  const first = Number(own.first - all.first)
  const end = Math.min(length, Number(own.last - all.first) + interval)
  return (end - (first < interval ? 0 : first)) / length
}
