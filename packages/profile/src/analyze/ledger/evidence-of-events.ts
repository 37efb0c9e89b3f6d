// Makes evidence from the observations of profiles, as `GET /api/v1/events` and readers of files return them.
//
//   type                        value                         evidence
//   wall, with a period         time since the sample before  run, idle, lock or io, by the leaf and the thread's state; sampled
//   cpu                         CPU time since then           run; or, beside wall samples, the part of them that ran; sampled
//   running                     duration from its timestamp   run
//   async_wait                  duration from its timestamp   request-lock or request-io: the span waited, not its lane
//   gc, stop_the_world …        duration from its timestamp   runtime
//   mutex_delay, off_cpu …      duration from its timestamp   lock or io
//   runnable                    duration from its timestamp   runnable
import { nanosecondsOf } from '../../model/text/units.ts'
import type { Activity, SampleClock } from '../activity/activity.ts'
import { activityOfLeaf, activityOfState } from '../activity/activity.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import type { EvidenceColumns, EvidenceKind } from './evidence.ts'
import { EvidenceBuilder } from './evidence.ts'
import type { WaitKind } from './wait-kind.ts'
import { waitKindOf } from './wait-kind.ts'

/** Observations as columns, sorted by thread and time. */
export interface ObservedEvents {
  readonly kinds: readonly {
    readonly type: string
    readonly unit: string
    readonly clock: SampleClock
    readonly periodUnit: string
    readonly period: bigint
  }[]
  readonly states: readonly string[]
  readonly length: number
  readonly thread: Uint32Array
  readonly kind: Uint32Array
  /** Nanoseconds since 1970. */
  readonly time: BigInt64Array
  readonly value: BigInt64Array
  /** The node at which the stack ends; -1 for none. */
  readonly node: Int32Array
  readonly state: Uint8Array
  readonly link: Uint32Array
  /** The thread that had the lock for which the event waited; -1 if unknown. Absent if no event knows it. */
  readonly holder?: Int32Array
  /** Nodes of the stacks. */
  readonly parent: Int32Array
  readonly frame: Uint32Array
  readonly frames: FrameTable
}

export interface EventPlacement {
  readonly base: bigint
  /** The lane of each thread; -1 to skip its events. */
  readonly lanes: ArrayLike<number>
  /** The lane for pauses of the whole process of each thread. */
  readonly wide: ArrayLike<number>
  /** The span of each link; -1 for none. */
  readonly owners: ArrayLike<number>
  /** Threads that are goroutines of an execution trace, and the time since the base from which and until which they ran or waited. */
  readonly goroutines?: ReadonlyMap<number, { readonly from: number; readonly to: number }>
}

export interface FoundEvidence {
  readonly evidence: EvidenceColumns
  readonly labels: readonly string[]
  /** The name of the function at a node. */
  readonly functionOf: (node: number) => string
}

type Role =
  | 'wall'
  | 'cpu'
  | 'native'
  | 'wait'
  | 'request-wait'
  | 'loop-delay'
  | 'run'
  | 'runtime'
  | 'lock'
  | 'io'
  | 'runnable'

const V8_COLLECTOR = '(garbage collector)'
const V8_PROGRAM = '(program)'
/** Events of Chrome and Node for garbage collections. */
const CHROME_COLLECTION = /^(?:Minor|Major)GC$|^V8\.GC/

/** Types of evidence by name. The first match counts. */
const ROLES: readonly (readonly [RegExp, Role])[] = [
  [/^event_loop_delay$/, 'loop-delay'],
  [/^async_wait$/, 'request-wait'],
  [/^running$/, 'run'],
  [/^gc$|gc_pause|gc_mark_assist|gc_sweep|stop_the_world|safepoint|jit|compilation/, 'runtime'],
  [/^runnable$|sched(?:uler)?_(?:delay|latency|wait)/, 'runnable'],
  [/mutex_delay|block_delay|monitor_wait_time|native_lock_delay|queue_time|lock_(?:time|wait|delay)/, 'lock'],
  [/sleep_time|(?:file|socket)_.*_time|^syscall$|dns_time|io_(?:time|wait)/, 'io'],
  [/off.?cpu|^wait$|wait_time/, 'wait'],
  [/^native$/, 'native'],
  [/^(?:wall|cpu|cpu_time|samples)$|wall/, 'cpu'],
]
/** Go's collection runs beside the program. Only its pauses and the work that it demands of goroutines hold requests up. */
const CONCURRENT = 'gc'
const ONLY_PAUSES = 'stop_the_world'
/** Pauses of all threads of a process. */
const WIDE_PAUSES: ReadonlySet<string> = new Set([ONLY_PAUSES, 'gc_pause_time', 'safepoint_time'])
const GO_SCHEDULER = /^runtime\.(?:asyncPreempt|gopreempt|morestack|newstack|mcall|Gosched|goschedguarded)/
const GO_STATES: ReadonlySet<string> = new Set(['off_cpu', 'syscall', 'runnable'])
/** A thread that used less than this share of the time did not run: it was blocked in a call. */
const BLOCKED_SHARE = 0.02
/** A thread that waits for a CPU gets some of it within this time, so that a shorter stretch is evidence only if its function's name does. */
const BLOCKED_NANOS = 100e6
/** A sample that is later than this many periods: the thread got no CPU even to be sampled. A blocked thread is sampled in time. */
const LATE_PERIODS = 3

