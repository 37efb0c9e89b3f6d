// Rules for the references between messages: which fields of a generation refer to which table. Since v1.4 the names say so.
import type { CurrentGeneration } from '../decode.ts'
import type { FieldSchema, Generation, MessageSchema } from '../generations/schema.ts'

export type TableKind = 'strings' | 'attributes' | 'mappings' | 'functions' | 'locations' | 'links' | 'stacks' | 'types'

export interface ReferenceRule {
  readonly table: TableKind
  /** Whether the message is useless without the referenced row. */
  readonly isVital: boolean
}

/** Each table comes after those it refers to. The types of a profile are not a table, but are referred to by number. */
export const TABLE_NAMES: readonly (readonly [kind: TableKind, names: readonly string[]])[] = [
  ['strings', ['string_table']],
  ['attributes', ['attribute_table']],
  ['mappings', ['mapping_table', 'mapping']],
  ['functions', ['function_table', 'function']],
  ['locations', ['location_table', 'location']],
  ['links', ['link_table']],
  ['stacks', ['stack_table']],
]

const BY_NAME: Readonly<Record<string, ReferenceRule>> = {
  attribute_indices: { table: 'attributes', isVital: false },
  mapping_index: { table: 'mappings', isVital: false },
  function_index: { table: 'functions', isVital: true },
  link_index: { table: 'links', isVital: false },
  stack_index: { table: 'stacks', isVital: true },
  location_indices: { table: 'locations', isVital: true },
  location_index: { table: 'locations', isVital: true },
  default_sample_type_index: { table: 'types', isVital: false },
  key_strindex: { table: 'strings', isVital: true },
  string_value_strindex: { table: 'strings', isVital: true },
  attribute_key_strindex: { table: 'strings', isVital: true },
}

/** v1.3 uses pprof's field names. */
const TEXTS_OF_V1_3: ReadonlySet<string> = new Set([
  'Profile.drop_frames',
  'Profile.keep_frames',
  'Profile.comment',
  'Profile.default_sample_type',
  'ValueType.type',
  'ValueType.unit',
  'AttributeUnit.unit',
  'AttributeUnit.attribute_key',
  'Sample.stacktrace_id_index',
  'Label.key',
  'Label.str',
  'Label.num_unit',
  'Mapping.filename',
  'Mapping.build_id',
  'Location.type_index',
  'Function.name',
  'Function.system_name',
  'Function.filename',
])

const OTHERS_OF_V1_3: Readonly<Record<string, ReferenceRule>> = {
  'Sample.attributes': { table: 'attributes', isVital: false },
  'Mapping.attributes': { table: 'attributes', isVital: false },
  'Location.attributes': { table: 'attributes', isVital: false },
  'Sample.link': { table: 'links', isVital: false },
}

const TEXT: ReferenceRule = { table: 'strings', isVital: false }

/** Returns undefined for a field that is not a reference. */
export function ruleOf(generation: Generation, message: MessageSchema, field: FieldSchema): ReferenceRule | undefined {
  const rule = BY_NAME[field.name]
  if (rule !== undefined) return rule
  if (/_strind(ex|ices)$/.test(field.name)) return TEXT
  if (generation !== 'v1.3') return undefined
  const name = `${message.name}.${field.name}`
  return TEXTS_OF_V1_3.has(name) ? TEXT : OTHERS_OF_V1_3[name]
}

/** Since v1.8 row 0 means "none" and always exists. Before, it was an ordinary row. */
export function isCurrent(generation: Generation): generation is CurrentGeneration {
  return generation === 'v1.8' || generation === 'v1.9' || generation === 'v1.11' || generation === 'next'
}

/** Whether 0 may mean "none" in a table without rows. */
export function isZeroValid(generation: Generation, table: string): boolean {
  if (isCurrent(generation) || table === 'strings' || table === 'functions' || table === 'types') return true
  return generation === 'v1.3' && (table === 'mappings' || table === 'links')
}

/** Up to v1.7: whether the numbers of values and timestamps of a sample fit the number of types. */
export function fitsTypes(values: number, times: number, types: number): boolean {
  if (times === 0) return types > 0 && values === types
  return values === types || (values === 0 && types <= 1) || (types === 1 && values === times)
}
