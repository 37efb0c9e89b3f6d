// Follows every goroutine, thread and processor through the events, and notes how long each state lasted. A goroutine keeps the
// stack with which it stopped until it runs again: that is where it waits, also while it is only waiting to be scheduled.
import type { NoteList } from '../format.ts'
import { EventType, GoStatus, ProcStatus } from './event-types.ts'
import type { Observations, SeriesName } from './observations.ts'
import type { ThreadEvents } from './thread-events.ts'
import type { TraceTables } from './trace-tables.ts'

const NONE = -1

export interface Goroutine {
  readonly id: number
  status: number
  /** How often it was changed from outside in a generation; events that do so are numbered. */
  generation: number
  sequence: number
  since: number
  stack: number
  reason: string
  /** Where it is in a system call. */
  thread: number
  /** Began before the trace did. */
  isOpen: boolean
}

interface Thread {
  goroutine: number
  proc: number
}

/** A span of garbage collection, or of a stopped world. */
interface Span {
  readonly since: number
  readonly stack: number
  readonly reason: string
  readonly goroutine: number
  readonly proc: number
  readonly thread: number
}

const SERIES_OF_STATUS: Readonly<Record<number, readonly [series: SeriesName, state: string]>> = {
  [GoStatus.runnable]: ['runnable', 'runnable'],
  [GoStatus.syscall]: ['syscall', 'syscall'],
  [GoStatus.waiting]: ['off_cpu', 'waiting'],
}

export class Goroutines {
  readonly #observations: Observations
  readonly #tables: TraceTables
  readonly #notes: NoteList
  readonly #goroutines = new Map<number, Goroutine>()
  readonly #threads = new Map<number, Thread>()
  /** By what they are of: `gc`, and the goroutine or processor. */
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

  /** What must be so before the event can be; undefined if it can. */
  neededBy({ type, args }: ThreadEvents): string | undefined {
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
    const isDue =
      goroutine?.status === status && goroutine.generation === this.#generation && goroutine.sequence + 1 === args[2]
    return isDue ? undefined : `${args[1]} ${args[2]} ${status}`
  }

  /** As `neededBy` names it: what events may come next for the goroutine. */
  stateKey({ id, sequence, status }: Goroutine): string {
    return `${id} ${sequence + 1} ${status}`
  }

  /** What is wrong, or undefined. */
  apply(events: ThreadEvents, nanos: number): string | undefined {
    const { type, args } = events
    const thread = this.#thread(events.thread)
    switch (type) {
      case EventType.procStart:
        thread.proc = args[1]
        return undefined
      case EventType.procStop:
        thread.proc = NONE
        return undefined
      case EventType.procSteal: {
        const robbed = this.#thread(args[3])
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
        this.#create(args[1], GoStatus.syscall, nanos, 0).thread = events.thread
        thread.goroutine = args[1]
        return undefined
      case EventType.goStatus:
      case EventType.goStatusStack:
        return this.#status(events, nanos)
      case EventType.goStart:
      case EventType.goUnblock:
        return this.#changeOther(events, thread, nanos)
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
        this.#collect(events, thread, nanos)
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
        return this.#changeCurrent(events, thread, nanos)
      default:
        return undefined
    }
  }

  /** Events of a thread that are about the goroutine it runs. */
  #changeCurrent(events: ThreadEvents, thread: Thread, nanos: number): string | undefined {
    const { type, args, offset } = events
    const goroutine = this.#goroutines.get(thread.goroutine)
    if (goroutine === undefined) return `event ${type} of thread ${events.thread}, which runs no goroutine`
    switch (type) {
      case EventType.goDestroySyscall:
      case EventType.goDestroy:
        this.#destroy(goroutine, nanos)
        thread.goroutine = NONE
        if (type === EventType.goDestroySyscall) thread.proc = NONE
        return undefined
      case EventType.goStop:
      case EventType.goBlock:
        this.#change(goroutine, type === EventType.goStop ? GoStatus.runnable : GoStatus.waiting, nanos)
        goroutine.reason = this.#tables.text(args[1], offset)
        goroutine.stack = this.#tables.stack(args[2], offset)
        thread.goroutine = NONE
        break
      case EventType.goSyscallBegin:
        this.#change(goroutine, GoStatus.syscall, nanos)
        goroutine.stack = this.#tables.stack(args[2], offset)
        goroutine.thread = events.thread
        break
      case EventType.goSyscallEnd:
        this.#change(goroutine, GoStatus.running, nanos)
        break
      case EventType.goSyscallEndBlocked:
        this.#change(goroutine, GoStatus.runnable, nanos)
        thread.goroutine = NONE
        thread.proc = NONE
        break
      default: {
        if (type === EventType.goSwitchDestroy) this.#destroy(goroutine, nanos)
        else {
          this.#change(goroutine, GoStatus.waiting, nanos)
          goroutine.stack = 0
          this.onChange(goroutine)
        }
        return this.#changeOther(events, thread, nanos)
      }
    }
    this.onChange(goroutine)
    return undefined
  }

