// The .proto files of Pyroscope's API as text, out of the same descriptions that the codecs are made of.
import type { Enumeration, Field, Message } from '@hearth/signals'
import { protoName } from '@hearth/signals'
import * as google from '../google-profile.ts'
import * as push from '../push-messages.ts'
import type { ProtoMessage } from '../proto-json.ts'
import * as querier from '../querier-messages.ts'
import { QUERIER_METHODS } from '../querier/querier-service.ts'
import * as types from '../types-messages.ts'

interface Rpc {
  readonly name: string
  readonly request: Pick<Message, 'name'>
  readonly response: Pick<Message, 'name'>
}

interface Source {
  readonly file: string
  readonly package: string
  readonly types: readonly (Message | Enumeration)[]
  readonly service?: { readonly name: string; readonly methods: readonly Rpc[] }
}

function typesOf(module: Readonly<Record<string, unknown>>): (Message | Enumeration)[] {
  return Object.values(module).filter(
    (value): value is Message | Enumeration => typeof value === 'object' && value !== null && 'name' in value,
  )
}

const SOURCES: readonly Source[] = [
  { file: 'google/v1/profile.proto', package: 'google.v1', types: typesOf(google) },
  { file: 'types/v1/types.proto', package: 'types.v1', types: typesOf(types) },
  {
    file: 'push/v1/push.proto',
    package: 'push.v1',
    types: typesOf(push),
    service: {
      name: 'PusherService',
      methods: [{ name: 'Push', request: push.PUSH_REQUEST, response: push.PUSH_RESPONSE }],
    },
  },
  {
    file: 'querier/v1/querier.proto',
    package: 'querier.v1',
    types: typesOf(querier),
    service: { name: 'QuerierService', methods: QUERIER_METHODS },
  },
]

/** By file name. */
export function protoTexts(): ReadonlyMap<string, string> {
  return new Map(SOURCES.map(source => [source.file, textOf(source)]))
}

function textOf({ file, package: name, types: all, service }: Source): string {
  const uses = new Set<string>()
  const bodies = all.map(type => ('fields' in type ? messageText(type, uses) : enumText(type)))
  for (const { request, response } of service?.methods ?? []) uses.add(request.name).add(response.name)
  const imports = SOURCES.filter(other => other.file !== file && other.types.some(type => uses.has(type.name))).map(
    other => `import "${other.file}";`,
  )
  return [
    '// Made of the messages that Hearth reads and writes; testing/proto-text.ts prints it.',
    'syntax = "proto3";',
    '',
    `package ${name};`,
    ...(imports.length === 0 ? [] : ['', ...imports]),
    ...(service === undefined ? [] : ['', `service ${service.name} {`, ...service.methods.map(rpcText), '}']),
    ...bodies.flatMap(body => ['', body]),
    '',
  ].join('\n')
}

function rpcText({ name, request, response }: Rpc): string {
  return `  rpc ${name}(${request.name}) returns (${response.name}) {}`
}

function messageText(message: Message, uses: Set<string>): string {
  const { protoNames = {} } = message as Partial<ProtoMessage<unknown>>
  const fields = Object.entries(message.fields).map(([json, field]) => {
    const type = field.message?.().name ?? field.enumeration?.name ?? field.type
    uses.add(type)
    return `  ${labelOf(field)}${type} ${protoNames[json] ?? protoName(json)} = ${field.number};`
  })
  return fields.length === 0
    ? `message ${lastOf(message.name)} {}`
    : [`message ${lastOf(message.name)} {`, ...fields, '}'].join('\n')
}

function labelOf({ label }: Field): string {
  return label === 'plain' ? '' : `${label} `
}

function enumText({ name, values }: Enumeration): string {
  const lines = Object.entries(values).map(([key, number]) => `  ${key} = ${number};`)
  return [`enum ${lastOf(name)} {`, ...lines, '}'].join('\n')
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
