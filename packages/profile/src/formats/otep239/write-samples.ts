// Writes the samples of a profile in the form of the document. A sample has one value of every type for all its times, so a
// sample whose times have different values becomes one sample per time. Timestamps are in milliseconds, as the document says,
// or in nanoseconds, as in the released form.
import type { StackIndex } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { MAX_UINT64, highHalf, lowHalf, uint64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { AttributeOrder } from '../former-drafts/attribute-order.ts'
import { FieldAttributes } from '../former-drafts/field-attributes.ts'
import type { NoteList } from '../format.ts'
import type { RowNumbers, StringNumbers } from '../former-drafts/row-numbers.ts'
import { writePacked } from '../former-drafts/write-fields.ts'
import type { Otep239AttributeTable } from './attribute-table.ts'
import type { ContainerGroup } from './container-groups.ts'
import type { StackSlices } from './stack-slices.ts'
import { stackSlices } from './stack-slices.ts'
import { OrderEvidence } from './stack-order.ts'

/** Number of samples in which the order must show. About 10 KB, well within the head that detection examines. */
const FIRST_SAMPLES = 128

export interface ContainerNumbers {
  readonly strings: StringNumbers
  readonly attributes: Otep239AttributeTable
  readonly locations: RowNumbers
  readonly links: RowNumbers
  readonly order: AttributeOrder
}

export interface WrittenSamples {
  /** Fields `sample`. */
  readonly samples: Uint8Array
  /** Field `location_indices`. Empty if samples list their locations. */
  readonly indices: Uint8Array
}

export class SampleWriter {
  /** The largest time of the samples that were written last, in the unit of the file. Undefined if they have no times. */
  largestTime: bigint | undefined
  /** Nanoseconds per unit of the timestamps. */
  readonly #nanos: bigint
  /** The time range of the container. */
  #start = 0n
  #end = 0n
  /** Whether stacks may be slices. */
  useSlices = true
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #numbers: ContainerNumbers
  readonly #fields: FieldAttributes
  readonly #run = new GrowingInts()

  constructor(payload: Profiles, notes: NoteList, numbers: ContainerNumbers, nanos: bigint) {
    this.#payload = payload
    this.#nanos = nanos
    this.#notes = notes
    this.#numbers = numbers
    this.#fields = new FieldAttributes(payload.dictionary, ['stacktrace-id'], numbers.order)
  }

  /** Writes the samples of a container. The profiles of each part differ only in their values. */
  write({ parts }: ContainerGroup): WrittenSamples {
    this.largestTime = undefined
    const { profiles } = this.#payload
    const [[first]] = parts
    this.#start = profiles.time(first)
    this.#end = this.#start + profiles.duration(first)
    const orders = parts.map(([lead]) => this.#samplesOf(lead))
    const order = orders.flat()
    const all = parts.reduce((sum, [lead]) => sum + profiles.samplesTo(lead) - profiles.samplesFrom(lead), 0)
    const empty = all - order.length
    this.#notes.add('empty-samples', 'samples with neither values nor timestamps were dropped', empty)
    const slices = this.useSlices ? this.#slicesOf(order) : undefined
    const indices = new BackwardWriter(256)
    if (slices !== undefined) writePacked(indices, 0x7a, slices.locations.array, 0, slices.locations.length)
    const out = new BackwardWriter(order.length * 16)
    for (const [part, members] of [...parts.entries()].reverse()) {
      for (const s of orders[part].toReversed()) this.#sample(out, s, members, slices)
    }
    return { samples: out.finish(), indices: indices.finish() }
  }

  /** Whether slices would be used for the stacks of a container. */
  canShowOrder({ parts }: ContainerGroup): boolean {
    return this.#slicesOf(parts.flatMap(([lead]) => this.#samplesOf(lead))) !== undefined
  }

  /** The samples that will be written. */
  #samplesOf(i: number): number[] {
    const { profiles, samples } = this.#payload
    const from = profiles.samplesFrom(i)
    const all = Array.from({ length: profiles.samplesTo(i) - from }, (_, k) => from + k)
    return all.filter(s => samples.observations(s) > 0)
  }

  /** Returns undefined if the first samples do not show, by a common start, which end of a slice is the root. */
  #slicesOf(order: readonly number[]): StackSlices | undefined {
    const { samples, dictionary } = this.#payload
    const { locations } = this.#numbers
    const slices = stackSlices(dictionary, new Set(order.map(s => samples.stack(s))), row => locations.of(row))
    const evidence = new OrderEvidence()
    for (const s of order.slice(0, FIRST_SAMPLES)) {
      const stack = samples.stack(s)
      evidence.add(slices.starts.get(stack) ?? 0, dictionary.stacks.to(stack) - dictionary.stacks.from(stack))
    }
    return evidence.sharesStarts ? slices : undefined
  }

  #sample(out: BackwardWriter, s: number, members: readonly number[], slices: StackSlices | undefined): void {
    const { profiles, samples } = this.#payload
    const first = profiles.samplesFrom(members[0])
    // The same sample in each of the profiles.
    const rows = members.map(member => s - first + profiles.samplesFrom(member))
    const values = Math.max(...rows.map(row => samples.valuesTo(row) - samples.valuesFrom(row)))
    const timesFrom = samples.timestampsFrom(s)
    const times = samples.timestampsTo(s) - timesFrom
    if (times > 0 && values === 0) {
      // Each counts one.
      const counts = rows.flatMap(() => [times, 0])
      this.#one(out, s, slices, counts, timesFrom, timesFrom + times)
      return
    }
    if (times > 0 && values !== times) {
      this.#notes.add('sample-lengths', 'samples with different numbers of values and timestamps were padded')
    }
    for (const k of this.#byTime(timesFrom, times, Math.max(values, times)).reverse()) {
      const isTimed = k < times
      const run = rows.flatMap(row => this.#valueAt(row, k))
      this.#one(out, s, slices, run, isTimed ? timesFrom + k : 0, isTimed ? timesFrom + k + 1 : 0)
    }
  }

  /** Halves of a sample's value for its k-th time. A time of a sample without values counts one. */
  #valueAt(s: number, k: number): [number, number] {
    const { samples } = this.#payload
    const at = samples.valuesFrom(s) + k
    if (at < samples.valuesTo(s)) return [samples.values.lo(at), samples.values.hi(at)]
    return [samples.valuesFrom(s) === samples.valuesTo(s) ? 1 : 0, 0]
  }

  /** Sorts by time, because a reader sorts the times of what was one sample. */
  #byTime(from: number, times: number, count: number): number[] {
    const { timestamps } = this.#payload.samples
    const all = timestamps.unsigned()
    const timeOf = (k: number): bigint => (k < times ? all[from + k] : MAX_UINT64)
    const places = Array.from({ length: count }, (_, k) => k)
    return places.sort((a, b) => Number(timeOf(a) > timeOf(b)) - Number(timeOf(a) < timeOf(b)) || a - b)
  }

  /** Writes one message with the halves of its values and the times [from, to) of the pool. */
  #one(
    out: BackwardWriter,
    s: number,
    slices: StackSlices | undefined,
    values: readonly number[],
    from: number,
    to: number,
  ): void {
    const { samples } = this.#payload
    const { strings, attributes, links } = this.#numbers
    const { timestamps } = samples
    const mark = out.written
    if (from < to) {
      const list = out.written
      out.reserve((to - from) * 10)
      for (let k = to - 1; k >= from; k--) {
        const time = this.#inUnit(uint64(timestamps.lo(k), timestamps.hi(k)))
        if (this.largestTime === undefined || time > this.largestTime) this.largestTime = time
        out.rawVarint64(lowHalf(time), highHalf(time))
      }
      out.messageHeader(0x6a, list)
    }
    out.varint32Field(0x60, links.of(samples.link(s)))
    const fields = this.#fields.split(samples.attributes, samples.attributesFrom(s), samples.attributesTo(s))
    fields.writeRest(out, 0x52, attributes)
    out.varint32Field(0x48, strings.text(fields.texts.get('stacktrace-id') ?? ''))
    const stack = samples.stack(s)
    if (slices !== undefined && slices.starts.has(stack)) {
      const { stacks } = this.#payload.dictionary
      out.varint32Field(0x40, stacks.to(stack) - stacks.from(stack))
      out.varint32Field(0x38, slices.starts.get(stack)!)
    }
    const list = out.written
    out.reserve(values.length * 5)
    for (let k = values.length - 2; k >= 0; k -= 2) out.rawVarint64(values[k], values[k + 1])
    out.messageHeader(0x12, list)
    if (slices === undefined) this.#locationList(out, stack)
    out.messageHeader(0x12, mark)
  }

  /** Rounds down, unless the time would then be before the start of the profile. */
  #inUnit(time: bigint): bigint {
    const nanos = this.#nanos
    const whole = time / nanos
    if (whole * nanos === time) return whole
    this.#notes.add('timestamp-precision', 'timestamps were rounded to milliseconds, the unit of OTEP 0239')
    const next = (whole + 1n) * nanos
    return whole * nanos < this.#start && next < this.#end ? whole + 1n : whole
  }

  /** Leaf first. */
  #locationList(out: BackwardWriter, stack: StackIndex): void {
    const { stacks } = this.#payload.dictionary
    const run = this.#run
    run.length = 0
    for (let k = stacks.from(stack); k < stacks.to(stack); k++)
      run.push(this.#numbers.locations.of(stacks.locations.at(k)))
    writePacked(out, 0x0a, run.array, 0, run.length)
  }
}
