// The threads of profiles, by attributes of their samples. A thread is its id and name within a process. Samples without the
// name of their thread belong to the thread with their id. In files without both, each profile is a thread.
import type { AttributeIndex, LaneKind, Profiles } from '@hearth/profile'
import { LANE_IDS, LANE_KINDS, laneTitle, valueText } from '@hearth/profile'

const NAME = 'thread.name'
const PROCESS = 'process.pid'
/** Names of a profile that represents one thread. */
const PROFILE_NAMES: readonly string[] = ['speedscope.profile.name', NAME]
/** Further threads are dropped with their samples. */
const MAX_THREADS = 10_000

export interface Threads {
  /** Threads of samples with timestamps, in order of their first sample. */
  readonly list: readonly FoundThread[]
  /** The index in `list` of each sample; -1 without timestamps. */
  readonly ofSample: Int32Array
  readonly dropped: number
}

interface FoundThread {
  readonly key: string
  readonly title: string
  /** As text; empty if it is unknown. */
  readonly process: string
  /** The service of the process, or its executable; empty if both are unknown. */
  readonly service: string
  readonly id: string
  /** thread.name; empty if it is unknown. */
  readonly name: string
  observations: number
}

export function threadsOf(profiles: Profiles, rows: readonly number[], kind: LaneKind = 'thread'): Threads {
  const { samples, profiles: table } = profiles
  const names = new AttributeTexts(profiles, kind)
  const processes = processesOf(profiles, rows)
  const services = servicesOf(profiles)
  const ofSample = new Int32Array(samples.length).fill(-1)
  const found = new Map<string, number>()
  const list: FoundThread[] = []
  const dropped = new Set<string>()
  for (const row of rows) {
    const process = processes.get(row) ?? ''
    const ofProfile = names.firstOf(table.attributesOf(row), PROFILE_NAMES)
    // Most samples of a thread have the same attributes. Comparing rows is cheaper than reading them.
    let lastId = -2
    let lastName = -2
    let lastPid = -2
    let thread = -1
    for (let i = table.samplesFrom(row), to = table.samplesTo(row); i < to; i++) {
      const times = samples.timestampsTo(i) - samples.timestampsFrom(i)
      if (times === 0) continue
      const { id, name, pid } = names.threadOf(i)
      if (id !== lastId || name !== lastName || pid !== lastPid || thread < 0) {
        lastId = id
        lastName = name
        lastPid = pid
        thread = -1
        const own = { id: names.text(id), name: names.text(name), process: pid < 0 ? process : names.text(pid) }
        const isNamed = own.id !== '' || own.name !== ''
        const ofThread = isNamed ? `${own.process}/${own.id}/${own.name}` : `${own.process}/#${row}`
        const key = kind === 'thread' ? ofThread : `${kind}:${own.process}/${own.id}`
        const known = found.get(key)
        if (known === undefined && list.length === MAX_THREADS) {
          dropped.add(key)
          continue
        }
        thread = known ?? list.length
        if (known === undefined) {
          found.set(key, thread)
          list.push({
            key,
            title: kind === 'thread' && !isNamed ? ofProfile : laneTitle(kind, own.id, own.name),
            process: own.process,
            service: services.get(own.process) ?? '',
            id: own.id,
            name: own.name,
            observations: 0,
          })
        }
      }
      ofSample[i] = thread
      list[thread].observations += times
    }
  }
  const kept = withUnnamedJoined(list, ofSample)
  return {
    list: kept.map((each, i) => ({ ...each, title: each.title === '' ? plainTitle(i, kept) : each.title })),
    ofSample,
    dropped: dropped.size,
  }
}

/** Joins a thread without a name with the thread of the same id, if exactly one thread has this id and a name. */
function withUnnamedJoined(list: readonly FoundThread[], ofSample: Int32Array): readonly FoundThread[] {
  const named = new Map<string, number[]>()
  const idOf = ({ process, id }: FoundThread): string => `${process}/${id}`
  for (const [i, thread] of list.entries()) {
    if (thread.name !== '' && thread.id !== '') named.set(idOf(thread), [...(named.get(idOf(thread)) ?? []), i])
  }
  const target = Int32Array.from(list, (thread, i) => {
    const same = thread.name === '' && thread.id !== '' ? named.get(idOf(thread)) : undefined
    return same?.length === 1 ? same[0] : i
  })
  if (target.every((to, i) => to === i)) return list
  // A joined thread keeps the position of its first sample.
  const first = list.map((_, i) => target.indexOf(target[i]) === i)
  const position = new Int32Array(list.length)
  const kept: FoundThread[] = []
  for (const [i, isFirst] of first.entries()) {
    position[i] = isFirst ? kept.length : position[target.indexOf(target[i])]
    if (isFirst) kept.push({ ...list[target[i]], observations: 0 })
    kept[position[i]].observations += list[i].observations
  }
  for (let i = 0; i < ofSample.length; i++) if (ofSample[i] >= 0) ofSample[i] = position[ofSample[i]]
  return kept
}

