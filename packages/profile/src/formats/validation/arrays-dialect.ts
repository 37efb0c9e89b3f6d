// The dialects of the arrays draft, one for each numbering, with or without the envelope.
import type { Range } from '../arrays-draft/detect.ts'
import { firstProfile } from '../arrays-draft/detect.ts'
import type { DraftGeneration, FieldNumbers } from '../arrays-draft/shapes.ts'
import {
  ABSENT,
  ATTRIBUTE_SET,
  CONTAINED_PROFILE,
  FUNCTION,
  MAPPING,
  NUMBERINGS,
  SAMPLE_TYPE,
} from '../arrays-draft/shapes.ts'
import { eachField, isEnvelope, sniffProfile } from '../arrays-draft/sniff.ts'
import type { Fields } from '../otlp/generations/schema.ts'
import { COMMON_MESSAGES, ROOT, compileMessages } from '../otlp/generations/schema.ts'
import { numbersIn } from '../otlp/generations/message-fields.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import type { Dialect, MessageCheck, WalkState } from './dialect.ts'
import { checkAddress, checkKeyValue, checkKeys, checkLink, checkRequiredId, checkTimes } from './otlp-checks.ts'

/** The types of all fields by name. Indexes are 64 bits wide here, so that none is cut to a valid one. */
const TYPES: Fields = {
  profile_id: 'bytes',
  start_time_unix_nano: 'fixed64',
  end_time_unix_nano: 'fixed64',
  attributes: 'KeyValue*',
  original_payload: 'bytes',
  sample_types: 'SampleType*',
  stacktraces: 'Stacktrace*',
  mappings: 'Mapping*',
  locations: 'Location*',
  functions: 'Function*',
  links: 'Link*',
  attribute_sets: 'AttributeSet*',
  string_table: 'string*',
  profile_types: 'ProfileType*',
  sample_lists: 'ProfileType*',
  stacktrace_indices: 'uint64*',
  link_indices: 'uint64*',
  attribute_set_indices: 'uint64*',
  attribute_set_index: 'uint64',
  values: 'int64*',
  timestamps: 'uint64*',
  line: 'Line*',
}

const TABLES: Readonly<Record<string, string>> = {
  stacktrace_indices: 'stacktraces',
  link_indices: 'links',
  attribute_set_indices: 'attribute_sets',
  attribute_set_index: 'attribute_sets',
  location_indices: 'locations',
  mapping_index: 'mappings',
  function_index: 'functions',
  type_index: 'strings',
  unit_index: 'strings',
  filename_index: 'strings',
  build_id_index: 'strings',
  name_index: 'strings',
  system_name_index: 'strings',
}

const CHECKS: Readonly<Record<string, MessageCheck>> = {
  KeyValue: checkKeyValue,
  KeyValueList: (check, message, path) => checkKeys(check, message, 'values', path, 'value-keys-unique'),
  Resource: checkAttributes,
  InstrumentationScope: checkAttributes,
  AttributeSet: checkAttributes,
  Location: checkAddress,
  Link: checkLink,
  ProfileType: checkLists,
}

