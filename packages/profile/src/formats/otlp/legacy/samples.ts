// Reads the samples of one profile of a generation up to v1.7. There a profile has several types, and a sample has one value
// for each type and any number of timestamps. Today a profile has one type, and values and timestamps are parallel. So each
// type becomes a profile:
//
//   types  samples/count, cpu/nanoseconds        samples/count      cpu/nanoseconds
//   sample 2, 20000000 at 10:01, 10:02      ->   at 10:01, 10:02    10000000 at 10:01, 10000000 at 10:02
//
// Timestamped samples with the same stack, link and attributes are merged into one.
import type { ProfileHeader } from '../../../model/build/builder.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { highHalf, int64, lowHalf, uint64 } from '../../../model/columns/int64.ts'
import type { SequenceInterner } from '../../../model/build/intern.ts'
import { sortSet } from '../../../model/columns/sorted-set.ts'
import type { LegacyContext } from './context.ts'
import { pushLabels } from './labels.ts'
import { LegacyStacks } from './stacks.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { orderByOwner } from '../../sort-by-time.ts'
import { messagesOf } from '../generations/message-fields.ts'
import type { Row } from '../generations/row.ts'
import { eachRow } from '../generations/row.ts'
import type { Message } from '../generations/schema-reader.ts'

/** Stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 2

/** Attributes of a sample that name a span, as indexes of the attribute table. A missing one is -1, with an empty id. */
export interface SpanAttributes {
  readonly trace: number
  readonly span: number
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
}

/** The meaning of samples where generations with the same bytes differ. */
export interface SampleMeaning {
  /** Whether runs of locations start with the root. */
  readonly isRootFirst: boolean
  /** Nanoseconds per unit of the timestamps. */
  readonly nanos: bigint
  /** Nanoseconds per unit of the times of the profile. */
  readonly timeNanos: bigint
  /** Finds the span in the attributes of a sample, which are in the slot. */
  readonly spanIn?: (sample: Row, attributes: number) => SpanAttributes | undefined
}

export class LegacySamples {
  readonly #context: LegacyContext
  readonly #tables: LegacyTables
  readonly #meaning: SampleMeaning
  readonly #stacks: LegacyStacks
  /** The unit of each sample type. */
  readonly #units: readonly string[]
  /** Number of values per sample. At least one, even if the profile has no type. */
  readonly #width: number
  /** Stack, link and attributes of the sample being read. */
  readonly #identity: GrowingInts

  // Samples without timestamps, in order: identities, their ends, and `width` values each.
  readonly #plain: GrowingInts
  readonly #plainEnds: GrowingInts
  readonly #plainValues: GrowingInts

  // Samples with timestamps: identities, and for each observation its identity, time and `width` values.
  readonly #timed: SequenceInterner
  /** By identity: whether several samples share it. Observations of a single sample keep their order. */
  readonly #isCombined: boolean[] = []
  readonly #owners: GrowingInts
  readonly #times: GrowingInts
  readonly #timedValues: GrowingInts
  /** By type: whether every value is 1. */
  readonly #allOnes: boolean[]
  #order: Int32Array | undefined
  #ambiguousLinks = 0

  constructor(
    context: LegacyContext,
    tables: LegacyTables,
    profile: Message,
    at: Steps,
    units: readonly string[],
    meaning: SampleMeaning,
  ) {
    this.#context = context
    this.#tables = tables
    this.#meaning = meaning
    const memory = context.memory.openSamples()
    this.#identity = memory.identity
    this.#plain = memory.plain
    this.#plainEnds = memory.plainEnds
    this.#plainValues = memory.plainValues
    this.#timed = memory.timed
    this.#owners = memory.owners
    this.#times = memory.times
    this.#timedValues = memory.timedValues
    this.#stacks = new LegacyStacks(context, tables, profile, at, meaning.isRootFirst)
    this.#units = units
    this.#width = Math.max(1, units.length)
    this.#allOnes = new Array<boolean>(this.#width).fill(true)
    const { sample } = context.rows
    let row = 0
    const steps = (): Steps => [...at, ['sample', row]]
    eachRow(messagesOf(profile, 'sample'), sample, i => {
      row = i
      this.#read(sample, steps)
    })
    context.notes.add(
      'ambiguous-link',
      'samples with link 0, which means "none" or the first link, were read without a link',
      this.#ambiguousLinks,
    )
    if (this.#plainEnds.length > 0 && this.#owners.length > 0) {
      context.notes.add('mixed-shapes', 'profiles in which only some samples have timestamps were split in two')
    }
  }

