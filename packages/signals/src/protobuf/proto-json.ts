// Messages of protobuf packages other than OTLP. In JSON their fields are known by two names: clients write
// `profileTypeID`, people who write requests by hand often `profile_typeID`, and protobuf's own JSON takes both.
import type { Fields, MessageOf } from './field.ts'
import type { Message } from './message.ts'
import { defineMessage } from './message.ts'
import { protoName } from './proto-name.ts'
import { compileReadJson } from './read-json.ts'

/** A message that knows its fields' names in the .proto file where those do not follow from the ones in JSON. */
export interface ProtoMessage<T> extends Message<T> {
  readonly protoNames: Readonly<Record<string, string>>
}

export function defineProtoJson<F extends Fields>(
  name: string,
  fields: F,
  protoNames: Readonly<Record<string, string>> = {},
): ProtoMessage<MessageOf<F>> {
  const message = { ...defineMessage(name, fields), protoNames }
  const aliases = Object.keys(fields)
    .map(json => [json, protoNames[json] ?? protoName(json)] as const)
    .filter(([json, proto]) => json !== proto)
  if (aliases.length === 0) return message
  const aliasFields = aliases.map(([json, proto]) => [proto, { ...fields[json], initial: undefined }] as const)
  const read = compileReadJson({ ...fields, ...Object.fromEntries(aliasFields) })
  return {
    ...message,
    readJson: cursor => {
      const draft = read(cursor) as Record<string, unknown>
      for (const [json, proto] of aliases) {
        if (draft[proto] !== undefined) draft[json] = draft[proto]
        delete draft[proto]
      }
      return draft as MessageOf<F>
    },
  }
}