const TITLES: ReadonlyMap<string, string> = new Map([
  ['gc', 'garbage collection'],
  ['stop_the_world', 'stop-the-world pause'],
  ['gc_pause_time', 'garbage collection'],
  ['gc_mark_assist', 'help for the garbage collector'],
  ['gc_sweep', 'sweep of the garbage collector'],
  ['event_loop_delay', 'delay of the event loop'],
  ['syscall', 'system call'],
  ['runnable', 'waiting for a CPU'],
  ['mutex_delay', 'monitor'],
  ['block_delay', 'park'],
])

export function evidenceOfEvents(events: ObservedEvents, placement: EventPlacement): FoundEvidence {
  return new EvidenceReader(events, placement).read()
}

class EvidenceReader {
  readonly #events: ObservedEvents
  readonly #placement: EventPlacement
  readonly #builder: EvidenceBuilder
  readonly #roles: readonly (Role | undefined)[]
  readonly #scales: readonly (number | undefined)[]
  readonly #waits = new Map<number, WaitKind>()
  /** The activity that the leaves of stacks name, by row of the frame; undefined if it was not looked up. */
  readonly #leaves: (Activity | 'collecting' | 'any' | undefined)[] = []
  /** The time of each row in nanoseconds since the base, and its value. */
  readonly #times: Float64Array
  readonly #values: Float64Array
  /** The CPU time at the moment of each row, if the thread has wall samples. */
  #cpu: Float64Array | undefined
  readonly #withSamples = new Set<number>()
  readonly #withWall = new Set<number>()
  /** Threads with samples of V8's profiler, whose type is `cpu` and whose clock is the wall clock. */
  readonly #withProfiler = new Set<number>()
  /** The period of each kind in nanoseconds. */
  readonly #periods: readonly number[]