  /** Events that name a goroutine and carry its number. */
  #changeOther({ type, args }: ThreadEvents, thread: Thread, nanos: number): string | undefined {
    const goroutine = this.#goroutines.get(args[1])
    if (goroutine === undefined) return `goroutine ${args[1]} is not known`
    goroutine.generation = this.#generation
    goroutine.sequence = args[2]
    if (type === EventType.goUnblock) this.#change(goroutine, GoStatus.runnable, nanos)
    else {
      this.#change(goroutine, GoStatus.running, nanos)
      thread.goroutine = goroutine.id
    }
    this.onChange(goroutine)
    return undefined
  }

  /** Each goroutine's state is told once in a generation, before anything else of it. */
  #status({ type, args, offset, thread }: ThreadEvents, nanos: number): string | undefined {
    const [, id, onThread, status] = args
    if (!(status >= GoStatus.runnable && status <= GoStatus.waiting)) return `goroutine ${id} in state ${status}`
    let goroutine = this.#goroutines.get(id)
    if (goroutine === undefined) {
      goroutine = this.#create(id, status, nanos, 0)
      goroutine.isOpen = this.#isFirstGeneration
    } else if (goroutine.status !== status) {
      this.#notes.add('inconsistent-states', 'goroutines changed their state without an event that says so')
      this.#change(goroutine, status, nanos)
    }
    goroutine.generation = this.#generation
    goroutine.sequence = 0
    if (type === EventType.goStatusStack && goroutine.stack === 0) goroutine.stack = this.#tables.stack(args[4], offset)
    if (status === GoStatus.running) this.#thread(thread).goroutine = id
    else if (status === GoStatus.syscall) {
      this.#thread(onThread).goroutine = id
      goroutine.thread = onThread
    }
    this.onChange(goroutine)
    return undefined
  }

  #create(id: number, status: number, nanos: number, stack: number): Goroutine {
    const goroutine: Goroutine = {
      id,
      status,
      generation: this.#generation,
      sequence: 0,
      since: nanos,
      stack,
      reason: '',
      thread: NONE,
      isOpen: false,
    }
    this.#goroutines.set(id, goroutine)
    this.onChange(goroutine)
    return goroutine
  }

  #destroy(goroutine: Goroutine, nanos: number): void {
    this.#endState(goroutine, nanos)
    this.#goroutines.delete(goroutine.id)
  }

  #change(goroutine: Goroutine, status: number, nanos: number): void {
    this.#endState(goroutine, nanos)
    goroutine.status = status
    goroutine.since = nanos
    goroutine.reason = ''
    goroutine.thread = NONE
    goroutine.isOpen = false
  }

  #endState({ id, status, since, stack, reason, thread, isOpen }: Goroutine, nanos: number): void {
    const series = SERIES_OF_STATUS[status]
    if (series === undefined) return
    const context = { goroutine: idOr(id), proc: NONE, thread: idOr(thread), state: series[1], reason }
    this.#observations.lasted(series[0], stack, since, nanos, context)
    if (isOpen) this.#noteOpen()
  }

  #collect(events: ThreadEvents, { goroutine, proc }: Thread, nanos: number): void {
    const { type, args, offset } = events
    const context = { goroutine, proc, thread: events.thread, since: nanos, stack: 0, reason: '' }
    switch (type) {
      case EventType.gcActive:
        return this.#begin('gc', { ...context, goroutine: NONE, proc: NONE, thread: NONE }, true)
      case EventType.gcBegin:
        return this.#begin('gc', { ...context, stack: this.#tables.stack(args[2], offset) })
      case EventType.gcEnd:
        return this.#end('gc', 'gc', nanos)
      case EventType.gcSweepActive:
        return this.#begin(`sweep ${args[1]}`, { ...context, goroutine: NONE, proc: args[1], thread: NONE }, true)
      case EventType.gcSweepBegin:
        return this.#begin(`sweep ${proc}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case EventType.gcSweepEnd:
        return this.#end(`sweep ${proc}`, 'gc_sweep', nanos)
      case EventType.gcMarkAssistActive:
        return this.#begin(`assist ${args[1]}`, { ...context, goroutine: args[1], proc: NONE, thread: NONE }, true)
      case EventType.gcMarkAssistBegin:
        return this.#begin(`assist ${goroutine}`, { ...context, stack: this.#tables.stack(args[1], offset) })
      case EventType.gcMarkAssistEnd:
        return this.#end(`assist ${goroutine}`, 'gc_mark_assist', nanos)
      case EventType.stwBegin: {
        const reason = this.#tables.text(args[1], offset)
        return this.#begin(`stop ${goroutine}`, { ...context, stack: this.#tables.stack(args[2], offset), reason })
      }
      default:
        return this.#end(`stop ${goroutine}`, 'stop_the_world', nanos)
    }
  }

  /** `isOpen`: a generation tells again what goes on at its start. */
  #begin(key: string, span: Span, isOpen = false): void {
    if (isOpen && this.#spans.has(key)) return
    if (isOpen) this.#noteOpen()
    this.#spans.set(key, span)
  }

  #end(key: string, series: SeriesName, nanos: number): void {
    const span = this.#spans.get(key)
    if (span === undefined) return
    this.#spans.delete(key)
    this.#endSpan(span, series, nanos)
  }

  #endSpan(span: Span, series: SeriesName, nanos: number): void {
    const { goroutine, proc, thread, reason } = span
    const context = { goroutine: idOr(goroutine), proc: idOr(proc), thread: idOr(thread), state: '', reason }
    this.#observations.lasted(series, span.stack, span.since, nanos, context)
  }

  /** Ends all states that last beyond the end of the trace. */
  finish(nanos: number): void {
    for (const goroutine of this.#goroutines.values()) {
      if (SERIES_OF_STATUS[goroutine.status] === undefined) continue
      this.#endState({ ...goroutine, isOpen: false }, nanos)
      this.#noteOpen()
    }
    for (const [key, span] of this.#spans) {
      const [kind] = key.split(' ', 1)
      const series = ({ gc: 'gc', sweep: 'gc_sweep', assist: 'gc_mark_assist' } as const)[kind] ?? 'stop_the_world'
      this.#endSpan(span, series, nanos)
      this.#noteOpen()
    }
  }

  #noteOpen(): void {
    this.#notes.add(
      'open-states',
      'states that began before the trace or lasted beyond its end have only what lies in it',
    )
  }

  #thread(id: number): Thread {
    let thread = this.#threads.get(id)
    if (thread === undefined) this.#threads.set(id, (thread = { goroutine: NONE, proc: NONE }))
    return thread
  }
}

/** Ids that are all ones say that there is none. */
export function idOr(id: number): number {
  return Number.isSafeInteger(id) ? id : NONE
}
