// Converts a message to protobuf, for readers with onRejectedProfile. Invalid values in a profile, resource or scope are
// recorded by its number, for ../../otlp/lenient/drop-rejected.ts. All others are an error. Each such part is read as a
// separate text, because an error scans the text before it to count the lines.
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
  /** The generation of the protobuf. */
  readonly generation: Generation
  /** The generation of the text, as the reader of the current layout detects it. */
  readonly textGeneration: Generation
  readonly known: KnownFaults
  readonly unknownFields: number
  /** The offset after the message. */
  readonly to: number
}

/**
 * Converts the message at the start of the range, in the wanted generation or in the one that fits best. Returns undefined if
 * it is broken outside single profiles.
 */
export function toProtobuf(range: MessageRange, wanted: Generation | undefined): AsProtobuf | undefined {
  try {
    // v1.8 has all fields of the later generations and reads the same.
    const first = wanted === undefined || isCurrent(wanted) ? 'v1.8' : wanted
    const parts = convert(range, first)
    if (parts !== undefined && (wanted !== undefined || parts.mismatches === 0)) return parts.result()
    const older = wanted === undefined ? sniffLegacy(readerOf(range)) : undefined
    const other = older === undefined ? undefined : convert(range, older)
    if (other === undefined) return parts?.result()
    return parts === undefined || other.mismatches < parts.mismatches ? other.result() : parts.result()
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

/** Names of v1.8 and their names in later generations. */
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

  /** Number of fields and values that do not fit this generation. */
  get mismatches(): number {
    return this.#unknownFields + this.#faults
  }

  result(): AsProtobuf {
    const generation = this.#generation
    return {
      bytes: this.#writer.bytes(),
      generation,
      textGeneration: this.#isCurrent && !this.#isV1_8 ? 'v1.11' : generation,
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

  /** Converts ResourceProfiles or ScopeProfiles. */
  #container(field: FieldSchema, faults: Map<number, Fault>): void {
    const number = field.type === 'ResourceProfiles' ? this.#resources++ : this.#scopes++
    const start = this.#writer.open(field.number)
    this.#eachField(this.#reader, this.#schemaOf(field.type), part => {
      if (part.name === 'scope_profiles') this.#eachItem(() => this.#container(part, this.#known.scopes))
      else if (part.name === 'profiles') this.#eachItem(() => this.#profile(part))
      else {
        const fault = this.#separately(reader => this.#value(reader, part))
        if (fault !== undefined) faults.set(number, within(jsonName(part.name), fault))
      }
    })
    this.#writer.close(start)
  }

  #profile(field: FieldSchema): void {
    const number = this.#profiles++
    const fault = this.#separately(reader => this.#one(reader, field))
    if (fault === undefined) return
    this.#known.profiles.set(number, fault)
    // A placeholder, so that the numbers of the other profiles stay the same.
    this.#writer.bytesField(field.number, new Uint8Array(0))
  }

  /** Reads the next value as a separate text. Writes nothing if it has a fault. */
  #separately(read: (reader: JsonReader) => void): Fault | undefined {
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

  /** Null means absent. */
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

/** Returns a function that converts a path of the protobuf to the spelling of the text. */
export function spelling({ generation, textGeneration }: AsProtobuf): (path: string) => string {
  if (generation === textGeneration) return jsonName
  return path => jsonName(path.replace(/\b(sample|line)(?=\[)/g, '$1s'))
}
