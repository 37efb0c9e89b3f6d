// Encodes data without a field in the proposal (headers of profiles, resources and scopes) as key-value lists on event types,
// and decodes it. A list that was not written here stays an attribute.
import type { AnyValue, EntityRef, KeyValue, Resource, Scope } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'

/** Contains only values that differ from those a reader derives without it. */
export interface CarriedHeader {
  readonly type?: string
  readonly unit?: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: bigint
  readonly timeUnixNano?: bigint
  readonly durationNano?: bigint
  readonly id?: Uint8Array
  readonly droppedAttributesCount?: number
  readonly originalPayloadFormat?: string
  readonly originalPayload?: Uint8Array
  /** Whether samples have values although all are 0. */
  readonly hasValues?: boolean
}

export interface CarriedResource {
  /** Distinguishes consecutive entries with equal content. */
  readonly index: bigint
  readonly schemaUrl: string
  readonly resource: Resource
}

export interface CarriedScope {
  readonly index: bigint
  readonly schemaUrl: string
  readonly scope: Scope
}

type Kind = 'string' | 'int' | 'uint' | 'number' | 'bytes' | 'bool'

const HEADER_KEYS: readonly (readonly [key: string, name: keyof CarriedHeader, kind: Kind])[] = [
  ['type', 'type', 'string'],
  ['unit', 'unit', 'string'],
  ['period_type', 'periodType', 'string'],
  ['period_unit', 'periodUnit', 'string'],
  ['period', 'period', 'int'],
  ['time_unix_nano', 'timeUnixNano', 'uint'],
  ['duration_nano', 'durationNano', 'uint'],
  ['profile_id', 'id', 'bytes'],
  ['dropped_attributes_count', 'droppedAttributesCount', 'number'],
  ['original_payload_format', 'originalPayloadFormat', 'string'],
  ['original_payload', 'originalPayload', 'bytes'],
  ['has_values', 'hasValues', 'bool'],
]

export function headerValue(header: CarriedHeader): AnyValue {
  const entries: KeyValue[] = []
  for (const [key, name, kind] of HEADER_KEYS) {
    const value = header[name]
    if (value === undefined) continue
    if (kind === 'number') entries.push({ key, value: BigInt(value as number) })
    else entries.push({ key, value: typeof value === 'bigint' ? BigInt.asIntN(64, value) : value })
  }
  return { entries }
}

export function headerOfValue(value: AnyValue): CarriedHeader | undefined {
  if (!isKeyValueList(value)) return undefined
  const header: Record<string, unknown> = {}
  for (const entry of value.entries) {
    const known = HEADER_KEYS.find(([key]) => key === entry.key)
    const converted = known === undefined ? undefined : convert(entry.value, known[2])
    if (known === undefined || converted === undefined) return undefined
    header[known[1]] = converted
  }
  return header
}

function convert(value: AnyValue, kind: Kind): string | bigint | number | boolean | Uint8Array | undefined {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? value : undefined
    case 'bool':
      return typeof value === 'boolean' ? value : undefined
    case 'int':
      return typeof value === 'bigint' ? value : undefined
    case 'uint':
      return typeof value === 'bigint' ? BigInt.asUintN(64, value) : undefined
    case 'number':
      return typeof value === 'bigint' ? Number(BigInt.asUintN(32, value)) : undefined
    case 'bytes':
      return value instanceof Uint8Array ? value : undefined
  }
}

export function resourceValue({ index, schemaUrl, resource }: CarriedResource): AnyValue {
  const refs = resource.entityRefs.map(refValue)
  return {
    entries: [
      ...indexEntry(index),
      ...textEntry('schema_url', schemaUrl),
      ...listEntry('attributes', resource.attributes),
      ...countEntry(resource.droppedAttributesCount),
      ...(refs.length === 0 ? [] : [{ key: 'entity_refs', value: refs }]),
    ],
  }
}

