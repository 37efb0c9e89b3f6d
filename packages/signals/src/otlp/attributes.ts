// Attributes, described twice from one table. ANY_VALUE and KEY_VALUE represent values as plain values:
// `{ key: 'http.port', value: 80n }`. OPEN_ANY_VALUE and OPEN_KEY_VALUE represent them field by field, because in profiles a
// key or a value can refer to the string table.
import type { AnyValue, KeyValue, KeyValueList } from '@hearth/profile'
import {
  MAX_VALUE_DEPTH,
  NESTED_PART,
  NO_STRINGS,
  OWN_PART,
  VALUE_PART,
  decodeKeyValue,
  decodeParts,
  encodeParts,
  isKeyValueList,
  joinBytes,
  partOf,
  unknownOfValue,
  writeAnyValueJson,
  writeKeyValue,
  writeKeyValueJson,
  writeValueWithUnknown,
} from '@hearth/profile'
import type { Field, IgnoredField } from '../protobuf/field.ts'
import { bool, bytes, double, ignored, int32, int64, message, messages, named, oneOf, text } from '../protobuf/field.ts'
import type { ContentOf, Message } from '../protobuf/field.ts'
import { defineMessage, unwrapped } from '../protobuf/message.ts'
import { defineUnion } from '../protobuf/union.ts'
import type { WireCursor } from '../protobuf/wire-cursor.ts'
import { FIELD_COST, LEN, objectCost } from '../protobuf/wire-cursor.ts'
import { addLost, writable } from '../protobuf/write-unknown.ts'
import type { JsonCursor } from '../protobuf/json-cursor.ts'

const PACKAGE = 'opentelemetry.proto.common.v1'
const ANY_VALUE_NAME = `${PACKAGE}.AnyValue`
const ARRAY_NAME = `${PACKAGE}.ArrayValue`
const LIST_NAME = `${PACKAGE}.KeyValueList`
const KEY_VALUE_NAME = `${PACKAGE}.KeyValue`

function valueFields<A, L, R extends Field>(array: () => Message<A>, list: () => Message<L>, stringReference: R) {
  return {
    stringValue: oneOf('value', text(1)),
    boolValue: oneOf('value', bool(2)),
    intValue: oneOf('value', int64(3)),
    doubleValue: oneOf('value', double(4)),
    arrayValue: oneOf('value', message<A>(5, array)),
    kvlistValue: oneOf('value', message<L>(6, list)),
    bytesValue: oneOf('value', bytes(7)),
    stringValueStrindex: stringReference,
  }
}

function keyValueFields<V, R extends Field>(value: () => Message<V>, keyReference: R) {
  return { key: text(1), value: message<V>(2, value), keyStrindex: keyReference }
}

// References to the string table have no meaning outside of profiles.
const NO_STRING_REFERENCE: IgnoredField = ignored(oneOf('value', int32(8)))
const NO_KEY_REFERENCE: IgnoredField = ignored(int32(3))

const ARRAY_VALUE: Message<readonly AnyValue[]> = unwrapped(
  'values',
  defineMessage(ARRAY_NAME, { values: messages<AnyValue>(1, () => ANY_VALUE) }),
)

const KEY_VALUE_LIST: Message<KeyValueList> = defineMessage(LIST_NAME, {
  entries: named(
    { json: 'values' },
    messages<KeyValue>(1, () => KEY_VALUE),
  ),
})

export const ANY_VALUE: Message<AnyValue> = defineUnion(
  ANY_VALUE_NAME,
  valueFields(
    () => ARRAY_VALUE,
    () => KEY_VALUE_LIST,
    NO_STRING_REFERENCE,
  ),
  {
    kindOf: kindOfValue,
    maxDepth: MAX_VALUE_DEPTH,
    noun: 'attribute value',
    cost: FIELD_COST,
    writeJson: writeAnyValueJson,
    unknown: {
      of: unknownOfValue,
      ofMembers: members => encodeParts([[VALUE_PART, joinBytes(members)]]),
      write: (writer, value, unknown) =>
        writeValueWithUnknown(writer, value, writable({ key: '', value, unknown }).unknown),
      writeJson: (writer, value, unknown) => {
        addLost(partOf(unknown, NESTED_PART).length > 0 ? 1 : 0)
        addLost(writeAnyValueJson(writer, value, partOf(unknown, VALUE_PART)))
      },
    },
  },
)

const PLAIN_KEY_VALUE: Message<KeyValue> = defineMessage(
  KEY_VALUE_NAME,
  keyValueFields(() => ANY_VALUE, NO_KEY_REFERENCE),
)

/**
 * Has its own readers, because attributes are most of every payload (with the general one, traces take 30 % more CPU), and
 * because the unknown fields of the value are parts of the attribute.
 */
