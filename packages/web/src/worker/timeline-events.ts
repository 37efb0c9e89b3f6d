// The events of a file: every timestamp of every sample, of all types, by thread.
import type { AttributeIndex, FrameTable, LaneKind, LinkIndex, Profiles, StackIndex } from '@hearth/profile'
import { SpanLinks, canonicalUnit, clockOf, locationFrames, sortedBy, valueText } from '@hearth/profile'
import type { EventKind, TimelineEvents, Coverage } from '../timeline/events.ts'
import { NANOSECONDS, EMPTY_COVERAGE, fillDurations } from '../timeline/events.ts'
import { EventRoles, isIdleTask } from '../timeline/event-roles.ts'
import { StackNodes } from './stack-nodes.ts'
import type { Threads } from './threads.ts'
import { laneKindsOf, threadsOf } from './threads.ts'

/** 60 bytes each, which fits the memory of a browser tab. */
const MAX_EVENTS = 8_000_000
const MAX_KINDS = 255
const MAX_STATES = 255
/** Events outside of their profile's time are shown if the others then still have a tenth of the width. */
const MAX_STRETCH = 10

type Column = Float64Array | Uint8Array | Int32Array | Uint32Array

/** Columns in reading order. */
interface Draft {
  readonly thread: Int32Array
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly role: Uint8Array
  readonly kind: Uint8Array
  readonly state: Uint8Array
  readonly cpu: Int32Array
  readonly link: Uint32Array
  readonly node: Int32Array
  readonly outside: Uint8Array
}

/** Reads the events of the profiles in `rows`. */
export function timelineEvents(
  profiles: Profiles,
  rows: readonly number[],
  laneKind: LaneKind = 'thread',
): TimelineEvents {
  const threads = threadsOf(profiles, rows, laneKind)
  const counted = threads.list.reduce((sum, { observations }) => sum + observations, 0)
  const count = Math.min(counted, MAX_EVENTS)
  const frames = locationFrames(profiles.dictionary, { by: 'function', inlined: true })
  const nodes = new StackNodes(profiles, frames)
  const links = new SpanLinks(profiles)
  const states = new States(profiles)
  const scopes = scopeNames(profiles)
  const kinds = kindsOf(profiles, rows, scopes)
  const origin = firstTime(profiles, rows)
  const draft = fill(profiles, rows, {
    threads,
    nodes,
    links,
    states,
    kinds,
    scopes,
    frames: frames.table,
    origin,
    count,
  })
  const { order, coverage } = ordered(draft, origin)
  // Sorts in place: for 2 million events, a second set of columns would take another 60 MB.
  const spare = new ArrayBuffer(8 * order.length)
  const pick = <T extends Column>(column: T): T => {
    const picked = new (column.constructor as new (buffer: ArrayBuffer, from: number, length: number) => T)(
      spare,
      0,
      order.length,
    )
    for (let i = 0; i < order.length; i++) picked[i] = column[order[i]]
    column.set(picked)
    return column.subarray(0, order.length) as T
  }
  const start = pick(draft.start)
  const duration = pick(draft.duration)
  const role = pick(draft.role)
  const thread = pick(draft.thread)
  const first = new Uint32Array(threads.list.length + 1)
  for (const each of thread) first[each + 1]++
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1]
  const kind = pick(draft.kind)
  const bridge = fillDurations({ first, start, duration, role, kind, kinds: kinds.list })
  const { earliest, latest } = extent(start, duration)
  for (let i = 0; i < start.length; i++) start[i] -= earliest
  return {
    origin: origin + BigInt(earliest),
    whole: latest - earliest,
    laneKind,
    laneKinds: laneKindsOf(profiles),
    threads: threads.list.map(({ key, title, process, service, id }) => {
      const group = [service, process === '' ? '' : `process ${process}`].filter(text => text !== '').join(' · ')
      return { key, title, group, service: '', resource: '', id }
    }),
    first,
    bridge,
    length: order.length,
    start,
    duration,
    role,
    kind,
    state: pick(draft.state),
    cpu: pick(draft.cpu),
    link: pick(draft.link),
    node: pick(draft.node),
    kinds: kinds.list,
    states: states.all,
    links: links.all,
    ...nodes.columns(),
    frames: frames.table,
    coverage: {
      ...EMPTY_COVERAGE,
      ...coverage,
      ...untimedOf(profiles, rows),
      all: counted,
      hiddenThreads: threads.dropped,
    },
  }
}

interface Sources {
  readonly threads: Threads
  readonly nodes: StackNodes
  readonly links: SpanLinks
  readonly states: States
  readonly kinds: { readonly list: readonly EventKind[]; readonly ofRow: ReadonlyMap<number, number> }
  readonly scopes: readonly string[]
  readonly frames: FrameTable
  readonly origin: bigint
  readonly count: number
}