  constructor(events: ObservedEvents, placement: EventPlacement) {
    this.#events = events
    this.#placement = placement
    this.#builder = new EvidenceBuilder(events.length)
    this.#times = doublesSince(events.time, placement.base)
    this.#values = doublesSince(events.value, 0n)
    const isGo = events.kinds.some(({ type }) => type === ONLY_PAUSES)
    this.#roles = events.kinds.map(({ type, clock }) => {
      if (type === CONCURRENT && isGo) return undefined
      const role = ROLES.find(([pattern]) => pattern.test(type))?.[1]
      if (role !== 'cpu') return role
      return clock
    })
    this.#scales = events.kinds.map(({ unit, periodUnit, period }) => {
      const own = nanosecondsOf(unit)
      if (own !== undefined) return Number(own)
      const ofPeriod = nanosecondsOf(periodUnit)
      return ofPeriod === undefined || period <= 0n ? undefined : Number(ofPeriod * period)
    })
    this.#periods = events.kinds.map(({ periodUnit, period }) => Number((nanosecondsOf(periodUnit) ?? 0n) * period))
  }

  read(): FoundEvidence {
    const { kinds, length, frame, frames } = this.#events
    this.#findLanes()
    for (let row = 0; row < length; row++) this.#add(row)
    if (this.#placement.goroutines !== undefined) this.#addRunning(this.#placement.goroutines)
    return {
      evidence: this.#builder.build(),
      labels: kinds.map(({ type }) => TITLES.get(type) ?? type.replace(/_(?:time|delay)$/, '').replaceAll('_', ' ')),
      functionOf: node => (node === -1 ? '' : frames.name[frame[node]]),
    }
  }

  /** Finds the threads with samples, and the CPU time of their wall samples. */
  #findLanes(): void {
    const { length, thread, kind } = this.#events
    const time = this.#times
    for (let row = 0; row < length; row++) {
      const role = this.#roles[kind[row]]
      if (role !== 'wall' && role !== 'cpu') continue
      this.#withSamples.add(thread[row])
      if (role === 'wall') this.#withWall.add(thread[row])
      if (role === 'wall' && this.#events.kinds[kind[row]].type !== 'wall') this.#withProfiler.add(thread[row])
    }
    const isCpu = (row: number): boolean => this.#roles[kind[row]] === 'cpu' && this.#withWall.has(thread[row])
    for (let from = 0, to = 0; from < length; from = to) {
      let sum = 0
      let hasCpu = false
      // Rows of one moment stand together.
      for (to = from; to < length && time[to] === time[from] && thread[to] === thread[from]; to++) {
        if (!isCpu(to)) continue
        sum += this.#nanos(to)
        hasCpu = true
      }
      if (hasCpu) (this.#cpu ??= new Float64Array(length)).fill(sum, from, to)
    }
  }

  /** A goroutine runs whenever it neither waits, nor is in a system call, nor is ready to run. The trace has these three. */
  #addRunning(goroutines: NonNullable<EventPlacement['goroutines']>): void {
    const { length, thread, kind, kinds, node } = this.#events
    const { lanes } = this.#placement
    const ends = new Map(Array.from(goroutines, ([of, { from }]) => [of, from]))
    for (let row = 0; row < length; row++) {
      const of = thread[row]
      const at = ends.get(of)
      const { type } = kinds[kind[row]]
      if (at === undefined || !GO_STATES.has(type)) continue
      const start = this.#times[row]
      // A goroutine that lost its processor ran where it stopped. Other stacks are those of calls that wait.
      const stack = type === 'runnable' ? this.#preempted(node[row]) : -1
      this.#builder.add({ lane: lanes[of], kind: 'run', start: at, end: start, stack })
      ends.set(of, Math.max(at, start + this.#nanos(row)))
    }
    for (const [of, { to }] of goroutines) {
      this.#builder.add({ lane: lanes[of], kind: 'run', start: ends.get(of) ?? to, end: to })
    }
  }

  /** The node of the program's function below the calls of the scheduler. */
  #preempted(node: number): number {
    const { frame, frames, parent } = this.#events
    let at = node
    while (at !== -1 && GO_SCHEDULER.test(frames.name[frame[at]])) at = parent[at]
    return at
  }

  #nanos(row: number): number {
    return this.#values[row] * (this.#scales[this.#events.kind[row]] ?? 0)
  }

  #add(row: number): void {
    const { thread, kind, node, link } = this.#events
    const { lanes, wide, owners } = this.#placement
    const of = thread[row]
    const role = this.#roles[kind[row]]
    if (lanes[of] === -1 || role === undefined) return
    // Only pauses of the whole process have no thread.
    if (lanes[of] === wide[of] && role !== 'runtime') return
    // Part of the wall sample of the same moment.
    if (role === 'cpu' && this.#withWall.has(of)) return
    const at = this.#times[row]
    const nanos = this.#nanos(row)
    const [lane, owner, stack] = [lanes[of], owners[link[row]], node[row]]
    if (role === 'wall' || role === 'cpu' || role === 'native') {
      const common = { lane, owner, stack, period: this.#periods[kind[row]] }
      if (role === 'wall') return this.#addWall(row, at, nanos, common)
      // The JVM samples threads in native calls, also while the call waits.
      const wait = role === 'native' ? waitKindOf(this.#names(stack)) : undefined
      return this.#addSample(wait ?? 'run', at - nanos, at, common)
    }
    const measured = { lane, owner, stack, label: kind[row], start: at, end: at + nanos }
    switch (role) {
      case 'run':
        this.#builder.add({ ...measured, kind: 'run', label: -1 })
        return
      case 'request-wait':
        this.#builder.add({ ...measured, kind: `request-${this.#waitKind(node[row], 'io')}`, label: -1 })
        return
      case 'loop-delay':
        if (!this.#withSamples.has(of)) this.#builder.add({ ...measured, kind: 'run' })
        return
      case 'wait':
        this.#builder.add({ ...measured, kind: this.#waitKind(node[row], 'lock'), label: -1 })
        return
      case 'runtime': {
        const isWide = WIDE_PAUSES.has(this.#events.kinds[kind[row]].type)
        this.#builder.add({ ...measured, kind: 'runtime', lane: isWide ? wide[of] : lanes[of] })
        return
      }
      case 'lock':
        this.#builder.add({ ...measured, kind: 'lock', holder: this.#holder(row) })
        return
      case 'io':
      case 'runnable':
        this.#builder.add({ ...measured, kind: role })
    }
  }

  /** A wall sample covers the time since the one before. Longer values of other clocks are intervals from their time on. */
  #addWall(row: number, at: number, nanos: number, common: Common): void {
    const { kind, node, state, states } = this.#events
    const { type, clock } = this.#events.kinds[kind[row]]
    const { period } = common
    if (type !== 'wall' || period === 0) {
      const activity = this.#activity(node[row], states[state[row]])
      // Samples of the same thread know functions, where events know only their own names.
      if (type === 'wall' && activity === 'running' && this.#withProfiler.has(this.#events.thread[row])) return
      this.#addSample(this.#kindOf(activity, node[row]), at, at + nanos, common, period !== 0)
      return
    }
    const found = this.#kindOf(this.#activity(node[row], clock === 'wall' ? states[state[row]] : ''), node[row])
    const start = at - nanos
    const cpu = this.#cpu?.[row]
    if (found !== 'run' || cpu === undefined || cpu >= nanos) {
      this.#addSample(found, start, at, common)
      return
    }
    if (cpu < BLOCKED_SHARE * nanos) {
      const isBlocked = nanos >= BLOCKED_NANOS && nanos <= LATE_PERIODS * period
      const wait = isBlocked ? this.#waitKind(node[row], 'io') : waitKindOf([this.#leaf(node[row])])
      if (wait !== undefined) {
        this.#addSample(wait, start, at, common)
        return
      }
    }
    // The code ran for `cpu`, and had no CPU for the rest.
    const ran = Math.round(cpu)
    this.#addSample('run', at - ran, at, common)
    this.#addSample('runnable', start, at - ran, common)
  }

  #holder(row: number): number {
    const thread = this.#events.holder?.[row] ?? -1
    return thread === -1 ? -1 : this.#placement.lanes[thread]
  }

  #addSample(kind: EvidenceKind, start: number, end: number, common: Common, sampled = true): void {
    const { lane, owner, stack, period } = common
    // Not `...common`: that takes five times as long, and an hour of samples has a million rows.
    this.#builder.add({ lane, kind, start, end, owner, stack, sampled, period, label: -1, holder: -1 })
  }

  #activity(node: number, state: string): Activity | 'collecting' {
    if (node !== -1) {
      const ofLeaf = this.#activityOfLeaf(this.#events.frame[node])
      if (ofLeaf !== 'any') return ofLeaf
    }
    return state === '' ? 'running' : (activityOfState(state) ?? 'running')
  }

  /** `any` if the state of the thread decides. */
  #activityOfLeaf(row: number): Activity | 'collecting' | 'any' {
    let found = this.#leaves[row]
    if (found === undefined) {
      const { name, file, type } = this.#events.frames
      const leaf = { name: name[row], file: file[row], type: type[row] }
      if (leaf.name === V8_COLLECTOR || CHROME_COLLECTION.test(leaf.name)) found = 'collecting'
      else if (leaf.name === V8_PROGRAM) found = 'running'
      else found = activityOfLeaf(leaf, 'wall') ?? 'any'
      this.#leaves[row] = found
    }
    return found
  }

  #kindOf(activity: Activity | 'collecting', node: number): EvidenceKind {
    if (activity === 'collecting') return 'runtime'
    if (activity === 'waiting') return this.#waitKind(node, 'io')
    return activity === 'idle' ? 'idle' : 'run'
  }

  /** The kind of a wait by the functions of its stack. */
  #waitKind(node: number, otherwise: WaitKind): WaitKind {
    let kind = this.#waits.get(node)
    if (kind === undefined) this.#waits.set(node, (kind = waitKindOf(this.#names(node)) ?? otherwise))
    return kind
  }

  #leaf(node: number): string {
    return node === -1 ? '' : this.#events.frames.name[this.#events.frame[node]]
  }

  *#names(node: number): Generator<string> {
    const { parent, frame, frames } = this.#events
    for (let at = node; at !== -1; at = parent[at]) yield frames.name[frame[at]]
  }
}

interface Common {
  readonly lane: number
  readonly owner: number
  readonly stack: number
  readonly period: number
}

/** Each number minus `base`, without a BigInt for each. Exact below 2^53. */
function doublesSince(numbers: BigInt64Array, base: bigint): Float64Array {
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length)
  const [low, high] = [Number(BigInt.asUintN(32, base)), Number(base >> 32n)]
  const doubles = new Float64Array(numbers.length)
  for (let i = 0; i < doubles.length; i++) {
    doubles[i] = (words[2 * i + 1] - high) * 2 ** 32 + ((words[2 * i] >>> 0) - low)
  }
  return doubles
}
