// Converts between byte offsets of a payload and paths of fields, so that errors can name a field instead of "byte 4711". Used
// only after an error, on possibly broken bytes. It never throws and returns the best result it can.
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { FieldSchema, Generation, MessageSchema, Schema } from './generations/schema.ts'
import { ROOT, schemaOf } from './generations/schema.ts'
import { isPackable, wireTypeOf } from './generations/schema-reader.ts'

/** Steps from the root: a field and the index of its occurrence, counted from 0. */
export type Steps = readonly (readonly [field: string, occurrence: number])[]

/** Returns for example `resource_profiles[0].resource`. Only repeated fields have an index. */
export function pathOf(generation: Generation, steps: Steps): string {
  const schema = schemaOf(generation)
  let message = schema.get(ROOT)
  let path = ''
  for (const [name, occurrence] of steps) {
    const field = message?.byName.get(name)
    path += `${path === '' ? '' : '.'}${name}${field?.repeated === true ? `[${occurrence}]` : ''}`
    message = field === undefined ? undefined : schema.get(field.type)
  }
  return path
}

/**
 * Returns the path of the field that contains a byte, tag and length included: `resource_profiles[0].schema_url`. Packed lists
 * have no index. Empty if the byte is in no known field. `root` is the message of the bytes.
 */
export function pathAt(bytes: Uint8Array, of: Generation | Schema, offset: number, root = ROOT): string {
  const schema = typeof of === 'string' ? schemaOf(of) : of
  let message: MessageSchema | undefined = schema.get(root)
  let from = 0
  let to = bytes.length
  let path = ''
  while (message !== undefined) {
    const found = fieldAt(bytes, from, to, message, offset)
    if (found === undefined) break
    const { field, occurrence } = found
    path += `${path === '' ? '' : '.'}${field.name}${field.repeated && !isPackable(field) ? `[${occurrence}]` : ''}`
    message = schema.get(field.type)
    from = found.from
    to = found.to
    if (offset < from) break
  }
  return path
}

/**
 * Returns the start of the content of a field's occurrence, or of the number in a packed list. If a step cannot be followed,
 * returns the start of the last field that was found.
 */
export function offsetOf(bytes: Uint8Array, generation: Generation, steps: Steps): number {
  const schema = schemaOf(generation)
  let message: MessageSchema | undefined = schema.get(ROOT)
  let parts: Parts = [[0, bytes.length]]
  for (const [name, occurrence] of steps) {
    // Steps may come from the data model, whose `samples` and `lines` had no s before v1.9.
    const field = message?.byName.get(name) ?? message?.byName.get(name.replace(/s$/, ''))
    const found = field === undefined ? [] : partsOf(bytes, parts, field, occurrence)
    if (field === undefined || found.length === 0) break
    parts = found
    message = schema.get(field.type)
  }
  return parts[0][0]
}

/** Pairs of start and end. A message that came in several parts has several. */
type Parts = readonly (readonly [from: number, to: number])[]

interface Found {
  readonly field: FieldSchema
  readonly occurrence: number
  /** The range of its content. */
  readonly from: number
  readonly to: number
}

function fieldAt(
  bytes: Uint8Array,
  from: number,
  to: number,
  message: MessageSchema,
  offset: number,
): Found | undefined {
  const counts = new Map<FieldSchema, number>()
  const reader = new ProtoReader(bytes, from, to)
  let field: FieldSchema | undefined
  let content = from
  try {
    while (reader.pos <= offset && reader.tag()) {
      field = message.byNumber.get(reader.field)
      const occurrence = field === undefined ? 0 : (counts.get(field) ?? 0)
      content = reader.pos
      if (reader.wireType === LEN) {
        const length = reader.length()
        content = reader.pos
        reader.pos += length
      } else reader.skip()
      if (offset < reader.pos) return field && { field, occurrence, from: content, to: reader.pos }
      if (field !== undefined) counts.set(field, occurrence + 1)
      field = undefined
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    // The field with the broken length or value is the last one that can be named.
    if (field !== undefined) return { field, occurrence: counts.get(field) ?? 0, from: to, to }
  }
  return undefined
}

function partsOf(bytes: Uint8Array, parts: Parts, field: FieldSchema, wanted: number): Parts {
  const found: (readonly [from: number, to: number])[] = []
  let left = wanted
  try {
    for (const [from, to] of parts) {
      const reader = new ProtoReader(bytes, from, to)
      while (reader.tag()) {
        const isLen = reader.wireType === LEN
        const end = isLen ? reader.length() + reader.pos : to
        const start = reader.pos
        if (isLen) reader.pos = end
        else reader.skip()
        if (reader.field !== field.number) continue
        if (!field.repeated) found.push([start, end])
        else if (isLen && isPackable(field)) {
          const item = itemOf(bytes, start, end, field, left)
          if (item.found) return [[item.at, end]]
          left = item.left
        } else if (left-- === 0) return [[start, end]]
      }
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
  // The last occurrence of a single number counts.
  return field.scalar === undefined ? found : found.slice(-1)
}

function itemOf(
  bytes: Uint8Array,
  from: number,
  to: number,
  field: FieldSchema,
  wanted: number,
): { readonly found: boolean; readonly at: number; readonly left: number } {
  const reader = new ProtoReader(bytes, from, to)
  let left = wanted
  for (; reader.pos < to; left--) {
    if (left === 0) return { found: true, at: reader.pos, left }
    reader.skip(wireTypeOf(field.scalar))
  }
  return { found: false, at: to, left }
}
