// A copy of a message whose references all lead somewhere, for readers that are asked to go on where rows are missing: samples
// without their stack are left out, as are lines without their function, attributes without their key and lists' entries; any
// other reference is taken back. Tables come first in the copy, each before those that refer to it, which is as good to
// protobuf, so that what is left out of one is known in the next. The message itself must be well formed.
import { MAX_VALUE_DEPTH } from '../../../model/columns/any-value.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import type { NoteList } from '../../format.ts'
import { numberOf, numbersIn } from '../generations/message-fields.ts'
import { MessageWriter } from './message-writer.ts'
import type { ReferenceRule, TableKind } from './reference-rules.ts'
import { TABLE_NAMES, isCurrent, isZeroGood, ruleOf } from './reference-rules.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { SchemaReader } from '../generations/schema-reader.ts'
import { skipSamples } from './salvage.ts'

/** Parts of what repeats that can go without moving what refers to their neighbours. */
const DROPPED: ReadonlySet<string> = new Set(['Sample', 'Line', 'KeyValue', 'Label', 'AttributeUnit'])

export function soundReferences(bytes: Uint8Array, generation: Generation, notes: NoteList): Uint8Array {
  const references = new ReferencesWriter(bytes, generation)
  references.root()
  skipSamples(notes, references.skippedSamples)
  notes.add('skipped-references', 'references to rows that are not there were left out', references.skippedReferences)
  return references.writer.bytes()
}

/** Rows of each table that references may be to. */
class Tables {
  readonly counts = new Map<TableKind, number>()
  /** By table, rows that are there but empty now. */
  readonly emptied = new Map<TableKind, Set<number>>()

  has(kind: TableKind, index: number): boolean {
    return index < (this.counts.get(kind) ?? 0) && this.emptied.get(kind)?.has(index) !== true
  }
}

class ReferencesWriter {
  readonly writer: MessageWriter
  skippedSamples = 0
  skippedReferences = 0
  readonly #bytes: Uint8Array
  readonly #generation: Generation
  readonly #schema: Schema
  readonly #messages: SchemaReader
  #tables = new Tables()
  /** Up to v1.7, of the profile at hand: how many of its location_indices lead nowhere, up to each of them. */
  #strayIndices: Int32Array = new Int32Array(1)

  constructor(bytes: Uint8Array, generation: Generation) {
    this.writer = new MessageWriter(bytes.length)
    this.#bytes = bytes
    this.#generation = generation
    this.#schema = schemaOf(generation)
    this.#messages = new SchemaReader(bytes, generation)
  }

