// Profile types whose values are gauges: snapshots of a state, such as the live heap. Snapshots of one process at several
// times must not be added up.

const GAUGE_TYPES: ReadonlySet<string> = new Set([
  // Go's list of goroutines.
  'goroutine',
  'goroutines',
  // Live objects of the JVM.
  'live',
  'live_bytes',
  'live_objects',
  // The heap in pprof files without allocations, such as those of Node and of gperftools.
  'objects',
  'space',
])

/** Whether values of a profile type are snapshots of a state: `inuse_space`, `goroutine`. */
export function isGaugeType(type: string): boolean {
  return type.startsWith('inuse_') || GAUGE_TYPES.has(type)
}

/**
 * How the snapshots of a range are combined for each instance; instances are added up. `sum` adds all snapshots, as
 * Pyroscope does.
 */
export const SNAPSHOT_MODES = ['average', 'latest', 'maximum', 'sum'] as const
export type SnapshotMode = (typeof SNAPSHOT_MODES)[number]
