// Attributes. Their values are oneofs in protobuf and plain values in objects: `{ key: 'http.port', value: 80n }`. They are
// most of every payload, so they have loops of their own; `fields` still describes them for reflection.
import type { AnyValue, BackwardWriter, JsonWriter, KeyValue, KeyValueList } from '@hearth/profile'
import { MAX_VALUE_DEPTH, isKeyValueList, quotedBase64, readBytes } from '@hearth/profile'
import type { JsonCursor } from '../protobuf/json-cursor.ts'
import type { Message } from '../protobuf/message.ts'
import { OPEN_ANY_VALUE, OPEN_KEY_VALUE } from './open-values.ts'
import { readInt64 } from '../protobuf/read-json.ts'
import type { WireCursor } from '../protobuf/wire-cursor.ts'
import { FIELD_COST, VIEW_COST, objectCost } from '../protobuf/wire-cursor.ts'
import { writeBytes, writeDouble, writeInt64, writeText } from '../protobuf/write-message.ts'
import { writeWhole } from '../protobuf/write-json.ts'

const KEY_VALUE_COST = objectCost(3)
const LIST_COST = objectCost(2)
const ROOM = 16

// Tags: field number and wire type.
const KEY = (1 << 3) | 2
const VALUE = (2 << 3) | 2
const STRING = (1 << 3) | 2
const BOOL = 2 << 3
const INT = 3 << 3
const DOUBLE = (4 << 3) | 1
const ARRAY = (5 << 3) | 2
const LIST = (6 << 3) | 2
const BYTES = (7 << 3) | 2
const ITEM = (1 << 3) | 2

export const KEY_VALUE: Message<KeyValue> = {
  name: OPEN_KEY_VALUE.name,
  fields: OPEN_KEY_VALUE.fields,
  read: readKeyValue,
  write: writeKeyValue,
  readJson: readKeyValueJson,
  writeJson: writeKeyValueJson,
}

export const ANY_VALUE: Message<AnyValue> = {
  name: OPEN_ANY_VALUE.name,
  fields: OPEN_ANY_VALUE.fields,
  read: readAnyValue,
  write: writeAnyValue,
  readJson: readAnyValueJson,
  writeJson: writeAnyValueJson,
}

function readKeyValue(cursor: WireCursor, end: number, into: KeyValue | undefined): KeyValue {
  cursor.spend(KEY_VALUE_COST)
  let key = into === undefined ? '' : into.key
  let value = into === undefined ? undefined : into.value
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    if (tag === KEY) key = cursor.text(end)
    else if (tag === VALUE) value = readAnyValue(cursor, cursor.lengthEnd(end), value)
    else skipOther(cursor, tag, end, 2)
  }
  return { key, value }
}

function readAnyValue(cursor: WireCursor, end: number, into: AnyValue): AnyValue {
  checkDepth(cursor)
  let value = into
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    switch (tag) {
      case STRING:
        value = cursor.text(end)
        break
      case INT:
        value = cursor.int64(end)
        break
      case BOOL:
        value = cursor.bool(end)
        break
      case DOUBLE:
        value = cursor.double(end)
        break
      case ARRAY:
        value = readArray(cursor, cursor.lengthEnd(end), value)
        break
      case LIST:
        value = readList(cursor, cursor.lengthEnd(end), value)
        break
      case BYTES:
        value = cursor.bytesView(end)
        break
      default:
        skipOther(cursor, tag, end, 7)
    }
  }
  return value
}

/** References to the string table (field 3 of KeyValue, 8 of AnyValue) mean nothing outside of profiles. */
function skipOther(cursor: WireCursor, tag: number, end: number, known: number): void {
  if (tag >>> 3 <= known) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
  cursor.skip(tag, end)
}

