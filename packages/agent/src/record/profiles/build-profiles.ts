// Builds a payload of the recorded samples. Names and units follow OpenTelemetry's semantic conventions, and otherwise other
// profilers of Node and Go:
//
//   kind    sample type            period            sample
//   cpu     cpu, nanoseconds       cpu, nanoseconds  CPU time since the sample before, at its timestamp; never idle
//   wall    wall, nanoseconds      wall, nanoseconds time since the sample before; `(idle)` where the thread waited
//   heap    inuse_space, bytes     space, bytes      alive at the end of the profile, no timestamps
//           inuse_objects, count   space, bytes
//   alloc…  alloc_space, bytes     space, bytes      allocated in the time of the profile, no timestamps
//   events  gc, nanoseconds                          duration, at the timestamp of the begin; v8js.gc.type
//           event_loop_delay, nanoseconds            how late a timer was, at the time it was due
//   waits   async_wait, nanoseconds                  wait of a span for a timer, a response…, at its begin; linked to the span
//
// Every sample has thread.id and thread.name, and the link and chosen attributes of its span. If the sample rate has changed,
// there is one profile per rate.
import { randomBytes } from 'node:crypto'
import type { LocationIndex, Profiles } from '@hearth/profile/recording'
import { GENERATED_ATTRIBUTES, ProfilesBuilder, SequenceInterner, highHalf, lowHalf } from '@hearth/profile/recording'
import type { Frame, Frames } from '../samples/frame-table.ts'
import {
  EVENT_LOOP,
  GARBAGE_COLLECTOR,
  OTHER_THREADS,
  PROGRAM,
  TRUNCATED,
  specialFrame,
} from '../samples/frame-table.ts'
import type { HeapSnapshot } from '../sources/heap-source.ts'
import type { LabelRow } from './label-sets.ts'
import { LabelSets, UNLABELLED } from './label-sets.ts'
import type { Member, PeriodGroup } from './period-groups.ts'
import { periodGroups } from './period-groups.ts'
import type { Attribute, ProfileKind } from '../recorder-options.ts'
import { GC_TYPES } from '../sources/runtime-events.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'
import type { SampleLabels } from '../samples/sample-labels.ts'
import { NO_LABELS } from '../samples/sample-labels.ts'
import { WAIT_NAMES } from '../sources/wait-log.ts'
import type { Thread, ThreadPart } from './thread-part.ts'

/** How much detail of the recorded samples the payload contains. */
export interface Detail {
  /** Whether samples keep their timestamps. Without them, equal samples are summed. Default true. */
  readonly timestamps?: boolean | undefined
  /** The maximum number of stacks, without labels: the heaviest, and all others merged into one. Requires no timestamps. */
  readonly maxSamples?: number | undefined
  /** Attributes of every profile. */
  readonly attributes?: readonly Attribute[] | undefined
}

export interface Recorded extends Detail {
  readonly kinds: readonly ProfileKind[]
  /** Unix microseconds, inclusive. Samples outside are skipped. */
  readonly from: number
  readonly until: number
  /** Only samples of this trace and this span. */
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  /** One part per thread. */
  readonly parts: readonly ThreadPart[]
}

export interface Origin {
  readonly resource: readonly Attribute[]
  readonly scope: { readonly name: string; readonly version: string }
  readonly heapIntervalBytes: number
}

