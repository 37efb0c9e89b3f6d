// Typed access to the fields of the plain objects that the schema reader returns, with proto3's defaults for absent fields.
// Also converts the messages of common.proto (attributes, resources, scopes) to the model.
import type { AnyValue, EntityRef, KeyValue, Resource, Scope } from '../../../model/columns/any-value.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { Message, MessageSequence, NumberSequence } from './schema-reader.ts'
import { LazyTexts } from './schema-reader.ts'

/**
 * Maximum length of lists that become arrays of objects: an empty message takes 2 bytes in the input and about 100 as an
 * object. Lists of samples and of table rows are not limited.
 */
export const MAX_LIST = 1 << 20

const NO_MESSAGES: readonly Message[] = []
const NO_NUMBERS: NumberSequence = []
const NO_TEXTS: readonly string[] = []
const NO_BYTES = new Uint8Array(0)

export function textOf(message: Message, field: string): string {
  return (message[field] as string | undefined) ?? ''
}

export function bytesOf(message: Message, field: string): Uint8Array {
  return (message[field] as Uint8Array | undefined) ?? NO_BYTES
}

export function wholeOf(message: Message, field: string): bigint {
  return BigInt((message[field] as bigint | number | undefined) ?? 0)
}

/** For indexes and counts. Values too large for a number are too large for any table as well. */
export function numberOf(message: Message, field: string): number {
  return Number((message[field] as bigint | number | undefined) ?? 0)
}

export function messageIn(message: Message, field: string): Message | undefined {
  return message[field] as Message | undefined
}

export function messagesOf(message: Message, field: string): MessageSequence {
  return (message[field] as MessageSequence | undefined) ?? NO_MESSAGES
}

/** Returns a list that becomes an array of objects. Throws if it is too long. */
export function fewMessagesOf(message: Message, field: string): MessageSequence {
  const list = messagesOf(message, field)
  if (list.length > MAX_LIST) {
    throw new WireError(list.offset ?? 0, `${field} has ${list.length} entries, more than ${MAX_LIST}`)
  }
  return list
}

export function numbersIn(message: Message, field: string): NumberSequence {
  return (message[field] as NumberSequence | undefined) ?? NO_NUMBERS
}

export function textsOf(message: Message, field: string): readonly string[] {
  const texts = message[field] as readonly string[] | LazyTexts | undefined
  return texts instanceof LazyTexts ? texts.all() : (texts ?? NO_TEXTS)
}

function toAnyValue(message: Message | undefined): AnyValue {
  if (message === undefined) return undefined
  const array = message['array_value'] as Message | undefined
  if (array !== undefined) return Array.from(fewMessagesOf(array, 'values'), toAnyValue)
  const list = message['kvlist_value'] as Message | undefined
  if (list !== undefined) return { entries: Array.from(fewMessagesOf(list, 'values'), toKeyValue) }
  const { string_value, bool_value, int_value, double_value, bytes_value } = message
  return (string_value ?? bool_value ?? int_value ?? double_value ?? bytes_value) as AnyValue
}

export function toKeyValue(message: Message): KeyValue {
  return { key: textOf(message, 'key'), value: toAnyValue(messageIn(message, 'value')) }
}

export function toResource(message: Message): Resource {
  return {
    attributes: Array.from(fewMessagesOf(message, 'attributes'), toKeyValue),
    droppedAttributesCount: numberOf(message, 'dropped_attributes_count'),
    entityRefs: Array.from(fewMessagesOf(message, 'entity_refs'), toEntityRef),
  }
}

export function toScope(message: Message): Scope {
  return {
    name: textOf(message, 'name'),
    version: textOf(message, 'version'),
    attributes: Array.from(fewMessagesOf(message, 'attributes'), toKeyValue),
    droppedAttributesCount: numberOf(message, 'dropped_attributes_count'),
  }
}

function toEntityRef(message: Message): EntityRef {
  return {
    schemaUrl: textOf(message, 'schema_url'),
    type: textOf(message, 'type'),
    idKeys: textsOf(message, 'id_keys'),
    descriptionKeys: textsOf(message, 'description_keys'),
  }
}
