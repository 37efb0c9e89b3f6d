// What Pyroscope calls the profiles that it takes: five parts, of which the model has four (type, unit, type and unit of the
// period) and the first, the name, becomes an attribute. For each way in which profiles arrive there is another table.

export interface NamedType {
  /** As `process_cpu`. */
  readonly name: string
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  /** Values count samples, and become time by the rate of sampling. */
  readonly perSample: boolean
}

const NANOSECONDS = 'nanoseconds'

function counted(name: string, type: string, unit: string): NamedType {
  return { name, type, unit, periodType: '', periodUnit: '', perSample: false }
}

/** Pyroscope has the period of wall-clock profiles in CPU time too. */
function sampled(name: string, type: string): NamedType {
  return { name, type, unit: NANOSECONDS, periodType: 'cpu', periodUnit: NANOSECONDS, perSample: true }
}

const CPU = sampled('process_cpu', 'cpu')
const WALL = sampled('wall', 'wall')

/** By the last part of the application's name, for stacks that come as text, trie or tree. */
const BY_SUFFIX: ReadonlyMap<string, NamedType> = new Map(
  Object.entries({
    cpu: CPU,
    itimer: CPU,
    wall: WALL,
    inuse_objects: counted('memory', 'inuse_objects', 'count'),
    inuse_space: counted('memory', 'inuse_space', 'bytes'),
    alloc_objects: counted('memory', 'alloc_objects', 'count'),
    alloc_space: counted('memory', 'alloc_space', 'bytes'),
    goroutines: counted('goroutine', 'goroutines', 'count'),
    mutex_count: counted('mutex', 'contentions', 'count'),
    mutex_duration: counted('mutex', 'delay', NANOSECONDS),
    block_count: counted('block', 'contentions', 'count'),
    block_duration: counted('block', 'delay', NANOSECONDS),
    lock_count: counted('block', 'contentions', 'count'),
    lock_duration: counted('block', 'delay', NANOSECONDS),
    alloc_in_new_tlab_objects: counted('memory', 'alloc_in_new_tlab_objects', 'count'),
    alloc_in_new_tlab_bytes: counted('memory', 'alloc_in_new_tlab_bytes', 'bytes'),
    alloc_outside_tlab_objects: counted('memory', 'alloc_outside_tlab_objects', 'count'),
    alloc_outside_tlab_bytes: counted('memory', 'alloc_outside_tlab_bytes', 'bytes'),
    live: counted('memory', 'live', 'count'),
    exceptions: counted('exceptions', 'samples', 'count'),
  }),
)

/** The application without the suffix, and what the suffix says; undefined where nothing is known by that name. */
export function typeOfName(app: string): { readonly app: string; readonly type: NamedType } | undefined {
  const dot = app.lastIndexOf('.')
  if (dot < 0) return { app, type: CPU }
  const type = BY_SUFFIX.get(app.slice(dot + 1))
  return type === undefined || dot === 0 ? undefined : { app: app.slice(0, dot), type }
}

export function knownSuffixes(): readonly string[] {
  return [...BY_SUFFIX.keys()]
}

/** What Go's profiles are called for people. Others may be told with the profile. */
const DISPLAY_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    samples: 'cpu',
    goroutine: 'goroutines',
    contentions: 'mutex_count',
    delay: 'mutex_duration',
  }),
)

/** The name of a pprof file with these sample types, by what they are called for people. */
export function nameOfPprof(types: readonly string[], displayNames: ReadonlyMap<string, string> | undefined): string {
  if (types.includes('wall')) return 'wall'
  const names = displayNames ?? DISPLAY_NAMES
  const shown = types.map(type => names.get(type) ?? type)
  for (const name of shown) {
    if (name.includes('cpu')) return 'process_cpu'
    if (name.includes('alloc_') || name.includes('inuse_') || name === 'space' || name === 'objects') return 'memory'
    if (name.includes('mutex_')) return 'mutex'
    if (name.includes('block_')) return 'block'
    if (name.includes('goroutines')) return 'goroutines'
  }
  return shown.at(-1) ?? ''
}

type Period = readonly [type: string, unit: string]
const SPACE: Period = ['space', 'bytes']
const OBJECTS: Period = ['objects', 'count']
const MUTEX: Period = ['mutex', 'count']
const BLOCK: Period = ['block', 'count']

/** By the types of the JFR reader, where Pyroscope has another name for them or a period. */
const OF_RECORDINGS: ReadonlyMap<string, readonly [name: string, type: string, period: Period]> = new Map(
  Object.entries<readonly [name: string, type: string, period: Period]>({
    cpu: ['process_cpu', 'cpu', ['cpu', NANOSECONDS]],
    wall: ['wall', 'wall', ['wall', NANOSECONDS]],
    alloc_in_new_tlab_objects: ['memory', 'alloc_in_new_tlab_objects', SPACE],
    alloc_in_new_tlab_bytes: ['memory', 'alloc_in_new_tlab_bytes', SPACE],
    alloc_outside_tlab_objects: ['memory', 'alloc_outside_tlab_objects', SPACE],
    alloc_outside_tlab_bytes: ['memory', 'alloc_outside_tlab_bytes', SPACE],
    alloc_sample_objects: ['memory', 'alloc_sample_objects', SPACE],
    alloc_sample_bytes: ['memory', 'alloc_sample_bytes', SPACE],
    malloc_objects: ['memory', 'malloc_objects', SPACE],
    malloc_bytes: ['memory', 'malloc_bytes', SPACE],
    live_objects: ['memory', 'live', OBJECTS],
    live_bytes: ['memory', 'live_bytes', OBJECTS],
    mutex_contentions: ['mutex', 'contentions', MUTEX],
    mutex_delay: ['mutex', 'delay', MUTEX],
    block_contentions: ['block', 'contentions', BLOCK],
    block_delay: ['block', 'delay', BLOCK],
  }),
)

/** A profile of a JFR recording. Types that Pyroscope knows nothing of are their own name. */
export function typeOfRecording(type: string, unit: string, periodType: string, periodUnit: string): NamedType {
  const known = OF_RECORDINGS.get(type)
  if (known === undefined) return { name: type, type, unit, periodType, periodUnit, perSample: false }
  const [name, newType, period] = known
  // Without the recorder's period its samples are only counted.
  const perSample = unit === 'count' && (type === 'cpu' || type === 'wall')
  return {
    name,
    type: newType,
    unit: perSample ? NANOSECONDS : unit,
    periodType: periodType === '' ? period[0] : periodType,
    periodUnit: periodType === '' ? period[1] : periodUnit,
    perSample,
  }
}

/**
 * A profile of a speedscope file: by the suffix where its unit is the one of the file, by the unit where it is another.
 * `several`: the file has more than one, of which Pyroscope takes those in units of time for the wall clock.
 */
export function typeOfSpeedscope(given: NamedType, unit: string, several: boolean): NamedType {
  if (unit === NANOSECONDS) {
    if (given.perSample) return { ...(several && given === CPU ? WALL : given), perSample: false }
    return given.unit === unit ? given : { ...WALL, perSample: false }
  }
  if (given.unit === unit || (given.perSample && unit === 'count')) return given
  return counted(unit === 'bytes' ? 'memory' : given.name, 'samples', unit)
}
