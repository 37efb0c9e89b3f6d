// Prints .proto files from the tables of fields that the codecs are derived from.
import type { Enumeration, Field } from '../protobuf/field.ts'
import { protoNameOf } from '../protobuf/field.ts'
import type { Message } from '../protobuf/field.ts'
import type { ProtoFile, ProtoMethod, ProtoSource, ProtoType } from '../protobuf/proto-file.ts'
import { lastPart, protoFiles } from '../protobuf/proto-file.ts'

/** Returns texts by file name. `others` are files that the sources may import. */
export function protoTexts(
  sources: readonly ProtoSource[],
  others: readonly ProtoFile[] = [],
): ReadonlyMap<string, string> {
  const files = protoFiles(sources, others)
  return new Map(sources.map((source, i) => [source.name, protoText(source, files[i])]))
}

function protoText({ types, service }: ProtoSource, file: ProtoFile): string {
  const bodies = typesIn(file.package, types)
  return [
    '// Made of the messages that Hearth reads and writes; testing/proto-text.ts prints it.',
    'syntax = "proto3";',
    '',
    `package ${file.package};`,
    ...(file.dependencies.length === 0 ? [] : ['', ...file.dependencies.map(name => `import "${name}";`)]),
    ...(service === undefined ? [] : ['', `service ${lastPart(service.name)} {`, ...service.methods.map(rpcText), '}']),
    ...bodies.flatMap(lines => ['', ...lines]),
    '',
  ].join('\n')
}

function rpcText(method: ProtoMethod): string {
  const request = `${method.clientStreaming === true ? 'stream ' : ''}${method.request.name}`
  const response = `${method.serverStreaming === true ? 'stream ' : ''}${method.response.name}`
  return `  rpc ${method.name}(${request}) returns (${response}) {}`
}

/** Returns the lines of each type that is directly in a package or a message. */
function typesIn(owner: string, types: readonly ProtoType[]): string[][] {
  return types
    .filter(type => type.name.slice(0, type.name.lastIndexOf('.')) === owner)
    .map(type => ('fields' in type ? messageLines(type, types) : enumLines(type)))
}

function messageLines(message: Message, types: readonly ProtoType[]): string[] {
  const lines = typesIn(message.name, types).flatMap(inner => [...inner, ''])
  const fields = Object.entries(message.fields)
  const printed = new Set<string>()
  for (const [json, field] of fields) {
    const line = ([name, each]: readonly [string, Field]): string =>
      `${typeText(each)} ${protoNameOf(name, each)} = ${each.number};`
    if (field.oneOf === undefined) lines.push(line([json, field]))
    else if (!printed.has(field.oneOf)) {
      printed.add(field.oneOf)
      const rivals = fields.filter(([, each]) => each.oneOf === field.oneOf)
      lines.push(`oneof ${field.oneOf} {`, ...indented(rivals.map(line)), '}')
    }
  }
  const name = lastPart(message.name)
  return lines.length === 0 ? [`message ${name} {}`] : [`message ${name} {`, ...indented(lines), '}']
}

function typeText(field: Field): string {
  const type = field.message?.().name ?? field.enumeration?.name ?? field.type
  if (field.label === 'map') return `map<string, ${type}>`
  return field.label === 'plain' ? type : `${field.label} ${type}`
}

function enumLines({ name, values }: Enumeration): string[] {
  return [`enum ${lastPart(name)} {`, ...Object.entries(values).map(([key, number]) => `  ${key} = ${number};`), '}']
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => (line === '' ? '' : `  ${line}`))
}
