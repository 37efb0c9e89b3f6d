// The endpoints that Go programs serve profiles at. Each has a name in `pprof_config`, the name of Pyroscope's profile type, and
// the types whose values only grow while the program runs.

export interface ProfileEndpoint {
  /** The first part of the profile type's id in Pyroscope's API. */
  readonly name: string
  readonly path: string
  readonly isEnabled: boolean
  /** Whether the program records for some seconds, instead of responding at once. */
  readonly takesSeconds: boolean
  /** Types that are counted since the start of the program. The scraper stores their increments. */
  readonly cumulative: readonly string[]
  /** Replaces type names that several endpoints share. */
  readonly types?: Readonly<Record<string, string>>
}

const ALLOCATIONS = ['alloc_objects', 'alloc_space']
const WAITS = ['contentions', 'delay']
const MUTEX_TYPES = { contentions: 'mutex_contentions', delay: 'mutex_delay' }
const BLOCK_TYPES = { contentions: 'block_contentions', delay: 'block_delay' }

const atOnce = { takesSeconds: false, cumulative: [] }

/** By the names of Parca and Grafana Alloy. The first five are enabled, as in Parca. */
export const PROFILE_ENDPOINTS: Readonly<Record<string, ProfileEndpoint>> = {
  process_cpu: {
    name: 'process_cpu',
    path: '/debug/pprof/profile',
    isEnabled: true,
    takesSeconds: true,
    cumulative: [],
  },
  memory: { ...atOnce, name: 'memory', path: '/debug/pprof/heap', isEnabled: true, cumulative: ALLOCATIONS },
  goroutine: { ...atOnce, name: 'goroutines', path: '/debug/pprof/goroutine', isEnabled: true },
  mutex: {
    ...atOnce,
    name: 'mutex',
    path: '/debug/pprof/mutex',
    isEnabled: true,
    cumulative: WAITS,
    types: MUTEX_TYPES,
  },
  block: {
    ...atOnce,
    name: 'block',
    path: '/debug/pprof/block',
    isEnabled: true,
    cumulative: WAITS,
    types: BLOCK_TYPES,
  },
  fgprof: { name: 'wall', path: '/debug/fgprof', isEnabled: false, takesSeconds: true, cumulative: [] },
  godeltaprof_memory: { ...atOnce, name: 'memory', path: '/debug/pprof/delta_heap', isEnabled: false },
  godeltaprof_mutex: {
    ...atOnce,
    name: 'mutex',
    path: '/debug/pprof/delta_mutex',
    isEnabled: false,
    types: MUTEX_TYPES,
  },
  godeltaprof_block: {
    ...atOnce,
    name: 'block',
    path: '/debug/pprof/delta_block',
    isEnabled: false,
    types: BLOCK_TYPES,
  },
}
