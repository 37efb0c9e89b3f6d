// Writes profiles as a trace that Chrome and Perfetto open: intervals as X events, samples as V8's Profile and
// ProfileChunk, weighted samples as `samples` with `stackFrames`.
import type { AnyValue } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import { microsText } from '../cpuprofile/micro-time.ts'
import { NodeTree } from '../cpuprofile/node-tree.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { COUNT, CPU_TYPE, NANOSECONDS, PROCESS_NAME, SAMPLES_TYPE, SCOPE_NAME, WALL_TYPE } from './attribute-names.ts'
import { TraceEventWriter } from './event-writer.ts'
import type { ThreadObservations } from './observations.ts'
import { hasTimestamps, isId, observationsOf } from './observations.ts'
import { PlainFrames } from './plain-frames.ts'
import { overlaps, writeSpans } from './write-spans.ts'
import { StackFrameTree, writeStackFrames } from './write-stack-frames.ts'
import { writeV8Profile } from './write-v8.ts'

/** Nanoseconds per unit. Values that are not times are written as microseconds, which viewers show. */
const SCALES: Readonly<Record<string, bigint>> = {
  nanoseconds: 1n,
  microseconds: 1000n,
  milliseconds: 1_000_000n,
  seconds: 1_000_000_000n,
}

export function writeChromeTrace(payload: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const json = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  json.beginObject()
  json.key('traceEvents')
  json.beginArray()
  const writer = new TraceWriter(payload, json, notes)
  for (let i = 0; i < payload.resources.length; i++) writer.resource(i, options.type)
  json.endArray()
  writer.samples()
  json.endObject()
  writer.losses()
  if (options.type !== undefined && writer.written === 0) {
    throw new RangeError(`no profile has the type ${JSON.stringify(options.type)}`)
  }
  return { bytes: json.finish(), notes: notes.list() }
}

interface Weighted {
  readonly events: TraceEventWriter
  readonly threads: readonly ThreadObservations[]
}

class TraceWriter {
  written = 0
  readonly #payload: Profiles
  readonly #json: JsonWriter
  readonly #notes: NoteList
  readonly #frames: PlainFrames
  readonly #stackFrames: StackFrameTree
  readonly #weighted: Weighted[] = []
  #v8Count = 0
  #addresses = 0
  #attributes = 0
  #callerLines = 0

  constructor(payload: Profiles, json: JsonWriter, notes: NoteList) {
    this.#payload = payload
    this.#json = json
    this.#notes = notes
    this.#frames = new PlainFrames(payload.dictionary)
    this.#stackFrames = new StackFrameTree(payload.dictionary, this.#frames)
  }

