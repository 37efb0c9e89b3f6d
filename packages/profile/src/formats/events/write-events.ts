// Writes the events of all types in this order: events without a time first, then those of each clock by time. This keeps the
// stored times, which are ticks since the previous event, small.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { MAX_INT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { AttributeOrder } from '../former-drafts/attribute-order.ts'
import type { NoteList } from '../format.ts'
import type { RowNumbers } from '../former-drafts/row-numbers.ts'
import type { EventClock } from './clock.ts'
import { ticksOfNanos, ticksOfTime } from './clock.ts'
import { isZeroAt, longAt, pushLong } from './event-columns.ts'
import type { TypePlan } from './plan-types.ts'
import type { AttributeNumbers } from './write-values.ts'
import type { AttributeIndex } from '../../model/columns/brand.ts'

/** type, sample of the model, clock. */
const ROW = 3
const MIXED_UP = 'samples whose values and timestamps differ in number were filled up'

export interface EventNumbers {
  readonly stacks: RowNumbers
  readonly links: RowNumbers
  readonly attributes: AttributeNumbers
  readonly order: AttributeOrder
}

export class EventWriter {
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #rows = new GrowingInts()
  readonly #ticks = new GrowingInts()
  readonly #durations = new GrowingInts()
  readonly #values = new GrowingInts()
  readonly #counts = new GrowingInts()
  readonly #sums = new GrowingInts()

  constructor(payload: Profiles, notes: NoteList) {
    this.#payload = payload
    this.#notes = notes
  }

  /** `clock` is the number of the type's clock, or -1. */
  add(type: number, plan: TypePlan, clock: number): void {
    const { samples } = this.#payload
    for (const s of this.#samplesOf(plan)) {
      const count = plan.isTimed
        ? samples.timestampsTo(s) - samples.timestampsFrom(s)
        : samples.valuesTo(s) - samples.valuesFrom(s)
      for (let k = 0; k < count; k++) this.#addOne(type, plan, clock, s, k)
    }
  }

