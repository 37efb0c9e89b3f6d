// The observations of profiles by lane, and what else their samples say about spans.
import type { AttributeIndex, StackIndex } from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import { valueText } from '../../../model/attributes/value-text.ts'
import { clockOf } from '../../activity/activity.ts'
import type { SpanLink } from '../../activity/span-links.ts'
import { SpanLinks } from '../../activity/span-links.ts'
import { LANE_IDS, laneTitle } from '../../activity/lane-kind.ts'
import { locationFrames } from '../../stacks/location-frames.ts'
import { StackPaths } from '../../stacks/stack-paths.ts'
import { FrameTrie } from '../../tree/frame-trie.ts'
import type { ObservedEvents } from '../evidence-of-events.ts'

export interface FileThread {
  /** Number of the resource. */
  readonly process: number
  /** Empty for observations about a whole process. */
  readonly id: string
  readonly title: string
  readonly isGoroutine: boolean
}

export interface FileEvents extends ObservedEvents {
  readonly threads: readonly FileThread[]
  /** The first is empty. */
  readonly links: readonly SpanLink[]
  /** service.name, or else the executable, of each process. */
  readonly services: readonly string[]
  /** Names and tasks of observations that are spans: the row of the attribute's text in `texts`; 0 if they have none. */
  readonly name: Uint32Array
  readonly task: Uint32Array
  readonly parentTask: Uint32Array
  readonly texts: readonly string[]
}

/** Files with more observations need a narrower selection. */
const MAX_EVENTS = 10_000_000

const GO_LANES: readonly string[] = [...LANE_IDS.goroutine, ...LANE_IDS.thread]

interface SampleContext {
  readonly thread: number
  readonly state: number
  readonly holder: number
  readonly name: number
  readonly task: number
  readonly parentTask: number
}

/** Throws RangeError if there are too many observations. */
export function fileEvents(profiles: Profiles): FileEvents {
  const { samples, profiles: table, dictionary, scopes, resources } = profiles
  const scopeNames = new Array<string>(table.length).fill('')
  const processOf = new Int32Array(table.length)
  for (let r = 0; r < resources.length; r++) {
    for (let s = resources.from(r); s < resources.to(r); s++) {
      scopeNames.fill(scopes.scope(s).name, scopes.from(s), scopes.to(s))
      processOf.fill(r, scopes.from(s), scopes.to(s))
    }
  }
  let length = 0
  for (let i = 0; i < samples.length; i++) length += samples.timestampsTo(i) - samples.timestampsFrom(i)
  if (length > MAX_EVENTS) throw new RangeError(`more than ${MAX_EVENTS} observations`)
  const contexts = new Contexts(profiles)
  const links = new SpanLinks(profiles)
  const columns = {
    thread: new Uint32Array(length),
    kind: new Uint32Array(length),
    time: new BigInt64Array(length),
    value: new BigInt64Array(length),
    node: new Int32Array(length),
    state: new Uint8Array(length),
    link: new Uint32Array(length),
    holder: new Int32Array(length),
    name: new Uint32Array(length),
    task: new Uint32Array(length),
    parentTask: new Uint32Array(length),
  }
  const frames = locationFrames(dictionary, { by: 'function', inlined: true })
  const stackRows = Int32Array.from({ length: samples.length }, (_, i) => samples.stack(i))
  const paths = new StackPaths(frames, stackRows)
  const trie = new FrameTrie()
  const nodes = new Map<StackIndex, number>()
  const times = samples.timestamps.signed()
  const values = samples.values.signed()
  const kinds: ObservedEvents['kinds'][number][] = []
  let at = 0
  for (let row = 0; row < table.length; row++) {
    const type = dictionary.strings.text(table.type(row))
    const kind = kinds.push({
      type,
      unit: dictionary.strings.text(table.unit(row)),
      clock: clockOf(type, scopeNames[row]),
      periodUnit: dictionary.strings.text(table.periodUnit(row)),
      period: table.period(row),
    })
    for (let i = table.samplesFrom(row); i < table.samplesTo(row); i++) {
      const first = samples.timestampsFrom(i)
      const end = samples.timestampsTo(i)
      if (first === end) continue
      const context = contexts.of(i, processOf[row])
      const stack = samples.stack(i)
      let node = nodes.get(stack)
      if (node === undefined) nodes.set(stack, (node = paths.insert(trie, i, 'root-first')))
      const link = links.of(samples.link(i))
      const value = samples.valuesFrom(i)
      const hasValues = samples.valuesTo(i) > value
      for (let k = first; k < end; k++, at++) {
        columns.thread[at] = context.thread
        columns.kind[at] = kind - 1
        columns.time[at] = times[k]
        columns.value[at] = hasValues ? values[value + k - first] : 1n
        columns.node[at] = node
        columns.state[at] = context.state
        columns.link[at] = link
        columns.holder[at] = context.holder
        columns.name[at] = context.name
        columns.task[at] = context.task
        columns.parentTask[at] = context.parentTask
      }
    }
  }
  const order = Uint32Array.from({ length }, (_, i) => i).sort((a, b) => {
    const byThread = columns.thread[a] - columns.thread[b]
    return byThread !== 0
      ? byThread
      : columns.time[a] < columns.time[b]
        ? -1
        : columns.time[a] > columns.time[b]
          ? 1
          : a - b
  })
  const pick = <T extends Uint32Array | Int32Array | Uint8Array>(column: T): T =>
    column.map((_, i) => column[order[i]]) as T
  return {
    kinds,
    states: contexts.states,
    length,
    thread: pick(columns.thread),
    kind: pick(columns.kind),
    time: columns.time.map((_, i) => columns.time[order[i]]),
    value: columns.value.map((_, i) => columns.value[order[i]]),
    node: pick(columns.node),
    state: pick(columns.state),
    link: pick(columns.link),
    holder: pick(columns.holder),
    name: pick(columns.name),
    task: pick(columns.task),
    parentTask: pick(columns.parentTask),
    parent: trie.parents.view().slice(),
    frame: Uint32Array.from(trie.frames.view()),
    frames: frames.table,
    threads: contexts.threads,
    links: links.all,
    services: servicesOf(profiles),
    texts: contexts.texts,
  }
}

