// Reads events in wire order, because times are relative: a number of ticks since the previous event with the same clock, or
// since the start of the clock.
import { NONE } from '../../model/columns/brand.ts'
import { MAX_INT64 } from '../../model/columns/int64.ts'
import { WireError } from '../../wire/wire-error.ts'
import { MessageParts } from '../former-drafts/message-parts.ts'
import { STACK_INDEX } from './attribute-names.ts'
import { isExact, nanosOfTicks, timeOfTicks } from './clock.ts'
import { EventColumns, pushLong } from './event-columns.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import type { EventTables, EventType } from './read-tables.ts'
import { EVENT, PROFILE, eventShape } from './shapes.ts'

export function readEvents(context: ReadContext, tables: EventTables, profile: MessageParts): EventColumns {
  return new EventReader(context, tables).read(profile)
}

class EventReader {
  readonly #context: ReadContext
  readonly #tables: EventTables
  readonly #columns = new EventColumns()
  readonly #event: MessageParts
  /** The current ticks of each clock. */
  readonly #ticks: BigInt64Array

  constructor(context: ReadContext, tables: EventTables) {
    this.#context = context
    this.#tables = tables
    this.#event = new MessageParts(context.source, eventShape)
    this.#ticks = new BigInt64Array(tables.clocks.length)
  }

  read(profile: MessageParts): EventColumns {
    const { place, source, notes } = this.#context
    for (let i = 0; i < profile.count(PROFILE.events); i++) {
      place.table = 'events'
      place.row = i
      const { attributes } = this.#columns
      const { length } = attributes
      try {
        this.#read(profile.from(PROFILE.events, i), profile.to(PROFILE.events, i))
      } catch (error) {
        if (!source.lenient || !(error instanceof WireError)) throw error
        attributes.length = length
        notes.addDamage('skipped-events', 'events that are broken or refer to missing rows were dropped')
      }
    }
    place.table = ''
    return this.#columns
  }

  #read(from: number, to: number): void {
    const event = this.#event.read(from, to)
    const index = event.uint32(EVENT.event_type_index)
    const { types } = this.#tables
    if (index >= types.length) {
      const at = event.has(EVENT.event_type_index) ? event.lastFrom(EVENT.event_type_index) : from
      throw new WireError(at, `index ${index} is outside event_types (length ${types.length})`)
    }
    const type = types[index]
    const columns = this.#columns
    // The time advances even if the event turns out to be broken.
    const ticks = this.#advance(event, type)
    const count = event.uint64(EVENT.count)
    const stack = this.#stack(event)
    const link = event.has(EVENT.link_index)
      ? this.#tables.link(event.uint32(EVENT.link_index), event.lastFrom(EVENT.link_index))
      : 0
    this.#tables.pushAttributes(event, EVENT.attribute_indices, columns.attributes)
    const total = this.#total(event, type, count)
    const duration = this.#duration(event, type)
    // A time of 0 in an aggregate means none: it applies to the complete profile.
    const isTimed = type.clock !== NONE && (count <= 1n || event.int64(EVENT.time) !== 0n)
    pushLong(columns.times, isTimed ? this.#time(ticks, type) : 0n)
    pushLong(columns.durations, duration)
    pushLong(columns.totals, total)
    pushLong(columns.counts, this.#inRange(count, 'count'))
    columns.push(index, stack, link, isTimed)
  }

  /** A file may omit its stacks, like the examples of the document. Then only the number of the stack is known. */
  #stack(event: MessageParts): number {
    const index = event.uint32(EVENT.stack_index)
    if (this.#tables.hasStacks) return this.#tables.stack(index, event.lastFrom(EVENT.stack_index))
    if (index !== 0) {
      const { builder, notes } = this.#context
      notes.add('missing-stacks', 'the file has no stacks; the index of each stack is stored in an attribute')
      this.#columns.attributes.push(builder.attribute(STACK_INDEX, BigInt(index)))
    }
    return 0
  }

  #advance(event: MessageParts, { clock }: EventType): bigint {
    const time = event.int64(EVENT.time)
    if (clock === NONE) {
      if (time !== 0n)
        this.#context.notes.add('time-without-clock', 'times of events whose type has no clock were dropped')
      return 0n
    }
    return (this.#ticks[clock] = BigInt.asIntN(64, this.#ticks[clock] + time))
  }

  #time(ticks: bigint, { clock: index }: EventType): bigint {
    const clock = this.#tables.clocks[index]
    if (!isExact(ticks, clock)) this.#noteRounding()
    return timeOfTicks(ticks, clock)
  }

  #duration(event: MessageParts, { clock: index }: EventType): bigint {
    const ticks = event.uint64(EVENT.duration)
    if (ticks === 0n) return 0n
    if (index === NONE) {
      this.#context.notes.add('duration-without-clock', 'durations of events whose type has no clock were dropped')
      return 0n
    }
    const clock = this.#tables.clocks[index]
    if (!isExact(ticks, clock)) this.#noteRounding()
    return this.#inRange(nanosOfTicks(ticks, clock), 'duration')
  }

  #noteRounding(): void {
    this.#context.notes.add('rounded-times', 'times and durations between two nanoseconds were rounded to the nearest')
  }

  /** Returns the sum, or the value, or the default value times the number of events. */
  #total(event: MessageParts, type: EventType, count: bigint): bigint {
    const sum = event.uint64(EVENT.sum)
    const value = event.uint64(EVENT.value)
    if (sum !== 0n && value !== 0n && sum !== value) {
      this.#context.notes.add('value-and-sum', 'events have a value and a different sum; the sum was kept')
    }
    if (sum !== 0n || value !== 0n) return this.#inRange(sum === 0n ? value : sum, 'value')
    return this.#inRange((count === 0n ? 1n : count) * type.defaultValue, 'value')
  }

  /** Converts to the signed numbers of the model. The upper half of unsigned numbers represents negative ones. */
  #inRange(value: bigint, what: string): bigint {
    if (value <= MAX_INT64) return value
    if (BigInt.asUintN(64, value) !== value) {
      throw new WireError(this.#event.source.reader.pos, `${what} ${value} does not fit in 64 bits`)
    }
    this.#context.notes.add('large-values', 'numbers of 2^63 and more were read as negative')
    return BigInt.asIntN(64, value)
  }
}
