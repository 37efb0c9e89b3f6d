// Repairs broken input for lenient readers: truncated messages end there, and unreadable fields and dangling references are
// dropped.
import { GrowingBytes } from '../../model/columns/growing-columns.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { NoteList } from '../format.ts'
import { messageIn, messagesOf, numberOf, numbersIn, textsOf } from '../otlp/generations/message-fields.ts'
import type { FieldSchema, MessageSchema } from '../otlp/generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../otlp/generations/schema.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import { isPackable, wireTypeOf } from '../otlp/generations/schema-reader.ts'
import { appendedMessages, mappedMessages } from './mapped-messages.ts'

const SCHEMA = schemaOf('v1.3')
/** The depth from the root to an attribute's value. Deeper messages are kept or dropped as a unit. */
const MAX_DEPTH = 10

/** Returns ProfilesData without its broken parts. The note has their number. */
export function repairedBytes(bytes: Uint8Array, notes: NoteList): Uint8Array {
  const repairer = new MessageRepairer(bytes)
  const out = repairer.message(messageOf(SCHEMA, ROOT), 0, bytes.length, 1)
  notes.addDamage('truncated', 'truncated or broken messages were read as far as possible', repairer.broken)
  return out
}

class MessageRepairer {
  broken = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  message(schema: MessageSchema, from: number, to: number, depth: number): Uint8Array {
    const out = new GrowingBytes(Math.max(16, to - from))
    const reader = new ProtoReader(this.#bytes, from, to)
    try {
      for (let at = from; reader.tag(); at = reader.pos) {
        const field = schema.byNumber.get(reader.field)
        if (field?.scalar === undefined && field !== undefined && reader.wireType === LEN) {
          this.#submessage(reader, field, at, out, depth)
        } else {
          reader.skip()
          if (field === undefined || this.#isSound(field, reader.wireType, at, reader.pos))
            out.append(this.#bytes, at, reader.pos)
          else this.broken++
        }
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.broken++
    }
    return out.array.subarray(0, out.length)
  }

  /** The tag is at `at`. The length comes next. */
  #submessage(reader: ProtoReader, field: FieldSchema, at: number, out: GrowingBytes, depth: number): void {
    const tagEnd = reader.pos
    reader.varint64()
    const length = reader.hi === 0 ? reader.lo >>> 0 : Infinity
    const start = reader.pos
    const end = Math.min(start + length, reader.end)
    if (start + length > reader.end) this.broken++
    const inner = depth < MAX_DEPTH ? this.message(messageOf(SCHEMA, field.type), start, end, depth + 1) : undefined
    reader.pos = end
    out.append(this.#bytes, at, tagEnd)
    appendVarint(out, inner?.length ?? end - start)
    if (inner === undefined) out.append(this.#bytes, start, end)
    else out.append(inner, 0, inner.length)
  }

  #isSound(field: FieldSchema, wireType: number, from: number, to: number): boolean {
    if (wireType !== wireTypeOf(field.scalar) && !(wireType === LEN && isPackable(field))) return false
    if (wireType !== LEN) return true
    const reader = new ProtoReader(this.#bytes, from, to)
    reader.tag()
    const length = reader.length()
    if (field.scalar === 'string') return isUtf8(this.#bytes, reader.pos, reader.pos + length)
    if (!isPackable(field)) return true
    try {
      while (reader.pos < to) reader.skip(wireTypeOf(field.scalar))
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      return false
    }
    return true
  }
}

function appendVarint(out: GrowingBytes, value: number): void {
  let rest = value
  for (; rest > 127; rest >>>= 7) out.append(Uint8Array.of((rest & 127) | 128), 0, 1)
  out.append(Uint8Array.of(rest), 0, 1)
}

/** Returns a container without dangling references. */
export function repairedContainer(container: Message, notes: NoteList): Message {
  const profile = messageIn(container, 'profile')
  return profile === undefined ? container : { ...container, profile: new ReferenceRepairer(profile, notes).repaired() }
}

class ReferenceRepairer {
  readonly #profile: Message
  readonly #notes: NoteList
  readonly #strings: number
  readonly #types: number
  readonly #functions: number
  readonly #mappings: number
  readonly #locations: number
  readonly #attributes: number
  readonly #links: number
  readonly #indices: number

  constructor(profile: Message, notes: NoteList) {
    this.#profile = profile
    this.#notes = notes
    this.#strings = textsOf(profile, 'string_table').length
    this.#types = messagesOf(profile, 'sample_type').length
    this.#functions = messagesOf(profile, 'function').length
    this.#mappings = messagesOf(profile, 'mapping').length
    this.#locations = messagesOf(profile, 'location').length
    this.#attributes = messagesOf(profile, 'attribute_table').length
    this.#links = messagesOf(profile, 'link_table').length
    this.#indices = numbersIn(profile, 'location_indices').length
  }

  repaired(): Message {
    const profile = this.#profile
    const texts = (table: string, ...fields: string[]): Message[string] =>
      mappedMessages(messagesOf(profile, table), row => this.#texts(row, ...fields))
    const period = messageIn(profile, 'period_type')
    return {
      ...this.#texts(profile, 'drop_frames', 'keep_frames', 'default_sample_type'),
      ...(period === undefined ? {} : { period_type: this.#texts(period, 'type', 'unit') }),
      comment: this.#within(profile, 'comment', this.#strings),
      sample_type: texts('sample_type', 'type', 'unit'),
      attribute_units: texts('attribute_units', 'attribute_key', 'unit'),
      function: texts('function', 'name', 'system_name', 'filename'),
      mapping: appendedMessages(
        mappedMessages(messagesOf(profile, 'mapping'), row => this.#listed(this.#texts(row, 'filename', 'build_id'))),
        // For locations with a missing mapping: 0 would mean the first one.
        this.#mappings === 0 ? [] : [{}],
      ),
      // An empty location replaces missing ones.
      location: appendedMessages(
        mappedMessages(messagesOf(profile, 'location'), row => this.#location(row)),
        [{}],
      ),
      location_indices: Array.from(numbersIn(profile, 'location_indices'), index =>
        BigInt(this.#isRow(index, this.#locations) ? index : this.#locations),
      ),
      sample: mappedMessages(messagesOf(profile, 'sample'), sample => this.#sample(sample)),
    }
  }

  #isRow(index: number | bigint, length: number): boolean {
    return index >= 0 && index < length
  }

  #within(message: Message, field: string, length: number): bigint[] {
    const all = Array.from(numbersIn(message, field), BigInt)
    const sound = all.filter(index => this.#isRow(index, length))
    this.#note(all.length - sound.length)
    return sound
  }

  #note(count: number): void {
    this.#notes.addDamage('skipped-references', 'references to missing rows were dropped', count)
  }

  #texts(message: Message, ...fields: string[]): Message {
    const broken = fields.filter(field => !this.#isRow(numberOf(message, field), Math.max(1, this.#strings)))
    if (broken.length === 0) return message
    this.#note(broken.length)
    return { ...message, ...Object.fromEntries(broken.map(field => [field, 0n])) }
  }

  #listed(message: Message): Message {
    return { ...message, attributes: this.#within(message, 'attributes', this.#attributes) }
  }

  #location(location: Message): Message {
    const hasMapping = this.#isRow(numberOf(location, 'mapping_index'), Math.max(1, this.#mappings))
    const lines = [...messagesOf(location, 'line')]
    const sound = lines.filter(line => this.#isRow(numberOf(line, 'function_index'), Math.max(1, this.#functions)))
    this.#note(lines.length - sound.length + (hasMapping ? 0 : 1))
    const typed = this.#listed(this.#texts(location, 'type_index'))
    return { ...typed, line: sound, ...(hasMapping ? {} : { mapping_index: BigInt(this.#mappings) }) }
  }

  /** Returns undefined for a sample without a stack or with another number of values than types. */
  #sample(sample: Message): Message | undefined {
    const values = numbersIn(sample, 'value').length
    const times = numbersIn(sample, 'timestamps_unix_nano').length
    const length = numberOf(sample, 'locations_length')
    const end = numberOf(sample, 'locations_start_index') + length
    const hasStack =
      (length === 0 || end <= this.#indices) &&
      Array.from(numbersIn(sample, 'location_index')).every(index => this.#isRow(index, this.#locations))
    const hasValues =
      (values === this.#types && values > 0) || (times > 0 && this.#types <= 1 && (values === 0 || values === times))
    if (!hasStack || !hasValues) {
      this.#notes.addDamage('skipped-samples', 'samples that are broken or refer to missing rows were dropped')
      return undefined
    }
    const labels = [...messagesOf(sample, 'label')].map(label => this.#texts(label, 'key', 'str', 'num_unit'))
    const isLinked = this.#isRow(numberOf(sample, 'link'), Math.max(1, this.#links))
    if (!isLinked) this.#note(1)
    const listed = this.#listed(this.#texts(sample, 'stacktrace_id_index'))
    return { ...listed, label: labels, ...(isLinked ? {} : { link: 0n }) }
  }
}