function plainTitle(i: number, list: readonly FoundThread[]): string {
  return list.length === 1 ? 'all samples' : `thread ${i + 1}`
}

/** The kinds of lanes that attributes of the profiles name. */
export function laneKindsOf({ dictionary: { attributes, strings } }: Profiles): LaneKind[] {
  const keys = new Set<string>()
  for (let i = 1; i < attributes.length; i++) keys.add(strings.text(attributes.key(i as AttributeIndex)))
  return LANE_KINDS.filter(kind => kind === 'thread' || LANE_IDS[kind].some(key => keys.has(key)))
}

/** The process of each profile, by its resource. */
function processesOf({ resources, scopes }: Profiles, rows: readonly number[]): ReadonlyMap<number, string> {
  const wanted = new Set(rows)
  const found = new Map<number, string>()
  for (let r = 0; r < resources.length; r++) {
    const pid = resources.resource(r).attributes.find(({ key }) => key === PROCESS)?.value
    for (let s = resources.from(r); s < resources.to(r); s++) {
      for (let i = scopes.from(s); i < scopes.to(s); i++) {
        if (wanted.has(i) && pid !== undefined) found.set(i, valueText(pid))
      }
    }
  }
  return found
}

/** The service or executable of each process. */
function servicesOf({ resources }: Profiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let r = 0; r < resources.length; r++) {
    const { attributes } = resources.resource(r)
    const of = (name: string): string => {
      const value = attributes.find(({ key }) => key === name)?.value
      return value === undefined ? '' : valueText(value)
    }
    const service = of('service.name') || of('process.executable.name')
    if (service !== '' && of(PROCESS) !== '') found.set(of(PROCESS), service)
  }
  return found
}

/** The attributes of threads, each read once. */
class AttributeTexts {
  readonly #profiles: Profiles
  /** The kind of each attribute: 0 other, 1 name, 2 process, from 3 on the ids by their priority. */
  readonly #kind: Uint8Array
  readonly #found = { id: -1, name: -1, pid: -1 }

  constructor(profiles: Profiles, lane: LaneKind) {
    this.#profiles = profiles
    const { attributes, strings } = profiles.dictionary
    const ids = LANE_IDS[lane]
    this.#kind = new Uint8Array(attributes.length)
    for (let i = 1; i < attributes.length; i++) {
      const key = strings.text(attributes.key(i as AttributeIndex))
      this.#kind[i] = ids.includes(key)
        ? 3 + ids.indexOf(key)
        : key === NAME && lane === 'thread'
          ? 1
          : key === PROCESS
            ? 2
            : 0
    }
  }

  /** Rows of attributes; -1 if there is none. Always returns the same object. */
  threadOf(sample: number): { readonly id: number; readonly name: number; readonly pid: number } {
    const { samples } = this.#profiles
    const found = this.#found
    found.id = found.name = found.pid = -1
    for (let k = samples.attributesFrom(sample), to = samples.attributesTo(sample); k < to; k++) {
      const row = samples.attributes.at(k)
      const kind = this.#kind[row]
      if (kind >= 3 && (found.id < 0 || kind < this.#kind[found.id])) found.id = row
      else if (kind === 1) found.name = row
      else if (kind === 2) found.pid = row
    }
    return found
  }

  text(row: number): string {
    return row < 0 ? '' : valueText(this.#profiles.dictionary.attributes.value(row as AttributeIndex))
  }

  firstOf(rows: readonly AttributeIndex[], keys: readonly string[]): string {
    const { attributes, strings } = this.#profiles.dictionary
    const row = rows.find(each => keys.includes(strings.text(attributes.key(each))))
    return row === undefined ? '' : this.text(row)
  }
}
