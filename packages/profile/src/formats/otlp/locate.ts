// Where in a payload a field is, and which field is at a place: what turns "byte 4711" into a path that people can follow.
// Used only after an error, on bytes that may be broken: it never throws, and says as much as it can.
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/protobuf/wire-error.ts'
import type { FieldSchema, Generation, MessageSchema } from './generations/schema.ts'
import { ROOT, schemaOf } from './generations/schema.ts'
import { isPackable, wireTypeOf } from './generations/schema-reader.ts'

/** From the root down: a field and which of its occurrences, counted from 0. */
export type Steps = readonly (readonly [field: string, occurrence: number])[]

/** As `resource_profiles[0].resource`: a number behind repeated fields only. */
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
 * The path of the field that holds a byte, its tag and length included: `resource_profiles[0].schema_url`. Lists of numbers
 * have no number of their own. Empty where the byte is in no known field of the root, or of another message that the bytes
 * are.
 */
export function pathAt(bytes: Uint8Array, generation: Generation, offset: number, root = ROOT): string {
  const schema = schemaOf(generation)
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
 * Where the content of a field's occurrence begins; for a number of a packed list, that number. As far as the steps can be
 * followed: otherwise it is where the last field that was found begins.
 */
export function offsetOf(bytes: Uint8Array, generation: Generation, steps: Steps): number {
  const schema = schemaOf(generation)
  let message: MessageSchema | undefined = schema.get(ROOT)
  let parts: Parts = [[0, bytes.length]]
  for (const [name, occurrence] of steps) {
    // Steps may come from the data model, whose `samples` and `lines` were named without an s before v1.9.
    const field = message?.byName.get(name) ?? message?.byName.get(name.replace(/s$/, ''))
    const found = field === undefined ? [] : partsOf(bytes, parts, field, occurrence)
    if (field === undefined || found.length === 0) break
    parts = found
    message = schema.get(field.type)
  }
  return parts[0][0]
}

/** Starts and ends; several of them where a message came in parts, which count together. */
type Parts = readonly (readonly [from: number, to: number])[]

interface Found {
  readonly field: FieldSchema
  readonly occurrence: number
  /** Its content. */
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
    // The field whose length or value is broken is the last one that can be named.
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
  // Of a number that came twice the last one counts.
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
