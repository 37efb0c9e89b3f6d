// Follows every goroutine, thread and processor through the events, and records the duration of each state. A goroutine
// keeps the stack with which it stopped until it runs again. It waits there, and also waits there to be scheduled.
import type { NoteList } from '../format.ts'
import { EventType, GoStatus, ProcStatus } from './event-types.ts'
import { Series, State } from './observations.ts'
import type { Observations } from './observations.ts'
import type { ThreadEvents } from './thread-events.ts'
import type { TraceTables } from './trace-tables.ts'
import type { Goroutine, Thread } from './thread-state.ts'

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
const SERIES_OF_STATUS = [NONE, Series.runnable, NONE, Series.syscall, Series.offCpu]
const STATE_OF_STATUS = [State.none, State.runnable, State.running, State.syscall, State.waiting]

/** Reasons are never negative. */
const NO_CONTEXTS: readonly number[] = SERIES_OF_STATUS.flatMap(() => [NONE, NONE, NONE])

export class Goroutines {
  readonly #observations: Observations
  readonly #tables: TraceTables
  readonly #notes: NoteList
  readonly #goroutines = new Map<number, Goroutine>()
  readonly #threads = new Map<number, Thread>()
  /** By subject: `gc`, and the goroutine or processor. */
  readonly #spans = new Map<string, Span>()
  #generation = 0
  #isFirstGeneration = true
  /** Called for each goroutine that an event has changed. */
  onChange: (goroutine: Goroutine) => void = () => {}

  constructor(observations: Observations, tables: TraceTables, notes: NoteList) {
    this.#observations = observations
    this.#tables = tables
    this.#notes = notes
  }

  startGeneration(number: number): void {
    this.#isFirstGeneration = this.#generation === 0
    this.#generation = number
  }

