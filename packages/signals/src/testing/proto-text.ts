// .proto files as text, out of the same tables that the codecs are made of.
import type { ProtoSource } from '../otlp/proto-files.ts'
import { protoFiles } from '../otlp/proto-files.ts'
import type { ProtoFile } from '../otlp/proto-files.ts'
import { methodsOf } from '../protobuf/describe-file.ts'
import type { Enumeration, Field } from '../protobuf/field.ts'
import type { Message } from '../protobuf/message.ts'
import type { ProtoMessage } from '../protobuf/proto-json.ts'
import { protoName } from '../protobuf/proto-name.ts'

type Type = Message | Enumeration

/** By file name. `others` are files that the sources may import. */
export function protoTexts(
  sources: readonly ProtoSource[],
  others: readonly ProtoFile[] = [],
): ReadonlyMap<string, string> {
  const files = protoFiles(sources, others)
  return new Map(sources.map((source, i) => [source.name, textOf(source, files[i])]))
}

function textOf({ types, service }: ProtoSource, file: ProtoFile): string {
  const bodies = typesIn(file.package, types)
  return [
    '// Made of the messages that Hearth reads and writes; testing/proto-text.ts prints it.',
    'syntax = "proto3";',
    '',
    `package ${file.package};`,
    ...(file.dependencies.length === 0 ? [] : ['', ...file.dependencies.map(name => `import "${name}";`)]),
    ...(service === undefined
      ? []
      : ['', `service ${lastOf(service.name)} {`, ...methodsOf(service).map(rpcText), '}']),
    ...bodies.flatMap(lines => ['', ...lines]),
    '',
  ].join('\n')
}

function rpcText(method: ReturnType<typeof methodsOf>[number]): string {
  const taken = `${method.clientStreaming ? 'stream ' : ''}${method.request.name}`
  const given = `${method.serverStreaming ? 'stream ' : ''}${method.response.name}`
  return `  rpc ${method.name}(${taken}) returns (${given}) {}`
}

/** The lines of each type that is directly in a package or a message. */
function typesIn(owner: string, types: readonly Type[]): string[][] {
  return types
    .filter(type => type.name.slice(0, type.name.lastIndexOf('.')) === owner)
    .map(type => ('fields' in type ? messageLines(type, types) : enumLines(type)))
}

function messageLines(message: Message, types: readonly Type[]): string[] {
  const { protoNames = {} } = message as Partial<ProtoMessage<unknown>>
  const lines = typesIn(message.name, types).flatMap(inner => [...inner, ''])
  const fields = Object.entries(message.fields)
  const printed = new Set<string>()
  for (const [json, field] of fields) {
    const line = ([name, each]: readonly [string, Field]): string =>
      `${typeText(each)} ${protoNames[name] ?? protoName(name)} = ${each.number};`
    if (field.oneOf === undefined) lines.push(line([json, field]))
    else if (!printed.has(field.oneOf)) {
      printed.add(field.oneOf)
      const rivals = fields.filter(([, each]) => each.oneOf === field.oneOf)
      lines.push(`oneof ${field.oneOf} {`, ...indented(rivals.map(line)), '}')
    }
  }
  const name = lastOf(message.name)
  return lines.length === 0 ? [`message ${name} {}`] : [`message ${name} {`, ...indented(lines), '}']
}

function typeText(field: Field): string {
  const type = field.message?.().name ?? field.enumeration?.name ?? field.type
  if (field.label === 'map') return `map<string, ${type}>`
  return field.label === 'plain' ? type : `${field.label} ${type}`
}

function enumLines({ name, values }: Enumeration): string[] {
  return [`enum ${lastOf(name)} {`, ...Object.entries(values).map(([key, number]) => `  ${key} = ${number};`), '}']
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => (line === '' ? '' : `  ${line}`))
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
