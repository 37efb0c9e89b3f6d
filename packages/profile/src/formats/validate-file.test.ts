import { describe, expect, it } from 'vitest'
import type { Problem } from '../model/validate/problems.ts'
import { FormatError } from './format.ts'
import { formats } from './registry.ts'
import { simpleExample } from './otep239/testing/fixtures.ts'
import { readProfile } from './read-profile.ts'
import { fixturesOf } from './testing/fixtures-of.ts'
import { fixed64, hex, join, len, packed, text, varint } from './testing/wire.ts'
import { validateFile } from './validate-file.ts'

function problemsOf(bytes: Uint8Array, format: string, strict = false): readonly Problem[] {
  try {
    return validateFile(bytes, readProfile(bytes, { format }).profiles, { format, strict })
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return validateFile(bytes, error, { format, strict })
  }
}

const shown = (problems: readonly Problem[]): string[] =>
  problems.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)

const strings = (field: number, ...all: string[]): Uint8Array =>
  join(...['', ...all].map(string => text(field, string)))

/** A current payload with these dictionary rows and fields of its profile, besides zero rows. */
function current(rows: Uint8Array, profile: Uint8Array, resource = join()): Uint8Array {
  const dictionary = len(2, len(1), len(2), len(3), len(4), strings(5, 'cpu', 'ns', 'a'), len(6), len(7), rows)
  return join(len(1, len(1, resource), len(2, len(1), len(2, len(1, varint(1, 1), varint(2, 2)), profile))), dictionary)
}

const SAMPLE = 'resource_profiles[0].scope_profiles[0].profiles[0].samples'

describe('validateFile of a current OTLP message', () => {
  it('finds nothing in a valid message', () => {
    expect(problemsOf(current(join(), len(2, packed(4, [1]))), 'otlp')).toEqual([])
  })

  it('reports every broken reference and continues with the other rules', () => {
    const bytes = current(
      join(len(6, varint(1, 3), len(2, varint(8, 77))), len(7, packed(1, [8, 0, 9]))),
      join(len(2, varint(1, 5), packed(4, [1])), len(2, varint(1, 1), varint(3, 6))),
    )
    expect(shown(problemsOf(bytes, 'otlp'))).toEqual([
      `reference-range ${SAMPLE}[0].stack_index: 5 is out of range: stack_table has 2 rows`,
      `reference-range ${SAMPLE}[1].link_index: 6 is out of range: link_table has 1 rows`,
      'reference-range dictionary.attribute_table[1].value.string_value_strindex: 77 is out of range: string_table has 4 rows',
      'reference-range dictionary.stack_table[1].location_indices[0]: 8 is out of range: location_table has 1 rows',
      'reference-range dictionary.stack_table[1].location_indices[2]: 9 is out of range: location_table has 1 rows',
      `sample-empty ${SAMPLE}[1]: it has neither values nor timestamps`,
    ])
  })

  it('reports an attribute with both a key and a reference to one', () => {
    const resource = len(1, text(1, 'a'), len(2, text(1, 'x')), varint(3, 3))
    expect(shown(problemsOf(current(join(), len(2, packed(4, [1])), resource), 'otlp'))).toEqual([
      'key-twice resource_profiles[0].resource.attributes[0].key_strindex: key is "a" as well',
    ])
  })

  it('reports rows that are not zero and tables without row 0 next to broken references', () => {
    const bytes = join(
      len(1, len(2, len(2, len(2, varint(1, 7), packed(4, [1]))))),
      len(2, len(3, varint(1, 1)), text(5, 'x'), text(5, 'y')),
    )
    const rules = problemsOf(bytes, 'otlp').map(({ rule, path }) => `${rule} ${path}`)
    expect(rules).toEqual([
      `reference-range ${SAMPLE}[0].stack_index`,
      ...['attribute_table', 'mapping_table', 'location_table', 'link_table', 'stack_table'].map(
        table => `zero-row-present dictionary.${table}`,
      ),
      'zero-row-value dictionary.string_table[0]',
      'zero-row-value dictionary.function_table[0]',
    ])
  })
})

