// Changes, breaks or removes single profiles of a message, for tests of onRejectedProfile.
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import type { Generation } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import type { Message } from '../generations/schema-reader.ts'
import { SchemaReader } from '../generations/schema-reader.ts'
import type { PlainMessage } from './encode-message.ts'
import { encodeMessage } from './encode-message.ts'

export interface ProfilePlace {
  /** For example `resource_profiles[0].scope_profiles[1].profiles[3]`. */
  readonly path: string
  /** The range of its content. */
  readonly from: number
  readonly to: number
}

/** The profiles of a well-formed message. */
export function profilePlaces(bytes: Uint8Array, generation: Generation): ProfilePlace[] {
  const places: ProfilePlace[] = []
  const walk = (name: string, [list, ...below]: readonly string[], path: string, from: number, to: number): void => {
    const field = messageOf(schemaOf(generation), name).byName.get(list)!
    const reader = new ProtoReader(bytes, from, to)
    for (let row = 0; reader.tag();) {
      if (reader.field !== field.number || reader.wireType !== LEN) {
        reader.skip()
        continue
      }
      const length = reader.length()
      const start = reader.pos
      reader.pos += length
      const inner = `${path}${list}[${row++}]`
      if (below.length === 0) places.push({ path: inner, from: start, to: reader.pos })
      else walk(field.type, below, `${inner}.`, start, reader.pos)
    }
  }
  walk(ROOT, ['resource_profiles', 'scope_profiles', 'profiles'], '', 0, bytes.length)
  return places
}

/** Returns the message with each profile replaced by the result of `change`. Undefined removes it. */
export function withProfiles(
  bytes: Uint8Array,
  generation: Generation,
  change: (profile: Message, number: number) => Message | undefined,
): Uint8Array {
  const root = new SchemaReader(bytes, generation).read(ROOT)
  let number = 0
  for (const resource of listOf(root, 'resource_profiles')) {
    for (const scope of listOf(resource, 'scope_profiles')) {
      const changed = listOf(scope, 'profiles').map(profile => change(profile, number++))
      scope['profiles'] = changed.filter(profile => profile !== undefined)
    }
  }
  return encodeMessage(generation, root as PlainMessage)
}

export function listOf(message: Message, field: string): Message[] {
  return [...((message[field] ?? []) as Iterable<Message>)]
}