function servicesOf({ resources }: Profiles): string[] {
  return Array.from({ length: resources.length }, (_, r) => {
    const { attributes } = resources.resource(r)
    const found = ['service.name', 'process.executable.name', 'chrome.process.name'].map(
      key => attributes.find(each => each.key === key)?.value,
    )
    const name = found.find(value => value !== undefined)
    return name === undefined ? '' : valueText(name)
  })
}

const STATE_KEYS: readonly string[] = ['thread.state', 'go.goroutine.state']
/** States are numbers of one byte. */
const MAX_STATES = 255

/** Threads and states of samples, by their attributes. */
class Contexts {
  readonly threads: FileThread[] = []
  readonly states: string[] = ['']
  readonly texts: string[] = ['']
  readonly #profiles: Profiles
  readonly #keys: readonly string[]
  readonly #known = new Map<string, SampleContext>()
  readonly #threadRows = new Map<string, number>()
  readonly #textRows = new Map([['', 0]])

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const { attributes, strings } = profiles.dictionary
    this.#keys = Array.from({ length: attributes.length }, (_, i) => strings.text(attributes.key(i as AttributeIndex)))
  }

  of(sample: number, process: number): SampleContext {
    const rows = this.#profiles.samples.attributesOf(sample)
    const key = `${process} ${rows.join(' ')}`
    let context = this.#known.get(key)
    if (context === undefined) this.#known.set(key, (context = this.#read(rows, process)))
    return context
  }

  #read(rows: readonly AttributeIndex[], process: number): SampleContext {
    const { attributes } = this.#profiles.dictionary
    const text = (wanted: readonly string[]): string => {
      for (const key of wanted) {
        const row = rows.find(each => this.#keys[each] === key)
        if (row !== undefined) return valueText(attributes.value(row))
      }
      return ''
    }
    const holder = text([ATTRIBUTES.lockOwnerThreadId])
    const state = text(STATE_KEYS)
    return {
      thread: this.#thread(
        process,
        text(GO_LANES),
        text(['thread.name']),
        rows.some(row => this.#keys[row] === LANE_IDS.goroutine[0]),
      ),
      state: this.#state(state),
      holder: holder === '' ? -1 : this.#thread(process, holder, '', false),
      name: this.#text(text([ATTRIBUTES.spanName])),
      task: this.#text(text([ATTRIBUTES.goTaskId])),
      parentTask: this.#text(text([ATTRIBUTES.goTaskParentId])),
    }
  }

  #thread(process: number, id: string, name: string, isGoroutine: boolean): number {
    const key = `${process} ${id === '' ? name : id}`
    let row = this.#threadRows.get(key)
    if (row === undefined) {
      const title = id === '' && name === '' ? 'process' : laneTitle(isGoroutine ? 'goroutine' : 'thread', id, name)
      row = this.threads.push({ process, id: id === '' ? name : id, title, isGoroutine }) - 1
      this.#threadRows.set(key, row)
    } else if (name !== '' && !this.threads[row].title.startsWith(name)) {
      this.threads[row] = { ...this.threads[row], title: laneTitle('thread', id, name) }
    }
    return row
  }

  #state(text: string): number {
    const known = this.states.indexOf(text)
    if (known !== -1) return known
    return this.states.length > MAX_STATES ? 0 : this.states.push(text) - 1
  }

  #text(text: string): number {
    let row = this.#textRows.get(text)
    if (row === undefined) this.#textRows.set(text, (row = this.texts.push(text) - 1))
    return row
  }
}
