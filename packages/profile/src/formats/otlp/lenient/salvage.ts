// Copies the intact parts of a broken message for lenient readers: resources, scopes, profiles and dictionaries end where they
// are truncated, and broken parts inside them are dropped. drop-dangling.ts then handles references to dropped rows.
//
//   profile 500 B  sample 9 B | sample 9 B | sample 7 of 9 B   ->   profile 20 B  sample 9 B | sample 9 B
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { decodeUtf8, encodeUtf8 } from '../../../wire/utf8.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { NoteList } from '../../format.ts'
import { MessageWriter } from './message-writer.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import { SchemaReader, isPackable, wireTypeOf } from '../generations/schema-reader.ts'

/** Messages that are useful without their end. All other messages are kept only if complete. */
export const CONTAINERS: ReadonlySet<string> = new Set([
  ROOT,
  'ProfilesDictionary',
  'ResourceProfiles',
  'ScopeProfiles',
  'ProfileContainer',
  'Profile',
])

/** Lists from which a row can be dropped. In other lists the following rows would change their numbers. */
const UNNUMBERED: ReadonlySet<string> = new Set(['sample', 'samples', 'attributes', 'attribute_units'])

export function isTable(field: FieldSchema): boolean {
  return field.repeated && !isPackable(field) && !UNNUMBERED.has(field.name)
}

/** Maximum number of faults. A message with more ends there, because each takes microseconds and a few bytes of input. */
const MAX_FAULTS = 1 << 16

export interface SalvagedParts {
  readonly bytes: Uint8Array
  /** Offset of the first part that was dropped with everything after it in its message. -1 if there is none. */
  readonly cutAt: number
}

/** Adds notes about parts that were dropped because they are broken. */
export function salvageParts(
  bytes: Uint8Array,
  from: number,
  to: number,
  generation: Generation,
  notes: NoteList,
): SalvagedParts {
  const parts = new PartsWriter(bytes, to - from, generation, notes)
  parts.container(messageOf(schemaOf(generation), ROOT), from, to)
  return { bytes: parts.writer.bytes(), cutAt: parts.cutAt }
}

class PartsWriter {
  readonly writer: MessageWriter
  cutAt = -1
  #faults = 0
  readonly #bytes: Uint8Array
  readonly #schema: Schema
  readonly #checker: SchemaReader
  readonly #notes: NoteList

  constructor(bytes: Uint8Array, size: number, generation: Generation, notes: NoteList) {
    this.writer = new MessageWriter(size)
    this.#bytes = bytes
    this.#schema = schemaOf(generation)
    this.#checker = new SchemaReader(bytes, generation)
    this.#notes = notes
  }

  container(schema: MessageSchema, from: number, to: number): void {
    const reader = new ProtoReader(this.#bytes, from, to)
    let at = from
    try {
      for (; this.#faults <= MAX_FAULTS && reader.tag(); at = reader.pos) this.#field(reader, schema, at)
      if (at < to) this.#cut(at)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#faults++
      this.#cut(at)
    }
  }

  #cut(at: number): void {
    if (this.cutAt < 0) this.cutAt = at
  }

  /** Writes nothing if it throws. */
  #field(reader: ProtoReader, schema: MessageSchema, at: number): void {
    const field = schema.byNumber.get(reader.field)
    const isLong = reader.wireType === LEN && field !== undefined
    if (isLong && CONTAINERS.has(field.type)) return this.#inner(reader, field)
    if (isLong && isPackable(field) && this.#packedCut(reader, field)) return
    reader.skip()
    if (field === undefined || this.#isReadable(schema, at, reader.pos)) this.writer.copy(this.#bytes, at, reader.pos)
    else this.#replace(field, at, reader.pos)
  }

  #inner(reader: ProtoReader, field: FieldSchema): void {
    reader.varint64()
    const room = reader.end - reader.pos
    const isComplete = reader.hi === 0 && reader.lo >>> 0 <= room
    const from = reader.pos
    const to = isComplete ? from + (reader.lo >>> 0) : reader.end
    const start = this.writer.open(field.number)
    this.container(messageOf(this.#schema, field.type), from, to)
    this.writer.close(start)
    if (!isComplete) this.#cut(to)
    reader.pos = to
  }

  /** Keeps the complete numbers of a packed list that exceeds its message. Returns false if the list is complete. */
  #packedCut(reader: ProtoReader, field: FieldSchema): boolean {
    const at = reader.pos
    reader.varint64()
    const isComplete = reader.hi === 0 && reader.lo >>> 0 <= reader.end - reader.pos
    const from = reader.pos
    reader.pos = at
    if (isComplete) return false
    let to = from
    const numbers = new ProtoReader(this.#bytes, from, reader.end)
    try {
      for (; numbers.pos < numbers.end; to = numbers.pos) numbers.skip(wireTypeOf(field.scalar))
    } catch (error) {
      if (!(error instanceof WireError)) throw error
    }
    this.#cut(to)
    if (to > from) this.writer.bytesField(field.number, this.#bytes.subarray(from, to))
    reader.pos = reader.end
    return true
  }

  /** Whether a single field of a message can be read. */
  #isReadable(schema: MessageSchema, from: number, to: number): boolean {
    try {
      this.#checker.readAt(schema, [from, to], 1)
      return true
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#faults++
      return false
    }
  }

  #replace(field: FieldSchema, at: number, to: number): void {
    const reader = new ProtoReader(this.#bytes, at, to)
    reader.tag()
    if (field.scalar === 'string' && reader.wireType === LEN) {
      const length = reader.length()
      const text = decodeUtf8(this.#bytes, reader.pos, reader.pos + length)
      this.writer.bytesField(field.number, encodeUtf8(text))
      this.#notes.add('invalid-utf8', 'invalid bytes in strings that are not UTF-8 were replaced')
    } else if (isTable(field)) {
      this.writer.bytesField(field.number, new Uint8Array(0))
      this.#notes.addDamage('skipped-rows', 'unreadable rows of tables were left empty')
    } else if (field.type === 'Sample') skipSamples(this.#notes, 1)
    else this.#notes.addDamage('skipped-fields', 'unreadable fields were dropped')
  }
}

export function skipSamples(notes: NoteList, count: number): void {
  notes.addDamage('skipped-samples', 'samples that are broken or refer to missing rows were dropped', count)
}
