// The messages that all signals share: attributes, resources, instrumentation scopes.
import type { AnyValue, EntityRef, KeyValue, KeyValueList, Resource, Scope } from '@hearth/profile'
import { ANY_VALUE, KEY_VALUE, OPEN_KEY_VALUE } from './attributes.ts'
import { messages, repeated, text, uint32 } from '../protobuf/field.ts'
import type { ContentOf, Message } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'

export type { AnyValue, EntityRef, KeyValue, KeyValueList, Resource, Scope }
export { ANY_VALUE, KEY_VALUE }

const PACKAGE = 'opentelemetry.proto.common.v1'

export const ENTITY_REF: Message<EntityRef> = defineMessage(`${PACKAGE}.EntityRef`, {
  schemaUrl: text(1),
  type: text(2),
  idKeys: repeated(text(3)),
  descriptionKeys: repeated(text(4)),
})

/** `attribute` is KEY_VALUE, or OPEN_KEY_VALUE for profiles. */
function scopeFields<T>(attribute: Message<T>) {
  return {
    name: text(1),
    version: text(2),
    attributes: messages<T>(3, attribute),
    droppedAttributesCount: uint32(4),
  }
}

function resourceFields<T>(attribute: Message<T>) {
  return {
    attributes: messages<T>(1, attribute),
    droppedAttributesCount: uint32(2),
    entityRefs: messages<EntityRef>(3, ENTITY_REF),
  }
}

const SCOPE_NAME = `${PACKAGE}.InstrumentationScope`
const RESOURCE_NAME = 'opentelemetry.proto.resource.v1.Resource'

export const SCOPE: Message<Scope> = defineMessage(SCOPE_NAME, scopeFields(KEY_VALUE))
export const RESOURCE: Message<Resource> = defineMessage(RESOURCE_NAME, resourceFields(KEY_VALUE))

export const OPEN_SCOPE = defineMessage(SCOPE_NAME, scopeFields(OPEN_KEY_VALUE))
export interface OpenScope extends ContentOf<typeof OPEN_SCOPE> {}

export const OPEN_RESOURCE = defineMessage(RESOURCE_NAME, resourceFields(OPEN_KEY_VALUE))
export interface OpenResource extends ContentOf<typeof OPEN_RESOURCE> {}
