// Converts events of the server to the columns of a timeline.
import type { EventsResponse, EventsColumns } from '@hearth/client'
import type { LaneKind } from '@hearth/profile'
import { canonicalUnit, laneTitle } from '@hearth/profile'
import type { EventKind, TimelineEvents, TimelineThread } from '../timeline/events.ts'
import { NANOSECONDS, fillDurations } from '../timeline/events.ts'
import { EventRoles, isIdleTask } from '../timeline/event-roles.ts'
import { valueText } from './value-text.ts'

export function timelineOf(response: EventsColumns, laneKind: LaneKind = 'thread'): TimelineEvents {
  const { length } = response.time
  const kinds = response.kinds.map(kindOf)
  const first = firsts(response.thread, response.threads.length)
  const times = new Int64Halves(response.time)
  const values = new Int64Halves(response.value)
  const start = new Float64Array(length)
  const duration = new Float64Array(length)
  const role = new Uint8Array(length)
  const kind = Uint8Array.from(response.kind)
  const { node, frame, frames, states, state } = response
  const roles = response.kinds.map(
    each => new EventRoles(each.type, canonicalUnit(each.unit), each.clock, frames, states),
  )
  const isIdle = response.threads.map(({ name }) => isIdleTask(valueText(name)))
  const scales = kinds.map(({ unit }) => NANOSECONDS[unit] ?? 0)
  const earliest = times.earliest()
  let latest = 0
  for (let i = 0; i < length; i++) {
    start[i] = times.since(earliest, i)
    const value = values.number(i)
    // A sample without a value counts 1, which is not a duration.
    duration[i] = scales[kind[i]] > 0 && value > 1 ? value * scales[kind[i]] : Number.NaN
    const leaf = node[i] < 0 ? -1 : frame[node[i]]
    role[i] = roles[kind[i]].of(leaf, state[i], isIdle[response.thread[i]])
  }
  const bridge = fillDurations({ first, start, duration, role, kind, kinds })
  for (let i = 0; i < length; i++) if (start[i] + duration[i] > latest) latest = start[i] + duration[i]
  const { outside } = response
  // An event that starts before the range is cut at its edges. It keeps its own duration.
  const from = BigInt(response.from)
  const began = length === 0 ? from : response.time[earliest]
  const origin = began < from ? from : began
  const early = Number(origin - began)
  if (early > 0) for (let i = 0; i < length; i++) start[i] -= early
  return {
    origin,
    whole: Math.min(latest - early, Number(BigInt(response.to) - origin)),
    laneKind,
    laneKinds: response.lanes,
    threads: response.threads.map(thread => threadOf(thread, response.resources[thread.resource], laneKind)),
    first,
    bridge,
    length,
    start,
    duration,
    role,
    kind,
    state: response.state,
    cpu: response.cpu,
    link: response.link,
    node: response.node,
    kinds,
    states: response.states,
    links: response.links,
    parent: response.parent,
    frame: response.frame,
    frames: response.frames,
    coverage: {
      profiles: response.profiles,
      untimed: response.untimed,
      all: response.events,
      every: response.every,
      longest: Number(response.longest),
      hiddenThreads: response.hiddenThreads,
      outside: outside.given,
      elsewhere: outside.elsewhere,
      firstElsewhere: BigInt(outside.first),
      lastElsewhere: BigInt(outside.last),
    },
  }
}

function kindOf({ type, unit, clock, period, periodUnit }: EventsResponse['kinds'][number]): EventKind {
  const scale = NANOSECONDS[canonicalUnit(periodUnit)] ?? 0
  const canonical = canonicalUnit(unit)
  return { type: `${type}:${canonical}`, unit: canonical, clock, period: Math.max(0, Number(period) * scale) }
}

function firsts(thread: Uint32Array, threads: number): Uint32Array {
  const first = new Uint32Array(threads + 1)
  for (const each of thread) first[each + 1]++
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1]
  return first
}

type Thread = EventsResponse['threads'][number]
type Resource = EventsResponse['resources'][number]

function threadOf({ key, process, id, name }: Thread, resource: Resource, kind: LaneKind): TimelineThread {
  const [ofId, ofName] = [valueText(id), valueText(name)]
  const isUnknown = kind === 'thread' && ofId === '' && ofName === ''
  return {
    key,
    title: isUnknown ? 'all threads' : laneTitle(kind, ofId, ofName),
    group: groupOf(resource, process),
    service: resource.service,
    resource: resource.id,
    // Spans and logs name the thread, so they do not belong to other lanes.
    id: kind === 'thread' ? ofId : '',
  }
}

/** `checkout · host-1 · process 7`. */
function groupOf({ service, attributes }: Resource, process: string): string {
  const of = (key: string): string => attributes.find(each => each.key === key)?.text ?? ''
  const host = of('k8s.pod.name') || of('host.name') || of('container.id').slice(0, 12) || of('service.instance.id')
  const pid = process || of('process.pid')
  return [service, host, pid === '' ? '' : `process ${pid}`].filter(each => each !== '').join(' · ')
}

/** 64-bit numbers as two halves: creating a bigint for each would take ten times as long. */
class Int64Halves {
  readonly #words: Int32Array
  readonly #length: number

  constructor(values: BigInt64Array) {
    this.#words = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
    this.#length = values.length
  }

  number(i: number): number {
    return this.#words[2 * i + 1] * 2 ** 32 + (this.#words[2 * i] >>> 0)
  }

  /** Exact if they are less than a hundred days apart. */
  since(origin: number, i: number): number {
    const high = this.#words[2 * i + 1] - this.#words[2 * origin + 1]
    return high * 2 ** 32 + (this.#words[2 * i] >>> 0) - (this.#words[2 * origin] >>> 0)
  }

  /** The index of the smallest number; 0 if there is none. */
  earliest(): number {
    let found = 0
    for (let i = 1; i < this.#length; i++) if (this.since(found, i) < 0) found = i
    return found
  }
}
