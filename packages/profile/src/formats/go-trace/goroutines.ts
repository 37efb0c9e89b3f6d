// Follows every goroutine, thread and processor through the events, and records the duration of each state. A goroutine
// keeps the stack with which it stopped until it runs again. It waits there, and also waits there to be scheduled.
import type { NoteList } from '../format.ts'
import { GoAnnotations } from './annotations.ts'
import { GoEventType, GoStatus, ProcStatus } from './event-types.ts'
import { GoSeries, State } from './observations.ts'
import type { GoObservations } from './observations.ts'
import type { ThreadEvents } from './thread-events.ts'
import type { TraceTables } from './trace-tables.ts'
import type { Goroutine, GoThread } from './thread-state.ts'

const NONE = -1

/** An interval of garbage collection, or of a stopped world. */
interface Span {
  readonly since: number
  readonly stack: number
  readonly reason: number
  readonly goroutine: number
  readonly proc: number
  readonly thread: number
}

/** By the status of a goroutine. NONE if there is no profile for it: CPU samples represent running goroutines. */
const SERIES_OF_STATUS = [NONE, GoSeries.runnable, NONE, GoSeries.syscall, GoSeries.offCpu]
const STATE_OF_STATUS = [State.none, State.runnable, State.running, State.syscall, State.waiting]

/** Reasons are never negative. */
const NO_CONTEXTS: readonly number[] = SERIES_OF_STATUS.flatMap(() => [NONE, NONE, NONE])

export class Goroutines {
  readonly #observations: GoObservations
  readonly #tables: TraceTables
  readonly #notes: NoteList
  readonly #annotations: GoAnnotations
  readonly #goroutines = new Map<number, Goroutine>()
  readonly #threads = new Map<number, GoThread>()
  /** By subject: `gc`, and the goroutine or processor. */
  readonly #spans = new Map<string, Span>()
  #generation = 0
  #isFirstGeneration = true
  /** Called for each goroutine that an event has changed. */
  onChange: (goroutine: Goroutine) => void = () => {}

  constructor(observations: GoObservations, tables: TraceTables, notes: NoteList) {
    this.#observations = observations
    this.#tables = tables
    this.#notes = notes
    this.#annotations = new GoAnnotations(observations, tables)
  }

  startGeneration(number: number): void {
    this.#isFirstGeneration = this.#generation === 0
    this.#generation = number
  }

  /** The state that must be reached before the event. Undefined if the event is due. */
  neededBy(events: ThreadEvents): string | undefined {
    const { type, args } = events
    if (
      type !== GoEventType.goStart &&
      type !== GoEventType.goUnblock &&
      type !== GoEventType.goSwitch &&
      type !== GoEventType.goSwitchDestroy
    ) {
      return undefined
    }
    const status = type === GoEventType.goStart ? GoStatus.runnable : GoStatus.waiting
    const goroutine = this.#goroutines.get(args[1])
    events.target = goroutine
    const isDue =
      goroutine?.status === status && goroutine.generation === this.#generation && goroutine.sequence + 1 === args[2]
    return isDue ? undefined : `${args[1]} ${args[2]} ${status}`
  }

  /** The key of a goroutine's state, as `neededBy` returns it. */
  stateKey({ id, sequence, status }: Goroutine): string {
    return `${id} ${sequence + 1} ${status}`
  }

