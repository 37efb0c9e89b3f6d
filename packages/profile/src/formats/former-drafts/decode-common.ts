// Decodes the messages of common.proto in former drafts: attributes, resources and scopes. As everywhere in OTLP, strings
// that are not UTF-8 are an error. They are not replaced silently.
import type { AnyValue, KeyValue, Resource, Scope } from '../../model/columns/any-value.ts'
import { decodeKeyValue, decodeResource, decodeScope, isKeyValueList } from '../../model/columns/any-value.ts'
import { WireError } from '../../wire/wire-error.ts'

export function checkedKeyValue(bytes: Uint8Array, from: number, to: number): KeyValue {
  const attribute = decodeKeyValue(bytes, from, to)
  check(bytes, from, to, () => [attribute.key, attribute.value])
  return attribute
}

export function checkedResource(bytes: Uint8Array, from: number, to: number): Resource {
  const resource = decodeResource(bytes, from, to)
  check(bytes, from, to, () => [
    { entries: resource.attributes },
    resource.entityRefs.flatMap(ref => [ref.schemaUrl, ref.type, ...ref.idKeys, ...ref.descriptionKeys]),
  ])
  return resource
}

export function checkedScope(bytes: Uint8Array, from: number, to: number): Scope {
  const scope = decodeScope(bytes, from, to)
  check(bytes, from, to, () => [scope.name, scope.version, { entries: scope.attributes }])
  return scope
}

/** Decoding replaces invalid UTF-8 with U+FFFD. An original U+FFFD is recognised by its three bytes in the input. */
function check(bytes: Uint8Array, from: number, to: number, values: () => readonly AnyValue[]): void {
  let high = false
  for (let i = from; i < to; i++) {
    if (bytes[i] < 0x80) continue
    high = true
    if (bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd) return
  }
  if (high && values().some(hasReplacement)) throw new WireError(from, 'string is not valid UTF-8')
}

/** Recurses at most 50 levels, because decoding limits the nesting. */
function hasReplacement(value: AnyValue): boolean {
  if (typeof value === 'string') return value.includes('\ufffd')
  if (typeof value !== 'object' || value instanceof Uint8Array) return false
  if (isKeyValueList(value))
    return value.entries.some(({ key, value: inner }) => hasReplacement(key) || hasReplacement(inner))
  return value.some(hasReplacement)
}