/** Returns undefined if there is no sample. */
export function buildProfiles(recorded: Recorded, origin: Origin): Profiles | undefined {
  const steps = profileSteps(recorded, origin)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Builds the payload in steps, one profile each. The application can run in between. */
export function profileSteps(recorded: Recorded, origin: Origin): Generator<void, Profiles | undefined> {
  return new PayloadBuilder(recorded, origin).build()
}

interface ProfileType {
  readonly type: string
  readonly unit: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: number
}

/** Every event is recorded, so that the period is 1. Pyroscope and Parca reject profiles without a period type. */
function eventType(type: string): ProfileType {
  return { type, unit: 'nanoseconds', periodType: type, periodUnit: 'nanoseconds', period: 1 }
}

/** Unix microseconds. */
interface TimeRange {
  readonly from: number
  readonly until: number
}

const GC_LABELS: readonly SampleLabels[] = GC_TYPES.map(value => ({ attributes: [{ key: 'v8js.gc.type', value }] }))
const NO_TIME = -1

class PayloadBuilder {
  readonly #recorded: Recorded
  readonly #origin: Origin
  readonly #builder = new ProfilesBuilder()
  readonly #labels = new LabelSets(this.#builder)
  readonly #locations = new Map<Frames, LocationIndex[]>()
  #hasSamples = false

  constructor(recorded: Recorded, origin: Origin) {
    this.#recorded = recorded
    this.#origin = origin
    this.#builder.resource({ attributes: origin.resource })
    this.#builder.scope(origin.scope)
  }

  *build(): Generator<void, Profiles | undefined> {
    const { kinds, parts, from, until } = this.#recorded
    const groups = periodGroups(parts, from, until)
    for (const kind of ['cpu', 'wall'] as const) {
      if (!kinds.includes(kind)) continue
      for (const group of groups) {
        this.#addTime(kind, group)
        yield
      }
    }
    const heap = parts.flatMap(({ thread, heap = [] }) => heap.map(snapshot => ({ thread, snapshot })))
    if (heap.length > 0) {
      this.#addHeap(heap)
      yield
    }
    this.#addEvents()
    this.#addWaits()
    return this.#hasSamples ? this.#builder.build() : undefined
  }

  #addTime(kind: 'cpu' | 'wall', { members, periodNanos: period, ...range }: PeriodGroup): void {
    const { from, until, traceId, spanId, timestamps = true } = this.#recorded
    const table = new ObservationTable()
    const kept = this.#heaviest(members, ({ batch }) => selfValues(batch, kind, from, until))
    const rest = new Map<Thread, number>()
    for (const [place, member] of members.entries()) {
      const { batch } = member
      const { thread } = member.part
      const values = batch[kind]
      const stacks = new StackRows(this.#builder, batch, this.#locationsOf(batch.frames))
      const isWanted = batch.contexts.map(
        labels =>
          (traceId === undefined || labels.traceId === traceId) && (spanId === undefined || labels.spanId === spanId),
      )
      for (let i = 0; i < batch.time.length; i++) {
        const time = batch.time[i]
        if (time < from || time > until || values[i] < 1 || !isWanted[batch.context[i]]) continue
        if (kept !== undefined && kept[place][batch.node[i]] === 0) {
          rest.set(thread, (rest.get(thread) ?? 0) + values[i])
          continue
        }
        const labels = this.#labels.of(thread, kept === undefined ? batch.contexts[batch.context[i]] : NO_LABELS)
        table.add(stacks.rowOf(batch.node[i]), labels, timestamps ? time : NO_TIME, values[i])
      }
      if (kind === 'cpu' && isWanted[0] && batch.until >= from && batch.until <= until) this.#addRest(member, table)
    }
    this.#addOthers(rest, table)
    const type = { type: kind, unit: 'nanoseconds', periodType: kind, periodUnit: 'nanoseconds', period }
    this.#addProfile(type, table, range)
  }

  /** For each tree, the nodes that keep their own sample. Undefined means all of them. */
  #heaviest<T>(trees: readonly T[], valuesOf: (tree: T) => ArrayLike<number>): readonly Uint8Array[] | undefined {
    const { maxSamples } = this.#recorded
    if (maxSamples === undefined) return undefined
    const values = trees.map(valuesOf)
    const all = values.flatMap(list => Array.from(list)).filter(value => value >= 1)
    const first = all.toSorted((a, b) => b - a).slice(0, maxSamples)
    const least = first.at(-1) ?? 0
    // Keep as many nodes with equal values as fit.
    let room = first.filter(value => value === least).length
    return values.map(list =>
      Uint8Array.from(list, value => (value > least || (value === least && room-- > 0) ? 1 : 0)),
    )
  }

  #addOthers(values: ReadonlyMap<Thread, number>, table: ObservationTable): void {
    for (const [thread, value] of values) {
      if (value < 1) continue
      table.add(this.#stackOf(TRUNCATED), this.#labels.of(thread, NO_LABELS), NO_TIME, Math.round(value))
    }
  }

  /** Adds the CPU time that belongs to no sample. */
  #addRest({ batch: { until, unseenCpu, otherThreadsCpu }, part }: Member, table: ObservationTable): void {
    const time = this.#recorded.timestamps === false ? NO_TIME : until
    if (unseenCpu >= 1) table.add(this.#stackOf(PROGRAM), this.#labels.of(part.thread, NO_LABELS), time, unseenCpu)
    // This CPU time is not of this thread.
    if (otherThreadsCpu >= 1) table.add(this.#stackOf(OTHER_THREADS), UNLABELLED, time, otherThreadsCpu)
  }

  #addHeap(heap: readonly { readonly thread: Thread; readonly snapshot: HeapSnapshot<Frames> }[]): void {
    const period = { periodType: 'space', periodUnit: 'bytes', period: this.#origin.heapIntervalBytes }
    const add = (type: string, unit: string, valuesOf: (snapshot: HeapSnapshot<Frames>) => readonly number[]): void => {
      const table = new ObservationTable()
      const kept = this.#heaviest(heap, ({ snapshot }) => valuesOf(snapshot))
      const rest = new Map<Thread, number>()
      for (const [place, { thread, snapshot }] of heap.entries()) {
        const stacks = new StackRows(this.#builder, snapshot, this.#locationsOf(snapshot.frames))
        for (const [node, value] of valuesOf(snapshot).entries()) {
          if (value < 1) continue
          if (kept !== undefined && kept[place][node] === 0) rest.set(thread, (rest.get(thread) ?? 0) + value)
          else table.add(stacks.rowOf(node), this.#labels.of(thread, NO_LABELS), NO_TIME, Math.round(value))
        }
      }
      this.#addOthers(rest, table)
      this.#addProfile({ type, unit, ...period }, table)
    }
    const [{ snapshot }] = heap
    add(`${snapshot.what}_space`, 'bytes', ({ bytes }) => bytes)
    if (heap.every(({ snapshot: { objects } }) => objects !== undefined))
      add(`${snapshot.what}_objects`, 'count', ({ objects = [] }) => objects)
  }

  /** Adds the runtime events, which belong to no span. */
  #addEvents(): void {
    const { kinds, parts, from, until, traceId, spanId, timestamps = true } = this.#recorded
    if (!kinds.includes('events') || traceId !== undefined || spanId !== undefined) return
    const collections = new ObservationTable()
    const delays = new ObservationTable()
    for (const { thread, events } of parts) {
      if (events === undefined) continue
      const { time, nanos, type } = events
      for (let i = 0; i < time.length; i++) {
        if (time[i] < from || time[i] > until) continue
        const isDelay = type[i] === 0
        const stack = this.#stackOf(isDelay ? EVENT_LOOP : GARBAGE_COLLECTOR)
        const labels = this.#labels.of(thread, isDelay ? NO_LABELS : GC_LABELS[type[i]])
        const table = isDelay ? delays : collections
        table.add(stack, labels, timestamps ? time[i] : NO_TIME, nanos[i])
      }
    }
    this.#addProfile(eventType('gc'), collections)
    this.#addProfile(eventType('event_loop_delay'), delays)
  }

  #addWaits(): void {
    const { kinds, parts, from, until, traceId, spanId, timestamps = true } = this.#recorded
    if (!kinds.includes('waits')) return
    const table = new ObservationTable()
    for (const { thread, waits } of parts) {
      if (waits === undefined) continue
      for (const [i, labels] of waits.labels.entries()) {
        const time = waits.time[i]
        if (time < from || time > until) continue
        if ((traceId ?? labels.traceId) !== labels.traceId || (spanId ?? labels.spanId) !== labels.spanId) continue
        const stack = this.#stackOf(WAIT_NAMES[waits.kind[i]])
        table.add(stack, this.#labels.of(thread, labels), timestamps ? time : NO_TIME, waits.nanos[i])
      }
    }
    this.#addProfile(eventType('async_wait'), table)
  }

  #addProfile(type: ProfileType, table: ObservationTable, range: TimeRange = this.#recorded): void {
    if (table.length === 0) return
    this.#hasSamples = true
    const builder = this.#builder
    const { from, until } = range
    const timeUnixNano = nanosOf(from)
    // Timestamps must lie before the end of the profile, but `until` may be one of them.
    const attributes = this.#recorded.attributes?.map(({ key, value }) => builder.attribute(key, value)) ?? []
    const durationNano = nanosOf(until + 1) - timeUnixNano
    builder.profile({ ...type, timeUnixNano, durationNano, id: randomBytes(16), attributes })
    const { values, timestamps, sampleAttributes } = builder.draft
    table.eachSample((stack, link, attributes, rows) => {
      this.#labels.copy(attributes, sampleAttributes)
      let sum = 0
      for (const row of rows) {
        const value = table.value[row]
        if (table.time[row] === NO_TIME) {
          sum += value
          continue
        }
        pushLong(values, value)
        const time = nanosOf(table.time[row])
        timestamps.push(lowHalf(time))
        timestamps.push(highHalf(time))
      }
      // Without timestamps there is one value, the total.
      if (table.time[rows[0]] === NO_TIME) pushLong(values, sum)
      builder.sampleRow(stack, link)
    })
  }

  #stackOf(name: string): number {
    return this.#builder.stack([locationOf(this.#builder, specialFrame(name))])
  }

  #locationsOf(frames: Frames): LocationIndex[] {
    let locations = this.#locations.get(frames)
    if (locations === undefined) this.#locations.set(frames, (locations = []))
    return locations
  }
}

