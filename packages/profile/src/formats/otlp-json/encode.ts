// Writes profiles as OTLP/JSON of the current generation from their columns, like the Collector: zeros are omitted, 64-bit
// numbers are decimal strings, ids are hex, and `resource`, `scope`, `sampleType` and `periodType` are always written. Tables
// are written unchanged. Call `compact` first to remove duplicates and orphans.
import type { AttributeIndex, LinkIndex, LocationIndex, MappingIndex, StackIndex } from '../../model/columns/brand.ts'
import type { Dictionary, Pool } from '../../model/columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
  ValueKind,
  isUnsetLink,
} from '../../model/columns/dictionary.ts'
import type { LongPool, Profiles } from '../../model/columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn } from '../../model/columns/profiles.ts'
import {
  FIRST_LINE_PART,
  OWN_PART,
  PERIOD_TYPE_PART,
  SAMPLE_TYPE_PART,
  VALUE_PART,
  partOf,
} from '../../model/columns/unknown-fields.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import { quotedBase64, quotedHex } from './byte-text.ts'
import { writeAnyValue, writeCount, writeMembers, writeResource, writeScope, writeText } from './write-common.ts'

export interface EncodedJson {
  readonly bytes: Uint8Array
  /** The number of unknown fields that JSON cannot name. */
  readonly lostFields: number
}

export function encodeOtlpJson(profiles: Profiles, indent: number): EncodedJson {
  const encoder = new JsonEncoder(profiles, indent)
  return encoder.encode()
}

class JsonEncoder {
  readonly #all: Profiles
  readonly #writer: JsonWriter
  #lostFields = 0

  constructor(profiles: Profiles, indent: number) {
    this.#all = profiles
    this.#writer = new JsonWriter({ indent })
  }

  encode(): EncodedJson {
    const writer = this.#writer
    const { resources, dictionary } = this.#all
    writer.beginObject()
    this.#rows('resourceProfiles', 0, resources.length, i => this.#resource(i))
    writer.key('dictionary')
    this.#dictionary(dictionary)
    this.#unknown(this.#all.unknown?.self?.get(0))
    writer.endObject()
    return { bytes: writer.finish(), lostFields: this.#lostFields }
  }

  #resource(i: number): void {
    const { resources, unknown } = this.#all
    this.#writer.key('resource')
    this.#lostFields += writeResource(this.#writer, resources.resource(i))
    this.#rows('scopeProfiles', resources.from(i), resources.to(i), scope => this.#scope(scope))
    writeText(this.#writer, 'schemaUrl', resources.schemaUrl(i))
    this.#unknown(unknown?.resources?.get(i))
  }

  #scope(i: number): void {
    const { scopes, unknown } = this.#all
    this.#writer.key('scope')
    this.#lostFields += writeScope(this.#writer, scopes.scope(i))
    this.#rows('profiles', scopes.from(i), scopes.to(i), profile => this.#profile(profile))
    writeText(this.#writer, 'schemaUrl', scopes.schemaUrl(i))
    this.#unknown(unknown?.scopes?.get(i))
  }

  #profile(i: number): void {
    const { profiles } = this.#all
    const { ints } = profiles
    const row = profiles.base + i * PROFILE_STRIDE
    const unknown = this.#all.unknown?.profiles?.get(i)
    this.#valueType('sampleType', ints, row + ProfileColumn.type, unknown, SAMPLE_TYPE_PART)
    this.#rows('samples', profiles.samplesFrom(i), profiles.samplesTo(i), sample => this.#sample(sample))
    this.#unsigned('timeUnixNano', ints, row + ProfileColumn.time)
    this.#unsigned('durationNano', ints, row + ProfileColumn.duration)
    this.#valueType('periodType', ints, row + ProfileColumn.periodType, unknown, PERIOD_TYPE_PART)
    this.#signed('period', ints, row + ProfileColumn.period)
    this.#hex('profileId', profiles.id(i))
    writeCount(this.#writer, 'droppedAttributesCount', profiles.droppedAttributes(i))
    writeText(this.#writer, 'originalPayloadFormat', profiles.originalPayloadFormat(i))
    const payload = profiles.originalPayload(i)
    if (payload.length > 0) {
      this.#writer.key('originalPayload')
      this.#writer.raw(quotedBase64(payload))
    }
    this.#indexes('attributeIndices', profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i))
    this.#unknown(unknown)
  }

  #valueType(key: string, ints: Int32Array, at: number, unknown: Uint8Array | undefined, part: number): void {
    this.#writer.key(key)
    this.#writer.beginObject()
    this.#number('typeStrindex', ints[at])
    this.#number('unitStrindex', ints[at + 1])
    this.#unknown(unknown, part)
    this.#writer.endObject()
  }

  #sample(i: number): void {
    const { samples, unknown } = this.#all
    this.#number('stackIndex', samples.stack(i))
    this.#indexes('attributeIndices', samples.attributes, samples.attributesFrom(i), samples.attributesTo(i))
    this.#number('linkIndex', samples.link(i))
    this.#longs('values', samples.values, samples.valuesFrom(i), samples.valuesTo(i), false)
    this.#longs('timestampsUnixNano', samples.timestamps, samples.timestampsFrom(i), samples.timestampsTo(i), true)
    if (unknown !== undefined) this.#unknown(unknown.samples?.get(i))
  }

