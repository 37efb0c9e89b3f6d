// A text that breaks off or is broken, as far as whole parts go, for readers that are asked to go on: the message that begins
// there becomes protobuf, in which resources, scopes, profiles and the dictionary end where the text does, and what is
// broken inside of them is left out. From there on it is read as ../otlp reads broken messages.
import { JsonError } from '../../../wire/json/json-error.ts'
import type { JsonKind, JsonReader } from '../../../wire/json/json-reader.ts'
import { UNEXPECTED_END } from '../../../wire/json/json-walker.ts'
import type { NoteList } from '../../format.ts'
import { MessageWriter } from '../../otlp/lenient/message-writer.ts'
import type { FieldSchema, Generation, MessageSchema, Scalar, Schema } from '../../otlp/generations/schema.ts'
import { GENERATIONS, ROOT, jsonName, messageOf, schemaOf } from '../../otlp/generations/schema.ts'
import { CONTAINERS, isTable, skipSamples } from '../../otlp/lenient/salvage.ts'
import type { MessageRange } from '../locate.ts'
import { readerOf } from '../locate.ts'
import { writeScalar } from './write-scalar.ts'

export interface WholeJsonParts {
  readonly bytes: Uint8Array
  readonly generation: Generation
  readonly unknownFields: number
  /** Where the text ends or stops being JSON, and why; undefined where it does not, within the message. */
  readonly cut: JsonError | undefined
  /** One past the message's last byte, unless it is cut. */
  readonly to: number
}

/** An error takes some 20 microseconds, and one that cuts a message comes once a generation that is tried. */
const MOST_FAULTS = 20_000

/** How many errors a file may have, so that one of a million broken values ends at one of the first of them. */
export class FaultBudget {
  #left = MOST_FAULTS

  /** False when it is used up. */
  spend(): boolean {
    this.#left--
    return this.#left >= 0
  }
}

/** v1.9 has the names of v1.11. */
const CANDIDATES = GENERATIONS.filter(generation => generation !== 'v1.9').toReversed()

/** The message that the range begins with; of the generation that it fits best where none is given. */
export function salvageJsonParts(
  range: MessageRange,
  wanted: Generation | undefined,
  notes: NoteList,
  budget: FaultBudget,
): WholeJsonParts {
  let best: PartsWriter | undefined
  for (const generation of wanted === undefined ? CANDIDATES : [wanted]) {
    const parts = new PartsWriter(readerOf(range), generation, budget)
    parts.message()
    if (best === undefined || parts.strange < best.strange) best = parts
    if (parts.strange === 0) break
  }
  const parts = best!
  parts.addNotes(notes)
  const { generation, unknownFields, cut } = parts
  return { bytes: parts.writer.bytes(), generation, unknownFields, cut, to: parts.reader.offset }
}

class PartsWriter {
  readonly writer: MessageWriter
  readonly reader: JsonReader
  readonly generation: Generation
  unknownFields = 0
  /** How much of the text does not fit this generation, in bytes. */
  strange = 0
  cut: JsonError | undefined
  readonly #schema: Schema
  readonly #budget: FaultBudget
  #skippedSamples = 0
  #skippedRows = 0
  #skippedFields = 0
  /** Up to here what was written is whole. */
  #whole = 0
  /** Whether the row being read has something that cannot be. */
  #isBroken = false

  constructor(reader: JsonReader, generation: Generation, budget: FaultBudget) {
    this.#budget = budget
    // Grows: how much of the text is one message is not known.
    this.writer = new MessageWriter(1024)
    this.reader = reader
    this.generation = generation
    this.#schema = schemaOf(generation)
  }

  addNotes(notes: NoteList): void {
    skipSamples(notes, this.#skippedSamples)
    notes.add('skipped-rows', 'rows of tables that cannot be read were left empty', this.#skippedRows)
    notes.add('skipped-fields', 'fields that cannot be read were left out', this.#skippedFields)
  }

  message(): void {
    this.#container(messageOf(this.#schema, ROOT))
  }

  /** Ends where the text does. */
  #container(schema: MessageSchema): void {
    const { reader, writer } = this
    const fields = fieldsOf(schema)
    this.#whole = writer.length
    try {
      reader.beginObject()
      for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
        if (reader.tryNull()) continue
        const field = fields.get(key)
        if (field === undefined) this.#skipUnknown()
        else if (!this.#isOfKind(field)) {
          this.#skippedFields++
          this.#skip()
        } else if (field.repeated) this.#list(field)
        else if (CONTAINERS.has(field.type)) this.#inner(field)
        else this.#part(field)
        if (this.cut !== undefined) return
        this.#whole = writer.length
      }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      this.cut = error
      this.#budget.spend()
      writer.cutTo(this.#whole)
    }
  }

  #isOfKind(field: FieldSchema): boolean {
    const kind = this.reader.peek()
    if (field.repeated) return kind === 'array'
    return field.scalar !== undefined || kind === 'object'
  }

  #skipUnknown(): void {
    this.unknownFields++
    this.#skip()
  }

