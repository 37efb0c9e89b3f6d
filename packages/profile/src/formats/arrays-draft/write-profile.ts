// Writes one Profile of the arrays draft with its tables, from neighbouring profiles of the model. Samples are written first,
// then the tables they refer to, so only referenced rows get a number and are written.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { writeKeyValues } from '../../model/columns/any-value.ts'
import type { AttributeIndex, LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { MAX_UINT64, highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ProfileColumn } from '../../model/columns/profiles.ts'
import { AGGREGATION_TEMPORALITIES, ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { AttributeOrder } from '../former-drafts/attribute-order.ts'
import { generatedId } from '../former-drafts/generated-id.ts'
import { FieldAttributes } from '../former-drafts/field-attributes.ts'
import type { NoteList } from '../format.ts'
import { SymbolTableWriter } from '../former-drafts/symbol-table-writer.ts'
import { section, writeBytes, writeLong, writePacked, writeSections } from '../former-drafts/write-fields.ts'
import { SAMPLE_RATE, SAMPLE_RATE_UNIT } from './attribute-names.ts'
import { payloadFormat } from './payload-format.ts'
import { PERIOD_TYPE, PERIOD_UNIT, periodOf, rateOf } from './sample-rate.ts'
import { SYMBOL_FIDELITY_FULL } from './shapes.ts'

const MAX_UINT32 = 0xffff_ffffn
const NO_INTS = new Int32Array(0)

export class DraftWriter {
  readonly #payload: Profiles
  readonly #notes: NoteList
  readonly #symbols: SymbolTableWriter
  #sets = new SequenceInterner()
  readonly #order: AttributeOrder
  readonly #mappingFields: FieldAttributes
  readonly #shared = new Map<number, readonly AttributeIndex[]>()

  constructor(payload: Profiles, notes: NoteList) {
    const { dictionary } = payload
    this.#payload = payload
    this.#notes = notes
    this.#symbols = new SymbolTableWriter(dictionary, {
      stacks: { field: 7, order: 'root first' },
      mappings: { field: 8, first: 1 },
      locations: { field: 9, first: 1 },
      functions: { field: 10, first: 1 },
      links: 11,
      writeLocationRest: (out, row) => this.#locationRest(out, row),
      writeMappingRest: (out, row) => this.#mappingRest(out, row),
      writeLine: (out, tag, line) => this.#lineNumber(out, tag, line),
      writeColumn: (_out, _tag, column) => {
        if (column !== 0n) notes.add('columns', 'columns have no field in the draft')
      },
    })
    this.#order = new AttributeOrder(dictionary)
    this.#mappingFields = new FieldAttributes(dictionary, ['gnu', 0, 1, 2, 3], this.#order)
  }

  /** A profile's attributes without those that its list has fields for. */
  sharedAttributes(profile: number): readonly AttributeIndex[] {
    let shared = this.#shared.get(profile)
    if (shared === undefined) {
      const all = this.#payload.profiles.attributesOf(profile)
      shared = this.#order.sorted(all.filter(attribute => !this.#isOfList(attribute)))
      this.#shared.set(profile, shared)
    }
    return shared
  }

  /** Writes the fields of the message for profiles [from, to). */
  write(writer: BackwardWriter, from: number, to: number): void {
    this.#symbols.clear()
    this.#sets = new SequenceInterner()
    this.#sets.intern(NO_INTS, 0, 0)
    this.#symbols.links.of(0)
    // In the order of references.
    const lists = section(out => {
      for (let last = to - 1; last >= from; last--) {
        const first = last > from && this.#areOneList(last - 1, last) ? last - 1 : last
        this.#list(out, first, last)
        last = first
      }
    })
    const { stacks, locations, mappings, functions, links } = this.#symbols.write()
    const sets = section(out => this.#writeSets(out))
    const strings = section(out => this.#symbols.strings.write(out, 0x6a))
    writeSections(writer, [stacks, mappings, locations, functions, links, sets, strings, lists])
    this.#header(writer, from, lists)
  }

  /** Whether a reader splits one list into these profiles: samples without timestamps, then samples with them. */
  #areOneList(a: number, b: number): boolean {
    const { profiles } = this.#payload
    const same = (column: number): boolean => profiles.column(a, column) === profiles.column(b, column)
    const { type, unit, periodType, periodUnit, period } = ProfileColumn
    return (
      [type, unit, periodType, periodUnit, period, period + 1].every(same) &&
      profiles.attributesOf(a).join() === profiles.attributesOf(b).join() &&
      this.#hasAllTimes(a, false) &&
      this.#hasAllTimes(b, true)
    )
  }

  /** Whether the profile has samples, and all or none of them have timestamps. */
  #hasAllTimes(i: number, expected: boolean): boolean {
    const { profiles, samples } = this.#payload
    const [from, to] = [profiles.samplesFrom(i), profiles.samplesTo(i)]
    for (let s = from; s < to; s++) {
      if (samples.timestampsTo(s) > samples.timestampsFrom(s) !== expected) return false
    }
    return to > from
  }

  #header(writer: BackwardWriter, i: number, lists: Uint8Array): void {
    const { profiles } = this.#payload
    writeBytes(writer, 0x32, profiles.originalPayload(i))
    if (profiles.originalPayloadFormat(i) !== payloadFormat(profiles.originalPayload(i))) {
      this.#notes.add(
        'payload-format',
        'the draft has no field for the format of the original payload, and its content does not identify it',
      )
    }
    writer.varint64Field(0x28, profiles.droppedAttributes(i) | 0, 0)
    this.#keyValues(writer, 4, this.sharedAttributes(i))
    const time = profiles.time(i)
    const end = time + profiles.duration(i)
    if (end > MAX_UINT64) this.#notes.add('end-time', 'end times beyond 2^64 nanoseconds were dropped')
    else writer.fixed64Field(0x19, lowHalf(end), highHalf(end))
    writer.fixed64Field(0x11, lowHalf(time), highHalf(time))
    writeBytes(writer, 0x0a, profiles.id(i).length > 0 ? profiles.id(i) : generatedId(lists, time, i))
  }

  #isOfList(attribute: AttributeIndex): boolean {
    return this.#rateIn(attribute) !== undefined || this.#temporalityIn(attribute) > 0
  }

  /** The rate that an attribute represents. Undefined if the reader would not restore the attribute. */
  #rateIn(attribute: AttributeIndex): bigint | undefined {
    const { attributes, strings } = this.#payload.dictionary
    if (strings.text(attributes.key(attribute)) !== SAMPLE_RATE) return undefined
    const value = attributes.value(attribute)
    if (typeof value !== 'bigint' || value === 0n || strings.text(attributes.unit(attribute)) !== SAMPLE_RATE_UNIT)
      return undefined
    const rate = BigInt.asUintN(64, value)
    return periodOf(rate) === undefined ? rate : undefined
  }

  #temporalityIn(attribute: AttributeIndex): number {
    const { attributes, strings } = this.#payload.dictionary
    const isOne = strings.text(attributes.key(attribute)) === ATTRIBUTES.aggregationTemporality
    return isOne && attributes.unit(attribute) === 0 ? temporalityOf(attributes.value(attribute)) : 0
  }

  /** Writes the samples of profiles `i` to `last`, which have the same type, as one list. */
  #list(out: BackwardWriter, i: number, last: number): void {
    const { profiles } = this.#payload
    const mark = out.written
    const columns = this.#columns(profiles.samplesFrom(i), profiles.samplesTo(last))
    writeLongs(out, 0x72, columns.times)
    writeLongs(out, 0x6a, columns.values)
    writePacked(out, 0x62, columns.sets.array, 0, columns.sets.length)
    writePacked(out, 0x5a, columns.links.array, 0, columns.links.length)
    writePacked(out, 0x52, columns.stacks.array, 0, columns.stacks.length)
    out.varint32Field(0x20, this.#symbols.strings.of(profiles.unit(i)))
    out.varint32Field(0x18, this.#symbols.strings.of(profiles.type(i)))
    writeLong(out, 0x10, this.#rate(i))
    out.varint32Field(0x08, this.#temporality(i))
    out.messageHeader(0x72, mark)
  }

  #rate(i: number): bigint {
    const { profiles, dictionary } = this.#payload
    const { strings } = dictionary
    const kept = profiles
      .attributesOf(i)
      .map(attribute => this.#rateIn(attribute))
      .find(rate => rate !== undefined)
    const type = strings.text(profiles.periodType(i))
    const unit = strings.text(profiles.periodUnit(i))
    const isRate = type === PERIOD_TYPE && unit === PERIOD_UNIT && kept === undefined
    const rate = isRate ? rateOf(profiles.period(i)) : undefined
    if (rate === undefined && (profiles.period(i) !== 0n || type !== '' || unit !== '')) {
      this.#notes.add('periods', 'periods that are not a whole rate in Hz have no field in the draft')
    }
    return rate ?? kept ?? 0n
  }

  #temporality(i: number): number {
    return Math.max(0, ...this.#payload.profiles.attributesOf(i).map(attribute => this.#temporalityIn(attribute)))
  }

  #columns(from: number, to: number): Columns {
    const { samples } = this.#payload
    const columns = new Columns()
    let linked = false
    let withSets = false
    let timed = false
    for (let s = from; s < to; s++) {
      const valuesFrom = samples.valuesFrom(s)
      const values = samples.valuesTo(s) - valuesFrom
      const timesFrom = samples.timestampsFrom(s)
      const times = samples.timestampsTo(s) - timesFrom
      if (values + times === 0)
        this.#notes.add('empty-samples', 'samples with neither values nor timestamps were dropped')
      else if (values > 0 && times > 0 && values !== times) {
        this.#notes.add('sample-lengths', 'samples with different numbers of values and timestamps were padded')
      }
      const count = Math.max(values, times)
      if (count === 0) continue
      const stack = this.#symbols.stacks.of(samples.stack(s))
      const link = this.#symbols.links.of(samples.link(s))
      const set = this.#setOf(
        samples.attributes.ints,
        samples.attributes.base,
        samples.attributesFrom(s),
        samples.attributesTo(s),
      )
      for (let k = 0; k < count; k++) {
        columns.stacks.push(stack)
        columns.links.push(link)
        columns.sets.push(set)
        columns.values.push(k < values ? samples.values.lo(valuesFrom + k) : values === 0 ? 1 : 0)
        columns.values.push(k < values ? samples.values.hi(valuesFrom + k) : 0)
        const lo = k < times ? samples.timestamps.lo(timesFrom + k) : 0
        const hi = k < times ? samples.timestamps.hi(timesFrom + k) : 0
        if (k < times && (lo | hi) === 0) this.#notes.add('zero-timestamps', 'timestamps of 0 were dropped')
        columns.times.push(lo)
        columns.times.push(hi)
      }
      linked ||= link !== 0
      withSets ||= set !== 0
      timed ||= times > 0
    }
    if (!linked) columns.links.length = 0
    if (!withSets) columns.sets.length = 0
    if (!timed) columns.times.length = 0
    return columns
  }

  #setOf(ints: Int32Array, base: number, from: number, to: number): number {
    const run = ints.slice(base + from, base + to)
    this.#order.sort(run, 0, run.length)
    return this.#sets.intern(run, 0, run.length)
  }

  #locationRest(out: BackwardWriter, row: LocationIndex): void {
    const { locations } = this.#payload.dictionary
    const { ints, base } = locations.attributes
    this.#setList(out, 0x2a, this.#setOf(ints, base, locations.attributesFrom(row), locations.attributesTo(row)))
  }

  #mappingRest(out: BackwardWriter, row: MappingIndex): string {
    const { mappings } = this.#payload.dictionary
    const fields = this.#mappingFields.split(
      mappings.attributes,
      mappings.attributesFrom(row),
      mappings.attributesTo(row),
    )
    const isFull = fields.flags.size === 4
    // The draft has one field for all four flags.
    if (!isFull && fields.flags.size > 0) fields.keepFlags()
    this.#setList(out, 0x3a, this.#setOf(fields.rest, 0, 0, fields.restLength))
    if (isFull) out.varint32Field(0x30, SYMBOL_FIDELITY_FULL)
    return fields.buildId().text
  }

  #lineNumber(out: BackwardWriter, tag: number, line: bigint): void {
    if (line >= 0n && line <= MAX_UINT32) writeLong(out, tag, line)
    else this.#notes.add('line-numbers', 'line numbers beyond 32 bits were dropped')
  }

  #writeSets(out: BackwardWriter): void {
    const sets = this.#sets
    for (let i = sets.length - 1; i >= 0; i--) {
      const mark = out.written
      const rows = Array.from(sets.pool.array.subarray(sets.start(i), sets.end(i))) as AttributeIndex[]
      this.#keyValues(out, 1, rows)
      out.messageHeader(0x62, mark)
    }
  }

  #setList(out: BackwardWriter, tag: number, set: number): void {
    if (set !== 0) writePacked(out, tag, Int32Array.of(set), 0, 1)
  }

  #keyValues(out: BackwardWriter, field: number, rows: readonly AttributeIndex[]): void {
    const { attributes, strings } = this.#payload.dictionary
    for (const row of rows) {
      if (attributes.unit(row) !== 0)
        this.#notes.add('attribute-units', 'units of attributes have no field in the draft')
    }
    writeKeyValues(
      out,
      field,
      rows.map(row => ({ key: strings.text(attributes.key(row)), value: attributes.value(row) })),
    )
  }
}

class Columns {
  readonly stacks = new GrowingInts()
  readonly links = new GrowingInts()
  readonly sets = new GrowingInts()
  readonly values = new GrowingInts()
  readonly times = new GrowingInts()
}

/** The number on the wire. -1 for an unknown temporality. */
function temporalityOf(value: AnyValue): number {
  return typeof value === 'string' ? AGGREGATION_TEMPORALITIES.indexOf(value) : -1
}

function writeLongs(out: BackwardWriter, tag: number, longs: GrowingInts): void {
  if (longs.length === 0) return
  const mark = out.written
  out.reserve(longs.length * 5)
  for (let k = longs.length - 2; k >= 0; k -= 2) out.rawVarint64(longs.array[k], longs.array[k + 1])
  out.messageHeader(tag, mark)
}