  /** The state that must be reached before the event. Undefined if the event is due. */
  neededBy(events: ThreadEvents): string | undefined {
    const { type, args } = events
    if (
      type !== EventType.goStart &&
      type !== EventType.goUnblock &&
      type !== EventType.goSwitch &&
      type !== EventType.goSwitchDestroy
    ) {
      return undefined
    }
    const status = type === EventType.goStart ? GoStatus.runnable : GoStatus.waiting
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
      case EventType.procStart:
        thread.proc = args[1]
        return undefined
      case EventType.procStop:
        thread.proc = NONE
        return undefined
      case EventType.procSteal: {
        const robbed = this.thread(args[3])
        if (robbed.proc === args[1]) robbed.proc = NONE
        return undefined
      }
      case EventType.procStatus:
        if (args[2] === ProcStatus.running || args[2] === ProcStatus.syscall) thread.proc = args[1]
        return undefined
      case EventType.goCreate:
      case EventType.goCreateBlocked: {
        const status = type === EventType.goCreate ? GoStatus.runnable : GoStatus.waiting
        this.#create(args[1], status, nanos, this.#tables.stack(args[2], events.offset))
        return undefined
      }
      case EventType.goCreateSyscall:
        setCurrent(thread, this.#create(args[1], GoStatus.syscall, nanos, 0))
        thread.current!.thread = thread.id
        return undefined
      case EventType.goStatus:
      case EventType.goStatusStack:
        return this.#status(events, nanos)
      case EventType.goStart:
      case EventType.goUnblock:
        return this.#changeOther(events, nanos)
      case EventType.gcActive:
      case EventType.gcBegin:
      case EventType.gcEnd:
      case EventType.gcSweepActive:
      case EventType.gcSweepBegin:
      case EventType.gcSweepEnd:
      case EventType.gcMarkAssistActive:
      case EventType.gcMarkAssistBegin:
      case EventType.gcMarkAssistEnd:
      case EventType.stwBegin:
      case EventType.stwEnd:
        this.#collect(events, nanos)
        return undefined
      case EventType.goDestroy:
      case EventType.goDestroySyscall:
      case EventType.goStop:
      case EventType.goBlock:
      case EventType.goSyscallBegin:
      case EventType.goSyscallEnd:
      case EventType.goSyscallEndBlocked:
      case EventType.goSwitch:
      case EventType.goSwitchDestroy:
        return this.#changeCurrent(events, nanos)
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
      case EventType.goDestroySyscall:
      case EventType.goDestroy:
        this.#destroy(goroutine, nanos)
        setCurrent(thread, undefined)
        if (type === EventType.goDestroySyscall) thread.proc = NONE
        return undefined
      case EventType.goStop:
      case EventType.goBlock:
        this.#change(goroutine, type === EventType.goStop ? GoStatus.runnable : GoStatus.waiting, nanos)
        goroutine.reason = this.#tables.reason(args[1], offset)
        goroutine.stack = this.#tables.stack(args[2], offset)
        setCurrent(thread, undefined)
        break
      case EventType.goSyscallBegin:
        this.#change(goroutine, GoStatus.syscall, nanos)
        goroutine.stack = this.#tables.stack(args[2], offset)
        goroutine.thread = thread.id
        break
      case EventType.goSyscallEnd:
        this.#change(goroutine, GoStatus.running, nanos)
        break
      case EventType.goSyscallEndBlocked:
        this.#change(goroutine, GoStatus.runnable, nanos)
        setCurrent(thread, undefined)
        thread.proc = NONE
        break
      default: {
        if (type === EventType.goSwitchDestroy) this.#destroy(goroutine, nanos)
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
    if (type === EventType.goUnblock) this.#change(goroutine, GoStatus.runnable, nanos)
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
    if (type === EventType.goStatusStack && goroutine.stack === 0) goroutine.stack = this.#tables.stack(args[4], offset)
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
      case EventType.gcActive:
        return this.#begin('gc', { ...context, goroutine: NONE, proc: NONE, thread: NONE }, true)
      case EventType.gcBegin:
        return this.#begin('gc', { ...context, stack: this.#tables.stack(args[2], offset) })
      case EventType.gcEnd:
        return this.#end('gc', Series.gc, nanos)
      case EventType.gcSweepActive:
        return this.#begin(`sweep ${args[1]}`, { ...context, goroutine: NONE, proc: args[1], thread: NONE }, true)
      case EventType.gcSweepBegin:
        return this.#begin(`sweep ${proc}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case EventType.gcSweepEnd:
        return this.#end(`sweep ${proc}`, Series.gcSweep, nanos)
      case EventType.gcMarkAssistActive:
        return this.#begin(`assist ${args[1]}`, { ...context, goroutine: args[1], proc: NONE, thread: NONE }, true)
      case EventType.gcMarkAssistBegin:
        return this.#begin(`assist ${goroutine}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case EventType.gcMarkAssistEnd:
        return this.#end(`assist ${goroutine}`, Series.gcMarkAssist, nanos)
      case EventType.stwBegin: {
        const reason = this.#tables.reason(args[1], offset)
        return this.#begin(`stop ${goroutine}`, { ...context, stack: this.#tables.stack(args[2], offset), reason })
      }
      default:
        return this.#end(`stop ${goroutine}`, Series.stopTheWorld, nanos)
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
    for (const [key, span] of this.#spans) {
      const [kind] = key.split(' ', 1)
      const series =
        ({ gc: Series.gc, sweep: Series.gcSweep, assist: Series.gcMarkAssist } as const)[kind] ?? Series.stopTheWorld
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

  thread(id: number): Thread {
    let thread = this.#threads.get(id)
    if (thread === undefined) {
      thread = { id, goroutine: NONE, current: undefined, proc: NONE }
      this.#threads.set(id, thread)
    }
    return thread
  }
}

function setCurrent(thread: Thread, goroutine: Goroutine | undefined): void {
  thread.goroutine = goroutine === undefined ? NONE : goroutine.id
  thread.current = goroutine
}

/** An id of all ones means none. */
export function idOr(id: number): number {
  return Number.isSafeInteger(id) ? id : NONE
}
