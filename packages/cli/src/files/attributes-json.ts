// Attributes as JSON and as text. Integers have 64 bits in the data model, so JSON contains them as decimal strings.
import type { AnyValue, KeyValue } from '@hearth/profile'
import { isKeyValueList } from '@hearth/profile'
import { clipped } from '../terminal/printable.ts'

type Json = string | number | boolean | undefined | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** Integers become decimal strings, bytes base64, key-value lists objects, and NaN and infinities their names. */
function attributeJson(value: AnyValue): Json {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return base64(value)
  if (typeof value !== 'object') return value
  return isKeyValueList(value) ? attributesJson(value.entries) : value.map(attributeJson)
}

/** If a key is repeated, which the data format forbids, the last value wins. */
export function attributesJson(entries: readonly KeyValue[]): JsonObject {
  return Object.fromEntries(entries.map(({ key, value }) => [key, attributeJson(value) ?? '']))
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

/** The maximum cells of a value: some are whole tables. */
const MAX_CELLS = 80

/** True for attributes that carry what a format has no field for. They mean nothing to people. */
export function isInternal(key: string): boolean {
  return key.startsWith('hearth.')
}

/** `service.name=checkout host.cpus=8`, with strings unquoted. `all` includes internal attributes and whole values. */
export function attributesText(attributes: JsonObject, all = false): string {
  return Object.entries(attributes)
    .filter(([key]) => all || !isInternal(key))
    .map(([key, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `${key}=${all ? text : clipped(text, MAX_CELLS)}`
    })
    .join(' ')
}