describe('validateFile of OTEP 0239', () => {
  const ID = hex('0102030405060708090a0b0c0d0e0f10')
  const TYPE = len(1, varint(1, 1), varint(2, 2), varint(3, 1))
  const STRINGS = strings(6, 'cpu', 'ns', 'k')

  const file = (...containers: Uint8Array[]): Uint8Array => len(1, len(2, ...containers.map(each => len(2, each))))
  const container = (profile: Uint8Array, ...header: Uint8Array[]): Uint8Array =>
    join(...(header.length === 0 ? [len(1, ID), fixed64(2, 10n), fixed64(3, 20n)] : header), len(8, profile))
  const PATH = 'resource_profiles[0].scope_profiles[0].profiles[0]'

  it('finds nothing in the first example of the document', () => {
    expect(problemsOf(simpleExample(), 'otep239', true)).toEqual([])
  })

  it('reports missing ids and times, and an end before the start', () => {
    const empty = join(TYPE, STRINGS)
    expect(shown(problemsOf(file(container(empty, fixed64(2, 20n), fixed64(3, 10n))), 'otep239'))).toEqual([
      `profile-id-missing ${PATH}.profile_id: the id is missing`,
      `time-order ${PATH}.end_time_unix_nano: 10 is before the start 20`,
    ])
    expect(problemsOf(file(container(empty, len(1, ID))), 'otep239', true).map(({ rule }) => rule)).toEqual([
      'time-missing',
      'time-missing',
    ])
  })

  it('reports an unspecified temporality, payloads without profile or format, and repeated ids', () => {
    const unspecified = container(join(len(1, varint(1, 1), varint(2, 2)), STRINGS))
    const bare = join(len(1, ID), fixed64(2, 10n), fixed64(3, 20n), len(7, ID))
    const rules = problemsOf(file(unspecified, bare), 'otep239', true).map(({ rule, path }) => `${rule} ${path}`)
    expect(rules).toEqual([
      'profile-missing resource_profiles[0].scope_profiles[0].profiles[1].profile',
      `temporality-unspecified ${PATH}.profile.sample_type[0].aggregation_temporality`,
      'profile-id-unique resource_profiles[0].scope_profiles[0].profiles[1].profile_id',
      'original-payload-pair resource_profiles[0].scope_profiles[0].profiles[1].original_payload',
    ])
  })

  it('reports labels with two values, repeated labels, broken ranges and every broken reference', () => {
    const label = (...fields: Uint8Array[]): Uint8Array => len(3, varint(1, 3), ...fields)
    const sample = len(
      2,
      packed(2, [1, 2]),
      label(varint(2, 1), varint(3, 5)),
      label(varint(3, 1)),
      varint(7, 4),
      varint(8, 2),
    )
    const profile = join(TYPE, sample, len(5, varint(2, 9), varint(4, 8)), STRINGS)
    expect(shown(problemsOf(file(container(profile)), 'otep239'))).toEqual([
      `location-range ${PATH}.profile.sample[0].locations_start_index: locations 4 to 6 are outside location_indices (length 0)`,
      `sample-values ${PATH}.profile.sample[0]: it has 2 values and 0 timestamps, but the profile has 1 sample types`,
      `label-value ${PATH}.profile.sample[0].label[0]: it has both str and num`,
      `label-keys-unique ${PATH}.profile.sample[0].label[1]: the key "k" is that of label[0] too`,
      `reference-range ${PATH}.profile.function[0].name: 9 is out of range: string_table has 4 rows`,
      `reference-range ${PATH}.profile.function[0].filename: 8 is out of range: string_table has 4 rows`,
    ])
  })
})

describe('validateFile of the other drafts', () => {
  const drafts = formats.filter(({ name }) => name === 'arrays-draft' || name === 'events')
  it.each(drafts.flatMap(format => fixturesOf(format).map(fixture => ({ format: format.name, ...fixture }))))(
    'finds nothing in $format: $name',
    ({ format, bytes }) => {
      const { profiles, compression } = readProfile(bytes, { format })
      if (compression === 'none') expect(validateFile(bytes, profiles, { format, strict: true })).toEqual([])
    },
  )
})