export const KEY_VALUE: Message<KeyValue> = {
  ...PLAIN_KEY_VALUE,
  read: readKeyValue,
  readJson: readKeyValueJson,
  write: (writer, attribute) => {
    if (attribute.unknown === undefined) PLAIN_KEY_VALUE.write(writer, attribute)
    else writeKeyValue(writer, writable(attribute))
  },
  writeJson: (writer, attribute) => {
    if (attribute.unknown === undefined) PLAIN_KEY_VALUE.writeJson(writer, attribute)
    else addLost(writeKeyValueJson(writer, attribute))
  },
}

const KEY_VALUE_COST = objectCost(2)
const KEY_TAG = (1 << 3) | LEN
const VALUE_TAG = (2 << 3) | LEN

function readKeyValue(cursor: WireCursor, end: number, into: KeyValue | undefined): KeyValue {
  cursor.spend(KEY_VALUE_COST)
  const from = cursor.pos
  const { keptFields, droppedFields } = cursor
  let key = into === undefined ? '' : into.key
  let value = into === undefined ? undefined : into.value
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    if (tag === KEY_TAG) key = cursor.text(end)
    else if (tag === VALUE_TAG) value = ANY_VALUE.read(cursor, cursor.lengthEnd(end), value)
    else if (tag >>> 3 <= 2) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
    else cursor.skip(tag, end)
  }
  // Inside of a value, the fields are part of the outermost one.
  if (cursor.valueDepth > 0 || !cursor.hasKept(keptFields, droppedFields)) return { key, value }
  cursor.valueUnknown = undefined
  return decodeKeyValue(cursor.bytes, from, end, NO_STRINGS)
}

function readKeyValueJson(cursor: JsonCursor): KeyValue {
  cursor.spend(KEY_VALUE_COST)
  let key = ''
  let value: AnyValue
  let inValue = 0
  const own: Uint8Array[] = []
  cursor.members(name => {
    if (name === 'key') key = cursor.textValue()
    else if (name === 'value') {
      // The last one of repeated values replaces the others.
      cursor.dropKept(inValue)
      const before = cursor.keptFields
      value = ANY_VALUE.readJson(cursor)
      inValue = cursor.keptFields - before
    } else if (cursor.valueDepth > 0) cursor.dropMember()
    else own.push(cursor.member(name))
  })
  const ofValue = cursor.valueUnknown
  cursor.valueUnknown = undefined
  if (ofValue === undefined && own.length === 0) return { key, value }
  const parts = ofValue === undefined ? [] : decodeParts(ofValue)
  return { key, value, unknown: encodeParts([[OWN_PART, joinBytes(own)], ...parts]) }
}

function kindOfValue(value: Exclude<AnyValue, undefined>) {
  if (typeof value === 'string') return 'stringValue'
  if (typeof value === 'bigint') return 'intValue'
  if (typeof value === 'boolean') return 'boolValue'
  if (typeof value === 'number') return 'doubleValue'
  if (value instanceof Uint8Array) return 'bytesValue'
  return isKeyValueList(value) ? 'kvlistValue' : 'arrayValue'
}

export interface OpenAnyValue {
  readonly stringValue: string | undefined
  readonly boolValue: boolean | undefined
  readonly intValue: bigint | undefined
  readonly doubleValue: number | undefined
  readonly arrayValue: OpenArrayValue | undefined
  readonly kvlistValue: OpenKeyValueList | undefined
  readonly bytesValue: Uint8Array | undefined
  readonly stringValueStrindex: number | undefined
}

export interface OpenArrayValue {
  readonly values: readonly OpenAnyValue[]
}

export interface OpenKeyValueList {
  readonly values: readonly OpenKeyValue[]
}

export const OPEN_ANY_VALUE: Message<OpenAnyValue> = defineMessage(
  ANY_VALUE_NAME,
  valueFields(
    () => OPEN_ARRAY_VALUE,
    () => OPEN_KEY_VALUE_LIST,
    oneOf('value', int32(8)),
  ),
)

export const OPEN_ARRAY_VALUE: Message<OpenArrayValue> = defineMessage(ARRAY_NAME, {
  values: messages<OpenAnyValue>(1, OPEN_ANY_VALUE),
})

export const OPEN_KEY_VALUE = defineMessage(
  KEY_VALUE_NAME,
  keyValueFields(() => OPEN_ANY_VALUE, int32(3)),
)
interface OpenKeyValue extends ContentOf<typeof OPEN_KEY_VALUE> {}

export const OPEN_KEY_VALUE_LIST: Message<OpenKeyValueList> = defineMessage(LIST_NAME, {
  values: messages<OpenKeyValue>(1, OPEN_KEY_VALUE),
})
