// Turns the decoded samples of a container into rows of the model, once for each type. Samples with timestamps that have the same
// stack, link and attributes become one, as in the general reader (otlp/legacy/samples.ts).
import { SequenceInterner } from '../../model/build/intern.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SAMPLE_STRIDE } from '../../model/columns/profiles.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import type { NoteList } from '../format.ts'
import { LargestTime } from '../otlp/legacy/time-units.ts'
import { timeUnit, timeUnitNote } from '../recordings/time-unit.ts'
import { orderByOwner } from '../sort-by-time.ts'
import type { DirectDecoder } from './direct-decoder.ts'
import { DECODED_SAMPLE, UNUSUAL } from './direct-decoder.ts'
import type { StackOrder } from './stack-order.ts'
import { OrderEvidence } from './stack-order.ts'
import type { MarkedUnit } from './unit-mark.ts'
import { NANOS } from './unit-mark.ts'

/** Stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 2
/** In ints: 64 MiB. Slices, and attributes of several types, may expand to that, or to four times the file. */
const MIN_LIMIT = 1 << 24
/** Longer tables are not reused for the next file. */
const MAX_KEPT_ROWS = 1 << 14

const RUN = new Int32Array(2)

export class DirectSamples {
  readonly orders = new Set<StackOrder>()
  readonly #decoder: DirectDecoder
  readonly #stacks: SequenceInterner
  #limit = MIN_LIMIT
  #types = 0
  /** The stack of each sample. */
  readonly #stackRows = new GrowingInts()
  /** Slices that were read before, as start and length, and their stacks. */
  #runs = new SequenceInterner()
  readonly #runRows = new GrowingInts()
  /** Added to the index of a link. */
  #linkBase = 0

  // Observations of samples with timestamps: identity, time, and a value of each type.
  #isTimed = false
  #identities = new SequenceInterner()
  readonly #identity = new GrowingInts()
  readonly #isCombined: boolean[] = []
  readonly #owners = new GrowingInts()
  readonly #times = new GrowingInts()
  readonly #values = new GrowingInts()
  readonly #allOnes: boolean[] = []
  /** The order in which observations are pushed. Undefined if it is their own. */
  #order: Int32Array | undefined

  constructor(decoder: DirectDecoder, stacks: SequenceInterner) {
    this.#decoder = decoder
    this.#stacks = stacks
  }

  /** Starts a file of this many bytes. */
  open(bytes: number): void {
    this.orders.clear()
    this.#limit = Math.max(MIN_LIMIT, 4 * bytes)
  }

  /** Reads the samples of the container. Rows of locations and links are indexes plus the given numbers. */
  read(
    types: number,
    firstLocation: number,
    locations: number,
    linkBase: number,
    links: number,
    mark: MarkedUnit | undefined,
    notes: NoteList,
  ): void {
    const { samples, indices, listed, timestamps, sampleAttributes } = this.#decoder
    this.#types = types
    this.#linkBase = linkBase
    if (listed.length > 0 && indices.length > 0) throw UNUSUAL
    resolve(listed, firstLocation, locations)
    resolve(indices, firstLocation, locations)
    for (let at = 2; at < samples.length; at += DECODED_SAMPLE) if (samples.array[at] >>> 0 > links) throw UNUSUAL
    this.#readStacks()
    this.#spend((types - 1) * sampleAttributes.length)
    this.#isTimed = timestamps.length > 0
    if (this.#isTimed) this.#readTimed(this.#unitOf(mark, notes))
    else this.#checkPlain()
  }

  /** Adds the samples with their values of one type to the draft. */
  push(type: number): void {
    if (this.#isTimed) this.#pushTimed(type)
    else this.#pushPlain(type)
  }

  #spend(ints: number): void {
    this.#limit -= ints
    if (this.#limit < 0) throw UNUSUAL
  }

  #readStacks(): void {
    const { samples, listed, indices } = this.#decoder
    const { array, length } = samples
    const rows = this.#stackRows
    rows.length = 0
    const target = rows.reserve(length / DECODED_SAMPLE)
    if (indices.length > 0) {
      this.#readSlices(target)
      return
    }
    let from = 0
    for (let at = 0, i = 0; at < length; at += DECODED_SAMPLE, i++) {
      if (array[at + 1] !== 0) throw UNUSUAL
      const to = array[at + 3]
      target[i] = to === from ? 0 : this.#stacks.intern(listed.array, from, to)
      from = to
    }
  }

  #readSlices(target: Int32Array): void {
    const { samples, indices } = this.#decoder
    const { array, length } = samples
    const evidence = new OrderEvidence()
    for (let at = 0; at < length && !evidence.sharesStarts; at += DECODED_SAMPLE) {
      evidence.add(array[at], array[at + 1])
    }
    const order = evidence.order()
    // Without any indication the general reader adds a note.
    if (order === undefined) throw UNUSUAL
    this.orders.add(order)
    this.#runs = emptied(this.#runs)
    this.#runRows.length = 0
    for (let at = 0, i = 0; at < length; at += DECODED_SAMPLE, i++) {
      const start = array[at]
      const count = array[at + 1]
      if (count === 0) {
        target[i] = 0
        continue
      }
      if (start < 0 || count < 0 || start + count > indices.length) throw UNUSUAL
      RUN[0] = start
      RUN[1] = count
      const run = this.#runs.intern(RUN, 0, 2)
      if (run === this.#runRows.length) {
        this.#spend(count)
        this.#runRows.push(this.#sliceStack(start, count, order === 'root-first'))
      }
      target[i] = this.#runRows.array[run]
    }
  }