  #dictionary(dictionary: Dictionary): void {
    const { mappings, locations, functions, links, attributes, stacks, unknown } = dictionary
    this.#writer.beginObject()
    this.#rows('mappingTable', 0, mappings.length, i => this.#mapping(dictionary, i))
    this.#rows('locationTable', 0, locations.length, i => this.#location(dictionary, i))
    this.#rows('functionTable', 0, functions.length, i => this.#function(dictionary, i))
    this.#rows('linkTable', 0, links.length, i => this.#link(dictionary, i))
    this.#strings(dictionary)
    this.#rows('attributeTable', 0, attributes.length, i => this.#attribute(dictionary, i))
    this.#rows('stackTable', 0, stacks.length, i => {
      this.#indexes('locationIndices', stacks.locations, stacks.from(i as StackIndex), stacks.to(i as StackIndex))
      if (unknown !== undefined) this.#unknown(unknown.stacks?.get(i))
    })
    this.#unknown(unknown?.self?.get(0))
    this.#writer.endObject()
  }

  #mapping({ mappings, unknown }: Dictionary, i: number): void {
    const { ints } = mappings
    const row = mappings.base + i * MAPPING_STRIDE
    this.#unsigned('memoryStart', ints, row)
    this.#unsigned('memoryLimit', ints, row + 2)
    this.#unsigned('fileOffset', ints, row + 4)
    this.#number('filenameStrindex', ints[row + 6])
    this.#indexes('attributeIndices', mappings.attributes, mappings.attributesFrom(i as MappingIndex), ints[row + 7])
    this.#unknown(unknown?.mappings?.get(i))
  }

  #location({ locations, unknown }: Dictionary, i: number): void {
    const { ints, lines } = locations
    const fields = unknown?.locations?.get(i)
    const first = locations.linesFrom(i as LocationIndex)
    const row = locations.base + i * LOCATION_STRIDE
    this.#number('mappingIndex', ints[row])
    this.#unsigned('address', ints, row + 1)
    this.#rows('lines', first, ints[row + 3], k => {
      const at = lines.base + k * LINE_STRIDE
      this.#number('functionIndex', lines.ints[at])
      this.#signed('line', lines.ints, at + 1)
      this.#signed('column', lines.ints, at + 3)
      this.#unknown(fields, FIRST_LINE_PART + k - first)
    })
    this.#indexes('attributeIndices', locations.attributes, locations.attributesFrom(i as LocationIndex), ints[row + 4])
    this.#unknown(fields)
  }

  #function({ functions, unknown }: Dictionary, i: number): void {
    const { ints } = functions
    const row = functions.base + i * FUNCTION_STRIDE
    this.#number('nameStrindex', ints[row])
    this.#number('systemNameStrindex', ints[row + 1])
    this.#number('filenameStrindex', ints[row + 2])
    this.#signed('startLine', ints, row + 3)
    if (unknown !== undefined) this.#unknown(unknown.functions?.get(i))
  }

  #link({ links, unknown }: Dictionary, i: number): void {
    this.#unknown(unknown?.links?.get(i))
    if (i === 0 && isUnsetLink(links, i as LinkIndex)) return
    this.#hex('traceId', links.traceId(i as LinkIndex))
    this.#hex('spanId', links.spanId(i as LinkIndex))
  }

  #strings({ strings, bytes }: Dictionary): void {
    const writer = this.#writer
    const { ints, base, length } = strings
    writer.key('stringTable')
    writer.beginArray()
    for (let i = 0; i < length; i++) {
      const offset = ints[base + 2 * i]
      writer.stringBytes(bytes, offset, offset + ints[base + 2 * i + 1])
    }
    writer.endArray()
  }

  #attribute({ attributes, unknown }: Dictionary, i: number): void {
    const fields = unknown?.attributes?.get(i)
    const unknownOfValue = partOf(fields, VALUE_PART)
    const row = attributes.base + i * ATTRIBUTE_STRIDE
    this.#number('keyStrindex', attributes.ints[row])
    if (attributes.ints[row + 2] !== ValueKind.empty || unknownOfValue.length > 0) {
      this.#writer.key('value')
      this.#lostFields += writeAnyValue(this.#writer, attributes.value(i as AttributeIndex), unknownOfValue)
    }
    this.#number('unitStrindex', attributes.ints[row + 1])
    this.#unknown(fields)
  }

  /** Writes the unknown members of a part. */
  #unknown(fields: Uint8Array | undefined, part: number = OWN_PART): void {
    if (fields !== undefined) this.#lostFields += writeMembers(this.#writer, partOf(fields, part))
  }

  /** Writes a list of objects, whose members `write` writes. Omits an empty list. */
  #rows(key: string, from: number, to: number, write: (row: number) => void): void {
    if (from === to) return
    const writer = this.#writer
    writer.key(key)
    writer.beginArray()
    for (let row = from; row < to; row++) {
      writer.beginObject()
      write(row)
      writer.endObject()
    }
    writer.endArray()
  }

  #indexes(key: string, pool: Pool<number>, from: number, to: number): void {
    if (from === to) return
    const writer = this.#writer
    const { ints, base } = pool
    writer.key(key)
    writer.beginArray()
    for (let k = base + from; k < base + to; k++) writer.number(ints[k])
    writer.endArray()
  }

  #longs(key: string, { ints, base }: LongPool, from: number, to: number, isUnsigned: boolean): void {
    if (from === to) return
    const writer = this.#writer
    writer.key(key)
    writer.beginArray()
    for (let k = base + 2 * from; k < base + 2 * to; k += 2) writer.int64String(ints[k], ints[k + 1], isUnsigned)
    writer.endArray()
  }

  #number(key: string, value: number): void {
    if (value === 0) return
    this.#writer.key(key)
    this.#writer.number(value)
  }

  #signed(key: string, ints: Int32Array, at: number): void {
    if ((ints[at] | ints[at + 1]) === 0) return
    this.#writer.key(key)
    this.#writer.int64String(ints[at], ints[at + 1])
  }

  #unsigned(key: string, ints: Int32Array, at: number): void {
    if ((ints[at] | ints[at + 1]) === 0) return
    this.#writer.key(key)
    this.#writer.int64String(ints[at], ints[at + 1], true)
  }

  #hex(key: string, id: Uint8Array): void {
    if (id.length === 0) return
    this.#writer.key(key)
    this.#writer.raw(quotedHex(id))
  }
}
