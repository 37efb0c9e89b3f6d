// One canonical encoding for the parts of the model that are stored as bytes (resources, scopes, nested attribute
// values), so that equal content is equal bytes. Attributes and key-value lists are sets by key, and encoders differ in
// which empty fields they write.
import type { AnyValue, KeyValue } from '../columns/any-value.ts'
import {
  decodeAttributeValue,
  decodeResource,
  decodeScope,
  encodeNested,
  encodeResource,
  encodeScope,
  isKeyValueList,
} from '../columns/any-value.ts'
import { compareTexts } from '../columns/order.ts'

export function canonicalResource(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const resource = decodeResource(bytes, from, to)
  return encodeResource({ ...resource, attributes: sorted(resource.attributes) })
}

export function canonicalScope(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const scope = decodeScope(bytes, from, to)
  return encodeScope({ ...scope, attributes: sorted(scope.attributes) })
}

/**
 * Takes `kind`, `a` and `b` of an AttributeTable row. Kinds other than arrays and key-value lists have only one
 * encoding.
 */
export function canonicalNested(bytes: Uint8Array, kind: number, a: number, b: number): Uint8Array {
  const value = canonicalValue(decodeAttributeValue(bytes, kind, a, b))
  if (Array.isArray(value) || isKeyValueList(value)) return encodeNested(value)
  return bytes.subarray(a, a + b)
}

function canonicalValue(value: AnyValue): AnyValue {
  if (isKeyValueList(value)) return { entries: sorted(value.entries) }
  // `isArray` alone does not narrow a readonly array.
  if (typeof value === 'object' && !(value instanceof Uint8Array)) return value.map(canonicalValue)
  return value
}

function sorted(entries: readonly KeyValue[]): KeyValue[] {
  return entries
    .map(entry => ({ ...entry, value: canonicalValue(entry.value) }))
    .sort((a, b) => compareTexts(a.key, b.key))
}