  #sliceStack(start: number, count: number, isRootFirst: boolean): number {
    const { array } = this.#decoder.indices
    if (!isRootFirst) return this.#stacks.intern(array, start, start + count)
    const { pool } = this.#stacks
    const tail = pool.reserve(count)
    for (let k = start + count - 1, at = pool.length; k >= start; k--) tail[at++] = array[k]
    return this.#stacks.internTail(count)
  }

  /** Checks that each sample has one value of each type. */
  #checkPlain(): void {
    const { array, length } = this.#decoder.samples
    for (let at = 5, end = this.#types; at < length; at += DECODED_SAMPLE, end += this.#types) {
      if (array[at] !== end) throw UNUSUAL
    }
  }

  #pushPlain(type: number): void {
    const types = this.#types
    const { samples, values, sampleAttributes, draft } = this.#decoder
    const source = samples.array
    const count = samples.length / DECODED_SAMPLE
    const attributes = draft.sampleAttributes.length
    draft.sampleAttributes.pushAll(sampleAttributes.array, 0, sampleAttributes.length)
    const numbers = draft.values.reserve(2 * count)
    const row = draft.samples.reserve(count * SAMPLE_STRIDE)
    const times = draft.timestamps.length >> 1
    let value = draft.values.length
    let at = draft.samples.length
    for (let i = 0, from = 0, k = 2 * type; i < count; i++, from += DECODED_SAMPLE, k += 2 * types) {
      numbers[value++] = values.array[k]
      numbers[value++] = values.array[k + 1]
      row[at] = this.#stackRows.array[i]
      row[at + 1] = this.#link(source[from + 2])
      row[at + 2] = attributes + source[from + 4]
      row[at + 3] = value >> 1
      row[at + 4] = times
      at += SAMPLE_STRIDE
    }
    draft.values.length = value
    draft.samples.length = at
  }

  #link(index: number): number {
    return index === 0 ? 0 : this.#linkBase + index
  }

  /** Nanoseconds per unit of the timestamps. */
  #unitOf(mark: MarkedUnit | undefined, notes: NoteList): bigint {
    if (mark !== undefined) return NANOS[mark]
    const { timestamps } = this.#decoder
    const largest = new LargestTime()
    largest.add(timestamps.array, timestamps.length)
    const unit = timeUnit(largest.time)
    if (unit.nanos !== 1n) notes.add('timestamp-unit', timeUnitNote(unit, 'timestamps'), timestamps.length / 2)
    return unit.nanos
  }

  #readTimed(nanos: bigint): void {
    const { samples, timestamps, sampleAttributes } = this.#decoder
    const { array, length } = samples
    this.#identities = emptied(this.#identities)
    this.#owners.length = this.#times.length = this.#values.length = this.#isCombined.length = 0
    for (let type = 0; type < this.#types; type++) this.#allOnes[type] = true
    this.#spend(this.#types * 3 * timestamps.length)
    let attributesFrom = 0
    let valuesFrom = 0
    let timesFrom = 0
    for (let at = 0, i = 0; at < length; at += DECODED_SAMPLE, i++) {
      const attributesTo = array[at + 4]
      const valuesTo = array[at + 5]
      const timesTo = array[at + 6]
      if (timesTo === timesFrom) throw UNUSUAL
      const identity = this.#identity
      identity.length = 0
      identity.push(this.#stackRows.array[i])
      identity.push(this.#link(array[at + 2]))
      identity.pushAll(sampleAttributes.array, attributesFrom, attributesTo)
      const known = this.#identities.length
      const end = sortSet(identity.array, IDENTITY_HEAD, identity.length)
      const owner = this.#identities.intern(identity.array, 0, end)
      this.#isCombined[owner] = owner < known
      const owners = this.#owners.reserve(timesTo - timesFrom)
      owners.fill(owner, this.#owners.length, this.#owners.length + timesTo - timesFrom)
      this.#owners.length += timesTo - timesFrom
      this.#pushValues(valuesFrom, valuesTo - valuesFrom, timesTo - timesFrom)
      attributesFrom = attributesTo
      valuesFrom = valuesTo
      timesFrom = timesTo
    }
    this.#times.pushAll(timestamps.array, 0, timestamps.length)
    const owners = this.#owners.view()
    const times = new BigUint64Array(this.#times.array.buffer, 0, owners.length)
    if (nanos !== 1n) for (let k = 0; k < times.length; k++) times[k] *= nanos
    // Sorted already if no two samples were combined.
    const isSorted = this.#identities.length === samples.length / DECODED_SAMPLE
    this.#order = isSorted ? undefined : orderByOwner(owners, this.#identities.length, this.#isCombined, times)
  }

  /** Collects the values of a sample for each of its times. */
  #pushValues(from: number, count: number, times: number): void {
    const { array } = this.#decoder.values
    const types = this.#types
    const isPaired = types === 1 && count === times
    const isSingle = times === 1 && count === types
    if (!isPaired && !isSingle) {
      // Otherwise each time must count 1, which is written as their number, or as no value for a single type.
      if (count !== types && (count > 0 || types > 1)) throw UNUSUAL
      for (let type = 0; type < count; type++) {
        const at = 2 * (from + type)
        if (array[at] !== times || array[at + 1] !== 0) throw UNUSUAL
      }
      // As long as each time counts 1, values need not be kept.
      if (this.#values.length === 0) return
    } else if (this.#values.length === 0) this.#keepOnes((this.#owners.length - times) * types)
    const row = this.#values.reserve(2 * times * types)
    let end = this.#values.length
    for (let k = 0; k < times; k++) {
      for (let type = 0; type < types; type++) {
        const at = 2 * (isPaired ? from + k : from + type)
        const lo = isPaired || isSingle ? array[at] : 1
        const hi = isPaired || isSingle ? array[at + 1] : 0
        if (lo !== 1 || hi !== 0) this.#allOnes[type] = false
        row[end++] = lo
        row[end++] = hi
      }
    }
    this.#values.length = end
  }

  /** Writes the values of the samples so far, each of which is 1. */
  #keepOnes(count: number): void {
    const row = this.#values.reserve(2 * count)
    for (let at = 0; at < 2 * count; at++) row[at] = 1 - (at & 1)
    this.#values.length = 2 * count
  }

  #pushTimed(type: number): void {
    const { samples, sampleAttributes, timestamps, values } = this.#decoder.draft
    const owners = this.#owners.array
    const order = this.#order
    const withValues = !this.#allOnes[type]
    const { pool } = this.#identities
    const count = this.#owners.length
    const firstTime = timestamps.length >> 1
    const firstValue = values.length >> 1
    pushLongs(timestamps, this.#times.array, order, count, 1, 0)
    if (withValues) pushLongs(values, this.#values.array, order, count, this.#types, type)
    for (let i = 0; i < count; i++) {
      const owner = owners[order === undefined ? i : order[i]]
      if (i + 1 < count && owners[order === undefined ? i + 1 : order[i + 1]] === owner) continue
      const start = this.#identities.start(owner)
      sampleAttributes.pushAll(pool.array, start + IDENTITY_HEAD, this.#identities.end(owner))
      const row = samples.reserve(SAMPLE_STRIDE)
      const sample = samples.length
      row[sample] = pool.array[start]
      row[sample + 1] = pool.array[start + 1]
      row[sample + 2] = sampleAttributes.length
      row[sample + 3] = withValues ? firstValue + i + 1 : firstValue
      row[sample + 4] = firstTime + i + 1
      samples.length = sample + SAMPLE_STRIDE
    }
  }
}

/** Adds a 64-bit number of each observation, which has `stride` of them, in this order. */
function pushLongs(
  target: GrowingInts,
  source: Int32Array,
  order: Int32Array | undefined,
  count: number,
  stride: number,
  offset: number,
): void {
  if (order === undefined && stride === 1) {
    target.pushAll(source, 0, 2 * count)
    return
  }
  const row = target.reserve(2 * count)
  let end = target.length
  for (let i = 0; i < count; i++) {
    const at = 2 * ((order === undefined ? i : order[i]) * stride + offset)
    row[end++] = source[at]
    row[end++] = source[at + 1]
  }
  target.length = end
}

function resolve({ array, length }: GrowingInts, first: number, count: number): void {
  for (let k = 0; k < length; k++) {
    if (array[k] >>> 0 >= count) throw UNUSUAL
    array[k] += first
  }
}

function emptied(interner: SequenceInterner): SequenceInterner {
  if (interner.length > MAX_KEPT_ROWS) return new SequenceInterner()
  interner.clear()
  return interner
}