  resource(resource: number, type: string | undefined): void {
    const { resources, scopes } = this.#payload
    const { id, name, others } = this.#process(resource)
    let around = others
    let isOurs = true
    for (let scope = resources.from(resource); scope < resources.to(resource); scope++) {
      const content = scopes.scope(scope)
      if (content.name !== SCOPE_NAME) isOurs = false
      if (content.name !== SCOPE_NAME || content.version !== '' || content.attributes.length > 0) around++
    }
    this.#notes.add('resources', 'resources and scopes other than process id and name', around)
    if (!isId(id) && !isOurs) this.#notes.add('made-up-ids', 'processes and threads without an id are given one')
    const pid = isId(id) || isOurs ? id : BigInt(resource + 1)
    const events = new TraceEventWriter(this.#json, pid, !isOurs)
    // Sets the order in which viewers show processes, and in which they are read back.
    events.metadata(0n, 'process_sort_index', 'sort_index', resource)
    if (name !== '') events.metadata(0n, 'process_name', 'name', name)
    const kinds = new Set<string>()
    for (let scope = resources.from(resource); scope < resources.to(resource); scope++) {
      for (let i = scopes.from(scope); i < scopes.to(scope); i++) this.#profile(i, type, events, kinds)
    }
  }

  #profile(profile: number, type: string | undefined, events: TraceEventWriter, kinds: Set<string>): void {
    const { profiles, dictionary } = this.#payload
    const { strings } = dictionary
    const own = strings.text(profiles.type(profile))
    const unit = strings.text(profiles.unit(profile))
    const isTimed = hasTimestamps(this.#payload, profile)
    let kind = CPU_TYPE
    if (isTimed && own === WALL_TYPE && unit === NANOSECONDS) kind = WALL_TYPE
    else if (isTimed && own === SAMPLES_TYPE && unit === COUNT) kind = SAMPLES_TYPE
    // Two profiles of one kind would be merged when they are read.
    if ((type !== undefined && type !== own) || kinds.has(kind)) {
      this.#notes.add('profiles-left-out', 'profiles that the trace cannot hold')
      return
    }
    kinds.add(kind)
    this.written++
    const isEmpty = profiles.samplesFrom(profile) === profiles.samplesTo(profile)
    if (kind === CPU_TYPE && !isEmpty && (own !== CPU_TYPE || unit !== NANOSECONDS)) {
      this.#notes.add('type', `the type and unit of values: ${own} ${unit}`)
    }
    const scale = Object.hasOwn(SCALES, unit) ? SCALES[unit] : 1000n
    const threads = observationsOf(this.#payload, profile, scale, this.#notes)
    this.#countHeader(profile, threads)
    events.reserve(threads)
    for (const thread of threads) {
      const tid = events.thread(thread)
      if (!isId(thread.id) && tid !== undefined) {
        this.#notes.add('made-up-ids', 'processes and threads without an id are given one')
      }
      if (thread.name !== '') events.metadata(tid, 'thread_name', 'name', thread.name)
    }
    if (kind === SAMPLES_TYPE) this.#weighted.push({ events, threads })
    else if (kind === WALL_TYPE && !threads.some(({ rows }) => overlaps(rows))) {
      for (const thread of threads) writeSpans(this.#payload, thread, events, this.#frames, this.#notes)
    } else this.#v8(threads, events, kind, isTimed)
  }

  #v8(threads: readonly ThreadObservations[], events: TraceEventWriter, kind: string, isTimed: boolean): void {
    if (kind === WALL_TYPE) this.#notes.add('overlapping-intervals', 'intervals that overlap are written as samples')
    for (const thread of threads) {
      const tree = new NodeTree(this.#payload.dictionary)
      writeV8Profile(this.#payload, thread, tree, events, ++this.#v8Count, isTimed, this.#notes)
      this.#addresses += tree.addresses
      this.#attributes += tree.attributes
      this.#callerLines += tree.callerLines
    }
  }

  /** Follows the events. */
  samples(): void {
    if (this.#weighted.length === 0) return
    const { samples } = this.#payload
    const json = this.#json
    json.key('samples')
    json.beginArray()
    for (const { events, threads } of this.#weighted) {
      for (const thread of threads) {
        const tid = events.thread(thread)
        for (const { sample, time, value } of thread.rows) {
          json.beginObject()
          events.ids(tid)
          json.key('ts')
          json.raw(microsText(time))
          json.key('weight')
          json.raw(String(value))
          json.key('sf')
          json.number(this.#stackFrames.node(samples.stack(sample)))
          json.endObject()
        }
      }
    }
    json.endArray()
    writeStackFrames(json, this.#stackFrames)
  }

  losses(): void {
    const notes = this.#notes
    notes.add('addresses', 'addresses and mappings of locations', this.#addresses + this.#frames.addresses)
    notes.add('location-attributes', 'attributes of locations', this.#attributes + this.#frames.attributes)
    notes.add('caller-lines', 'lines of callers other than the first line of their function', this.#callerLines)
    notes.add('positions', 'lines of files that have no name', this.#frames.positions)
  }

  /** Counts losses that the observations do not show. */
  #countHeader(profile: number, threads: readonly ThreadObservations[]): void {
    const { profiles } = this.#payload
    const times = threads.flatMap(({ rows }) => (rows.length === 0 ? [] : [rows[0].time, rows[rows.length - 1].time]))
    const first = times.reduce((a, b) => (a < b ? a : b), times[0] ?? 0n)
    const last = times.reduce((a, b) => (a > b ? a : b), times[0] ?? 0n)
    const duration = times.length === 0 ? 0n : last - first + 1n
    if (profiles.time(profile) !== first || profiles.duration(profile) !== duration) {
      this.#notes.add('time', 'time and duration of a profile are those of its samples')
    }
    if (profiles.period(profile) !== 0n || profiles.periodType(profile) !== 0) this.#notes.add('period', 'the period')
    const hasMore = profiles.id(profile).length > 0 || profiles.originalPayload(profile).length > 0
    if (hasMore || profiles.attributesTo(profile) > profiles.attributesFrom(profile)) {
      this.#notes.add('profile-attributes', 'profile id, attributes and original payload')
    }
  }

  #process(resource: number): { id: AnyValue; name: string; others: number } {
    let id: AnyValue
    let name = ''
    let others = 0
    for (const { key, value } of this.#payload.resources.resource(resource).attributes) {
      if (key === ATTRIBUTES.processPid && isId(value)) id = value
      else if (key === PROCESS_NAME && typeof value === 'string') name = value
      else others++
    }
    return { id, name, others }
  }
}