  /**
   * Returns samples with times in order of time. A reader meets them in this order, so events with equal times keep their order
   * when they are written again.
   */
  #samplesOf(plan: TypePlan): number[] {
    const { profiles, samples } = this.#payload
    const found: number[] = []
    for (let s = profiles.samplesFrom(plan.lead); s < profiles.samplesTo(plan.lead); s++) {
      const values = samples.valuesTo(s) - samples.valuesFrom(s)
      const times = samples.timestampsTo(s) - samples.timestampsFrom(s)
      if (values + times === 0) {
        this.#notes.add('empty-samples', 'samples with neither values nor timestamps were dropped')
      } else if (times > 0 && values > 0 && values !== times) this.#notes.add('sample-lengths', MIXED_UP)
      if (times > 0 === plan.isTimed) found.push(s)
    }
    if (!plan.isTimed) return found
    const times = samples.timestamps.unsigned()
    const firsts = new Map<number, bigint>()
    for (const s of found) {
      for (let k = samples.timestampsFrom(s); k < samples.timestampsTo(s); k++) {
        const tick = ticksOfTime(times[k], plan.clock!)!
        if (tick < (firsts.get(s) ?? MAX_INT64 + 1n)) firsts.set(s, tick)
      }
    }
    return found.sort(
      (a, b) => Number(firsts.get(a)! > firsts.get(b)!) - Number(firsts.get(a)! < firsts.get(b)!) || a - b,
    )
  }

  /** Adds observation k of a sample. */
  #addOne(type: number, plan: TypePlan, clock: number, s: number, k: number): void {
    this.#rows.push(type)
    this.#rows.push(s)
    this.#rows.push(clock)
    const { samples } = this.#payload
    const time = plan.isTimed ? samples.timestamps.unsigned()[samples.timestampsFrom(s) + k] : 0n
    pushLong(this.#ticks, plan.isTimed ? ticksOfTime(time, plan.clock!)! : 0n)
    const duration = this.#numberOf(plan.duration, plan, s, k) ?? 0n
    pushLong(this.#durations, duration === 0n ? 0n : ticksOfNanos(duration, plan.clock!)!)
    const counted = this.#numberOf(plan.count, plan, s, k) ?? 0n
    this.#pushValue(this.#numberOf(plan.value, plan, s, k), counted, plan)
  }

  /** Returns the value of a member of the plan for the same observation, or undefined if it has none. */
  #numberOf(member: number | undefined, plan: TypePlan, s: number, k: number): bigint | undefined {
    if (member === undefined) return undefined
    const { profiles, samples } = this.#payload
    const sample = s - profiles.samplesFrom(plan.lead) + profiles.samplesFrom(member)
    const at = samples.valuesFrom(sample) + k
    return at < samples.valuesTo(sample) ? samples.values.signed()[at] : undefined
  }

  #pushValue(value: bigint | undefined, counted: bigint, plan: TypePlan): void {
    const { defaultValue, isTimed, asCounts } = plan
    let count = counted
    let total = value ?? 0n
    // A time without a value counts one if others have values.
    if (value === undefined && isTimed && plan.value !== undefined && !this.#isBare(plan)) total = 1n
    if (asCounts) {
      count = total
      total = 0n
    } else if (defaultValue !== 0n) {
      if (!isTimed && counted === 0n && total > 0n && total % defaultValue === 0n) count = total / defaultValue
      if (total === (count === 0n ? 1n : count) * defaultValue) total = 0n
    }
    if (total < 0n)
      this.#notes.add('negative-values', 'negative values are written as the unsigned numbers of the same bits')
    pushLong(this.#counts, count)
    // A single event has a value, several events have a sum.
    pushLong(this.#values, isTimed && count <= 1n ? total : 0n)
    pushLong(this.#sums, isTimed && count <= 1n ? 0n : total)
  }

  #isBare({ lead }: TypePlan): boolean {
    const { profiles, samples } = this.#payload
    return samples.valuesFrom(profiles.samplesFrom(lead)) === samples.valuesTo(profiles.samplesTo(lead) - 1)
  }

  /** Writes the fields `events`. */
  write(tag: number, { stacks, links, attributes, order: attributeOrder }: EventNumbers): Uint8Array {
    const { samples } = this.#payload
    const order = this.#inOrder()
    this.#toDeltas(order)
    const writer = new BackwardWriter(order.length * 16)
    const list = new GrowingInts()
    const gatherAttributes = (s: number): void => {
      list.length = 0
      for (let k = samples.attributesFrom(s); k < samples.attributesTo(s); k++) list.push(samples.attributes.at(k))
      attributeOrder.sort(list.array, 0, list.length)
      for (let k = 0; k < list.length; k++) list.array[k] = attributes.of(list.array[k] as AttributeIndex)
    }
    // Rows are numbered by first use in file order, before anything is written.
    for (const i of order) {
      const s = this.#rows.array[i * ROW + 1]
      stacks.of(samples.stack(s))
      if (samples.link(s) !== 0) links.of(samples.link(s))
      gatherAttributes(s)
    }
    for (let n = order.length - 1; n >= 0; n--) {
      const i = order[n]
      const s = this.#rows.array[i * ROW + 1]
      const mark = writer.written
      for (const [field, column] of [
        [0x48, this.#sums],
        [0x40, this.#counts],
        [0x38, this.#values],
        [0x30, this.#durations],
        [0x28, this.#ticks],
      ] as const) {
        if (!isZeroAt(column, i)) writer.varint64Field(field, column.array[2 * i], column.array[2 * i + 1])
      }
      gatherAttributes(s)
      if (list.length > 0) {
        const listMark = writer.written
        writer.reserve(list.length * 5)
        for (let k = list.length - 1; k >= 0; k--) writer.rawVarint32(list.array[k])
        writer.messageHeader(0x22, listMark)
      }
      if (samples.link(s) !== 0) {
        writer.reserve(8)
        writer.rawVarint32(links.of(samples.link(s)))
        writer.rawVarint32(0x18)
      }
      writer.varint32Field(0x10, stacks.of(samples.stack(s)))
      writer.varint32Field(0x08, this.#rows.array[i * ROW])
      writer.messageHeader(tag, mark)
    }
    return writer.finish()
  }

  #inOrder(): Int32Array {
    const count = this.#rows.length / ROW
    const order = Int32Array.from({ length: count }, (_, i) => i)
    const clocks = this.#rows.array
    const ticks = new BigInt64Array(this.#ticks.array.buffer, 0, count)
    let sorted = true
    const compare = (a: number, b: number): number => {
      const byClock = clocks[a * ROW + 2] - clocks[b * ROW + 2]
      if (byClock !== 0) return byClock
      return ticks[a] < ticks[b] ? -1 : ticks[a] > ticks[b] ? 1 : a - b
    }
    for (let i = 1; i < count && sorted; i++) sorted = compare(i - 1, i) <= 0
    return sorted ? order : order.sort(compare)
  }

  /** Converts times to ticks since the previous event with the same clock. */
  #toDeltas(order: Int32Array): void {
    const last = new Map<number, bigint>()
    const deltas = new BigInt64Array(order.length)
    for (const i of order) {
      const clock = this.#rows.array[i * ROW + 2]
      if (clock < 0) continue
      const ticks = longAt(this.#ticks, i)
      deltas[i] = BigInt.asIntN(64, ticks - (last.get(clock) ?? 0n))
      last.set(clock, ticks)
    }
    this.#ticks.length = 0
    for (const delta of deltas) pushLong(this.#ticks, delta)
  }
}

/** Numbers clocks by content. Equal clocks share a number, unless a type needs its own clock. */
export class ClockNumbers {
  readonly clocks: EventClock[] = []
  readonly #byContent = new Map<string, number>()

  of({ clock, hasOwnClock }: TypePlan): number {
    if (clock === undefined) return -1
    if (hasOwnClock) return this.clocks.push(clock) - 1
    const content = JSON.stringify([clock.frequency, clock.start, clock.attributes], (_, part: unknown) =>
      typeof part === 'bigint' ? `${part}n` : part,
    )
    let number = this.#byContent.get(content)
    if (number === undefined) {
      number = this.clocks.push(clock) - 1
      this.#byContent.set(content, number)
    }
    return number
  }
}
