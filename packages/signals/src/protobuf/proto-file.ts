// Describes message types as .proto files: FileDescriptorProtos for gRPC reflection, derived from the same tables of fields
// as the codecs.
import { BackwardWriter } from '@hearth/profile'
import type { EnumDescriptor, FieldDescriptor, FileDescriptor, MessageDescriptor } from './descriptor.ts'
import { FILE_DESCRIPTOR } from './descriptor.ts'
import type { Enumeration, Field, FieldType } from './field.ts'
import { jsonNameOf, protoNameOf, text } from './field.ts'
import type { Message } from './field.ts'
import { defineMessage } from './message.ts'

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

export type ProtoType = Message | Enumeration

export interface ProtoMethod {
  readonly name: string
  readonly request: Pick<Message, 'name'>
  readonly response: Pick<Message, 'name'>
  readonly clientStreaming?: boolean
  readonly serverStreaming?: boolean
}

export interface ProtoService {
  /** Includes the package: `opentelemetry.proto.collector.trace.v1.TraceService`. */
  readonly name: string
  readonly methods: readonly ProtoMethod[]
}

/** The content of a .proto file. */
export interface ProtoSource {
  readonly name: string
  readonly types: readonly ProtoType[]
  readonly service?: ProtoService
}

export interface ProtoFile {
  /** The path by which other files import it: `opentelemetry/proto/trace/v1/trace.proto`. */
  readonly name: string
  readonly package: string
  /** Names of the files that it imports. */
  readonly dependencies: readonly string[]
  /** Full names of its messages, enums and services. */
  readonly symbols: readonly string[]
  /** Full names of its services. */
  readonly services: readonly string[]
  /** Encodes a FileDescriptorProto. */
  protobufDescriptor(): Uint8Array
}

/** Makes files of sources, which may use types of the files in `others`. */
export function protoFiles(sources: readonly ProtoSource[], others: readonly ProtoFile[] = []): ProtoFile[] {
  const fileOfType = new Map([
    ...others.flatMap(({ name, symbols }) => symbols.map(symbol => [symbol, name] as const)),
    ...sources.flatMap(({ name, types }) => types.map(type => [type.name, name] as const)),
  ])
  return sources.map(source => protoFile(source, fileOfType))
}

/** The messages and enumerations that a module exports. */
export function typesIn(module: Readonly<Record<string, unknown>>): ProtoType[] {
  return Object.values(module).filter(
    (value): value is ProtoType => typeof value === 'object' && value !== null && 'name' in value,
  )
}

/** The file that defines a message, an enumeration or a service, or a field or method of one. */
export function fileOfSymbol(files: readonly ProtoFile[], symbol: string): ProtoFile | undefined {
  const isIn = (owner: string): boolean => symbol === owner || symbol.startsWith(`${owner}.`)
  return files.find(file => file.symbols.some(isIn))
}

/** Fields in the order of a .proto file. Go requires the fields of a oneof to be consecutive, so they follow the first one. */
function declaredFields(message: Message): (readonly [property: string, field: Field])[] {
  const fields = Object.entries(message.fields)
  return fields.flatMap((entry, i) => {
    const { oneOf } = entry[1]
    if (oneOf === undefined) return [entry]
    const members = fields.filter(([, field]) => field.oneOf === oneOf)
    return members[0] === fields[i] ? members : []
  })
}

function protoFile({ name, types, service }: ProtoSource, fileOfType: ReadonlyMap<string, string>): ProtoFile {
  const services = service === undefined ? [] : [service.name]
  // Names of packages start in lower case, names of types in upper case.
  const [packageName] = (types[0]?.name ?? services[0]).split(/\.(?=[A-Z])/)
  const used = typesUsed(types, service).map(type => fileOfType.get(type)!)
  const dependencies = [...new Set(used)].filter(file => file !== name).toSorted()
  const describe = (): FileDescriptor => ({
    name,
    package: packageName,
    dependency: dependencies,
    ...describeTypes(packageName, types),
    service: service === undefined ? [] : [describeService(service)],
    syntax: 'proto3',
  })
  return {
    name,
    package: packageName,
    dependencies,
    symbols: [...types.map(type => type.name), ...services],
    services,
    protobufDescriptor: () => {
      const writer = new BackwardWriter(4096)
      FILE_DESCRIPTOR.write(writer, describe())
      return writer.finish()
    },
  }
}

