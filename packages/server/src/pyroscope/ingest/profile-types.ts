// Pyroscope's names of profile types. A name has five parts. The model has four of them: type, unit, and the period's
// type and unit. The first part, the name, becomes an attribute. Each way of sending profiles has a table.

export interface NamedType {
  /** For example `process_cpu`. */
  readonly name: string
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  /** Values count samples; the sample rate converts them to time. */
  readonly perSample: boolean
}

const NANOSECONDS = 'nanoseconds'

function counted(name: string, type: string, unit: string): NamedType {
  return { name, type, unit, periodType: '', periodUnit: '', perSample: false }
}

/** Pyroscope states the period of wall-clock profiles in CPU time too. */
function sampled(name: string, type: string): NamedType {
  return { name, type, unit: NANOSECONDS, periodType: 'cpu', periodUnit: NANOSECONDS, perSample: true }
}

const CPU = sampled('process_cpu', 'cpu')
const WALL = sampled('wall', 'wall')

/** By the last part of the application's name, for stacks that are sent as text, trie or tree. */
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

/** The application without the suffix, and the type of the suffix. Undefined if the suffix is unknown. */
export function typeOfName(app: string): { readonly app: string; readonly type: NamedType } | undefined {
  const dot = app.lastIndexOf('.')
  if (dot < 0) return { app, type: CPU }
  const type = BY_SUFFIX.get(app.slice(dot + 1))
  return type === undefined || dot === 0 ? undefined : { app: app.slice(0, dot), type }
}

export function knownSuffixes(): readonly string[] {
  return [...BY_SUFFIX.keys()]
}

/** The display names of Go's profiles. Other clients send display names with the profile. */
const DISPLAY_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    samples: 'cpu',
    goroutine: 'goroutines',
    contentions: 'mutex_count',
    delay: 'mutex_duration',
  }),
)

/** The name of a pprof file with these sample types, by their display names. */
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

/** Types of the JFR reader for which Pyroscope has another name or a period. */
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

/** The type of a profile in a JFR recording. A type that Pyroscope does not know keeps its name. */
export function typeOfRecording(type: string, unit: string, periodType: string, periodUnit: string): NamedType {
  const known = OF_RECORDINGS.get(type)
  if (known === undefined) return { name: type, type, unit, periodType, periodUnit, perSample: false }
  const [name, newType, period] = known
  // Samples are only counted if the recorder gives no period.
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
 * The type of a profile in a speedscope file: by the suffix if its unit is the unit of the file, otherwise by the unit.
 * `several` means that the file has more than one profile. Pyroscope then treats units of time as wall-clock time.
 */
export function typeOfSpeedscope(given: NamedType, unit: string, several: boolean): NamedType {
  if (unit === NANOSECONDS) {
    if (given.perSample) return { ...(several && given === CPU ? WALL : given), perSample: false }
    return given.unit === unit ? given : { ...WALL, perSample: false }
  }
  if (given.unit === unit || (given.perSample && unit === 'count')) return given
  return counted(unit === 'bytes' ? 'memory' : given.name, 'samples', unit)
}