function checkDepth(cursor: WireCursor | JsonCursor): void {
  if (cursor.valueDepth >= MAX_VALUE_DEPTH) cursor.fail(`attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
}

function readArray(cursor: WireCursor, end: number, into: AnyValue): AnyValue[] {
  cursor.spend(LIST_COST)
  cursor.valueDepth++
  // Two arrays in a row for one value are one, as protobuf merges messages.
  const values: AnyValue[] = Array.isArray(into) ? (into as AnyValue[]) : []
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    if (tag === ITEM) values.push(readAnyValue(cursor, cursor.lengthEnd(end), undefined))
    else skipOther(cursor, tag, end, 1)
  }
  cursor.valueDepth--
  return values
}

function readList(cursor: WireCursor, end: number, into: AnyValue): KeyValueList {
  cursor.spend(LIST_COST)
  cursor.valueDepth++
  const entries = isKeyValueList(into) ? (into.entries as KeyValue[]) : []
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    if (tag === ITEM) entries.push(readKeyValue(cursor, cursor.lengthEnd(end), undefined))
    else skipOther(cursor, tag, end, 1)
  }
  cursor.valueDepth--
  return { entries }
}

function writeKeyValue(writer: BackwardWriter, { key, value }: KeyValue): void {
  if (value !== undefined) {
    const mark = writer.written
    writeAnyValue(writer, value)
    writer.messageHeader(VALUE, mark)
  }
  if (key === '') return
  writeText(writer, key)
  writer.rawVarint32(KEY)
}

/** Zeros too: which field is there tells what kind of value it is. */
function writeAnyValue(writer: BackwardWriter, value: AnyValue): void {
  writer.reserve(ROOM)
  if (value === undefined) return
  if (typeof value === 'string') {
    writeText(writer, value)
    writer.rawVarint32(STRING)
  } else if (typeof value === 'bigint') {
    writeInt64(writer, value)
    writer.rawVarint32(INT)
  } else if (typeof value === 'boolean') {
    writer.rawVarint32(value ? 1 : 0)
    writer.rawVarint32(BOOL)
  } else if (typeof value === 'number') {
    writeDouble(writer, value)
    writer.rawVarint32(DOUBLE)
  } else if (value instanceof Uint8Array) {
    writeBytes(writer, value)
    writer.rawVarint32(BYTES)
  } else {
    const mark = writer.written
    const isList = isKeyValueList(value)
    if (isList) writeItems(writer, value.entries, writeKeyValue)
    else writeItems(writer, value, writeAnyValue)
    writer.messageHeader(isList ? LIST : ARRAY, mark)
  }
}

function writeItems<T>(
  writer: BackwardWriter,
  items: readonly T[],
  write: (writer: BackwardWriter, item: T) => void,
): void {
  for (let i = items.length - 1; i >= 0; i--) {
    const mark = writer.written
    write(writer, items[i])
    writer.messageHeader(ITEM, mark)
  }
}

function readKeyValueJson(cursor: JsonCursor): KeyValue {
  cursor.spend(KEY_VALUE_COST)
  let key = ''
  let value: AnyValue
  cursor.beginObject()
  for (let name = cursor.nextKey(); name !== undefined; name = cursor.nextKey()) {
    if (cursor.tryNull()) continue
    if (name === 'key') key = cursor.textValue()
    else if (name === 'value') value = readAnyValueJson(cursor)
  }
  return { key, value }
}

function readAnyValueJson(cursor: JsonCursor): AnyValue {
  checkDepth(cursor)
  let value: AnyValue
  // Null stands for a value that is not set, in arrays too, where proto3 has no other way to say it than `{}`.
  if (cursor.tryNull()) return undefined
  cursor.beginObject()
  for (let name = cursor.nextKey(); name !== undefined; name = cursor.nextKey()) {
    if (cursor.tryNull()) continue
    switch (name) {
      case 'stringValue':
        value = cursor.textValue()
        break
      case 'intValue':
        value = readInt64(cursor)
        break
      case 'boolValue':
        value = cursor.boolean()
        break
      case 'doubleValue':
        value = cursor.double()
        break
      case 'arrayValue':
        value = readItemsJson(cursor, readAnyValueJson)
        break
      case 'kvlistValue':
        value = { entries: readItemsJson(cursor, readKeyValueJson) }
        break
      case 'bytesValue':
        cursor.spend(VIEW_COST)
        value = readBytes(cursor, 'base64')
        break
      default:
    }
  }
  return value
}

/** Of `{ "values": [ … ] }`. */
function readItemsJson<T>(cursor: JsonCursor, read: (cursor: JsonCursor) => T): T[] {
  cursor.spend(LIST_COST)
  cursor.valueDepth++
  let items: T[] = []
  cursor.members(name => {
    if (name !== 'values') return
    items = []
    cursor.beginArray()
    while (cursor.nextItem()) {
      cursor.spend(FIELD_COST)
      items.push(read(cursor))
    }
  })
  cursor.valueDepth--
  return items
}

function writeKeyValueJson(writer: JsonWriter, { key, value }: KeyValue): void {
  writer.beginObject()
  if (key !== '') {
    writer.key('key')
    writer.string(key)
  }
  if (value !== undefined) {
    writer.key('value')
    writeAnyValueJson(writer, value)
  }
  writer.endObject()
}

function writeAnyValueJson(writer: JsonWriter, value: AnyValue): void {
  writer.beginObject()
  if (typeof value === 'string') {
    writer.key('stringValue')
    writer.string(value)
  } else if (typeof value === 'bigint') {
    writer.key('intValue')
    writeWhole(writer, value, false)
  } else if (typeof value === 'boolean') {
    writer.key('boolValue')
    writer.boolean(value)
  } else if (typeof value === 'number') {
    writer.key('doubleValue')
    writer.number(value)
  } else if (value instanceof Uint8Array) {
    writer.key('bytesValue')
    writer.raw(quotedBase64(value))
  } else if (value !== undefined) {
    const isList = isKeyValueList(value)
    writer.key(isList ? 'kvlistValue' : 'arrayValue')
    writer.beginObject()
    writer.key('values')
    writer.beginArray()
    if (isList) for (const entry of value.entries) writeKeyValueJson(writer, entry)
    else for (const item of value) writeAnyValueJson(writer, item)
    writer.endArray()
    writer.endObject()
  }
  writer.endObject()
}