  /** Returns a description of the error, or undefined. */
  apply(events: ThreadEvents, nanos: number): string | undefined {
    const { type, args, thread } = events
    switch (type) {
      case GoEventType.procStart:
        thread.proc = args[1]
        return undefined
      case GoEventType.procStop:
        thread.proc = NONE
        return undefined
      case GoEventType.procSteal: {
        const robbed = this.thread(args[3])
        if (robbed.proc === args[1]) robbed.proc = NONE
        return undefined
      }
      case GoEventType.procStatus:
        if (args[2] === ProcStatus.running || args[2] === ProcStatus.syscall) thread.proc = args[1]
        return undefined
      case GoEventType.goCreate:
      case GoEventType.goCreateBlocked: {
        const status = type === GoEventType.goCreate ? GoStatus.runnable : GoStatus.waiting
        this.#create(args[1], status, nanos, this.#tables.stack(args[2], events.offset))
        return undefined
      }
      case GoEventType.goCreateSyscall:
        setCurrent(thread, this.#create(args[1], GoStatus.syscall, nanos, 0))
        thread.current!.thread = thread.id
        return undefined
      case GoEventType.goStatus:
      case GoEventType.goStatusStack:
        return this.#status(events, nanos)
      case GoEventType.goStart:
      case GoEventType.goUnblock:
        return this.#changeOther(events, nanos)
      case GoEventType.gcActive:
      case GoEventType.gcBegin:
      case GoEventType.gcEnd:
      case GoEventType.gcSweepActive:
      case GoEventType.gcSweepBegin:
      case GoEventType.gcSweepEnd:
      case GoEventType.gcMarkAssistActive:
      case GoEventType.gcMarkAssistBegin:
      case GoEventType.gcMarkAssistEnd:
      case GoEventType.stwBegin:
      case GoEventType.stwEnd:
        this.#collect(events, nanos)
        return undefined
      case GoEventType.goDestroy:
      case GoEventType.goDestroySyscall:
      case GoEventType.goStop:
      case GoEventType.goBlock:
      case GoEventType.goSyscallBegin:
      case GoEventType.goSyscallEnd:
      case GoEventType.goSyscallEndBlocked:
      case GoEventType.goSwitch:
      case GoEventType.goSwitchDestroy:
        return this.#changeCurrent(events, nanos)
      case GoEventType.userTaskBegin:
      case GoEventType.userTaskEnd:
      case GoEventType.userRegionBegin:
      case GoEventType.userRegionEnd:
        this.#annotations.apply(events, nanos)
        return undefined
      default:
        return undefined
    }
  }

  /** Handles events of a thread about the goroutine that it runs. */
  #changeCurrent(events: ThreadEvents, nanos: number): string | undefined {
    const { type, args, offset, thread } = events
    if (thread.current === undefined || thread.current.isGone) thread.current = this.#goroutines.get(thread.goroutine)
    const goroutine = thread.current
    if (goroutine === undefined) return `event ${type} of thread ${thread.id}, which runs no goroutine`
    switch (type) {
      case GoEventType.goDestroySyscall:
      case GoEventType.goDestroy:
        this.#destroy(goroutine, nanos)
        setCurrent(thread, undefined)
        if (type === GoEventType.goDestroySyscall) thread.proc = NONE
        return undefined
      case GoEventType.goStop:
      case GoEventType.goBlock:
        this.#change(goroutine, type === GoEventType.goStop ? GoStatus.runnable : GoStatus.waiting, nanos)
        goroutine.reason = this.#tables.reason(args[1], offset)
        goroutine.stack = this.#tables.stack(args[2], offset)
        setCurrent(thread, undefined)
        break
      case GoEventType.goSyscallBegin:
        this.#change(goroutine, GoStatus.syscall, nanos)
        goroutine.stack = this.#tables.stack(args[2], offset)
        goroutine.thread = thread.id
        break
      case GoEventType.goSyscallEnd:
        this.#change(goroutine, GoStatus.running, nanos)
        break
      case GoEventType.goSyscallEndBlocked:
        this.#change(goroutine, GoStatus.runnable, nanos)
        setCurrent(thread, undefined)
        thread.proc = NONE
        break
      default: {
        if (type === GoEventType.goSwitchDestroy) this.#destroy(goroutine, nanos)
        else {
          this.#change(goroutine, GoStatus.waiting, nanos)
          goroutine.stack = 0
          this.onChange(goroutine)
        }
        return this.#changeOther(events, nanos)
      }
    }
    this.onChange(goroutine)
    return undefined
  }

