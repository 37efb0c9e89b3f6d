// The threads of profiles: what samples say of where they were taken. A thread is its id and name within a process; files
// that know neither have one thread a profile.
import type { AttributeIndex, Profiles } from '@hearth/profile'
import { valueText } from '@hearth/profile'

/** What of a sample's attributes names its thread, as text; several formats have ids of their own. */
const NAME = 'thread.name'
const IDS: readonly string[] = ['thread.id', 'firefox.thread.id', 'jfr.thread.os_id', 'go.goroutine.id']
const PROCESS = 'process.pid'
/** Of a profile that is a thread by itself. */
const PROFILE_NAMES: readonly string[] = ['speedscope.profile.name', NAME]
/** Beyond it threads are left out, with their samples. */
const MOST_THREADS = 10_000

export interface Threads {
  /** Of samples with times, by their first. */
  readonly list: readonly FoundThread[]
  /** For each sample of the profiles the place in `list`; -1 where it has no times. */
  readonly ofSample: Int32Array
  readonly leftOut: number
}

export interface FoundThread {
  readonly key: string
  readonly title: string
  /** As text; empty where it is not known. */
  readonly process: string
  readonly id: string
  observations: number
}

export function threadsOf(profiles: Profiles, rows: readonly number[]): Threads {
  const { samples, profiles: table } = profiles
  const names = new AttributeTexts(profiles)
  const processes = processesOf(profiles, rows)
  const ofSample = new Int32Array(samples.length).fill(-1)
  const found = new Map<string, number>()
  const list: FoundThread[] = []
  const leftOut = new Set<string>()
  for (const row of rows) {
    const process = processes.get(row) ?? ''
    const ofProfile = names.firstOf(table.attributesOf(row), PROFILE_NAMES)
    // Most samples of a thread have the same attributes, which is cheaper to see than to read.
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
        const key = isNamed ? `${own.process}/${own.id}/${own.name}` : `${own.process}/#${row}`
        const known = found.get(key)
        if (known === undefined && list.length === MOST_THREADS) {
          leftOut.add(key)
          continue
        }
        thread = known ?? list.length
        if (known === undefined) {
          found.set(key, thread)
          list.push({
            key,
            title: isNamed ? titleOf(own) : ofProfile,
            process: own.process,
            id: own.id,
            observations: 0,
          })
        }
      }
      ofSample[i] = thread
      list[thread].observations += times
    }
  }
  return {
    list: list.map((each, i) => ({ ...each, title: each.title === '' ? plainTitle(i, list) : each.title })),
    ofSample,
    leftOut: leftOut.size,
  }
}

function plainTitle(i: number, list: readonly FoundThread[]): string {
  return list.length === 1 ? 'all samples' : `thread ${i + 1}`
}

function titleOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === '' ? `thread ${id}` : id === '' ? name : `${name} (${id})`
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

/** Attributes by what they say of threads, read once each. */
class AttributeTexts {
  readonly #profiles: Profiles
  /** For each attribute which key it has: 0 none of these, 1 id, 2 name, 3 process. */
  readonly #kind: Uint8Array
  readonly #found = { id: -1, name: -1, pid: -1 }

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const { attributes, strings } = profiles.dictionary
    this.#kind = new Uint8Array(attributes.length)
    for (let i = 1; i < attributes.length; i++) {
      const key = strings.text(attributes.key(i as AttributeIndex))
      this.#kind[i] = IDS.includes(key) ? 1 : key === NAME ? 2 : key === PROCESS ? 3 : 0
    }
  }

  /** Rows of attributes; -1 where there is none. The same object each time. */
  threadOf(sample: number): { readonly id: number; readonly name: number; readonly pid: number } {
    const { samples } = this.#profiles
    const found = this.#found
    found.id = found.name = found.pid = -1
    for (let k = samples.attributesFrom(sample), to = samples.attributesTo(sample); k < to; k++) {
      const row = samples.attributes.at(k)
      const kind = this.#kind[row]
      if (kind === 1 && found.id < 0) found.id = row
      else if (kind === 2) found.name = row
      else if (kind === 3) found.pid = row
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
