// Attributes, described twice from one table. ANY_VALUE and KEY_VALUE represent values as plain values:
// `{ key: 'http.port', value: 80n }`. OPEN_ANY_VALUE and OPEN_KEY_VALUE represent them field by field, because in profiles a
// key or a value can refer to the string table.
import type { AnyValue, KeyValue, KeyValueList } from '@hearth/profile'
import { MAX_VALUE_DEPTH, isKeyValueList, writeAnyValueJson } from '@hearth/profile'
import type { Field, IgnoredField } from '../protobuf/field.ts'
import { bool, bytes, double, ignored, int32, int64, message, messages, named, oneOf, text } from '../protobuf/field.ts'
import type { ContentOf, Message } from '../protobuf/field.ts'
import { defineMessage, unwrapped } from '../protobuf/message.ts'
import { defineUnion } from '../protobuf/union.ts'
import type { WireCursor } from '../protobuf/wire-cursor.ts'
import { FIELD_COST, LEN, objectCost } from '../protobuf/wire-cursor.ts'

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
  },
)

/** Has its own reader, because attributes are most of every payload: with the general one, traces take 30 % more CPU. */
export const KEY_VALUE: Message<KeyValue> = {
  ...defineMessage(
    KEY_VALUE_NAME,
    keyValueFields(() => ANY_VALUE, NO_KEY_REFERENCE),
  ),
  read: readKeyValue,
}

const KEY_VALUE_COST = objectCost(2)
const KEY_TAG = (1 << 3) | LEN
const VALUE_TAG = (2 << 3) | LEN

function readKeyValue(cursor: WireCursor, end: number, into: KeyValue | undefined): KeyValue {
  cursor.spend(KEY_VALUE_COST)
  let key = into === undefined ? '' : into.key
  let value = into === undefined ? undefined : into.value
  while (cursor.pos < end) {
    const tag = cursor.tag(end)
    if (tag === KEY_TAG) key = cursor.text(end)
    else if (tag === VALUE_TAG) value = ANY_VALUE.read(cursor, cursor.lengthEnd(end), value)
    else if (tag >>> 3 <= 2) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
    else cursor.skip(tag, end)
  }
  return { key, value }
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
