// Parts that writers of all generations share: the envelope, attribute values, and the rows of a table.
import type { AnyValue, KeyValue } from '../../../model/columns/any-value.ts'
import { isKeyValueList } from '../../../model/columns/any-value.ts'
import type { Table } from '../../../model/columns/dictionary.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { PlainMessage } from './encode-message.ts'

/** The row numbers of a table, with the brand of their kind. */
export function rowsOf<Index extends number = number>(table: Table, from = 0, to = table.length): Index[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => (i + from) as Index)
}

export function anyValue(value: AnyValue): PlainMessage {
  if (value === undefined) return {}
  if (typeof value === 'string') return { string_value: value }
  if (typeof value === 'boolean') return { bool_value: value }
  if (typeof value === 'bigint') return { int_value: value }
  if (typeof value === 'number') return { double_value: value }
  if (value instanceof Uint8Array) return { bytes_value: value }
  if (isKeyValueList(value)) return { kvlist_value: { values: value.entries.map(keyValue) } }
  return { array_value: { values: value.map(anyValue) } }
}

export function keyValue({ key, value }: KeyValue): PlainMessage {
  return { key, value: value === undefined ? undefined : anyValue(value) }
}

function resourceContent(profiles: Profiles, i: number): PlainMessage {
  const { attributes, droppedAttributesCount, entityRefs } = profiles.resources.resource(i)
  return {
    attributes: attributes.map(keyValue),
    dropped_attributes_count: droppedAttributesCount,
    entity_refs: entityRefs.map(ref => ({
      schema_url: ref.schemaUrl,
      type: ref.type,
      id_keys: ref.idKeys,
      description_keys: ref.descriptionKeys,
    })),
  }
}

function scopeContent(profiles: Profiles, i: number): PlainMessage {
  const { name, version, attributes, droppedAttributesCount } = profiles.scopes.scope(i)
  return { name, version, attributes: attributes.map(keyValue), dropped_attributes_count: droppedAttributesCount }
}

/** The envelope that all generations share. */
export function resourceProfiles(profiles: Profiles, profilesOf: (scope: number) => PlainMessage[]): PlainMessage[] {
  const { resources, scopes } = profiles
  return rowsOf(resources).map(i => ({
    resource: resourceContent(profiles, i),
    schema_url: resources.schemaUrl(i),
    scope_profiles: rowsOf(scopes, resources.from(i), resources.to(i)).map(k => ({
      scope: scopeContent(profiles, k),
      schema_url: scopes.schemaUrl(k),
      profiles: profilesOf(k),
    })),
  }))
}

export function valuesOf({ samples }: Profiles, i: number): bigint[] {
  return Array.from(samples.values.signed().subarray(samples.valuesFrom(i), samples.valuesTo(i)))
}

export function timestampsOf({ samples }: Profiles, i: number): bigint[] {
  return Array.from(samples.timestamps.unsigned().subarray(samples.timestampsFrom(i), samples.timestampsTo(i)))
}
