// Reads a Go execution trace generation by generation: first its tables, then its CPU samples, then its events in
// order.
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { ReadOptions, ReadResult } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import { EventMerge } from './event-merge.ts'
import { GoEventType, argumentCounts, isLost } from './event-types.ts'
import { TraceGeneration } from './generation.ts'
import type { Batch } from './generation.ts'
import { Goroutines, idOr } from './goroutines.ts'
import { HEADER_BYTES, NEWEST_VERSION, readHeader } from './header.ts'
import { GoObservations, GoSeries, State } from './observations.ts'
import { ThreadEvents } from './thread-events.ts'
import { TraceClock } from './trace-clock.ts'
import { FORMAT, TraceCursor } from './trace-cursor.ts'
import { TraceTables } from './trace-tables.ts'

const SCOPE = 'runtime/trace'
/** Exact in doubles, with room for a few differences. Real clocks do not get there. */
const MAX_TICKS = 2 ** 52

export function readGoTrace(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  return new Reading(bytes, options).run()
}

class Reading {
  readonly #bytes: Uint8Array
  readonly #version: number
  readonly #isLenient: boolean
  readonly #notes = new NoteList()
  readonly #builder = new ProfilesBuilder()
  readonly #clock = new TraceClock()
  readonly #tables: TraceTables
  readonly #observations: GoObservations
  readonly #goroutines: Goroutines
  #annotations = 0

  constructor(bytes: Uint8Array, options: ReadOptions) {
    this.#bytes = bytes
    this.#version = readHeader(bytes)
    this.#isLenient = options.lenient === true
    this.#observations = new GoObservations(this.#builder, this.#clock)
    this.#tables = new TraceTables(this.#builder, this.#observations, bytes, this.#notes, this.#isLenient)
    this.#goroutines = new Goroutines(this.#observations, this.#tables, this.#notes)
  }

