// Converts the intact parts of a broken text to protobuf for lenient readers. In the copy, resources, scopes, profiles and the
// dictionary end where the text does, and broken parts inside them are dropped. ../otlp then reads the copy.
import { JsonError } from '../../../wire/json/json-error.ts'
import type { JsonKind, JsonReader } from '../../../wire/json/json-reader.ts'
import { UNEXPECTED_END } from '../../../wire/json/json-walker.ts'
import type { NoteList } from '../../format.ts'
import { MessageWriter } from '../../otlp/lenient/message-writer.ts'
import type { FieldSchema, Generation, MessageSchema, Scalar, Schema } from '../../otlp/generations/schema.ts'
import { GENERATIONS, ROOT, messageOf, schemaOf } from '../../otlp/generations/schema.ts'
import { CONTAINERS, isTable, skipSamples } from '../../otlp/lenient/salvage.ts'
import { fieldsOf } from '../legacy-messages.ts'
import type { MessageRange } from '../locate.ts'
import { readerOf } from '../locate.ts'
import { writeScalar } from './write-scalar.ts'

export interface SalvagedJsonParts {
  readonly bytes: Uint8Array
  readonly generation: Generation
  readonly unknownFields: number
  /** The error where the text ends or stops being JSON. Undefined if the message is complete. */
  readonly cut: JsonError | undefined
  /** The offset after the message, unless it is truncated. */
  readonly to: number
}

/** An error takes about 20 microseconds. An error that truncates a message occurs once per generation that is tried. */
const MAX_FAULTS = 20_000

/** Limits the number of errors in a file, so that a file with a million broken values ends early. */
export class FaultBudget {
  #left = MAX_FAULTS

  /** Returns false if the budget is exhausted. */
  spend(): boolean {
    this.#left--
    return this.#left >= 0
  }
}

/** v1.9 has the same names as v1.11. */
const CANDIDATES = GENERATIONS.filter(generation => generation !== 'v1.9').toReversed()

/** Salvages the message at the start of the range, in the wanted generation or in the one that fits best. */
export function salvageJsonParts(
  range: MessageRange,
  wanted: Generation | undefined,
  notes: NoteList,
  budget: FaultBudget,
): SalvagedJsonParts {
  let best: PartsWriter | undefined
  for (const generation of wanted === undefined ? CANDIDATES : [wanted]) {
    const parts = new PartsWriter(readerOf(range), generation, budget)
    parts.message()
    if (best === undefined || parts.mismatch < best.mismatch) best = parts
    if (parts.mismatch === 0) break
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
  /** Number of bytes of the text that do not fit this generation. */
  mismatch = 0
  cut: JsonError | undefined
  readonly #schema: Schema
  readonly #budget: FaultBudget
  #skippedSamples = 0
  #skippedRows = 0
  #skippedFields = 0
  /** The written bytes up to here are complete. */
  #complete = 0
  /** Whether the current row contains an invalid value. */
  #isBroken = false

  constructor(reader: JsonReader, generation: Generation, budget: FaultBudget) {
    this.#budget = budget
    // Grows, because the length of the message in the text is unknown.
    this.writer = new MessageWriter(1024)
    this.reader = reader
    this.generation = generation
    this.#schema = schemaOf(generation)
  }

  addNotes(notes: NoteList): void {
    skipSamples(notes, this.#skippedSamples)
    notes.addDamage('skipped-rows', 'unreadable rows of tables were left empty', this.#skippedRows)
    notes.addDamage('skipped-fields', 'unreadable fields were dropped', this.#skippedFields)
  }

  message(): void {
    this.#container(messageOf(this.#schema, ROOT))
  }

  /** Ends where the text ends. */
  #container(schema: MessageSchema): void {
    const { reader, writer } = this
    const fields = fieldsOf(schema)
    this.#complete = writer.length
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
        this.#complete = writer.length
      }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      this.cut = error
      this.#budget.spend()
      writer.cutTo(this.#complete)
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
    // Counts up to the end of the text if skipping throws.
    this.mismatch += reader.bytes.length - reader.offset
    reader.skip()
    this.mismatch -= reader.bytes.length - reader.offset
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
      this.#complete = writer.length
    }
  }

  #inner(field: FieldSchema): void {
    const start = this.writer.open(field.number)
    this.#container(messageOf(this.#schema, field.type))
    this.writer.close(start)
  }

  /** Writes a part completely or not at all. */
  #part(field: FieldSchema): void {
    const start = this.writer.length
    const at = this.reader.offset
    this.#isBroken = false
    this.#value(field)
    if (!this.#isBroken) return
    this.mismatch += this.reader.offset - at
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

  /** Writes a value, or one of a list. */
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
      // Checks the kind first to avoid the cost of an error.
      if (isOfScalar(kind, scalar)) writeScalar(reader, this.writer, field, scalar)
      else {
        this.#isBroken = true
        reader.skip()
      }
    } catch (error) {
      if (!(error instanceof JsonError) || !this.#budget.spend()) throw error
      this.writer.cutTo(start)
      this.#isBroken = true
      // Throws again if there is no valid value.
      reader.offset = at
      reader.skip()
    }
    // A number at the end of the text may be incomplete.
    if (reader.offset >= reader.bytes.length) reader.fail(UNEXPECTED_END)
  }
}

/** Whether a value of this kind can be this scalar. Numbers may be strings as well. */
function isOfScalar(kind: JsonKind, scalar: Scalar): boolean {
  if (scalar === 'bool') return kind === 'boolean'
  return kind === 'string' || (kind === 'number' && scalar !== 'string' && scalar !== 'bytes')
}
