// A message as protobuf, for readers that are asked to go on without the profiles that are bad. What does not fit inside of a
// profile, resource or scope is noted by its number, as ../otlp/sift-profiles.ts takes it; anything else is an error. Each
// such part is read as a text of its own, because an error goes through the text before it to count the lines.
import { JsonError } from '../../../wire/json/json-error.ts'
import { JsonReader } from '../../../wire/json/json-reader.ts'
import type { Fault } from '../../otlp/lenient/fault-finder.ts'
import { within } from '../../otlp/lenient/fault-finder.ts'
import { MessageWriter } from '../../otlp/lenient/message-writer.ts'
import type { FieldSchema, Generation, MessageSchema } from '../../otlp/generations/schema.ts'
import { ROOT, jsonName, messageOf, schemaOf } from '../../otlp/generations/schema.ts'
import type { KnownFaults } from '../../otlp/lenient/drop-rejected.ts'
import { MAX_REJECTS, TooManyFaults, noFaults } from '../../otlp/lenient/drop-rejected.ts'
import type { MessageRange } from '../locate.ts'
import { MAX_JSON_DEPTH, readerOf } from '../locate.ts'
import { isCurrent, sniffLegacy } from '../sniff.ts'
import { writeScalar } from './write-scalar.ts'

export interface AsProtobuf {
  readonly bytes: Uint8Array
  /** Of the protobuf. */
  readonly generation: Generation
  /** Of the text, as the reader of today's layout tells it. */
  readonly spoken: Generation
  readonly known: KnownFaults
  readonly unknownFields: number
  /** One past the message's last byte. */
  readonly to: number
}

/**
 * The message that the range begins with; of the generation that it fits best where none is given. Undefined where it is
 * broken beyond single profiles.
 */