/** Full names of the types of all fields, requests and responses. */
function typesUsed(types: readonly ProtoType[], service: ProtoService | undefined): string[] {
  const fields = types.filter(isMessage).flatMap(type => Object.values(type.fields))
  const served = service?.methods.flatMap(({ request, response }) => [request.name, response.name]) ?? []
  return [...fields.map(typeNameOf), ...served].filter(name => name !== '')
}

function isMessage(type: ProtoType): type is Message {
  return 'fields' in type
}

/** Types directly in a package or a message: `trace.v1.Span` contains `trace.v1.Span.Event`. */
function describeTypes(
  owner: string,
  types: readonly ProtoType[],
): { readonly messageType: MessageDescriptor[]; readonly enumType: EnumDescriptor[] } {
  const members = types.filter(type => type.name.slice(0, type.name.lastIndexOf('.')) === owner)
  return {
    messageType: members.filter(isMessage).map(type => describeMessage(type, types)),
    enumType: members.filter((type): type is Enumeration => !isMessage(type)).map(describeEnumeration),
  }
}

function describeMessage(type: Message, types: readonly ProtoType[]): MessageDescriptor {
  const { messageType, enumType } = describeTypes(type.name, types)
  const fields = declaredFields(type)
  // Each optional field has a synthetic oneof, after the real ones.
  const real = new Set(fields.map(([, field]) => field.oneOf).filter(name => name !== undefined))
  const synthetic = fields.filter(([, field]) => field.label === 'optional').map(syntheticOneof)
  const oneofs = [...real, ...synthetic]
  return {
    name: lastPart(type.name),
    field: fields.map(entry => describeField(type, entry, oneofs)),
    nestedType: [...messageType, ...fields.filter(([, field]) => field.label === 'map').map(describeMapEntry)],
    enumType,
    options: undefined,
    oneofDecl: oneofs.map(name => ({ name })),
  }
}

function syntheticOneof([property, field]: readonly [string, Field]): string {
  return `_${protoNameOf(property, field)}`
}

/** A map is a list of messages with a key and a value. */
function describeMapEntry([property, field]: readonly [string, Field]): MessageDescriptor {
  const entry = defineMessage(mapEntryName(property), { key: text(1), value: { ...field, number: 2, label: 'plain' } })
  return { ...describeMessage(entry as Message, []), options: { mapEntry: true } }
}

/** The name that protobuf compilers use: ParamsEntry for params. */
function mapEntryName(property: string): string {
  return `${property.charAt(0).toUpperCase()}${property.slice(1)}Entry`
}

function describeField(
  owner: Message,
  entry: readonly [property: string, field: Field],
  oneofs: readonly string[],
): FieldDescriptor {
  const [property, field] = entry
  const isOptional = field.label === 'optional'
  const oneof = isOptional ? syntheticOneof(entry) : field.oneOf
  const isMap = field.label === 'map'
  const typeName = isMap ? `${owner.name}.${mapEntryName(property)}` : typeNameOf(field)
  return {
    name: protoNameOf(property, field),
    number: field.number,
    label: isMap || field.label === 'repeated' ? LABEL_REPEATED : LABEL_OPTIONAL,
    type: TYPE_NUMBERS[field.type],
    typeName: typeName === '' ? '' : `.${typeName}`,
    oneofIndex: oneof === undefined ? undefined : oneofs.indexOf(oneof),
    jsonName: jsonNameOf(property, field),
    proto3Optional: isOptional,
  }
}

function typeNameOf(field: Field): string {
  return field.message?.().name ?? field.enumeration?.name ?? ''
}

function describeEnumeration({ name, values }: Enumeration): EnumDescriptor {
  return { name: lastPart(name), value: Object.entries(values).map(([key, number]) => ({ name: key, number })) }
}

function describeService({ name, methods }: ProtoService): FileDescriptor['service'][number] {
  const method = methods.map(({ name: methodName, request, response, clientStreaming, serverStreaming }) => ({
    name: methodName,
    inputType: `.${request.name}`,
    outputType: `.${response.name}`,
    clientStreaming: clientStreaming ?? false,
    serverStreaming: serverStreaming ?? false,
  }))
  return { name: lastPart(name), method }
}

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
