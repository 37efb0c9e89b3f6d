// Members of JSON objects that OTLP does not define. JSON has names instead of numbers, so the model keeps such a member as a
// field with a number that protobuf reserves, so that no message defines it, and with the text `"name":value`. Only JSON
// carries them: protobuf cannot name them, and its writers drop and count them.
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import {
  decodeAttributeValue,
  decodeResource,
  decodeScope,
  encodeNested,
  encodeResource,
  encodeScope,
  isKeyValueList,
} from '../../model/columns/any-value.ts'
import { decodeParts, encodeParts, joinBytes } from '../../model/columns/unknown-fields.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'

/** Protobuf reserves 19000 to 19999 for implementations. */
const JSON_FIELD = 19_000
const JSON_TAG = (JSON_FIELD << 3) | LEN
/** The tag as protobuf writes it. */
const TAG_BYTES = [0xc2, 0xa3, 0x09] as const

/** A member of a JSON object as a field. `value` is its text. */
export function encodeMember(name: string, value: Uint8Array): Uint8Array {
  const text = joinBytes([encodeUtf8(`${JSON.stringify(name)}:`), value])
  const writer = new BackwardWriter(text.length + 16)
  writer.bytesField(JSON_TAG, text, 0, text.length)
  return writer.finish()
}

/** Splits unknown fields into the texts of members and the other fields. */
export function splitMembers(fields: Uint8Array): {
  readonly members: readonly Uint8Array[]
  readonly others: readonly Uint8Array[]
} {
  const members: Uint8Array[] = []
  const others: Uint8Array[] = []
  const reader = new ProtoReader(fields, 0, fields.length)
  for (let at = 0; reader.tag(); at = reader.pos) {
    if (reader.field === JSON_FIELD && reader.wireType === LEN) members.push(reader.view())
    else {
      reader.skip()
      others.push(fields.subarray(at, reader.pos))
    }
  }
  return { members, others }
}

/** Removes members from what is written as protobuf, and counts them. */
export class MemberFilter {
  dropped = 0

  /** `fields` are the unknown fields of one message. */
  fields(fields: Uint8Array): Uint8Array {
    if (!mayHaveMembers(fields, 0, fields.length)) return fields
    const { members, others } = splitMembers(fields)
    this.dropped += members.length
    return members.length === 0 ? fields : joinBytes(others)
  }

  keyValue(keyValue: KeyValue): KeyValue {
    const { key, value, unknown } = keyValue
    const inner = this.value(value)
    if (unknown === undefined) return inner === value ? keyValue : { key, value: inner }
    const parts = [...decodeParts(unknown)].map(([part, bytes]) => [part, this.fields(bytes)] as const)
    const rest = encodeParts(parts)
    return rest.length === 0 ? { key, value: inner } : { key, value: inner, unknown: rest }
  }

  value(value: AnyValue): AnyValue {
    if (typeof value !== 'object' || value instanceof Uint8Array) return value
    if (isKeyValueList(value)) return { entries: value.entries.map(entry => this.keyValue(entry)) }
    return value.map(item => this.value(item))
  }

  /** The message of a resource without members. Undefined if it has none, which is nearly always. */
  resource(bytes: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (!mayHaveMembers(bytes, from, to)) return undefined
    const before = this.dropped
    const { attributes, entityRefs, ...rest } = decodeResource(bytes, from, to)
    const resource = {
      ...this.#message(rest),
      attributes: attributes.map(attribute => this.keyValue(attribute)),
      entityRefs: entityRefs.map(ref => this.#message(ref)),
    }
    return this.dropped === before ? undefined : encodeResource(resource)
  }

  scope(bytes: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (!mayHaveMembers(bytes, from, to)) return undefined
    const before = this.dropped
    const { attributes, ...rest } = decodeScope(bytes, from, to)
    const scope = { ...this.#message(rest), attributes: attributes.map(attribute => this.keyValue(attribute)) }
    return this.dropped === before ? undefined : encodeScope(scope)
  }

  /** The body of an ArrayValue or KeyValueList. `kind` is AnyValue's field number. */
  nested(bytes: Uint8Array, kind: number, from: number, to: number): Uint8Array | undefined {
    if (!mayHaveMembers(bytes, from, to)) return undefined
    const before = this.dropped
    const value = this.value(decodeAttributeValue(bytes, kind, from, to - from))
    if (this.dropped === before || typeof value !== 'object' || value instanceof Uint8Array) return undefined
    return encodeNested(value)
  }

  #message<Content extends { readonly unknown?: Uint8Array }>(content: Content): Content {
    return content.unknown === undefined ? content : { ...content, unknown: this.fields(content.unknown) }
  }
}

function mayHaveMembers(bytes: Uint8Array, from: number, to: number): boolean {
  const [first, second, third] = TAG_BYTES
  for (let at = bytes.indexOf(first, from); at !== -1 && at < to; at = bytes.indexOf(first, at + 1))
    if (bytes[at + 1] === second && bytes[at + 2] === third) return true
  return false
}
