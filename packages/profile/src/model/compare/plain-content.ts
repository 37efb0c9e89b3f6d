// Resources, profiles and samples as plain trees with all references resolved, to describe a difference to people.
// Built one at a time, and only for the description.
import { hexOf } from '../text/hex.ts'
import type { AnyValue, KeyValue } from '../columns/any-value.ts'
import { isKeyValueList } from '../columns/any-value.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StringIndex,
} from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import { ValueKind, isUnsetLink } from '../columns/dictionary.ts'
import { uint64 } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import type { UnknownFields, UnknownTable } from '../columns/unknown-fields.ts'
import { decodeParts, entriesOf } from '../columns/unknown-fields.ts'

/** A tree whose leaves are formatted text. */
export type Plain = string | readonly Plain[] | { readonly [field: string]: Plain }

export function plainResource({ resources, unknown }: Profiles, i: number): Plain {
  const { attributes, droppedAttributesCount, entityRefs } = resources.resource(i)
  return {
    schema_url: quoted(resources.schemaUrl(i)),
    attributes: plainKeyValues(attributes),
    dropped_attributes_count: String(droppedAttributesCount),
    entity_refs: entityRefs.map(ref => ({
      schema_url: quoted(ref.schemaUrl),
      type: quoted(ref.type),
      id_keys: ref.idKeys.map(quoted),
      description_keys: ref.descriptionKeys.map(quoted),
    })),
    ...plainUnknownRow(unknown, 'resources', i),
  }
}

export function plainScope({ scopes, unknown }: Profiles, i: number): Plain {
  const { name, version, attributes, droppedAttributesCount } = scopes.scope(i)
  return {
    schema_url: quoted(scopes.schemaUrl(i)),
    name: quoted(name),
    version: quoted(version),
    attributes: plainKeyValues(attributes),
    dropped_attributes_count: String(droppedAttributesCount),
    ...plainUnknownRow(unknown, 'scopes', i),
  }
}

/** All fields of a profile except its samples. */
export function plainHeader({ profiles, dictionary, unknown }: Profiles, i: number): Plain {
  const text = (string: StringIndex): string => quoted(dictionary.strings.text(string))
  return {
    sample_type: { type: text(profiles.type(i)), unit: text(profiles.unit(i)) },
    period_type: { type: text(profiles.periodType(i)), unit: text(profiles.periodUnit(i)) },
    period: String(profiles.period(i)),
    time_unix_nano: String(profiles.time(i)),
    duration_nano: String(profiles.duration(i)),
    profile_id: hex(profiles.id(i)),
    original_payload_format: quoted(profiles.originalPayloadFormat(i)),
    original_payload: hex(profiles.originalPayload(i)),
    dropped_attributes_count: String(profiles.droppedAttributes(i)),
    attributes: plainAttributes(dictionary, profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i)),
    ...plainUnknownRow(unknown, 'profiles', i),
  }
}

export function plainSample({ samples, dictionary, unknown }: Profiles, i: number): Plain {
  const stack = samples.stack(i)
  const locations = dictionary.stacks.locations.slice(dictionary.stacks.from(stack), dictionary.stacks.to(stack))
  const values = samples.values.signed().subarray(samples.valuesFrom(i), samples.valuesTo(i))
  const timestamps = samples.timestamps.unsigned().subarray(samples.timestampsFrom(i), samples.timestampsTo(i))
  return {
    stack: locations.map(location => plainLocation(dictionary, location)),
    link: plainLink(dictionary, samples.link(i)),
    attributes: plainAttributes(dictionary, samples.attributes, samples.attributesFrom(i), samples.attributesTo(i)),
    values: Array.from(values, String),
    timestamps_unix_nano: Array.from(timestamps, String),
    ...plainUnknownRow(dictionary.unknown, 'stacks', stack),
    ...plainUnknownRow(unknown, 'samples', i),
  }
}

function plainLocation(dictionary: Dictionary, i: LocationIndex): Plain {
  const { locations } = dictionary
  const lines: Plain[] = []
  for (let k = locations.linesFrom(i); k < locations.linesTo(i); k++) {
    lines.push({
      function: plainFunction(dictionary, locations.lines.function(k)),
      line: String(locations.lines.line(k)),
      column: String(locations.lines.column(k)),
    })
  }
  return {
    lines,
    address: `0x${locations.address(i).toString(16)}`,
    mapping: plainMapping(dictionary, locations.mapping(i)),
    attributes: plainAttributes(
      dictionary,
      locations.attributes,
      locations.attributesFrom(i),
      locations.attributesTo(i),
    ),
    ...plainUnknownRow(dictionary.unknown, 'locations', i),
  }
}

function plainFunction({ functions, strings, unknown }: Dictionary, i: FunctionIndex): Plain {
  return {
    name: quoted(strings.text(functions.name(i))),
    system_name: quoted(strings.text(functions.systemName(i))),
    filename: quoted(strings.text(functions.filename(i))),
    start_line: String(functions.startLine(i)),
    ...plainUnknownRow(unknown, 'functions', i),
  }
}