  /** Writes the values of one type as a profile, or as two if only some samples have timestamps. */
  write(type: number, header: ProfileHeader): void {
    const { builder } = this.#context
    if (this.#plainEnds.length > 0 || this.#owners.length === 0) {
      builder.profile(header)
      this.#writePlain(type)
    }
    if (this.#owners.length > 0) {
      builder.profile(header)
      this.#writeTimed(type)
    }
  }

  #read(sample: Row, steps: () => Steps): void {
    const { sample: slot } = this.#context.rows.slots
    this.#readIdentity(sample, steps)
    const values = sample.count(slot.values)
    const times = sample.count(slot.times)
    const types = this.#units.length
    const { array } = sample.lists[slot.values]
    if (times === 0) {
      if (values !== types || types === 0) this.#reject(values, 0, steps)
      this.#addPlain(array, steps)
    } else if (values === 0 && types <= 1) this.#addTimed(sample, type => this.#pushValue(type, 1, 0), steps)
    else if (values === types) this.#addTimed(sample, this.#shares(array, times), steps)
    // The eBPF profiler sent this for off-CPU time.
    else if (types === 1 && values === times) {
      this.#addTimed(sample, (type, k) => this.#pushValue(type, array[2 * k], array[2 * k + 1]), steps)
    } else this.#reject(values, times, steps)
  }

  #reject(values: number, times: number, steps: () => Steps): never {
    const found = `${values} values and ${times} timestamps`
    return this.#context.fail(steps(), `sample has ${found}, but the profile has ${this.#units.length} sample types`)
  }

  #readIdentity(sample: Row, steps: () => Steps): void {
    const { generation, rows } = this.#context
    const { attributes } = rows.slots.sample
    const identity = this.#identity
    identity.length = 0
    identity.push(this.#stacks.stackOf(sample, steps))
    identity.push(this.#linkOf(sample, steps))
    const pair = identity.array[1] === 0 ? this.#meaning.spanIn?.(sample, attributes) : undefined
    if (pair === undefined) this.#tables.pushAttributes(sample, attributes, identity, steps)
    else this.#pushLinked(sample, pair, steps)
    if (generation === 'v1.3') pushLabels(this.#context, this.#tables, identity, steps)
  }

  /** Turns the attributes that name a span into a link, and keeps the others. */
  #pushLinked(sample: Row, { trace, span, traceId, spanId }: SpanAttributes, steps: () => Steps): void {
    const { attributes } = this.#context.rows.slots.sample
    this.#identity.array[1] = this.#context.builder.link(traceId, spanId)
    for (let k = 0; k < sample.count(attributes); k++) {
      const index = sample.listed(attributes, k)
      if (index === trace || index === span) continue
      this.#identity.push(this.#tables.attributeAt(index, () => [...steps(), [this.#context.names.attributes, k]]))
    }
  }

  /**
   * Since v1.4 the field is optional: absent means none, 0 means the first link. v1.3 cannot distinguish these, and 0 is read
   * as none. Otherwise all samples of a producer without links would refer to the first link.
   */
  #linkOf(sample: Row, steps: () => Steps): number {
    const { names, generation, rows } = this.#context
    const { link } = rows.slots.sample
    const index = sample.number(link)
    if (generation === 'v1.3' && index === 0) {
      if (this.#tables.hasFirstLink) this.#ambiguousLinks++
      return 0
    }
    return sample.has(link) ? this.#tables.linkAt(index, () => [...steps(), [names.link, 0]]) : 0
  }

  #addPlain(values: Int32Array, steps: () => Steps): void {
    if (this.#width > 1) this.#context.spend((this.#width - 1) * this.#identity.length, steps)
    this.#plain.pushAll(this.#identity.array, 0, this.#identity.length)
    this.#plainEnds.push(this.#plain.length)
    this.#plainValues.pushAll(values, 0, 2 * this.#width)
  }

  #addTimed(sample: Row, pushValue: (type: number, k: number) => void, steps: () => Steps): void {
    const { times } = this.#context.rows.slots.sample
    const count = sample.count(times)
    // The values stored here, and the values and timestamps of each type's profile.
    if (this.#width > 1) this.#context.spend(this.#width * (6 * count + this.#identity.length), steps)
    const { array, length } = this.#identity
    const known = this.#timed.length
    const owner = this.#timed.intern(array, 0, sortSet(array, IDENTITY_HEAD, length))
    this.#isCombined[owner] = owner < known
    this.#pushTimes(sample.lists[times])
    for (let k = 0; k < count; k++) {
      this.#owners.push(owner)
      for (let type = 0; type < this.#width; type++) pushValue(type, k)
    }
  }

  #pushTimes({ array, length }: GrowingInts): void {
    const { nanos } = this.#meaning
    if (nanos === 1n) this.#times.pushAll(array, 0, length)
    else for (let k = 0; k < length; k += 2) this.#times.pushLong(uint64(array[k], array[k + 1]) * nanos)
  }

  #pushValue(type: number, lo: number, hi: number): void {
    if (lo !== 1 || hi !== 0) this.#allOnes[type] = false
    this.#timedValues.push(lo)
    this.#timedValues.push(hi)
  }

  /** Divides one value per type among all timestamps. */
  #shares(values: Int32Array, times: number): (type: number, k: number) => void {
    const { notes } = this.#context
    if (times === 1) return type => this.#pushValue(type, values[2 * type], values[2 * type + 1])
    const totals = Array.from(this.#units, (_, type) => int64(values[2 * type], values[2 * type + 1]))
    for (const [type, total] of totals.entries()) {
      if (total === BigInt(times)) continue
      // The eBPF profiler sent 1 for CPU time, whatever the number of timestamps.
      if (totals.length === 1 && total === 1n && this.#units[type] === 'count') {
        totals[type] = BigInt(times)
        notes.add('timestamps-counted', 'a value of 1 for several timestamps was read as 1 for each of them')
      } else notes.add('values-spread', 'a value for several timestamps was divided among them')
    }
    const areOnes = totals.map(total => total === BigInt(times))
    return (type, k) => {
      if (areOnes[type]) {
        this.#pushValue(type, 1, 0)
        return
      }
      const value = share(totals[type], times, k)
      this.#pushValue(type, lowHalf(value), highHalf(value))
    }
  }

  #writePlain(type: number): void {
    const { builder } = this.#context
    const { draft } = builder
    const identities = this.#plain.array
    const values = this.#plainValues.array
    let from = 0
    for (let i = 0; i < this.#plainEnds.length; i++) {
      const to = this.#plainEnds.array[i]
      const at = 2 * (i * this.#width + type)
      draft.sampleAttributes.pushAll(identities, from + IDENTITY_HEAD, to)
      draft.values.pushAll(values, at, at + 2)
      builder.sampleRow(identities[from], identities[from + 1])
      from = to
    }
  }

  #writeTimed(type: number): void {
    const { builder } = this.#context
    const { draft } = builder
    const order = (this.#order ??= this.#inOrder())
    const owners = this.#owners.array
    const withValues = !this.#allOnes[type]
    for (let i = 0; i < order.length; i++) {
      const observation = order[i]
      const owner = owners[observation]
      const at = 2 * (observation * this.#width + type)
      draft.timestamps.pushAll(this.#times.array, 2 * observation, 2 * observation + 2)
      if (withValues) draft.values.pushAll(this.#timedValues.array, at, at + 2)
      if (i + 1 < order.length && owners[order[i + 1]] === owner) continue
      const { array } = this.#timed.pool
      const start = this.#timed.start(owner)
      draft.sampleAttributes.pushAll(array, start + IDENTITY_HEAD, this.#timed.end(owner))
      builder.sampleRow(array[start], array[start + 1])
    }
  }

  /** Sorts observations by identity, in order of first occurrence, and by time if samples were merged. */
  #inOrder(): Int32Array {
    const owners = this.#owners.view()
    const times = new BigUint64Array(this.#times.array.buffer, 0, owners.length)
    return orderByOwner(owners, this.#timed.length, this.#isCombined, times)
  }
}

/** The k-th of `count` integer shares of a total, as equal as possible, larger shares first. */
function share(total: bigint, count: number, k: number): bigint {
  const each = total / BigInt(count)
  const rest = total % BigInt(count)
  if (BigInt(k) < rest) return each + 1n
  return BigInt(k) < -rest ? each - 1n : each
}
