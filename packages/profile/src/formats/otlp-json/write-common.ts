// Writes the messages of common.proto as OTLP/JSON: attribute values, resources, scopes. Zeros and empty lists are omitted.
import type { AnyValue, EntityRef, KeyValue, Resource, Scope } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { NESTED_PART, OWN_PART, VALUE_PART, partOf } from '../../model/columns/unknown-fields.ts'
import { JsonError, JsonReader } from '../../wire/json/json-reader.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import { splitMembers } from '../otlp/json-members.ts'
import { quotedBase64 } from './byte-text.ts'

/** Each function returns the number of unknown fields that it did not write, because JSON cannot name them. */
export function writeResource(writer: JsonWriter, resource: Resource): number {
  writer.beginObject()
  let lost = writeList(writer, 'attributes', resource.attributes, writeKeyValue)
  writeCount(writer, 'droppedAttributesCount', resource.droppedAttributesCount)
  lost += writeList(writer, 'entityRefs', resource.entityRefs, writeEntityRef)
  lost += writeMembers(writer, resource.unknown)
  writer.endObject()
  return lost
}

export function writeScope(writer: JsonWriter, scope: Scope): number {
  writer.beginObject()
  writeText(writer, 'name', scope.name)
  writeText(writer, 'version', scope.version)
  let lost = writeList(writer, 'attributes', scope.attributes, writeKeyValue)
  writeCount(writer, 'droppedAttributesCount', scope.droppedAttributesCount)
  lost += writeMembers(writer, scope.unknown)
  writer.endObject()
  return lost
}

/** Writes an object with one member, even if that is zero, because it determines the kind, and with the unknown fields. */
export function writeAnyValue(writer: JsonWriter, value: AnyValue, unknown?: Uint8Array): number {
  let lost = 0
  writer.beginObject()
  if (typeof value === 'string') {
    writer.key('stringValue')
    writer.string(value)
  } else if (typeof value === 'boolean') {
    writer.key('boolValue')
    writer.boolean(value)
  } else if (typeof value === 'bigint') {
    writer.key('intValue')
    writer.int64String(lowHalf(value), highHalf(value))
  } else if (typeof value === 'number') {
    writer.key('doubleValue')
    writer.number(value)
  } else if (value instanceof Uint8Array) {
    writer.key('bytesValue')
    writer.raw(quotedBase64(value))
  } else if (value !== undefined) {
    writer.key(isKeyValueList(value) ? 'kvlistValue' : 'arrayValue')
    writer.beginObject()
    if (isKeyValueList(value)) lost += writeList(writer, 'values', value.entries, writeKeyValue)
    else lost += writeList(writer, 'values', value, (w, item) => writeAnyValue(w, item))
    writer.endObject()
  }
  lost += writeMembers(writer, unknown)
  writer.endObject()
  return lost
}

export function writeKeyValue(writer: JsonWriter, { key, value, unknown }: KeyValue): number {
  let lost = 0
  writer.beginObject()
  writeText(writer, 'key', key)
  const unknownOfValue = partOf(unknown, VALUE_PART)
  if (value !== undefined || unknownOfValue.length > 0) {
    writer.key('value')
    lost += writeAnyValue(writer, value, unknownOfValue)
  }
  lost += writeMembers(writer, partOf(unknown, OWN_PART))
  if (partOf(unknown, NESTED_PART).length > 0) lost++
  writer.endObject()
  return lost
}

function writeEntityRef(writer: JsonWriter, ref: EntityRef): number {
  writer.beginObject()
  writeText(writer, 'schemaUrl', ref.schemaUrl)
  writeText(writer, 'type', ref.type)
  writeList(writer, 'idKeys', ref.idKeys, writeItem)
  writeList(writer, 'descriptionKeys', ref.descriptionKeys, writeItem)
  const lost = writeMembers(writer, ref.unknown)
  writer.endObject()
  return lost
}

function writeItem(writer: JsonWriter, text: string): number {
  writer.string(text)
  return 0
}

/** Writes the members of JSON among unknown fields, and returns the number of the others. */
export function writeMembers(writer: JsonWriter, unknown: Uint8Array | undefined): number {
  if (unknown === undefined || unknown.length === 0) return 0
  const { members, others } = splitMembers(unknown)
  let lost = others.length
  for (const text of members) {
    const member = checkedMember(text)
    if (member === undefined) lost++
    else {
      writer.key(member.name)
      writer.raw(member.value)
    }
  }
  return lost
}

/** Returns undefined for a text that is not `"name":value`: a sender of protobuf may use the same field number. */
function checkedMember(text: Uint8Array): { readonly name: string; readonly value: Uint8Array } | undefined {
  const object = new Uint8Array(text.length + 2)
  object[0] = 0x7b
  object.set(text, 1)
  object[text.length + 1] = 0x7d
  const reader = new JsonReader(object)
  try {
    reader.beginObject()
    const name = reader.nextKey()
    const from = reader.offset
    reader.skip()
    const to = reader.offset
    if (name === undefined || reader.nextKey() !== undefined || reader.peek() !== 'end') return undefined
    return { name, value: object.subarray(from, to) }
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function writeList<Item>(
  writer: JsonWriter,
  key: string,
  items: readonly Item[],
  write: (writer: JsonWriter, item: Item) => number,
): number {
  if (items.length === 0) return 0
  let lost = 0
  writer.key(key)
  writer.beginArray()
  for (const item of items) lost += write(writer, item)
  writer.endArray()
  return lost
}

export function writeText(writer: JsonWriter, key: string, text: string): void {
  if (text === '') return
  writer.key(key)
  writer.string(text)
}

export function writeCount(writer: JsonWriter, key: string, count: number): void {
  if (count === 0) return
  writer.key(key)
  writer.number(count)
}
