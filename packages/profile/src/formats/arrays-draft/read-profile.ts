// Reads one profile of the arrays draft. Its lists of samples are arrays of equal length, one for each property of a sample:
//
//   stacktrace_indices  0   1          a sample consists of the entries at one position;
//   link_indices        1   0          empty arrays are omitted, and a timestamp of 0 means none
//   values            100 200
//   timestamps        ...   0
//
// Each list becomes a profile of the model, or two if only some of its samples have timestamps.
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { int64, uint64 } from '../../model/columns/int64.ts'
import { PROFILE_STRIDE, ProfileColumn } from '../../model/columns/profiles.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { MessageParts } from '../former-drafts/message-parts.ts'
import { SAMPLE_RATE, SAMPLE_RATE_UNIT, SAMPLE_SIZE } from './attribute-names.ts'
import { timeUnit, timeUnitNote } from '../recordings/time-unit.ts'
import { payloadFormat } from './payload-format.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import { DraftTables } from './read-tables.ts'
import { PERIOD_TYPE, PERIOD_UNIT, periodOf } from './sample-rate.ts'
import type { DraftGeneration, ListFields, FieldNumbers } from './shapes.ts'
import { CONTAINED_PROFILE, NUMBERINGS, SAMPLE_TYPE, containerShape, shapesOf, sharedShapes } from './shapes.ts'
import { sniffProfile } from './sniff.ts'

/** Stack and link come before the attributes in a sample's identity. */
const IDENTITY_HEAD = 2

/** Returns the generation of the profile. Throws WireError. */
export function readDraftProfile(
  context: ReadContext,
  from: number,
  to: number,
  wanted: DraftGeneration | undefined,
): DraftGeneration {
  const { source } = context
  const sniffed = sniffProfile(source.bytes, from, to)
  const generation = wanted ?? sniffed.generation
  const numbering = NUMBERINGS[generation]
  const isApart = generation === '2023-07'
  const shapes = shapesOf(numbering, isApart)
  const profile = new MessageParts(source, shapes.profile)
  const header = isApart ? new MessageParts(source, containerShape) : profile
  if (isApart && sniffed.contained) {
    header.read(from, to)
    for (const field of CONTAINED_PROFILE) {
      for (let i = 0; i < header.count(field); i++) profile.add(header.from(field, i), header.to(field, i))
    }
  } else profile.read(from, to)
  new ProfileReader(context, header, profile, numbering, new DraftTables(context, profile, numbering, shapes)).read(
    new MessageParts(source, shapes.list),
  )
  return generation
}

interface ListHeader {
  readonly type: number
  readonly unit: number
  readonly period: bigint
  readonly attributes: readonly AttributeIndex[]
}

class ProfileReader {
  readonly #context: ReadContext
  readonly #header: MessageParts
  readonly #profile: MessageParts
  readonly #numbering: FieldNumbers
  readonly #tables: DraftTables
  readonly #attributes: readonly AttributeIndex[]
  // The arrays of the list that is being read.
  readonly #stacks = new GrowingInts()
  readonly #links = new GrowingInts()
  readonly #sets = new GrowingInts()
  readonly #values = new GrowingInts()
  readonly #times = new GrowingInts()
  readonly #identity = new GrowingInts()
  #unit = timeUnit(0n)