  /** Handles events that name a goroutine and carry its number. */
  #changeOther({ type, args, target, thread }: ThreadEvents, nanos: number): string | undefined {
    // A goroutine that switches to itself ends before it continues.
    const goroutine = target === undefined || target.isGone ? this.#goroutines.get(args[1]) : target
    if (goroutine === undefined) return `unknown goroutine ${args[1]}`
    goroutine.generation = this.#generation
    goroutine.sequence = args[2]
    if (type === GoEventType.goUnblock) this.#change(goroutine, GoStatus.runnable, nanos)
    else {
      this.#change(goroutine, GoStatus.running, nanos)
      setCurrent(thread, goroutine)
    }
    this.onChange(goroutine)
    return undefined
  }

  /** Each generation reports the state of a goroutine once, before its other events. */
  #status({ type, args, offset, thread }: ThreadEvents, nanos: number): string | undefined {
    const [, id, onThread, status] = args
    if (!(status >= GoStatus.runnable && status <= GoStatus.waiting))
      return `goroutine ${id} has unknown state ${status}`
    let goroutine = this.#goroutines.get(id)
    if (goroutine === undefined) {
      goroutine = this.#create(id, status, nanos, 0)
      goroutine.isOpen = this.#isFirstGeneration
    } else if (goroutine.status !== status) {
      this.#notes.add('inconsistent-states', 'goroutines changed their state without an event')
      this.#change(goroutine, status, nanos)
    }
    goroutine.generation = this.#generation
    goroutine.sequence = 0
    if (type === GoEventType.goStatusStack && goroutine.stack === 0)
      goroutine.stack = this.#tables.stack(args[4], offset)
    if (status === GoStatus.running) setCurrent(thread, goroutine)
    else if (status === GoStatus.syscall) {
      setCurrent(this.thread(onThread), goroutine)
      goroutine.thread = onThread
    }
    this.onChange(goroutine)
    return undefined
  }

  #create(id: number, status: number, nanos: number, stack: number): Goroutine {
    const before = this.#goroutines.get(id)
    if (before !== undefined) before.isGone = true
    const goroutine: Goroutine = {
      id,
      status,
      generation: this.#generation,
      sequence: 0,
      since: nanos,
      stack,
      reason: 0,
      thread: NONE,
      isOpen: false,
      isGone: false,
      contexts: [...NO_CONTEXTS],
    }
    this.#goroutines.set(id, goroutine)
    this.onChange(goroutine)
    return goroutine
  }

  #destroy(goroutine: Goroutine, nanos: number): void {
    this.#endState(goroutine, nanos)
    this.#goroutines.delete(goroutine.id)
    goroutine.isGone = true
  }

  #change(goroutine: Goroutine, status: number, nanos: number): void {
    this.#endState(goroutine, nanos)
    goroutine.status = status
    goroutine.since = nanos
    goroutine.reason = 0
    goroutine.thread = NONE
    goroutine.isOpen = false
  }

  #endState(goroutine: Goroutine, nanos: number): void {
    const { status, since } = goroutine
    const series = SERIES_OF_STATUS[status]
    if (series === NONE) return
    // Most goroutines repeat themselves: three of four contexts need no table look-up.
    const { contexts, reason, thread } = goroutine
    const at = 3 * status
    if (contexts[at] !== reason || contexts[at + 1] !== thread) {
      contexts[at] = reason
      contexts[at + 1] = thread
      const state = STATE_OF_STATUS[status]
      contexts[at + 2] = this.#observations.context(idOr(goroutine.id), NONE, idOr(thread), state, reason)
    }
    this.#observations.add(series, goroutine.stack, since, nanos - since, contexts[at + 2])
    if (goroutine.isOpen) this.#noteOpen()
  }

  #collect({ type, args, offset, thread }: ThreadEvents, nanos: number): void {
    const { goroutine, proc } = thread
    const context = { goroutine, proc, thread: thread.id, since: nanos, stack: 0, reason: 0 }
    switch (type) {
      case GoEventType.gcActive:
        return this.#begin('gc', { ...context, goroutine: NONE, proc: NONE, thread: NONE }, true)
      case GoEventType.gcBegin:
        return this.#begin('gc', { ...context, stack: this.#tables.stack(args[2], offset) })
      case GoEventType.gcEnd:
        return this.#end('gc', GoSeries.gc, nanos)
      case GoEventType.gcSweepActive:
        return this.#begin(`sweep ${args[1]}`, { ...context, goroutine: NONE, proc: args[1], thread: NONE }, true)
      case GoEventType.gcSweepBegin:
        return this.#begin(`sweep ${proc}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case GoEventType.gcSweepEnd:
        return this.#end(`sweep ${proc}`, GoSeries.gcSweep, nanos)
      case GoEventType.gcMarkAssistActive:
        return this.#begin(`assist ${args[1]}`, { ...context, goroutine: args[1], proc: NONE, thread: NONE }, true)
      case GoEventType.gcMarkAssistBegin:
        return this.#begin(`assist ${goroutine}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case GoEventType.gcMarkAssistEnd:
        return this.#end(`assist ${goroutine}`, GoSeries.gcMarkAssist, nanos)
      case GoEventType.stwBegin: {
        const reason = this.#tables.reason(args[1], offset)
        return this.#begin(`stop ${goroutine}`, { ...context, stack: this.#tables.stack(args[2], offset), reason })
      }
      default:
        return this.#end(`stop ${goroutine}`, GoSeries.stopTheWorld, nanos)
    }
  }

  /** `isOpen`: a generation repeats states that are open at its start. */
  #begin(key: string, span: Span, isOpen = false): void {
    if (isOpen && this.#spans.has(key)) return
    if (isOpen) this.#noteOpen()
    this.#spans.set(key, span)
  }

  #end(key: string, series: number, nanos: number): void {
    const span = this.#spans.get(key)
    if (span === undefined) return
    this.#spans.delete(key)
    this.#endSpan(span, series, nanos)
  }

  #endSpan(span: Span, series: number, nanos: number): void {
    const { goroutine, proc, thread, reason } = span
    const context = this.#observations.context(idOr(goroutine), idOr(proc), idOr(thread), State.none, reason)
    this.#observations.add(series, span.stack, span.since, nanos - span.since, context)
  }

  /** Ends all states that last beyond the end of the trace. */
  finish(nanos: number): void {
    for (const goroutine of this.#goroutines.values()) {
      if (SERIES_OF_STATUS[goroutine.status] === NONE) continue
      goroutine.isOpen = false
      this.#endState(goroutine, nanos)
      this.#noteOpen()
    }
    for (let open = this.#annotations.finish(nanos); open > 0; open--) this.#noteOpen()
    for (const [key, span] of this.#spans) {
      const [kind] = key.split(' ', 1)
      const series =
        ({ gc: GoSeries.gc, sweep: GoSeries.gcSweep, assist: GoSeries.gcMarkAssist } as const)[kind] ??
        GoSeries.stopTheWorld
      this.#endSpan(span, series, nanos)
      this.#noteOpen()
    }
  }

  #noteOpen(): void {
    this.#notes.add(
      'open-states',
      'states that began before the trace or lasted beyond its end count only their part within it',
    )
  }

  thread(id: number): GoThread {
    let thread = this.#threads.get(id)
    if (thread === undefined) {
      thread = { id, goroutine: NONE, current: undefined, proc: NONE }
      this.#threads.set(id, thread)
    }
    return thread
  }
}

function setCurrent(thread: GoThread, goroutine: Goroutine | undefined): void {
  thread.goroutine = goroutine === undefined ? NONE : goroutine.id
  thread.current = goroutine
}

/** An id of all ones means none. */
export function idOr(id: number): number {
  return Number.isSafeInteger(id) ? id : NONE
}