function fill(profiles: Profiles, rows: readonly number[], sources: Sources): Draft {
  const { threads, nodes, links, states, kinds, scopes, frames, origin, count } = sources
  const { samples, profiles: table } = profiles
  const draft: Draft = {
    thread: new Int32Array(count),
    start: new Float64Array(count),
    duration: new Float64Array(count),
    role: new Uint8Array(count),
    kind: new Uint8Array(count),
    state: new Uint8Array(count),
    cpu: new Int32Array(count),
    link: new Uint32Array(count),
    node: new Int32Array(count),
    outside: new Uint8Array(count),
  }
  const { timestamps } = samples
  const values = samples.values.signed()
  const [lo, hi] = [Number(origin & 0xffffffffn), Number(origin >> 32n)]
  const isIdle = threads.list.map(({ name }) => isIdleTask(name))
  let at = 0
  for (const row of rows) {
    const kind = kinds.ofRow.get(row)
    if (kind === undefined) continue
    const { type, unit } = kinds.list[kind]
    const typeName = type.slice(0, type.lastIndexOf(':'))
    const roles = new EventRoles(typeName, unit, clockOf(typeName, scopes[row]), frames, states.all)
    const scale = NANOSECONDS[unit]
    const began = Number(table.time(row) - origin)
    const lasts = Number(table.duration(row))
    const hasTime = table.time(row) > 0n && lasts > 0
    for (let i = table.samplesFrom(row), to = table.samplesTo(row); i < to; i++) {
      const thread = threads.ofSample[i]
      if (thread < 0) continue
      const first = samples.timestampsFrom(i)
      const value = samples.valuesFrom(i)
      const isInterval = scale !== undefined && samples.valuesTo(i) > value
      const { state, cpu } = states.of(i)
      const [node, link] = [nodes.of(samples.stack(i) as StackIndex), links.of(samples.link(i) as LinkIndex)]
      const role = roles.of(nodes.leaf(node), state, isIdle[thread])
      for (let k = first, end = samples.timestampsTo(i); k < end && at < count; k++, at++) {
        const start = ((timestamps.hi(k) >>> 0) - hi) * 2 ** 32 + (timestamps.lo(k) >>> 0) - lo
        draft.thread[at] = thread
        draft.start[at] = start
        draft.duration[at] = isInterval ? Math.max(0, Number(values[value + k - first]) * scale) : Number.NaN
        draft.role[at] = role
        draft.kind[at] = kind
        draft.state[at] = state
        draft.cpu[at] = cpu
        draft.link[at] = link
        draft.node[at] = node
        // An event that starts before the profile but reaches into it is not outside.
        const reached = start + (isInterval ? draft.duration[at] : 0)
        draft.outside[at] = hasTime && (reached < began || start > began + lasts) ? 1 : 0
      }
    }
  }
  return draft
}

/** Sorts by thread and time, without events too far away to be shown with the others. */
function ordered(draft: Draft, origin: bigint): { readonly order: Int32Array; readonly coverage: Partial<Coverage> } {
  const { thread, start, outside } = draft
  let [low, high, all, lowest, highest] = [Infinity, -Infinity, 0, Infinity, -Infinity]
  for (let i = 0; i < start.length; i++) {
    if (start[i] < lowest) lowest = start[i]
    if (start[i] > highest) highest = start[i]
    if (outside[i] === 1) {
      all++
      continue
    }
    if (start[i] < low) low = start[i]
    if (start[i] > high) high = start[i]
  }
  const width = high - low
  const leavesOut = all > 0 && width > 0 && highest - lowest > MAX_STRETCH * width
  const isAway = (i: number): boolean =>
    leavesOut && outside[i] === 1 && (start[i] < low - width || start[i] > high + width)
  const byTime = sortedBy(start)
  const counts = new Uint32Array(thread.reduce((most, each) => Math.max(most, each), -1) + 1)
  let away = 0
  let [first, last] = [Infinity, -Infinity]
  for (let i = 0; i < start.length; i++) {
    if (isAway(i)) {
      away++
      first = Math.min(first, start[i])
      last = Math.max(last, start[i])
    } else counts[thread[i]]++
  }
  const next = new Uint32Array(counts.length)
  for (let t = 1; t < counts.length; t++) next[t] = next[t - 1] + counts[t - 1]
  const order = new Int32Array(start.length - away)
  for (const i of byTime) if (!isAway(i)) order[next[thread[i]]++] = i
  if (away === 0) return { order, coverage: { outside: all } }
  return {
    order,
    coverage: {
      outside: all - away,
      elsewhere: away,
      firstElsewhere: origin + BigInt(Math.round(first)),
      lastElsewhere: origin + BigInt(Math.round(last)),
    },
  }
}

function extent(start: Float64Array, duration: Float64Array): { readonly earliest: number; readonly latest: number } {
  let earliest = Infinity
  let latest = 0
  for (let i = 0; i < start.length; i++) {
    if (start[i] < earliest) earliest = start[i]
    if (start[i] + duration[i] > latest) latest = start[i] + duration[i]
  }
  return earliest === Infinity ? { earliest: 0, latest: 0 } : { earliest, latest }
}