function plainMapping(dictionary: Dictionary, i: MappingIndex): Plain {
  const { mappings, strings } = dictionary
  return {
    filename: quoted(strings.text(mappings.filename(i))),
    memory_start: `0x${mappings.memoryStart(i).toString(16)}`,
    memory_limit: `0x${mappings.memoryLimit(i).toString(16)}`,
    file_offset: `0x${mappings.fileOffset(i).toString(16)}`,
    attributes: plainAttributes(dictionary, mappings.attributes, mappings.attributesFrom(i), mappings.attributesTo(i)),
    ...plainUnknownRow(dictionary.unknown, 'mappings', i),
  }
}

function plainLink({ links, unknown }: Dictionary, i: LinkIndex): Plain {
  const fields = plainUnknownRow(unknown, 'links', i)
  if (isUnsetLink(links, i) && Object.keys(fields).length === 0) return 'none'
  return { trace_id: hex(links.traceId(i)), span_id: hex(links.spanId(i)), ...fields }
}

/** The unknown fields of the payload and of its dictionary, which belong to no row, and those of zero rows. */
export function plainUnknown({ unknown, dictionary }: Profiles): Plain {
  const zeroRows = entriesOf(dictionary.unknown)
    .filter(([, rows]) => rows.has(0))
    .map(([table]) => [table, plainUnknownRow(dictionary.unknown, table, 0)])
  return { ...plainUnknownRow(unknown, 'self', 0), dictionary: Object.fromEntries(zeroRows) as Plain }
}

function plainUnknownRow(fields: UnknownFields | undefined, table: UnknownTable, row: number): Record<string, Plain> {
  const encoded = fields?.[table]?.get(row)
  if (encoded === undefined) return {}
  const parts = Array.from(decodeParts(encoded), ([part, bytes]) => [String(part), hex(bytes)])
  return { unknown_fields: Object.fromEntries(parts) as Plain }
}

function plainAttributes(dictionary: Dictionary, list: Pool<AttributeIndex>, from: number, to: number): Plain {
  const { attributes, strings } = dictionary
  const entries: Record<string, Plain> = {}
  for (const i of list.slice(from, to)) {
    const unit = attributes.unit(i) === 0 ? '' : ` ${quoted(strings.text(attributes.unit(i)))}`
    // The bits distinguish NaN values.
    const bits =
      attributes.kind(i) === ValueKind.double ? ` 0x${uint64(attributes.a(i), attributes.b(i)).toString(16)}` : ''
    const unknown = brief(plainUnknownRow(dictionary.unknown, 'attributes', i)).replace('{}', '')
    addEntry(entries, strings.text(attributes.key(i)), `${plainValue(attributes.value(i))}${bits}${unit}${unknown}`)
  }
  return byKey(entries)
}

function plainKeyValues(list: readonly KeyValue[]): Plain {
  const entries: Record<string, Plain> = {}
  for (const { key, value } of list) addEntry(entries, key, plainValue(value))
  return byKey(entries)
}

/** Sorts the entries by key: sets have no order of their own. */
function byKey(entries: Record<string, Plain>): Plain {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Keys should be unique. For duplicate keys, all values are shown. */
function addEntry(entries: Record<string, Plain>, key: string, value: string): void {
  const name = quoted(key)
  const before = entries[name]
  entries[name] = typeof before === 'string' ? [before, value].sort().join(' and ') : value
}

function plainValue(value: AnyValue): string {
  if (value === undefined) return 'empty'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return `double ${Object.is(value, -0) ? '-0' : value}`
  if (value instanceof Uint8Array) return hex(value)
  if (!isKeyValueList(value)) return `[${value.map(plainValue).join(', ')}]`
  const entries = value.entries.map(entry => `${quoted(entry.key)}: ${plainValue(entry.value)}`)
  return `{${entries.sort().join(', ')}}`
}

/** Quotes a text as JSON does. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Long byte strings are cut; their length and a checksum replace the rest. */
function hex(bytes: Uint8Array): string {
  const shown = hexOf(bytes.subarray(0, 32))
  if (bytes.length <= 32) return `bytes ${shown}`
  let sum = 0
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) >>> 0
  return `bytes ${shown}… (${bytes.length} total, sum ${sum.toString(16)})`
}

/** The path and both sides of the first difference between two trees. */
export function firstDifference(a: Plain, b: Plain, path: string): string | undefined {
  if (typeof a === 'string' || typeof b === 'string') {
    return a === b ? undefined : `${path}: ${brief(a)} in the first, ${brief(b)} in the second`
  }
  const [left, right] = [fieldsOf(a), fieldsOf(b)]
  for (const field of new Set([...left.keys(), ...right.keys()])) {
    const found = firstDifference(left.get(field) ?? 'nothing', right.get(field) ?? 'nothing', `${path}${field}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The children of a tree by the path suffix of each. */
function fieldsOf(tree: Exclude<Plain, string>): Map<string, Plain> {
  if (isList(tree)) return new Map(tree.map((part, i) => [`[${i}]`, part]))
  return new Map(
    Object.entries(tree).map(([field, part]) => [field.startsWith('"') ? `[${field}]` : `.${field}`, part]),
  )
}

/** A tree on one line. */
export function brief(tree: Plain): string {
  if (typeof tree === 'string') return tree
  if (isList(tree)) return `[${tree.map(brief).join(', ')}]`
  return `{${Object.entries(tree)
    .map(([field, part]) => `${field}: ${brief(part)}`)
    .join(', ')}}`
}

function isList(tree: Exclude<Plain, string>): tree is readonly Plain[] {
  return Array.isArray(tree)
}
