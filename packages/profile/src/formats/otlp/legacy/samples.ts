// Reads the samples of one profile of a generation up to v1.7. There a profile has several types, and a sample has one value
// for each type and any number of timestamps. Today a profile has one type, and values and timestamps are parallel. So each
// type becomes a profile:
//
//   types  samples/count, cpu/nanoseconds        samples/count      cpu/nanoseconds
//   sample 2, 20000000 at 10:01, 10:02      ->   at 10:01, 10:02    10000000 at 10:01, 10000000 at 10:02
//
// Timestamped samples with the same stack, link and attributes are merged into one.
import type { ProfileHeader } from '../../../model/build/builder.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { highHalf, lowHalf } from '../../../model/columns/int64.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import { sortSet } from '../../../model/columns/sorted-set.ts'
import type { LegacyContext } from './context.ts'
import { pushLabels } from './labels.ts'
import { LegacyStacks } from './stacks.ts'
import type { LegacyTables } from './tables.ts'
import type { Steps } from '../locate.ts'
import { messagesOf, numbersIn } from '../generations/message-fields.ts'
import type { Message, NumberSequence } from '../generations/schema-reader.ts'

/** Stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 2

export class LegacySamples {
  readonly #context: LegacyContext
  readonly #tables: LegacyTables
  readonly #stacks: LegacyStacks
  readonly #at: Steps
  /** The unit of each sample type. */
  readonly #units: readonly string[]
  /** Number of values per sample. At least one, even if the profile has no type. */
  readonly #width: number
  /** Stack, link and attributes of the sample being read. */
  readonly #identity = new GrowingInts()

  // Samples without timestamps, in order: identities, their ends, and `width` values each.
  readonly #plain = new GrowingInts()
  readonly #plainEnds = new GrowingInts()
  readonly #plainValues = new GrowingInts()

  // Samples with timestamps: identities, and for each observation its identity, time and `width` values.
  readonly #timed = new SequenceInterner()
  /** By identity: whether several samples share it. Observations of a single sample keep their order. */
  readonly #isCombined: boolean[] = []
  readonly #owners = new GrowingInts()
  readonly #times = new GrowingInts()
  readonly #timedValues = new GrowingInts()
  /** By type: whether every value is 1. */
  readonly #allOnes: boolean[]
  #order: Int32Array | undefined

  constructor(context: LegacyContext, tables: LegacyTables, profile: Message, at: Steps, units: readonly string[]) {
    this.#context = context
    this.#tables = tables
    this.#stacks = new LegacyStacks(context, tables, profile, at)
    this.#at = at
    this.#units = units
    this.#width = Math.max(1, units.length)
    this.#allOnes = new Array<boolean>(this.#width).fill(true)
    let i = 0
    for (const sample of messagesOf(profile, 'sample')) this.#read(sample, i++)
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

  #read(sample: Message, i: number): void {
    const steps = (): Steps => [...this.#at, ['sample', i]]
    this.#readIdentity(sample, steps)
    const values = numbersIn(sample, 'value')
    const times = numbersIn(sample, 'timestamps_unix_nano')
    const types = this.#units.length
    if (times.length === 0) {
      if (values.length !== types || types === 0) this.#reject(values.length, 0, steps)
      this.#addPlain(values, steps)
    } else if (values.length === 0 && types <= 1) this.#addTimed(times, () => 1n, steps)
    else if (values.length === types) this.#addTimed(times, this.#shares(values, times.length), steps)
    // The eBPF profiler sent this for off-CPU time.
    else if (types === 1 && values.length === times.length) this.#addTimed(times, (_, k) => BigInt(values[k]), steps)
    else this.#reject(values.length, times.length, steps)
  }

  #reject(values: number, times: number, steps: () => Steps): never {
    const found = `${values} values and ${times} timestamps`
    return this.#context.fail(steps(), `sample has ${found}, but the profile has ${this.#units.length} sample types`)
  }

  #readIdentity(sample: Message, steps: () => Steps): void {
    const { names } = this.#context
    const identity = this.#identity
    identity.length = 0
    identity.push(this.#stacks.stackOf(sample, steps))
    identity.push(this.#linkOf(sample, steps))
    const attributes = numbersIn(sample, names.attributes)
    for (let k = 0; k < attributes.length; k++) {
      const index = Number(attributes[k])
      identity.push(this.#tables.attributeAt(index, () => [...steps(), [names.attributes, k]]))
    }
    if (this.#context.generation === 'v1.3') pushLabels(this.#context, this.#tables, sample, identity, steps)
  }

  /**
   * Since v1.4 the field is optional: absent means none, 0 means the first link. v1.3 cannot distinguish these, and 0 is read
   * as none. Otherwise all samples of a producer without links would refer to the first link.
   */
  #linkOf(sample: Message, steps: () => Steps): number {
    const { names, generation } = this.#context
    const index = sample[names.link] as number | bigint | undefined
    if (index === undefined || (generation === 'v1.3' && Number(index) === 0)) return 0
    return this.#tables.linkAt(Number(index), () => [...steps(), [names.link, 0]])
  }

  #addPlain(values: NumberSequence, steps: () => Steps): void {
    if (this.#width > 1) this.#context.spend((this.#width - 1) * this.#identity.length, steps)
    this.#plain.pushAll(this.#identity.array, 0, this.#identity.length)
    this.#plainEnds.push(this.#plain.length)
    for (let type = 0; type < values.length; type++) pushLong(this.#plainValues, BigInt(values[type]))
  }

  #addTimed(times: NumberSequence, valueOf: (type: number, k: number) => bigint, steps: () => Steps): void {
    // The values stored here, and the values and timestamps of each type's profile.
    if (this.#width > 1) this.#context.spend(this.#width * (6 * times.length + this.#identity.length), steps)
    const { array, length } = this.#identity
    const known = this.#timed.length
    const owner = this.#timed.intern(array, 0, sortSet(array, IDENTITY_HEAD, length))
    this.#isCombined[owner] = owner < known
    for (let k = 0; k < times.length; k++) {
      this.#owners.push(owner)
      pushLong(this.#times, BigInt(times[k]))
      for (let type = 0; type < this.#width; type++) {
        const value = valueOf(type, k)
        if (value !== 1n) this.#allOnes[type] = false
        pushLong(this.#timedValues, value)
      }
    }
  }

  /** Divides one value per type among all timestamps. */
  #shares(values: NumberSequence, times: number): (type: number, k: number) => bigint {
    const { notes } = this.#context
    const totals = Array.from(values, value => BigInt(value))
    if (times === 1) return type => totals[type]
    for (const [type, total] of totals.entries()) {
      if (total === BigInt(times)) continue
      // The eBPF profiler sent 1 for CPU time, whatever the number of timestamps.
      if (totals.length === 1 && total === 1n && this.#units[type] === 'count') {
        totals[type] = BigInt(times)
        notes.add('timestamps-counted', 'a value of 1 for several timestamps was read as 1 for each of them')
      } else notes.add('values-spread', 'a value for several timestamps was divided among them')
    }
    return (type, k) => share(totals[type], times, k)
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
    const ends = new Int32Array(this.#timed.length + 1)
    for (const owner of owners) ends[owner + 1]++
    for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1]
    const order = new Int32Array(owners.length)
    const places = ends.slice()
    for (let i = 0; i < owners.length; i++) order[places[owners[i]]++] = i
    const times = new BigUint64Array(this.#times.array.buffer, 0, owners.length)
    for (const [i, isCombined] of this.#isCombined.entries()) {
      if (isCombined) sortByTime(order, ends[i], ends[i + 1], times)
    }
    return order
  }
}

function sortByTime(order: Int32Array, from: number, to: number, times: BigUint64Array): void {
  let sorted = true
  for (let i = from + 1; i < to && sorted; i++) sorted = times[order[i - 1]] <= times[order[i]]
  if (sorted) return
  order.subarray(from, to).sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b))
}

function pushLong(column: GrowingInts, value: bigint): void {
  column.push(lowHalf(value))
  column.push(highHalf(value))
}

/** The k-th of `count` integer shares of a total, as equal as possible, larger shares first. */
function share(total: bigint, count: number, k: number): bigint {
  const each = total / BigInt(count)
  const rest = total % BigInt(count)
  if (BigInt(k) < rest) return each + 1n
  return BigInt(k) < -rest ? each - 1n : each
}
