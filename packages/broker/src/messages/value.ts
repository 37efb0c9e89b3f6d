// google.protobuf.Value, Struct and ListValue: JSON in protobuf. In TypeScript they are the values themselves, so that
// `params: { duration_ms: 10_000 }` is all there is to write. Null is a value here, and a Value of no kind is an error.
/* oxlint-disable unicorn/no-null -- null is one of the kinds of google.protobuf.Value */
import type { BackwardWriter, JsonWriter } from '@hearth/profile'
import type { Enumeration, JsonCursor, Message, WireCursor } from '@hearth/signals'
import {
  bool,
  defineMessage,
  double,
  enumeration,
  map,
  message,
  messages,
  oneOf,
  text,
  writeDouble,
  writeText,
} from '@hearth/signals'

export type Value = null | boolean | number | string | readonly Value[] | Struct

export interface Struct {
  readonly [name: string]: Value
}

/**
 * How many structs and lists may be inside each other. A struct is three messages on the wire (value, struct, entry), an
 * event in a MatchedEvent with its first value four, and other people's parsers stop at 100.
 */
export const MAX_VALUE_NESTING = 30

const PACKAGE = 'google.protobuf'
/** What a value takes in memory at most, with its place in the hash table of a struct. */
const VALUE_COST = 64
const ROOM = 16

// Tags: field number and wire type.
const NULL = 1 << 3
const NUMBER = (2 << 3) | 1
const STRING = (3 << 3) | 2
const BOOL = 4 << 3
const STRUCT_TAG = (5 << 3) | 2
const LIST_TAG = (6 << 3) | 2

export const NULL_VALUE = {
  name: `${PACKAGE}.NullValue`,
  values: { NULL_VALUE: 0 },
  jsonText: 'name',
} as const satisfies Enumeration

interface Fields {
  readonly fields: Struct
}

interface Values {
  readonly values: readonly Value[]
}

/** With its entries as they are on the wire; values and JSON have them without the object around. */
export const STRUCT: Message<Fields> = defineMessage(`${PACKAGE}.Struct`, {
  fields: map<Value>(1, () => VALUE),
})

export const LIST_VALUE: Message<Values> = defineMessage(`${PACKAGE}.ListValue`, {
  values: messages<Value>(1, () => VALUE),
})

const OPEN_VALUE = defineMessage(`${PACKAGE}.Value`, {
  nullValue: oneOf('kind', enumeration(1, NULL_VALUE)),
  numberValue: oneOf('kind', double(2)),
  stringValue: oneOf('kind', text(3)),
  boolValue: oneOf('kind', bool(4)),
  structValue: oneOf(
    'kind',
    message<Fields>(5, () => STRUCT),
  ),
  listValue: oneOf(
    'kind',
    message<Values>(6, () => LIST_VALUE),
  ),
})

export const VALUE: Message<Value> = {
  name: OPEN_VALUE.name,
  fields: OPEN_VALUE.fields,
  read: readValue,
  write: writeValue,
  readJson: readValueJson,
  writeJson: writeValueJson,
}

export function isStruct(value: Value | undefined): value is Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

function enter(cursor: WireCursor | JsonCursor): void {
  if (cursor.valueDepth++ > MAX_VALUE_NESTING) cursor.fail(`value nested deeper than ${MAX_VALUE_NESTING} levels`)
  cursor.spend(VALUE_COST)
}

function readValue(cursor: WireCursor, end: number, into: Value | undefined): Value {
  const from = cursor.pos
  cursor.enter()
  enter(cursor)
  let value = into
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    switch (tag) {
      case NULL:
        cursor.int32(end)
        value = null
        break
      case NUMBER:
        value = cursor.double(end)
        break
      case STRING:
        value = cursor.text(end)
        break
      case BOOL:
        value = cursor.bool(end)
        break
      case STRUCT_TAG:
        value = STRUCT.read(cursor, cursor.lengthEnd(end), isStruct(value) ? { fields: value } : undefined).fields
        break
      case LIST_TAG:
        value = LIST_VALUE.read(cursor, cursor.lengthEnd(end), isList(value) ? { values: value } : undefined).values
        break
      default:
        if (tag >>> 3 <= 6) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
        cursor.skip(tag, end)
    }
  }
  cursor.valueDepth--
  cursor.depth--
  return value === undefined ? cursor.fail('value is of no kind', from) : value
}

/** How deep the value that is being written now is; writing is one synchronous call. */
let writing = 0

/** Refuses what no reader would take, values that hold themselves among it. */
function checkNesting(): void {
  if (writing > MAX_VALUE_NESTING) throw new RangeError(`value nested deeper than ${MAX_VALUE_NESTING} levels`)
}

function inside(write: () => void): void {
  writing++
  try {
    write()
  } finally {
    writing--
  }
}

/** Zeros too: which field is there tells what kind of value it is. */
function writeValue(writer: BackwardWriter, value: Value): void {
  checkNesting()
  writer.reserve(ROOM)
  if (value === null) {
    writer.rawVarint32(0)
    writer.rawVarint32(NULL)
  } else if (typeof value === 'string') {
    writeText(writer, value)
    writer.rawVarint32(STRING)
  } else if (typeof value === 'number') {
    writeDouble(writer, value)
    writer.rawVarint32(NUMBER)
  } else if (typeof value === 'boolean') {
    writer.rawVarint32(value ? 1 : 0)
    writer.rawVarint32(BOOL)
  } else {
    const mark = writer.written
    inside(() =>
      isList(value) ? LIST_VALUE.write(writer, { values: value }) : STRUCT.write(writer, { fields: value }),
    )
    writer.messageHeader(isList(value) ? LIST_TAG : STRUCT_TAG, mark)
  }
}

function readValueJson(cursor: JsonCursor): Value {
  enter(cursor)
  const value = readKindJson(cursor)
  cursor.valueDepth--
  return value
}

function readKindJson(cursor: JsonCursor): Value {
  switch (cursor.peek()) {
    case 'null':
      cursor.tryNull()
      return null
    case 'number':
      return cursor.number()
    case 'boolean':
      return cursor.boolean()
    case 'object': {
      const struct = Object.create(null) as Record<string, Value>
      cursor.beginObject()
      for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) struct[key] = readValueJson(cursor)
      return struct
    }
    case 'array': {
      const list: Value[] = []
      cursor.beginArray()
      while (cursor.nextItem()) list.push(readValueJson(cursor))
      return list
    }
    case 'string':
    case 'end':
      return cursor.textValue()
  }
}

/** Throws a RangeError for NaN and the infinities: as texts, as proto3 has them elsewhere, they would come back as texts. */
function writeValueJson(writer: JsonWriter, value: Value): void {
  checkNesting()
  if (value === null) writer.nullValue()
  else if (typeof value === 'string') writer.string(value)
  else if (typeof value === 'boolean') writer.boolean(value)
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no value in JSON`)
    writer.number(value)
  } else {
    inside(() => (isList(value) ? writeListJson(writer, value) : writeStructJson(writer, value)))
  }
}

function writeListJson(writer: JsonWriter, list: readonly Value[]): void {
  writer.beginArray()
  for (const item of list) writeValueJson(writer, item)
  writer.endArray()
}

function writeStructJson(writer: JsonWriter, struct: Struct): void {
  writer.beginObject()
  for (const key of Object.keys(struct)) {
    writer.key(key)
    writeValueJson(writer, struct[key])
  }
  writer.endObject()
}