export function resourceOfValue(value: AnyValue): CarriedResource | undefined {
  const fields = fieldsOf(value, ['index', 'schema_url', 'attributes', 'dropped_attributes_count', 'entity_refs'])
  if (fields === undefined) return undefined
  const refs = fields.get('entity_refs') ?? []
  if (!Array.isArray(refs)) return undefined
  return {
    index: wholeIn(fields, 'index'),
    schemaUrl: textIn(fields, 'schema_url'),
    resource: {
      attributes: listIn(fields, 'attributes'),
      droppedAttributesCount: Number(BigInt.asUintN(32, wholeIn(fields, 'dropped_attributes_count'))),
      entityRefs: (refs as readonly AnyValue[]).map(refOfValue),
    },
  }
}

export function scopeValue({ index, schemaUrl, scope }: CarriedScope): AnyValue {
  return {
    entries: [
      ...indexEntry(index),
      ...textEntry('schema_url', schemaUrl),
      ...textEntry('name', scope.name),
      ...textEntry('version', scope.version),
      ...listEntry('attributes', scope.attributes),
      ...countEntry(scope.droppedAttributesCount),
    ],
  }
}

export function scopeOfValue(value: AnyValue): CarriedScope | undefined {
  const fields = fieldsOf(value, ['index', 'schema_url', 'name', 'version', 'attributes', 'dropped_attributes_count'])
  if (fields === undefined) return undefined
  return {
    index: wholeIn(fields, 'index'),
    schemaUrl: textIn(fields, 'schema_url'),
    scope: {
      name: textIn(fields, 'name'),
      version: textIn(fields, 'version'),
      attributes: listIn(fields, 'attributes'),
      droppedAttributesCount: Number(BigInt.asUintN(32, wholeIn(fields, 'dropped_attributes_count'))),
    },
  }
}

function refValue({ schemaUrl, type, idKeys, descriptionKeys }: EntityRef): AnyValue {
  return {
    entries: [
      ...textEntry('schema_url', schemaUrl),
      ...textEntry('type', type),
      { key: 'id_keys', value: idKeys },
      { key: 'description_keys', value: descriptionKeys },
    ],
  }
}

function refOfValue(value: AnyValue): EntityRef {
  const fields = fieldsOf(value, ['schema_url', 'type', 'id_keys', 'description_keys']) ?? new Map<string, AnyValue>()
  return {
    schemaUrl: textIn(fields, 'schema_url'),
    type: textIn(fields, 'type'),
    idKeys: textsIn(fields, 'id_keys'),
    descriptionKeys: textsIn(fields, 'description_keys'),
  }
}

/** Returns undefined if there is any other key. */
function fieldsOf(value: AnyValue, keys: readonly string[]): ReadonlyMap<string, AnyValue> | undefined {
  if (!isKeyValueList(value) || !value.entries.every(({ key }) => keys.includes(key))) return undefined
  return new Map(value.entries.map(entry => [entry.key, entry.value]))
}

function textIn(fields: ReadonlyMap<string, AnyValue>, key: string): string {
  const value = fields.get(key)
  return typeof value === 'string' ? value : ''
}

function wholeIn(fields: ReadonlyMap<string, AnyValue>, key: string): bigint {
  const value = fields.get(key)
  return typeof value === 'bigint' ? value : 0n
}

function listIn(fields: ReadonlyMap<string, AnyValue>, key: string): readonly KeyValue[] {
  const value = fields.get(key)
  return isKeyValueList(value) ? value.entries : []
}

function textsIn(fields: ReadonlyMap<string, AnyValue>, key: string): readonly string[] {
  const value = fields.get(key)
  return Array.isArray(value) ? (value as readonly AnyValue[]).filter(text => typeof text === 'string') : []
}

function indexEntry(index: bigint): KeyValue[] {
  return index === 0n ? [] : [{ key: 'index', value: index }]
}

function textEntry(key: string, text: string): KeyValue[] {
  return text === '' ? [] : [{ key, value: text }]
}

function listEntry(key: string, entries: readonly KeyValue[]): KeyValue[] {
  return entries.length === 0 ? [] : [{ key, value: { entries } }]
}

function countEntry(count: number): KeyValue[] {
  return count === 0 ? [] : [{ key: 'dropped_attributes_count', value: BigInt(count) }]
}