  run(): ReadResult {
    const notes = this.#notes
    const version = `1.${this.#version}`
    if (this.#version > NEWEST_VERSION) {
      notes.add('newer-version', `the trace is of Go ${version}; changes since 1.${NEWEST_VERSION} are not supported`)
    }
    for (const generation of this.#generations()) this.#readGeneration(generation)
    this.#goroutines.finish(this.#observations.last)
    notes.add('annotations', 'logs and labels of goroutines', this.#annotations)
    if (this.#clock.base !== undefined && !this.#clock.isUnix) {
      notes.add('clock', 'timestamps count from the start of the Go runtime clock, not from 1970')
    }
    this.#builder.resource()
    this.#builder.scope({ name: SCOPE, version })
    this.#observations.writeTo(this.#builder)
    return { profiles: this.#builder.build(), notes: notes.list(), generation: version }
  }

  *#generations(): Generator<TraceGeneration> {
    const cursor = new TraceCursor(this.#bytes, HEADER_BYTES)
    let current: TraceGeneration | undefined
    let complete = 0
    try {
      while (!cursor.isAtEnd) {
        const start = cursor.at
        const type = cursor.byte()
        if (type === GoEventType.endOfGeneration && this.#version >= 26) {
          if (current !== undefined) {
            current.isEnded = true
            complete++
            yield current
          }
          current = undefined
          continue
        }
        const isExperiment = type === GoEventType.experimentalBatch && this.#version >= 23
        if (type !== GoEventType.eventBatch && !isExperiment) {
          cursor.at = start
          throw cursor.fault(`event ${type} in place of a batch`)
        }
        if (isExperiment) cursor.byte()
        const number = cursor.number()
        if (current !== undefined && number < current.number)
          throw new FormatError(FORMAT, start, 'generations are out of order')
        if (current !== undefined && number > current.number) {
          complete++
          yield current
          current = undefined
        }
        current ??= new TraceGeneration(number, start)
        this.#readBatch(current, cursor, isExperiment)
      }
    } catch (error) {
      if (!(error instanceof FormatError) || (!this.#isLenient && complete === 0)) throw error
      this.#notes.addDamage('truncated', `the trace is read up to an error: ${error.message}`)
      // Like go tool trace, the strict reader uses complete generations only.
      if (!this.#isLenient) return
    }
    if (current === undefined) return
    if (this.#version >= 26) {
      const error = cursor.fault('the last generation has no end; the trace is truncated')
      if (!this.#isLenient && complete === 0) throw error
      this.#notes.addDamage('truncated', error.message)
      if (!this.#isLenient) return
    }
    yield current
  }

  #readBatch(generation: TraceGeneration, cursor: TraceCursor, isExperiment: boolean): void {
    const thread = cursor.number()
    const time = cursor.number()
    if (time > MAX_TICKS) throw cursor.fault(`time ${time} is out of range`)
    const from = cursor.range()
    if (isExperiment) {
      this.#notes.add('experiments', 'batches of experiments of the Go runtime')
      return
    }
    this.#mayBreak(() => generation.addBatch(thread, time, new TraceCursor(this.#bytes, from, cursor.at)))
  }

  #readGeneration(generation: TraceGeneration): void {
    try {
      const { frequency, snapshot, firstTicks, offset, number } = generation
      if (frequency === 0) throw new FormatError(FORMAT, offset, `generation ${number} has no clock`)
      this.#clock.startGeneration(frequency, snapshot, firstTicks, offset)
    } catch (error) {
      if (!(error instanceof FormatError) || !this.#isLenient) throw error
      this.#notes.addDamage('truncated', `a generation has no clock: ${error.message}`)
      // The clock of the previous generation can replace it. Without one, times have no meaning.
      if (this.#clock.base === undefined) return
    }
    this.#tables.startGeneration(generation)
    this.#goroutines.startGeneration(generation.number)
    for (const batch of generation.cpuSamples) this.#mayBreak(() => this.#readCpuSamples(batch))
    this.#readEvents(generation)
  }

  /** Catches errors of a batch. The next one does not depend on it. */
  #mayBreak(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#skip(error)
    }
  }

  #skip(error: unknown): void {
    if (!(error instanceof FormatError) || !this.#isLenient) throw error
    this.#notes.addDamage('skipped-batches', `batches are read up to an error; the first error: ${error.message}`)
  }

  #readCpuSamples({ from, to }: Batch): void {
    const cursor = new TraceCursor(this.#bytes, from, to)
    while (!cursor.isAtEnd) {
      const start = cursor.at
      if (cursor.byte() !== GoEventType.cpuSample)
        throw new FormatError(FORMAT, start, 'another event in a list of CPU samples')
      const ticks = cursor.number()
      if (ticks > MAX_TICKS) throw cursor.fault(`time ${ticks} is out of range`)
      const thread = idOr(cursor.number())
      const proc = idOr(cursor.number())
      const goroutine = idOr(cursor.number())
      const stack = this.#tables.stack(cursor.number(), start)
      const nanos = this.#nanos(ticks, start)
      this.#observations.see(nanos)
      const state = goroutine === 0 ? State.none : State.running
      const context = this.#observations.context(goroutine === 0 ? -1 : goroutine, proc, thread, state, 0)
      this.#observations.add(GoSeries.samples, stack, nanos, 1, context)
    }
  }

  #readEvents(generation: TraceGeneration): void {
    const merge = new EventMerge(this.#goroutines)
    this.#goroutines.onChange = goroutine => merge.wake(goroutine)
    const cursor = new TraceCursor(this.#bytes)
    const counts = argumentCounts(Math.min(this.#version, NEWEST_VERSION))
    for (const [thread, batches] of generation.threads) {
      const events = new ThreadEvents(this.#goroutines.thread(thread), batches, cursor, counts)
      if (this.#next(events)) merge.add(events)
    }
    for (;;) {
      const due = merge.first()
      if (due !== undefined) {
        this.#apply(due)
        if (this.#next(due)) merge.advance()
        else merge.drop()
        continue
      }
      // No event is due. Threads that still wait, wait for something that the file does not contain.
      const stuck = merge.takeWaiting().toSorted((a, b) => a.ticks - b.ticks)
      if (stuck.length === 0) return
      if (!this.#isLenient) {
        const { type, args, offset } = stuck[0]
        throw new FormatError(FORMAT, offset, `event ${type} of goroutine ${args[1]} is never due`)
      }
      this.#notes.add('unordered-events', 'events that are never due are read in file order', stuck.length)
      for (const events of stuck) {
        this.#apply(events)
        if (this.#next(events)) merge.add(events)
      }
    }
  }

  #apply(events: ThreadEvents): void {
    if (isLost(events.type)) this.#annotations++
    try {
      const nanos = this.#nanos(events.ticks, events.offset)
      this.#observations.see(nanos)
      const fault = this.#goroutines.apply(events, nanos)
      if (fault !== undefined) throw new FormatError(FORMAT, events.offset, fault)
    } catch (error) {
      if (!(error instanceof FormatError) || !this.#isLenient) throw error
      this.#notes.addDamage('skipped-events', `invalid events are skipped; the first error: ${error.message}`)
    }
  }

  /** Since the clock's base: in a range where doubles are exact, and not before 1970. */
  #nanos(ticks: number, offset: number): number {
    const nanos = this.#clock.nanos(ticks)
    if (!Number.isSafeInteger(nanos) || nanos < this.#clock.earliest) {
      throw new FormatError(FORMAT, offset, `${ticks} ticks are out of range of this trace's clock`)
    }
    return nanos
  }

  #next(events: ThreadEvents): boolean {
    for (;;) {
      try {
        const isThere = events.next()
        if (isThere && events.ticks > MAX_TICKS) {
          throw new FormatError(FORMAT, events.offset, `time ${events.ticks} is out of range`)
        }
        return isThere
      } catch (error) {
        this.#skip(error)
        events.skipBatch()
      }
    }
  }
}
