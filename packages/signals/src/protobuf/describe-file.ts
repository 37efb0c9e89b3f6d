// descriptor.proto, as far as it is needed to describe the message types, and the describing.
import type { Enumeration, Field, FieldType } from './field.ts'
import { bool, int32, message, messages, optional, repeated, text } from './field.ts'
import type { ContentOf, Message } from './message.ts'
import { defineMessage } from './message.ts'
import { protoName } from './proto-name.ts'

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
interface FieldDescriptor extends ContentOf<typeof FIELD_DESCRIPTOR> {}

const ONEOF_DESCRIPTOR = defineMessage(`${PACKAGE}.OneofDescriptorProto`, { name: text(1) })

const ENUM_VALUE_DESCRIPTOR = defineMessage(`${PACKAGE}.EnumValueDescriptorProto`, {
  name: text(1),
  number: optional(int32(2)),
})

const ENUM_DESCRIPTOR = defineMessage(`${PACKAGE}.EnumDescriptorProto`, {
  name: text(1),
  value: messages(2, ENUM_VALUE_DESCRIPTOR),
})
interface EnumDescriptor extends ContentOf<typeof ENUM_DESCRIPTOR> {}

/** Of all the options of messages, the one that makes one the entry of a map. */
const MESSAGE_OPTIONS = defineMessage(`${PACKAGE}.MessageOptions`, { mapEntry: bool(7) })

interface MessageDescriptor {
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

const TYPE_NUMBERS: Readonly<Record<FieldType, number>> = {
  double: 1,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  message: 11,
  bytes: 12,
  uint32: 13,
  enum: 14,
  sfixed64: 16,
  sint32: 17,
}
const LABEL_OPTIONAL = 1
const LABEL_REPEATED = 3

/** A service whose methods take and give the same, as far as they do not say otherwise. */
export interface ProtoService {
  readonly name: string
  readonly request: Message
  readonly response: Message
  /** Export alone where not given. */
  readonly methods?: readonly ProtoMethod[]
}

export interface ProtoMethod {
  readonly name: string
  readonly request?: Pick<Message, 'name'>
  readonly response?: Pick<Message, 'name'>
  readonly clientStreaming?: boolean
  readonly serverStreaming?: boolean
}

export interface FileContent {
  readonly name: string
  readonly packageName: string
  readonly dependencies: readonly string[]
  readonly types: readonly (Message | Enumeration)[]
  readonly service: ProtoService | undefined
}

type Type = Message | Enumeration

export function describeFile({ name, packageName, dependencies, types, service }: FileContent): FileDescriptor {
  return {
    name,
    package: packageName,
    dependency: dependencies,
    ...typesIn(packageName, types),
    service: service === undefined ? [] : [describeService(service)],
    syntax: 'proto3',
  }
}

/** Full names of the types that fields of these are of, and those that a service takes and gives. */
export function typesUsed(types: readonly Type[], service: ProtoService | undefined): string[] {
  const fields = types.filter(isMessage).flatMap(type => Object.values(type.fields))
  const served = service === undefined ? [] : methodsOf(service).flatMap(method => [method.request, method.response])
  return [...fields.map(typeNameOf), ...served.map(({ name }) => name)].filter(name => name !== '')
}

function isMessage(type: Type): type is Message {
  return 'fields' in type
}

/** What is directly in a package or a message: `trace.v1.Span` has `trace.v1.Span.Event`. */
function typesIn(
  owner: string,
  types: readonly Type[],
): { readonly messageType: MessageDescriptor[]; readonly enumType: EnumDescriptor[] } {
  const members = types.filter(type => type.name.slice(0, type.name.lastIndexOf('.')) === owner)
  return {
    messageType: members.filter(isMessage).map(type => describeMessage(type, types)),
    enumType: members.filter((type): type is Enumeration => !isMessage(type)).map(describeEnumeration),
  }
}

function describeMessage(type: Message, types: readonly Type[]): MessageDescriptor {
  const { messageType, enumType } = typesIn(type.name, types)
  const fields = Object.entries(type.fields)
  // Every optional field is a oneof of its own, after the real ones.
  const real = new Set(fields.map(([, field]) => field.oneOf).filter(name => name !== undefined))
  const alone = fields.filter(([, field]) => field.label === 'optional').map(([name]) => `_${protoName(name)}`)
  const oneofs = [...real, ...alone]
  return {
    name: lastOf(type.name),
    field: fields.map(([name, field]) => describeField(type, name, field, oneofs)),
    nestedType: [...messageType, ...fields.filter(([, field]) => field.label === 'map').map(describeMapEntry)],
    enumType,
    options: undefined,
    oneofDecl: oneofs.map(name => ({ name })),
  }
}

/** A map is a list of messages that are made for it. */
function describeMapEntry([name, field]: readonly [string, Field]): MessageDescriptor {
  const entry = defineMessage(mapEntryName(name), { key: text(1), value: { ...field, number: 2, label: 'plain' } })
  return { ...describeMessage(entry as Message, []), options: { mapEntry: true } }
}

/** As every protobuf compiler calls it: ParamsEntry for params. */
function mapEntryName(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`
}

function describeField(owner: Message, name: string, field: Field, oneofs: readonly string[]): FieldDescriptor {
  const isOptional = field.label === 'optional'
  const oneof = isOptional ? `_${protoName(name)}` : field.oneOf
  const isMap = field.label === 'map'
  const typeName = isMap ? `${owner.name}.${mapEntryName(name)}` : typeNameOf(field)
  return {
    name: protoName(name),
    number: field.number,
    label: isMap || field.label === 'repeated' ? LABEL_REPEATED : LABEL_OPTIONAL,
    type: TYPE_NUMBERS[field.type],
    typeName: typeName === '' ? '' : `.${typeName}`,
    oneofIndex: oneof === undefined ? undefined : oneofs.indexOf(oneof),
    jsonName: name,
    proto3Optional: isOptional,
  }
}

function typeNameOf(field: Field): string {
  return field.message?.().name ?? field.enumeration?.name ?? ''
}

function describeEnumeration({ name, values }: Enumeration): EnumDescriptor {
  return { name: lastOf(name), value: Object.entries(values).map(([key, number]) => ({ name: key, number })) }
}

function describeService(service: ProtoService): FileDescriptor['service'][number] {
  const method = methodsOf(service).map(({ name, request, response, clientStreaming, serverStreaming }) => ({
    name,
    inputType: `.${request.name}`,
    outputType: `.${response.name}`,
    clientStreaming,
    serverStreaming,
  }))
  return { name: lastOf(service.name), method }
}

/** With all that they leave to the service. */
export function methodsOf({
  request,
  response,
  methods = [{ name: 'Export' }],
}: ProtoService): Required<ProtoMethod>[] {
  return methods.map(method => ({ request, response, clientStreaming: false, serverStreaming: false, ...method }))
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