  #skip(): void {
    const { reader } = this
    // To the end, if that is where it throws.
    this.strange += reader.bytes.length - reader.offset
    reader.skip()
    this.strange -= reader.bytes.length - reader.offset
  }

  #list(field: FieldSchema): void {
    const { reader, writer } = this
    const isContainer = CONTAINERS.has(field.type)
    reader.beginArray()
    while (reader.nextItem()) {
      if (field.scalar === undefined && reader.peek() !== 'object') {
        this.#skip()
        this.#replace(field)
      } else if (isContainer) this.#inner(field)
      else this.#part(field)
      if (this.cut !== undefined) return
      this.#whole = writer.length
    }
  }

  #inner(field: FieldSchema): void {
    const start = this.writer.open(field.number)
    this.#container(messageOf(this.#schema, field.type))
    this.writer.close(start)
  }

  /** What is whole or not there. */
  #part(field: FieldSchema): void {
    const start = this.writer.length
    const at = this.reader.offset
    this.#isBroken = false
    this.#value(field)
    if (!this.#isBroken) return
    this.strange += this.reader.offset - at
    this.writer.cutTo(start)
    this.#replace(field)
  }

  #replace(field: FieldSchema): void {
    if (isTable(field)) {
      this.writer.bytesField(field.number, new Uint8Array(0))
      this.#skippedRows++
    } else if (field.type === 'Sample') this.#skippedSamples++
    else this.#skippedFields++
  }

  /** A value, or one of a list of them. */
  #value(field: FieldSchema): void {
    const { scalar } = field
    if (scalar === undefined) {
      const start = this.writer.open(field.number)
      this.#row(messageOf(this.#schema, field.type))
      this.writer.close(start)
    } else this.#scalar(field, scalar)
  }

  #row(schema: MessageSchema): void {
    const { reader } = this
    const fields = fieldsOf(schema)
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      const field = fields.get(key)
      if (field === undefined) this.#skipUnknown()
      else if (!this.#isOfKind(field)) this.#isBroken = true
      else if (field.repeated) this.#rowList(field)
      else this.#value(field)
    }
  }

  #rowList(field: FieldSchema): void {
    const { reader } = this
    reader.beginArray()
    while (reader.nextItem()) {
      if (field.scalar !== undefined || reader.peek() === 'object') this.#value(field)
      else this.#isBroken = true
    }
  }

  #scalar(field: FieldSchema, scalar: Scalar): void {
    const { reader } = this
    const kind = reader.peek()
    const at = reader.offset
    const start = this.writer.length
    try {
      // Without an error where that is so plain.
      if (isOfScalar(kind, scalar)) writeScalar(reader, this.writer, field, scalar)
      else {
        this.#isBroken = true
        reader.skip()
      }
    } catch (error) {
      if (!(error instanceof JsonError) || !this.#budget.spend()) throw error
      this.writer.cutTo(start)
      this.#isBroken = true
      // Throws again if it is not a value at all.
      reader.offset = at
      reader.skip()
    }
    // A number may go on where the text does not.
    if (reader.offset >= reader.bytes.length) reader.fail(UNEXPECTED_END)
  }
}

/** Numbers may be strings as well. */
function isOfScalar(kind: JsonKind, scalar: Scalar): boolean {
  if (scalar === 'bool') return kind === 'boolean'
  return kind === 'string' || (kind === 'number' && scalar !== 'string' && scalar !== 'bytes')
}

const fieldsByKey = new WeakMap<MessageSchema, ReadonlyMap<string, FieldSchema>>()

function fieldsOf(schema: MessageSchema): ReadonlyMap<string, FieldSchema> {
  let fields = fieldsByKey.get(schema)
  if (fields === undefined) {
    fields = new Map(schema.fields.map(field => [jsonName(field.name), field]))
    fieldsByKey.set(schema, fields)
  }
  return fields
}
