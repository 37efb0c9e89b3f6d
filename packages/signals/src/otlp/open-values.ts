// The messages of attributes field by field, as protobuf has them. Reflection and profiles use these: in profiles a key or a
// value may be a reference to the string table, which the plain values of any-value.ts have no place for.
import { bool, bytes, double, int32, int64, message, messages, oneOf, text } from '../protobuf/field.ts'
import type { Message } from '../protobuf/message.ts'
import { defineMessage } from '../protobuf/message.ts'

const PACKAGE = 'opentelemetry.proto.common.v1'

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

export interface OpenKeyValue {
  readonly key: string
  readonly value: OpenAnyValue | undefined
  readonly keyStrindex: number
}

export const OPEN_ANY_VALUE: Message<OpenAnyValue> = defineMessage(`${PACKAGE}.AnyValue`, {
  stringValue: oneOf('value', text(1)),
  boolValue: oneOf('value', bool(2)),
  intValue: oneOf('value', int64(3)),
  doubleValue: oneOf('value', double(4)),
  arrayValue: oneOf(
    'value',
    message<OpenArrayValue>(5, () => OPEN_ARRAY_VALUE),
  ),
  kvlistValue: oneOf(
    'value',
    message<OpenKeyValueList>(6, () => OPEN_KEY_VALUE_LIST),
  ),
  bytesValue: oneOf('value', bytes(7)),
  stringValueStrindex: oneOf('value', int32(8)),
})

export const OPEN_KEY_VALUE: Message<OpenKeyValue> = defineMessage(`${PACKAGE}.KeyValue`, {
  key: text(1),
  value: message<OpenAnyValue>(2, OPEN_ANY_VALUE),
  keyStrindex: int32(3),
})

export const OPEN_ARRAY_VALUE: Message<OpenArrayValue> = defineMessage(`${PACKAGE}.ArrayValue`, {
  values: messages<OpenAnyValue>(1, OPEN_ANY_VALUE),
})

export const OPEN_KEY_VALUE_LIST: Message<OpenKeyValueList> = defineMessage(`${PACKAGE}.KeyValueList`, {
  values: messages<OpenKeyValue>(1, OPEN_KEY_VALUE),
})