/** The dialect of a file, by its first profile or by the generation that the caller names. */
export function arraysDialect(bytes: Uint8Array, wanted: string | undefined): Dialect {
  const isWhole = isEnvelope(bytes, 0, bytes.length)
  const profile = (isWhole ? firstProfile(bytes) : undefined) ?? { from: 0, to: bytes.length }
  const sniffed = sniffProfile(bytes, profile.from, profile.to)
  const generation = (wanted as DraftGeneration | undefined) ?? sniffed.generation
  // The first numbering has ids and times in a container around the profile. A profile without one has neither.
  const isApart = generation === '2023-07'
  const isContained = isApart && sniffed.contained
  const numbering = NUMBERINGS[generation]
  const messages = {
    ...COMMON_MESSAGES,
    [ROOT]: { resource_profiles: '1 ResourceProfiles*' },
    ResourceProfiles: { resource: '1 Resource', scope_profiles: '2 ScopeProfiles*', schema_url: '3 string' },
    ScopeProfiles: {
      scope: '1 InstrumentationScope',
      profiles: `2 ${isContained ? 'Container' : 'Profile'}*`,
      schema_url: '3 string',
    },
    Container: { ...fieldsOf({ ...numbering.profile }), arrays: `${containedIn(bytes, profile)} Profile` },
    Profile: fieldsOf({ ...(isApart ? {} : numbering.profile), ...listsNamed(numbering.tables, generation) }),
    ProfileType: fieldsOf({ ...numbering.list }),
    SampleType: fieldsOf(SAMPLE_TYPE),
    Stacktrace: { location_indices: '1 uint64*' },
    AttributeSet: fieldsOf(ATTRIBUTE_SET),
    Mapping: fieldsOf(setsNamed(MAPPING, generation)),
    Location: fieldsOf({ ...numbering.location }),
    Line: { function_index: '1 uint64', line: '2 uint64' },
    Function: fieldsOf(FUNCTION),
  }
  const root = isWhole ? ROOT : isContained ? 'Container' : 'Profile'
  return {
    schema: compileMessages(messages, root),
    root,
    tables: ['stacktraces', 'mappings', 'locations', 'functions', 'links', 'attribute_sets']
      .map(name => [name, [name]] as const)
      .concat([['strings', ['string_table']]]),
    tableOf: (_, { name }) => TABLES[name],
    allows: (table, index) => index === 0 && table !== 'stacktraces' && table !== 'locations',
    zeroRows: ['strings', 'links', 'attribute_sets'],
    needsZeroRows: false,
    checks: { ...CHECKS, [isApart ? 'Container' : 'Profile']: checkHeader },
  }
}

/** The last numbering calls the lists of samples `sample_lists`. */
function listsNamed(
  { profile_types, ...others }: FieldNumbers['tables'],
  generation: DraftGeneration,
): Record<string, number> {
  return generation === '2023-09-15' ? { ...others, sample_lists: profile_types } : { ...others, profile_types }
}

/** Later numberings refer to a single attribute set. */
function setsNamed(
  { attribute_set_indices, ...others }: typeof MAPPING,
  generation: DraftGeneration,
): Record<string, number> {
  const isSingle = generation === '2023-09-08' || generation === '2023-09-15'
  return { ...others, [isSingle ? 'attribute_set_index' : 'attribute_set_indices']: attribute_set_indices }
}

function fieldsOf(numbers: Readonly<Record<string, number>>): Fields {
  const known = Object.entries(numbers).filter(([, number]) => number !== ABSENT)
  return Object.fromEntries(known.map(([name, number]) => [name, `${number} ${TYPES[name] ?? 'uint64'}`]))
}

/** The field of a container with the profile. */
function containedIn(bytes: Uint8Array, { from, to }: Range): number {
  let [found] = CONTAINED_PROFILE
  eachField(bytes, from, to, field => {
    if (CONTAINED_PROFILE.includes(field)) found = field
    return true
  })
  return found
}

function checkAttributes(check: WalkState, message: Message, path: string): void {
  checkKeys(check, message, 'attributes', path, 'attribute-keys-unique')
}

function checkHeader(check: WalkState, message: Message, path: string): void {
  checkAttributes(check, message, path)
  checkRequiredId(check, message, path)
  checkTimes(check, message, path)
}

/** The arrays of a list have one entry per sample. Only links, attributes and timestamps may be absent. */
function checkLists({ problems }: WalkState, message: Message, path: string): void {
  const count = numbersIn(message, 'stacktrace_indices').length
  const required = numbersIn(message, 'values').length
  if (count === 0 && required === 0) problems.add('list-empty', () => [path, 'stacktrace_indices and values are empty'])
  for (const field of ['values', 'link_indices', 'attribute_set_indices', 'timestamps']) {
    const { length } = numbersIn(message, field)
    if (length === count || (length === 0 && field !== 'values')) continue
    const what = `it has ${length} entries, but stacktrace_indices has ${count}`
    problems.add('list-lengths', () => [`${path}.${field}`, what])
  }
}
