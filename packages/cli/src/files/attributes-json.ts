// Attributes as JSON and for people. Whole numbers are 64-bit in the data model, so JSON has them as decimal strings.
import type { AnyValue, KeyValue } from '@hearth/profile'
import { isKeyValueList } from '@hearth/profile'
import { clipped } from '../terminal/printable.ts'

export type Json = string | number | boolean | undefined | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** ints: decimal strings; bytes: base64; lists of pairs: objects; doubles that JSON has no number for: their names. */
export function attributeJson(value: AnyValue): Json {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return base64(value)
  if (typeof value !== 'object') return value
  return isKeyValueList(value) ? attributesJson(value.entries) : value.map(attributeJson)
}

/** A key that comes twice, which the data format forbids, has its last value. */
export function attributesJson(entries: readonly KeyValue[]): JsonObject {
  return Object.fromEntries(entries.map(({ key, value }) => [key, attributeJson(value) ?? '']))
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

/** Values of this many cells are cut off for people: some are whole tables. */
const SHOWN_CELLS = 80

/** `service.name=checkout host.cpus=8`, strings as they are. */
export function attributesText(attributes: JsonObject): string {
  return Object.entries(attributes)
    .map(([key, value]) => `${key}=${clipped(typeof value === 'string' ? value : JSON.stringify(value), SHOWN_CELLS)}`)
    .join(' ')
}
