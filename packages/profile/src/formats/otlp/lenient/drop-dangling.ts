// Copies a well-formed message without dangling references, for lenient readers. Samples without their stack are dropped, and
// so are lines without their function, attributes without their key, and entries of lists. Any other dangling reference is
// cleared. Tables come first in the copy, each before those that refer to it. Protobuf allows that, and rows dropped from one
// table are then known in the next.
import { MAX_VALUE_DEPTH } from '../../../model/columns/any-value.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import type { NoteList } from '../../format.ts'
import { numberOf, numbersIn } from '../generations/message-fields.ts'
import { MessageWriter } from './message-writer.ts'
import type { ReferenceRule, TableKind } from './reference-rules.ts'
import { TABLE_NAMES, fitsTypes, isCurrent, isZeroValid, ruleOf } from './reference-rules.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { SchemaReader } from '../generations/schema-reader.ts'
import { skipSamples } from './salvage.ts'

/** Repeated messages that can be dropped, because nothing refers to their neighbours by number. */
const DROPPED: ReadonlySet<string> = new Set(['Sample', 'Line', 'KeyValue', 'Label', 'AttributeUnit'])

export function dropDanglingReferences(bytes: Uint8Array, generation: Generation, notes: NoteList): Uint8Array {
  const references = new ReferencesWriter(bytes, generation)
  references.root()
  skipSamples(notes, references.skippedSamples)
  notes.addDamage('skipped-references', 'references to missing rows were dropped', references.skippedReferences)
  return references.writer.bytes()
}

/** The rows of each table that can be referred to. */
class Tables {
  readonly counts = new Map<TableKind, number>()
  /** By table: rows that exist but were emptied. */
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
  /** Up to v1.7: for each prefix of the profile's location_indices, how many of them are dangling. */
  #danglingIndices: Int32Array = new Int32Array(1)

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

  /** Starts and ends of the contents of a length-delimited field. */
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

  /** Writes the tables in the fields of a message. Returns the numbers of these fields. */
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

  /** Returns false if the message is useless without what it refers to. `depth` counts nested attribute values. */
  #message(schema: MessageSchema, from: number, to: number, depth: number, written?: ReadonlySet<number>): boolean {
    if (schema.name === 'AnyValue' && depth > MAX_VALUE_DEPTH) return false
    if (schema.name === 'Profile' && written === undefined) return this.#profile(schema, from, to)
    if (schema.name === 'Sample' && !isCurrent(this.#generation) && !this.#isSampleValid(from, to)) return false
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

  /** Writes one reference, or a packed or unpacked list of them. */
  #references(field: FieldSchema, rule: ReferenceRule, from: number, to: number): boolean {
    const reader = new ProtoReader(this.#bytes, from, to)
    reader.tag()
    if (reader.wireType === LEN) reader.length()
    const first = reader.pos
    let dangling = 0
    while (reader.pos < to) if (!this.#isValid(rule.table, reader)) dangling++
    if (dangling === 0) this.writer.copy(this.#bytes, from, to)
    if (dangling === 0 || rule.isVital) return dangling === 0
    this.skippedReferences += dangling
    reader.pos = first
    while (reader.pos < to) {
      if (this.#isValid(rule.table, reader)) this.writer.varintField(field.number, reader.lo, reader.hi)
    }
    return true
  }

  /** Reads the next reference and returns whether its row exists. */
  #isValid(table: TableKind, reader: ProtoReader): boolean {
    reader.varint64()
    const index = reader.lo >>> 0
    if (reader.hi !== 0) return false
    return this.#tables.has(table, index) || (index === 0 && isZeroValid(this.#generation, table))
  }

  /** Writes the tables of a profile of v1.3 to v1.5, and the location_indices of one up to v1.7, before its samples. */
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
    const dangling = new GrowingInts()
    const hasLocations = this.#tables.has('locations', 0)
    dangling.push(0)
    const reader = new ProtoReader(this.#bytes, from, to)
    while (reader.tag()) {
      if (reader.field !== field.number) {
        reader.skip()
        continue
      }
      const isList = reader.wireType === LEN
      const end = isList ? reader.length() + reader.pos : reader.pos + 1
      while (reader.pos < end) {
        const isValid = this.#isValid('locations', reader)
        dangling.push(dangling.array[dangling.length - 1] + (isValid ? 0 : 1))
        // Positions count, because samples refer to runs of them. Samples with a dangling location in their run are dropped.
        if (isValid) this.writer.varintField(field.number, reader.lo, reader.hi)
        else if (hasLocations) this.writer.varintField(field.number, 0, 0)
      }
    }
    this.skippedReferences += dangling.array[dangling.length - 1]
    this.#danglingIndices = dangling.view()
  }

  /** Up to v1.7: whether the sample's run of locations exists and it has a value for each type. */
  #isSampleValid(from: number, to: number): boolean {
    const sample = this.#messages.read('Sample', from, to)
    const dangling = this.#danglingIndices
    const start = numberOf(sample, 'locations_start_index')
    const length = numberOf(sample, 'locations_length')
    if (length !== 0) {
      const exists = start >= 0 && length > 0 && start + length < dangling.length
      if (!exists || dangling[start + length] !== dangling[start]) return false
    }
    const values = numbersIn(sample, 'value').length
    const times = numbersIn(sample, 'timestamps_unix_nano').length
    const types = this.#tables.counts.get('types') ?? 0
    return fitsTypes(values, times, types)
  }
}
