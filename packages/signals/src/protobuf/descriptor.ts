// The messages of descriptor.proto, as far as they are needed to describe our message types.
import { bool, int32, message, messages, optional, repeated, text } from './field.ts'
import type { ContentOf, Message } from './field.ts'
import { defineMessage } from './message.ts'

const PACKAGE = 'google.protobuf'

const FIELD_DESCRIPTOR = defineMessage(`${PACKAGE}.FieldDescriptorProto`, {
  name: text(1),
  number: int32(3),
  label: int32(4),
  type: int32(5),
  typeName: text(6),
  oneofIndex: optional(int32(9)),
  jsonName: text(10),
  proto3Optional: bool(17),
})
export interface FieldDescriptor extends ContentOf<typeof FIELD_DESCRIPTOR> {}

const ONEOF_DESCRIPTOR = defineMessage(`${PACKAGE}.OneofDescriptorProto`, { name: text(1) })

const ENUM_VALUE_DESCRIPTOR = defineMessage(`${PACKAGE}.EnumValueDescriptorProto`, {
  name: text(1),
  number: optional(int32(2)),
})

const ENUM_DESCRIPTOR = defineMessage(`${PACKAGE}.EnumDescriptorProto`, {
  name: text(1),
  value: messages(2, ENUM_VALUE_DESCRIPTOR),
})
export interface EnumDescriptor extends ContentOf<typeof ENUM_DESCRIPTOR> {}

/** The only option of messages that we use. It marks the entries of a map. */
const MESSAGE_OPTIONS = defineMessage(`${PACKAGE}.MessageOptions`, { mapEntry: bool(7) })

export interface MessageDescriptor {
  readonly name: string
  readonly field: readonly FieldDescriptor[]
  readonly nestedType: readonly MessageDescriptor[]
  readonly enumType: readonly EnumDescriptor[]
  readonly options: { readonly mapEntry: boolean } | undefined
  readonly oneofDecl: readonly { readonly name: string }[]
}

const MESSAGE_DESCRIPTOR: Message<MessageDescriptor> = defineMessage(`${PACKAGE}.DescriptorProto`, {
  name: text(1),
  field: messages<FieldDescriptor>(2, FIELD_DESCRIPTOR),
  nestedType: messages<MessageDescriptor>(3, () => MESSAGE_DESCRIPTOR),
  enumType: messages<EnumDescriptor>(4, ENUM_DESCRIPTOR),
  options: message(7, MESSAGE_OPTIONS),
  oneofDecl: messages(8, ONEOF_DESCRIPTOR),
})

const METHOD_DESCRIPTOR = defineMessage(`${PACKAGE}.MethodDescriptorProto`, {
  name: text(1),
  inputType: text(2),
  outputType: text(3),
  clientStreaming: bool(5),
  serverStreaming: bool(6),
})

const SERVICE_DESCRIPTOR = defineMessage(`${PACKAGE}.ServiceDescriptorProto`, {
  name: text(1),
  method: messages(2, METHOD_DESCRIPTOR),
})

export const FILE_DESCRIPTOR = defineMessage(`${PACKAGE}.FileDescriptorProto`, {
  name: text(1),
  package: text(2),
  dependency: repeated(text(3)),
  messageType: messages<MessageDescriptor>(4, MESSAGE_DESCRIPTOR),
  enumType: messages<EnumDescriptor>(5, ENUM_DESCRIPTOR),
  service: messages(6, SERVICE_DESCRIPTOR),
  syntax: text(12),
})
export interface FileDescriptor extends ContentOf<typeof FILE_DESCRIPTOR> {}