export function toProtobuf(range: MessageRange, wanted: Generation | undefined): AsProtobuf | undefined {
  try {
    // It has all that any later one has, and reads the same.
    const first = wanted === undefined || isCurrent(wanted) ? 'v1.8' : wanted
    const parts = convert(range, first)
    if (parts !== undefined && (wanted !== undefined || parts.strange === 0)) return parts.result()
    const older = wanted === undefined ? sniffLegacy(readerOf(range)) : undefined
    const other = older === undefined ? undefined : convert(range, older)
    if (other === undefined) return parts?.result()
    return parts === undefined || other.strange < parts.strange ? other.result() : parts.result()
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function convert(range: MessageRange, generation: Generation): Converter | undefined {
  const converter = new Converter(range, generation)
  try {
    converter.root()
    return converter
  } catch (error) {
    if (error instanceof JsonError || error instanceof TooManyFaults) return undefined
    throw error
  }
}

/** What v1.8 called otherwise than later generations do. */
const LATER_NAMES: Readonly<Record<string, string>> = { sample: 'samples', line: 'lines' }
/** Keys that only v1.8 has. */
const V1_8_KEYS: ReadonlySet<string> = new Set(['sample', 'commentStrindices', 'aggregationTemporality'])

class Converter {
  #unknownFields = 0
  #faults = 0
  readonly #generation: Generation
  readonly #isCurrent: boolean
  readonly #reader: JsonReader
  readonly #writer: MessageWriter
  readonly #known = noFaults()
  readonly #fields = new Map<MessageSchema, ReadonlyMap<string, FieldSchema>>()
  #isV1_8 = false
  #resources = 0
  #scopes = 0
  #profiles = 0

  constructor(range: MessageRange, generation: Generation) {
    this.#generation = generation
    this.#isCurrent = isCurrent(generation)
    this.#reader = readerOf(range)
    this.#writer = new MessageWriter(1024)
  }

  /** How much does not fit this generation. */
  get strange(): number {
    return this.#unknownFields + this.#faults
  }

  result(): AsProtobuf {
    const generation = this.#generation
    return {
      bytes: this.#writer.bytes(),
      generation,
      spoken: this.#isCurrent && !this.#isV1_8 ? 'v1.11' : generation,
      known: this.#known,
      unknownFields: this.#unknownFields,
      to: this.#reader.offset,
    }
  }

  root(): void {
    this.#eachField(this.#reader, this.#schemaOf(ROOT), field => {
      if (field.name === 'resource_profiles') this.#eachItem(() => this.#container(field, this.#known.resources))
      else this.#value(this.#reader, field)
    })
  }

  /** ResourceProfiles or ScopeProfiles. */
  #container(field: FieldSchema, faults: Map<number, Fault>): void {
    const number = field.type === 'ResourceProfiles' ? this.#resources++ : this.#scopes++
    const start = this.#writer.open(field.number)
    this.#eachField(this.#reader, this.#schemaOf(field.type), part => {
      if (part.name === 'scope_profiles') this.#eachItem(() => this.#container(part, this.#known.scopes))
      else if (part.name === 'profiles') this.#eachItem(() => this.#profile(part))
      else {
        const fault = this.#apart(reader => this.#value(reader, part))
        if (fault !== undefined) faults.set(number, within(jsonName(part.name), fault))
      }
    })
    this.#writer.close(start)
  }

  #profile(field: FieldSchema): void {
    const number = this.#profiles++
    const fault = this.#apart(reader => this.#one(reader, field))
    if (fault === undefined) return
    this.#known.profiles.set(number, fault)
    // Takes its place.
    this.#writer.bytesField(field.number, new Uint8Array(0))
  }

  /** Reads the value that comes next as a text of its own; of what is wrong with it nothing is written. */
  #apart(read: (reader: JsonReader) => void): Fault | undefined {
    const { bytes, offset } = this.#reader
    const start = this.#writer.length
    this.#reader.skip()
    try {
      read(new JsonReader(bytes.subarray(offset, this.#reader.offset), { maxDepth: MAX_JSON_DEPTH }))
      return undefined
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      if (++this.#faults > MAX_REJECTS) throw new TooManyFaults()
      this.#writer.cutTo(start)
      return { path: error.path, what: error.what }
    }
  }

  #value(reader: JsonReader, field: FieldSchema): void {
    if (!field.repeated) return this.#one(reader, field)
    reader.beginArray()
    while (reader.nextItem()) this.#one(reader, field)
  }

  #one(reader: JsonReader, field: FieldSchema): void {
    if (field.scalar !== undefined) return writeScalar(reader, this.#writer, field, field.scalar)
    const start = this.#writer.open(field.number)
    this.#eachField(reader, this.#schemaOf(field.type), part => this.#value(reader, part))
    this.#writer.close(start)
  }

  #eachItem(read: () => void): void {
    this.#reader.beginArray()
    while (this.#reader.nextItem()) read()
  }

  /** Null is the same as absent. */
  #eachField(reader: JsonReader, schema: MessageSchema, read: (field: FieldSchema) => void): void {
    const fields = this.#fieldsOf(schema)
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      const field = fields.get(key)
      if (field === undefined) this.#unknownFields++
      else {
        if (V1_8_KEYS.has(key) || (key === 'line' && schema.name === 'Location')) this.#isV1_8 = true
        read(field)
      }
    }
  }

  #schemaOf(type: string): MessageSchema {
    const isCommon = type === 'KeyValue' || type === 'AnyValue'
    return messageOf(schemaOf(this.#isCurrent && isCommon ? 'v1.11' : this.#generation), type)
  }

  #fieldsOf(schema: MessageSchema): ReadonlyMap<string, FieldSchema> {
    let fields = this.#fields.get(schema)
    if (fields === undefined) {
      const own = schema.fields.map(field => [jsonName(field.name), field] as const)
      const later = schema.fields.flatMap(field =>
        this.#isCurrent && field.repeated && field.name in LATER_NAMES
          ? [[LATER_NAMES[field.name], field] as const]
          : [],
      )
      fields = new Map([...own, ...later])
      this.#fields.set(schema, fields)
    }
    return fields
  }
}

/** A path of the protobuf in the words of the text. */
export function spelling({ generation, spoken }: AsProtobuf): (path: string) => string {
  if (generation === spoken) return jsonName
  return path => jsonName(path.replace(/\b(sample|line)(?=\[)/g, '$1s'))
}
