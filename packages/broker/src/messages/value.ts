// google.protobuf.Value, Struct and ListValue: JSON in protobuf. In TypeScript they are plain values, so a caller writes
// `params: { duration_ms: 10_000 }`. Null is a value, and a Value without a kind is an error.
/* oxlint-disable unicorn/no-null -- null is one of the kinds of google.protobuf.Value */
import type { JsonWriter } from '@hearth/profile'
import type { Enumeration, JsonCursor, Message } from '@hearth/signals'
import {
  bool,
  defineMessage,
  defineUnion,
  double,
  enumeration,
  map,
  message,
  messages,
  oneOf,
  text,
  unwrapped,
} from '@hearth/signals'

export type Value = null | boolean | number | string | readonly Value[] | Struct

export interface Struct {
  readonly [name: string]: Value
}

/**
 * How deep structs and lists may be nested. A struct is three messages in protobuf (value, struct, entry), and an event in a
 * MatchedEvent with its first value is four. Other parsers stop at 100 nested messages.
 */
export const MAX_VALUE_NESTING = 30

const PACKAGE = 'google.protobuf'
/** The memory that a value takes at most, with its slot in the hash table of a struct. */
const VALUE_COST = 64

export const NULL_VALUE = {
  name: `${PACKAGE}.NullValue`,
  values: { NULL_VALUE: 0 },
  jsonText: 'name',
} as const satisfies Enumeration

export const STRUCT: Message<Struct> = unwrapped(
  'fields',
  defineMessage(`${PACKAGE}.Struct`, { fields: map<Value>(1, () => VALUE) }),
)

export const LIST_VALUE: Message<readonly Value[]> = unwrapped(
  'values',
  defineMessage(`${PACKAGE}.ListValue`, { values: messages<Value>(1, () => VALUE) }),
)

const UNION: Message<Value | undefined> = defineUnion(
  `${PACKAGE}.Value`,
  {
    nullValue: oneOf('kind', enumeration(1, NULL_VALUE)),
    numberValue: oneOf('kind', double(2)),
    stringValue: oneOf('kind', text(3)),
    boolValue: oneOf('kind', bool(4)),
    structValue: oneOf(
      'kind',
      message<Struct>(5, () => STRUCT),
    ),
    listValue: oneOf(
      'kind',
      message<readonly Value[]>(6, () => LIST_VALUE),
    ),
  },
  {
    kindOf,
    nullKind: 'nullValue',
    maxDepth: MAX_VALUE_NESTING + 1,
    noun: 'value',
    cost: VALUE_COST,
    writeJson: writeValueJson,
  },
)

export const VALUE: Message<Value> = {
  ...UNION,
  read: (cursor, end, into) => {
    const from = cursor.pos
    const value = UNION.read(cursor, end, into)
    return value === undefined ? cursor.fail('value without a kind', from) : value
  },
  readJson: readValueJson,
}

export function isStruct(value: Value | undefined): value is Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

function kindOf(value: Value) {
  if (typeof value === 'string') return 'stringValue'
  if (typeof value === 'number') return 'numberValue'
  if (typeof value === 'boolean') return 'boolValue'
  if (value === null) return 'nullValue'
  return isList(value) ? 'listValue' : 'structValue'
}

function readValueJson(cursor: JsonCursor): Value {
  if (cursor.valueDepth > MAX_VALUE_NESTING) cursor.fail(`value nested deeper than ${MAX_VALUE_NESTING} levels`)
  cursor.spend(VALUE_COST)
  cursor.valueDepth++
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

/** Throws a RangeError for NaN and the infinities. proto3 writes them as text elsewhere, which would read back as text. */
function writeValueJson(writer: JsonWriter, value: Value | undefined): void {
  if (value === undefined || value === null) writer.nullValue()
  else if (typeof value === 'string') writer.string(value)
  else if (typeof value === 'boolean') writer.boolean(value)
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} is not a value in JSON`)
    writer.number(value)
  } else if (isList(value)) {
    writer.beginArray()
    for (const item of value) VALUE.writeJson(writer, item)
    writer.endArray()
  } else {
    writer.beginObject()
    for (const key of Object.keys(value)) {
      writer.key(key)
      VALUE.writeJson(writer, value[key])
    }
    writer.endObject()
  }
}