  constructor(
    context: ReadContext,
    header: MessageParts,
    profile: MessageParts,
    numbering: FieldNumbers,
    tables: DraftTables,
  ) {
    this.#context = context
    this.#header = header
    this.#profile = profile
    this.#numbering = numbering
    this.#tables = tables
    const { attributes } = numbering.profile
    this.#attributes = Array.from({ length: header.count(attributes) }, (_, i) =>
      tables.attribute(header.from(attributes, i), header.to(attributes, i)),
    )
  }

  read(list: MessageParts): void {
    const { place } = this.#context
    const { profile_types, sample_types } = this.#numbering.tables
    const count = Math.max(this.#profile.count(profile_types), this.#profile.count(sample_types))
    for (let i = 0; i < count; i++) {
      place.table = 'profile_types'
      place.row = i
      if (i < this.#profile.count(profile_types)) {
        list.read(this.#profile.from(profile_types, i), this.#profile.to(profile_types, i))
      } else list.read(0, 0)
      const header = i < this.#profile.count(sample_types) ? this.#sampleType(i) : this.#listHeader(list)
      this.#readArrays(list, this.#numbering.list)
      this.#writeList(header, list.lastFrom(this.#numbering.list.stacktrace_indices))
    }
    place.table = ''
    // A profile without a list still has an id, times and attributes.
    if (count === 0) this.#scaleTimes()
    if (count === 0) this.#open({ type: 0, unit: 0, period: 0n, attributes: [] })
  }

  #listHeader(list: MessageParts): ListHeader {
    const { builder } = this.#context
    const { type_index, unit_index, sample_rate, aggregation_temporality } = this.#numbering.list
    const rate = list.uint64(sample_rate)
    const period = periodOf(rate)
    const attributes = this.#temporality(list, aggregation_temporality)
    if (rate !== 0n && period === undefined)
      attributes.push(builder.attribute(SAMPLE_RATE, BigInt.asIntN(64, rate), SAMPLE_RATE_UNIT))
    return {
      type: this.#tables.string(list.uint32(type_index), list.lastFrom(type_index)),
      unit: this.#tables.string(list.uint32(unit_index), list.lastFrom(unit_index)),
      period: period ?? 0n,
      attributes,
    }
  }

  /** Reads a type of the first numbering, which has types apart from lists, in the same order. */
  #sampleType(i: number): ListHeader {
    const { source, builder } = this.#context
    const { sample_types } = this.#numbering.tables
    const type = new MessageParts(source, sharedShapes.sampleType)
    type.read(this.#profile.from(sample_types, i), this.#profile.to(sample_types, i))
    const size = type.uint64(SAMPLE_TYPE.sample_size)
    const attributes = this.#temporality(type, SAMPLE_TYPE.aggregation_temporality)
    if (size !== 0n) attributes.push(builder.attribute(SAMPLE_SIZE, BigInt.asIntN(64, size)))
    return {
      type: this.#tables.string(type.uint32(SAMPLE_TYPE.type_index), type.lastFrom(SAMPLE_TYPE.type_index)),
      unit: this.#tables.string(type.uint32(SAMPLE_TYPE.unit_index), type.lastFrom(SAMPLE_TYPE.unit_index)),
      period: 0n,
      attributes,
    }
  }

  #temporality(message: MessageParts, field: number): AttributeIndex[] {
    const { builder, notes } = this.#context
    const number = message.uint32(field)
    const temporality = AGGREGATION_TEMPORALITIES[number]
    if (temporality !== undefined) return [builder.attribute(ATTRIBUTES.aggregationTemporality, temporality)]
    if (number !== 0)
      notes.add('unknown-temporality', 'aggregation temporalities other than delta and cumulative were dropped')
    return []
  }

  #readArrays(list: MessageParts, fields: ListFields): void {
    for (const column of [this.#stacks, this.#links, this.#sets, this.#values, this.#times]) column.length = 0
    list.pushIndexes(fields.stacktrace_indices, this.#stacks)
    list.pushIndexes(fields.link_indices, this.#links)
    list.pushIndexes(fields.attribute_set_indices, this.#sets)
    list.pushLongs(fields.values, this.#values)
    list.pushLongs(fields.timestamps, this.#times)
    const count = this.#stacks.length
    // A list without values counts its samples.
    for (let i = 0; i < count && this.#values.length < 2 * count && list.count(fields.values) === 0; i++) {
      this.#values.push(1)
      this.#values.push(0)
    }
    const lengths = [this.#values.length / 2, this.#links.length, this.#sets.length, this.#times.length / 2]
    const names = ['values', 'link_indices', 'attribute_set_indices', 'timestamps'] as const
    const bad = lengths.findIndex((length, i) => length !== count && (i === 0 || length !== 0))
    if (bad < 0) return
    if (!this.#context.source.lenient) {
      const at = list.lastFrom(fields[names[bad]]) || list.lastFrom(fields.stacktrace_indices)
      throw new WireError(at, `${names[bad]} has ${lengths[bad]} entries, but stacktrace_indices has ${count}`)
    }
    const complete = Math.min(count, ...lengths.filter((length, i) => i === 0 || length !== 0))
    this.#context.notes.addDamage(
      'skipped-samples',
      'samples that are missing in some arrays of their list were dropped',
      count - complete,
    )
    this.#stacks.length = complete
  }

  /** The unit of all times of the profile, by its start or else by the latest timestamp of the list. */
  #scaleTimes(): void {
    const start = this.#header.uint64(this.#numbering.profile.start_time_unix_nano)
    const { array, length } = this.#times
    let latest = start
    for (let i = 0; start === 0n && i < length; i += 2) {
      const time = uint64(array[i], array[i + 1])
      if (time > latest) latest = time
    }
    this.#unit = timeUnit(latest)
    if (this.#unit.nanos === 1n) return
    this.#context.notes.add('time-unit', timeUnitNote(this.#unit))
    for (let i = 0; i < length; i += 2) {
      const [lo, hi] = halves(uint64(array[i], array[i + 1]) * this.#unit.nanos)
      array[i] = lo
      array[i + 1] = hi
    }
  }

  #writeList(header: ListHeader, at: number): void {
    const { notes } = this.#context
    this.#scaleTimes()
    const count = this.#stacks.length
    let timed = 0
    for (let i = 0; i < count; i++) if (this.#isTimed(i)) timed++
    if (timed > 0 && timed < count) {
      notes.add('mixed-shapes', 'lists in which only some samples have timestamps were split in two')
    }
    if (timed < count || count === 0) {
      this.#open(header)
      for (let i = 0; i < count; i++) if (!this.#isTimed(i)) this.#skipIfBroken(() => this.#plain(i, at))
    }
    if (timed > 0) {
      this.#open(header)
      this.#timed(at)
    }
  }

  #isTimed(i: number): boolean {
    return this.#times.length > 0 && (this.#times.array[2 * i] | this.#times.array[2 * i + 1]) !== 0
  }

  #skipIfBroken(read: () => void): void {
    try {
      read()
    } catch (error) {
      if (!this.#context.source.lenient || !(error instanceof WireError)) throw error
      this.#context.notes.addDamage('skipped-samples', 'samples that refer to missing rows were dropped')
    }
  }

  /** Reads stack, link and attributes of the sample at position i. */
  #readIdentity(i: number, at: number): GrowingInts {
    const identity = this.#identity
    identity.length = 0
    identity.push(this.#tables.stack(this.#stacks.array[i], at))
    identity.push(this.#links.length === 0 ? 0 : this.#tables.link(this.#links.array[i], at))
    if (this.#sets.length > 0) this.#tables.pushAttributes(this.#sets.array[i], at, identity)
    return identity
  }

  #plain(i: number, at: number): void {
    const { builder } = this.#context
    const { array, length } = this.#readIdentity(i, at)
    builder.draft.sampleAttributes.pushAll(array, IDENTITY_HEAD, length)
    builder.draft.values.pushAll(this.#values.array, 2 * i, 2 * i + 2)
    builder.sampleRow(array[0], array[1])
  }

  /** Merges samples with the same stack, link and attributes into one. */
  #timed(at: number): void {
    const { builder } = this.#context
    const { draft } = builder
    const identities = new SequenceInterner()
    const owners = new Int32Array(this.#stacks.length).fill(-1)
    let allOnes = true
    for (let i = 0; i < owners.length; i++) {
      if (!this.#isTimed(i)) continue
      this.#skipIfBroken(() => {
        const { array, length } = this.#readIdentity(i, at)
        owners[i] = identities.intern(array, 0, sortSet(array, IDENTITY_HEAD, length))
      })
      if (int64(this.#values.array[2 * i], this.#values.array[2 * i + 1]) !== 1n) allOnes = false
    }
    const order = inGroups(owners, identities.length)
    for (let k = 0; k < order.length; k++) {
      const i = order[k]
      draft.timestamps.pushAll(this.#times.array, 2 * i, 2 * i + 2)
      if (!allOnes) draft.values.pushAll(this.#values.array, 2 * i, 2 * i + 2)
      if (k + 1 < order.length && owners[order[k + 1]] === owners[i]) continue
      const start = identities.start(owners[i])
      const { array } = identities.pool
      draft.sampleAttributes.pushAll(array, start + IDENTITY_HEAD, identities.end(owners[i]))
      builder.sampleRow(array[start], array[start + 1])
    }
  }

  #open({ type, unit, period, attributes }: ListHeader): void {
    const { builder, notes, limit } = this.#context
    const fields = this.#numbering.profile
    const header = this.#header
    const payload = header.view(fields.original_payload)
    if (!limit.spend(this.#attributes.length + PROFILE_STRIDE + payload.length / 4)) {
      throw new WireError(
        header.lastFrom(fields.original_payload),
        `the input expands to more than ${limit.limit} numbers`,
      )
    }
    const start = header.uint64(fields.start_time_unix_nano) * this.#unit.nanos
    const end = header.uint64(fields.end_time_unix_nano) * this.#unit.nanos
    if (end !== 0n && end < start) notes.add('end-before-start', 'end times before the start of a profile were dropped')
    const duration = end > start ? end - start : 0n
    const periodType = period === 0n ? 0 : builder.string(PERIOD_TYPE)
    const periodUnit = period === 0n ? 0 : builder.string(PERIOD_UNIT)
    builder.profileRow([type, unit, periodType, periodUnit, ...halves(start), ...halves(duration), ...halves(period)])
    builder.profileBytes('idOffset', header.view(fields.profile_id))
    builder.profileBytes('payloadOffset', payload)
    builder.profileBytes('formatOffset', encodeUtf8(payloadFormat(payload)))
    const { profiles } = builder.draft
    profiles.array[profiles.length - PROFILE_STRIDE + ProfileColumn.droppedAttributes] = header.uint32(
      fields.dropped_attributes_count,
    )
    for (const attribute of [...this.#attributes, ...attributes]) builder.profileAttribute(attribute)
  }
}

function halves(value: bigint): readonly [lo: number, hi: number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))]
}

/** Sorts positions by owner, in order of first occurrence, stable within each owner. The owner -1 is dropped. */
function inGroups(owners: Int32Array, count: number): Int32Array {
  const ends = new Int32Array(count + 1)
  for (const owner of owners) if (owner >= 0) ends[owner + 1]++
  for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1]
  const order = new Int32Array(ends[count])
  for (let i = 0; i < owners.length; i++) if (owners[i] >= 0) order[ends[owners[i]]++] = i
  return order
}
