// Tasks and regions of a program (`runtime/trace`) as spans. A region belongs to a goroutine. A task may end on another goroutine.
import { GoEventType } from './event-types.ts'
import { GoSeries } from './observations.ts'
import type { GoObservations } from './observations.ts'
import type { ThreadEvents } from './thread-events.ts'
import type { TraceTables } from './trace-tables.ts'

interface OpenSpan {
  readonly since: number
  readonly stack: number
  readonly context: number
  readonly name: number
}

/** Programs that never end their regions would fill the memory. */
const MAX_OPEN = 1_000_000

export class GoAnnotations {
  readonly #observations: GoObservations
  readonly #tables: TraceTables
  readonly #tasks = new Map<number, OpenSpan>()
  /** By goroutine, the innermost last. */
  readonly #regions = new Map<number, OpenSpan[]>()
  #open = 0

  constructor(observations: GoObservations, tables: TraceTables) {
    this.#observations = observations
    this.#tables = tables
  }

  apply({ type, args, offset, thread }: ThreadEvents, nanos: number): void {
    const { goroutine } = thread
    switch (type) {
      case GoEventType.userTaskBegin: {
        const name = this.#tables.reason(args[3], offset)
        const context = this.#observations.spanContext(goroutine, name, args[1], Math.max(0, args[2]))
        this.#open++
        this.#tasks.set(args[1], { since: nanos, stack: this.#tables.stack(args[4], offset), context, name })
        return
      }
      case GoEventType.userTaskEnd:
        this.#end(this.#tasks.get(args[1]), nanos)
        this.#tasks.delete(args[1])
        return
      case GoEventType.userRegionBegin: {
        if (this.#open >= MAX_OPEN) return
        const name = this.#tables.reason(args[2], offset)
        const context = this.#observations.spanContext(goroutine, name, args[1], -1)
        const open = { since: nanos, stack: this.#tables.stack(args[3], offset), context, name }
        this.#open++
        const regions = this.#regions.get(goroutine)
        if (regions === undefined) this.#regions.set(goroutine, [open])
        else regions.push(open)
        return
      }
      default: {
        const regions = this.#regions.get(goroutine) ?? []
        const name = this.#tables.reason(args[2], offset)
        const at = regions.findLastIndex(region => region.name === name)
        if (at !== -1) this.#end(regions.splice(at, 1)[0], nanos)
        if (regions.length === 0) this.#regions.delete(goroutine)
      }
    }
  }

  /** Ends all spans that last beyond the end of the trace, and returns their number. */
  finish(nanos: number): number {
    const open = [...this.#tasks.values(), ...[...this.#regions.values()].flat()]
    for (const span of open) this.#end(span, nanos)
    return open.length
  }

  #end(span: OpenSpan | undefined, nanos: number): void {
    if (span === undefined) return
    this.#open--
    this.#observations.add(GoSeries.span, span.stack, span.since, nanos - span.since, span.context)
  }
}