/**
 * The first time of all threads, so they share one clock. Events within the time of their profile are preferred.
 * Doubles count nanoseconds from it and are exact for a hundred days.
 */
function firstTime({ samples, profiles }: Profiles, rows: readonly number[]): bigint {
  const times = samples.timestamps.unsigned()
  let first: bigint | undefined
  let firstOutside: bigint | undefined
  for (const row of rows) {
    const [from, to] = [profiles.samplesFrom(row), profiles.samplesTo(row)]
    if (from === to) continue
    const [began, lasts] = [profiles.time(row), profiles.duration(row)]
    const hasTime = began > 0n && lasts > 0n
    for (let k = samples.timestampsFrom(from), end = samples.timestampsTo(to - 1); k < end; k++) {
      const time = times[k]
      if (hasTime && (time < began || time - began > lasts)) {
        if (firstOutside === undefined || time < firstOutside) firstOutside = time
      } else if (first === undefined || time < first) first = time
    }
  }
  return first ?? firstOutside ?? 0n
}

function untimedOf({ samples, profiles }: Profiles, rows: readonly number[]): Pick<Coverage, 'profiles' | 'untimed'> {
  const hasTimes = (row: number): boolean => {
    const [from, to] = [profiles.samplesFrom(row), profiles.samplesTo(row)]
    return from < to && samples.timestampsTo(to - 1) > samples.timestampsFrom(from)
  }
  return { profiles: rows.length, untimed: rows.filter(row => !hasTimes(row)).length }
}

function kindsOf(
  { dictionary: { strings }, profiles }: Profiles,
  rows: readonly number[],
  scopes: readonly string[],
): Sources['kinds'] {
  const list: EventKind[] = []
  const ofRow = new Map<number, number>()
  for (const row of rows) {
    const unit = canonicalUnit(strings.text(profiles.unit(row)))
    const name = strings.text(profiles.type(row))
    const type = `${name}:${unit}`
    const scale = NANOSECONDS[canonicalUnit(strings.text(profiles.periodUnit(row)))] ?? 0
    const period = Math.max(0, Number(profiles.period(row)) * scale)
    const known = list.findIndex(kind => kind.type === type)
    if (known < 0 && list.length === MAX_KINDS) continue
    ofRow.set(row, known < 0 ? list.push({ type, unit, clock: clockOf(name, scopes[row]), period }) - 1 : known)
    if (known >= 0 && list[known].period < period) list[known] = { ...list[known], period }
  }
  return { list, ofRow }
}

/** The scope name of each profile. */
function scopeNames({ profiles, scopes }: Profiles): string[] {
  const names = new Array<string>(profiles.length).fill('')
  for (let s = 0; s < scopes.length; s++) names.fill(scopes.scope(s).name, scopes.from(s), scopes.to(s))
  return names
}

const STATE_KEYS: readonly string[] = ['thread.state', 'go.goroutine.state']
const CPU_KEYS: readonly string[] = ['cpu.logical_number', 'system.cpu.logical_number']

/** States and CPUs of samples, by their attributes. */
class States {
  readonly all: string[] = ['']
  readonly #profiles: Profiles
  /** The state of each attribute: 0 for none, n + 1 for the n-th state. The CPU is -1 for none. */
  readonly #state: Uint16Array
  readonly #cpu: Int32Array
  readonly #found = { state: 0, cpu: -1 }

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const { attributes, strings } = profiles.dictionary
    this.#state = new Uint16Array(attributes.length)
    this.#cpu = new Int32Array(attributes.length).fill(-1)
    for (let i = 1; i < attributes.length; i++) {
      const key = strings.text(attributes.key(i as AttributeIndex))
      if (STATE_KEYS.includes(key)) this.#state[i] = this.#number(valueText(attributes.value(i as AttributeIndex))) + 1
      else if (CPU_KEYS.includes(key)) {
        const cpu = Number(valueText(attributes.value(i as AttributeIndex)))
        if (Number.isInteger(cpu) && cpu >= 0 && cpu < 2 ** 31) this.#cpu[i] = cpu
      }
    }
  }

  /** Always returns the same object. */
  of(sample: number): { readonly state: number; readonly cpu: number } {
    const { samples } = this.#profiles
    const found = this.#found
    found.state = 0
    found.cpu = -1
    for (let k = samples.attributesFrom(sample), to = samples.attributesTo(sample); k < to; k++) {
      const row = samples.attributes.at(k)
      if (this.#state[row] > 0) found.state = this.#state[row] - 1
      if (this.#cpu[row] >= 0) found.cpu = this.#cpu[row]
    }
    return found
  }

  #number(text: string): number {
    const known = this.all.indexOf(text)
    if (known >= 0) return known
    if (this.all.length > MAX_STATES) return 0
    return this.all.push(text) - 1
  }
}
