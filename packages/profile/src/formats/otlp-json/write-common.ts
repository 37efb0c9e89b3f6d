// Writes the messages of common.proto as OTLP/JSON: attribute values, resources, scopes. Zeros and empty lists are omitted.
import type { AnyValue, EntityRef, KeyValue, Resource, Scope } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import { quotedBase64 } from './byte-text.ts'

export function writeResource(writer: JsonWriter, resource: Resource): void {
  writer.beginObject()
  writeList(writer, 'attributes', resource.attributes, writeKeyValue)
  writeCount(writer, 'droppedAttributesCount', resource.droppedAttributesCount)
  writeList(writer, 'entityRefs', resource.entityRefs, writeEntityRef)
  writer.endObject()
}

export function writeScope(writer: JsonWriter, scope: Scope): void {
  writer.beginObject()
  writeText(writer, 'name', scope.name)
  writeText(writer, 'version', scope.version)
  writeList(writer, 'attributes', scope.attributes, writeKeyValue)
  writeCount(writer, 'droppedAttributesCount', scope.droppedAttributesCount)
  writer.endObject()
}

/** Writes an object with one member, even if that is zero, because it determines the kind. */
export function writeAnyValue(writer: JsonWriter, value: AnyValue): void {
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
    if (isKeyValueList(value)) writeList(writer, 'values', value.entries, writeKeyValue)
    else writeList(writer, 'values', value, writeAnyValue)
    writer.endObject()
  }
  writer.endObject()
}

function writeKeyValue(writer: JsonWriter, { key, value }: KeyValue): void {
  writer.beginObject()
  writeText(writer, 'key', key)
  if (value !== undefined) {
    writer.key('value')
    writeAnyValue(writer, value)
  }
  writer.endObject()
}

function writeEntityRef(writer: JsonWriter, ref: EntityRef): void {
  writer.beginObject()
  writeText(writer, 'schemaUrl', ref.schemaUrl)
  writeText(writer, 'type', ref.type)
  writeList(writer, 'idKeys', ref.idKeys, (w, key) => w.string(key))
  writeList(writer, 'descriptionKeys', ref.descriptionKeys, (w, key) => w.string(key))
  writer.endObject()
}

function writeList<Item>(
  writer: JsonWriter,
  key: string,
  items: readonly Item[],
  write: (writer: JsonWriter, item: Item) => void,
): void {
  if (items.length === 0) return
  writer.key(key)
  writer.beginArray()
  for (const item of items) write(writer, item)
  writer.endArray()
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