/** The self values of the nodes of a batch's tree. */
function selfValues(batch: SampleBatch<Frames>, kind: 'cpu' | 'wall', from: number, until: number): Float64Array {
  const values = new Float64Array(batch.parent.length)
  for (let i = 0; i < batch.time.length; i++) {
    if (batch.time[i] >= from && batch.time[i] <= until) values[batch.node[i]] += batch[kind][i]
  }
  return values
}

interface Tree {
  readonly frames: Frames
  readonly parent: ArrayLike<number>
  readonly frame: ArrayLike<number>
}

/** Maps the nodes of a tree to rows of the payload's stacks, on demand. */
class StackRows {
  readonly #builder: ProfilesBuilder
  readonly #tree: Tree
  readonly #locations: LocationIndex[]
  readonly #rows: Int32Array

  constructor(builder: ProfilesBuilder, tree: Tree, locations: LocationIndex[]) {
    this.#builder = builder
    this.#tree = tree
    this.#locations = locations
    this.#rows = new Int32Array(tree.parent.length)
  }

  rowOf(node: number): number {
    const known = this.#rows[node]
    if (known !== 0) return known
    const { parent, frame, frames } = this.#tree
    const path: LocationIndex[] = []
    for (let at = node; at >= 0; at = parent[at]) {
      const row = frame[at]
      path.push((this.#locations[row] ??= locationOf(this.#builder, frames.rows[row])))
    }
    return (this.#rows[node] = this.#builder.stack(path))
  }
}

function locationOf(builder: ProfilesBuilder, frame: Frame): LocationIndex {
  const { name, systemName, file, startLine, line, column } = frame
  const attributes = [builder.attribute('profile.frame.type', frame.type)]
  if (frame.generatedPosition !== undefined)
    attributes.push(builder.attribute(GENERATED_ATTRIBUTES.position, frame.generatedPosition))
  if (frame.generatedStartLine !== undefined)
    attributes.push(builder.attribute(GENERATED_ATTRIBUTES.startLine, BigInt(frame.generatedStartLine)))
  const row = builder.function({ name, systemName, filename: file, startLine })
  return builder.location({ lines: [{ function: row, line, column }], attributes })
}

/** Observations, grouped into one sample per stack and labels. */
class ObservationTable {
  readonly time: number[] = []
  readonly value: number[] = []
  readonly #sample: number[] = []
  readonly #samples = new SequenceInterner()
  readonly #key = new Int32Array(3)

  get length(): number {
    return this.time.length
  }

  add(stack: number, { link, attributes }: LabelRow, time: number, value: number): void {
    const key = this.#key
    key[0] = stack
    key[1] = link
    key[2] = attributes
    this.#sample.push(this.#samples.intern(key, 0, 3))
    this.time.push(time)
    this.value.push(value)
  }

  /** `rows` are the observations of the sample in order of time. */
  eachSample(visit: (stack: number, link: number, attributes: number, rows: readonly number[]) => void): void {
    const rowsOf: number[][] = Array.from({ length: this.#samples.length }, () => [])
    for (const [row, sample] of this.#sample.entries()) rowsOf[sample].push(row)
    const { array } = this.#samples.pool
    for (const [sample, rows] of rowsOf.entries()) {
      visit(array[3 * sample], array[3 * sample + 1], array[3 * sample + 2], rows)
    }
  }
}

/** Adds a non-negative whole number. */
function pushLong(column: { push(value: number): void }, value: number): void {
  column.push((value % 2 ** 32) | 0)
  column.push(Math.floor(value / 2 ** 32))
}

function nanosOf(micros: number): bigint {
  return BigInt(Math.round(micros)) * 1000n
}