  root(): void {
    const root = messageOf(this.#schema, ROOT)
    const whole = [0, this.#bytes.length]
    const dictionary = root.byName.get('dictionary')
    if (dictionary !== undefined) {
      const parts = this.#contents(whole, dictionary.number)
      const start = this.writer.open(dictionary.number)
      const schema = messageOf(this.#schema, dictionary.type)
      const written = this.#writeTables(schema, parts)
      for (let i = 0; i < parts.length; i += 2) this.#message(schema, parts[i], parts[i + 1], 0, written)
      this.writer.close(start)
      if (parts.length === 0) this.writer.cutTo(0)
      this.#message(root, 0, this.#bytes.length, 0, new Set([dictionary.number]))
    } else {
      const written = this.#generation === 'v1.6' ? this.#writeTables(root, whole) : undefined
      this.#message(root, 0, this.#bytes.length, 0, written)
    }
  }

  /** Starts and ends of a length-delimited field's contents. */
  #contents(parts: readonly number[], field: number): number[] {
    const found: number[] = []
    for (let i = 0; i < parts.length; i += 2) {
      const reader = new ProtoReader(this.#bytes, parts[i], parts[i + 1])
      while (reader.tag()) {
        if (reader.field !== field || reader.wireType !== LEN) reader.skip()
        else {
          const length = reader.length()
          found.push(reader.pos, (reader.pos += length))
        }
      }
    }
    return found
  }

  /** The tables of a message that has them as fields, whose numbers it returns. */
  #writeTables(schema: MessageSchema, parts: readonly number[]): ReadonlySet<number> {
    const tables = new Tables()
    const written = new Set<number>()
    const rowsOf = new Map<FieldSchema, readonly number[]>()
    this.#tables = tables
    for (const [kind, names] of TABLE_NAMES) {
      const field = schema.fields.find(({ name }) => names.includes(name))
      if (field === undefined) continue
      const rows = this.#contents(parts, field.number)
      rowsOf.set(field, rows)
      tables.counts.set(kind, rows.length / 2)
    }
    for (const [kind, names] of TABLE_NAMES) {
      const field = schema.fields.find(({ name }) => names.includes(name))
      if (field === undefined) continue
      written.add(field.number)
      const rows = rowsOf.get(field) ?? []
      for (let i = 0; i < rows.length; i += 2) this.#writeRow(kind, field, i / 2, rows[i], rows[i + 1])
    }
    return written
  }

  #writeRow(kind: TableKind, field: FieldSchema, row: number, from: number, to: number): void {
    if (field.scalar !== undefined) {
      this.writer.bytesField(field.number, this.#bytes.subarray(from, to))
      return
    }
    const start = this.writer.open(field.number)
    if (!this.#message(messageOf(this.#schema, field.type), from, to, 0)) {
      this.writer.cutTo(start)
      this.skippedReferences++
      const { emptied } = this.#tables
      emptied.set(kind, (emptied.get(kind) ?? new Set()).add(row))
    }
    this.writer.close(start)
  }

  /** False where it is worth nothing without what it refers to. `depth` counts attribute values inside of each other. */
  #message(schema: MessageSchema, from: number, to: number, depth: number, written?: ReadonlySet<number>): boolean {
    if (schema.name === 'AnyValue' && depth > MAX_VALUE_DEPTH) return false
    if (schema.name === 'Profile' && written === undefined) return this.#profile(schema, from, to)
    if (schema.name === 'Sample' && !isCurrent(this.#generation) && !this.#isSampleWhole(from, to)) return false
    const reader = new ProtoReader(this.#bytes, from, to)
    for (let at = from; reader.tag(); at = reader.pos) {
      const field = schema.byNumber.get(reader.field)
      if (field === undefined) {
        reader.skip()
        this.writer.copy(this.#bytes, at, reader.pos)
      } else if (written?.has(field.number) === true) reader.skip()
      else if (!this.#field(reader, schema, field, at, depth)) return false
    }
    return true
  }

  #field(reader: ProtoReader, schema: MessageSchema, field: FieldSchema, at: number, depth: number): boolean {
    if (field.scalar === undefined) {
      const length = reader.length()
      const from = reader.pos
      reader.pos += length
      return this.#inner(field, from, reader.pos, depth)
    }
    const rule = ruleOf(this.#generation, schema, field)
    reader.skip()
    if (rule === undefined) this.writer.copy(this.#bytes, at, reader.pos)
    else return this.#references(field, rule, at, reader.pos)
    return true
  }

  #inner(field: FieldSchema, from: number, to: number, depth: number): boolean {
    const before = this.writer.length
    const start = this.writer.open(field.number)
    const deeper = field.type === 'AnyValue' ? depth + 1 : depth
    if (this.#message(messageOf(this.#schema, field.type), from, to, deeper)) {
      this.writer.close(start)
      return true
    }
    if (!field.repeated || !DROPPED.has(field.type)) return false
    this.writer.cutTo(before)
    if (field.type === 'Sample') this.skippedSamples++
    else this.skippedReferences++
    return true
  }

  /** One number, or a list of them in either form. */
  #references(field: FieldSchema, rule: ReferenceRule, from: number, to: number): boolean {
    const reader = new ProtoReader(this.#bytes, from, to)
    reader.tag()
    if (reader.wireType === LEN) reader.length()
    const first = reader.pos
    let stray = 0
    while (reader.pos < to) if (!this.#isGood(rule.table, reader)) stray++
    if (stray === 0) this.writer.copy(this.#bytes, from, to)
    if (stray === 0 || rule.isVital) return stray === 0
    this.skippedReferences += stray
    reader.pos = first
    while (reader.pos < to) {
      if (this.#isGood(rule.table, reader)) this.writer.varintField(field.number, reader.lo, reader.hi)
    }
    return true
  }

  /** Reads the next reference and says whether it leads to a row. */
  #isGood(table: TableKind, reader: ProtoReader): boolean {
    reader.varint64()
    const index = reader.lo >>> 0
    if (reader.hi !== 0) return false
    return this.#tables.has(table, index) || (index === 0 && isZeroGood(this.#generation, table))
  }

  /** Of v1.3 to v1.5 with its tables, of up to v1.7 with its list of locations before the samples. */
  #profile(schema: MessageSchema, from: number, to: number): boolean {
    const parts = [from, to]
    const hasTables = schema.byName.has('string_table')
    const written = new Set<number>(hasTables ? this.#writeTables(schema, parts) : [])
    const types = schema.byName.get('sample_type')
    if (types?.repeated === true) this.#tables.counts.set('types', this.#contents(parts, types.number).length / 2)
    const locations = schema.byName.get('location_indices')
    if (locations !== undefined) {
      written.add(locations.number)
      this.#writeLocationIndices(locations, from, to)
    }
    return this.#message(schema, from, to, 0, written)
  }

  #writeLocationIndices(field: FieldSchema, from: number, to: number): void {
    const stray = new GrowingInts()
    const hasLocations = this.#tables.has('locations', 0)
    stray.push(0)
    const reader = new ProtoReader(this.#bytes, from, to)
    while (reader.tag()) {
      if (reader.field !== field.number) {
        reader.skip()
        continue
      }
      const isList = reader.wireType === LEN
      const end = isList ? reader.length() + reader.pos : reader.pos + 1
      while (reader.pos < end) {
        const isGood = this.#isGood('locations', reader)
        stray.push(stray.array[stray.length - 1] + (isGood ? 0 : 1))
        // Places count: the runs of samples are from one to another. Samples whose run has a stray one go.
        if (isGood) this.writer.varintField(field.number, reader.lo, reader.hi)
        else if (hasLocations) this.writer.varintField(field.number, 0, 0)
      }
    }
    this.skippedReferences += stray.array[stray.length - 1]
    this.#strayIndices = stray.view()
  }

  /** Up to v1.7: whether its run of locations is there, and a value for each type. */
  #isSampleWhole(from: number, to: number): boolean {
    const sample = this.#messages.read('Sample', from, to)
    const stray = this.#strayIndices
    const start = numberOf(sample, 'locations_start_index')
    const length = numberOf(sample, 'locations_length')
    if (length !== 0) {
      const isThere = start >= 0 && length > 0 && start + length < stray.length
      if (!isThere || stray[start + length] !== stray[start]) return false
    }
    const values = numbersIn(sample, 'value').length
    const times = numbersIn(sample, 'timestamps_unix_nano').length
    const types = this.#tables.counts.get('types') ?? 0
    if (times === 0) return types > 0 && values === types
    return values === types || (values === 0 && types <= 1) || (types === 1 && values === times)
  }
}
