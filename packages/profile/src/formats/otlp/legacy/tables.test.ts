// The tables of generations up to v1.7: where they are, and the meaning of their indexes.
import { describe, expect, test } from 'vitest'
import { FormatError, NoteList } from '../../format.ts'
import { readLegacy } from './read.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import { encodeMessage } from '../testing/encode-message.ts'
import type { Read } from '../testing/read-legacy.ts'
import { CPU, attributes, frames, read, readProfile } from '../testing/read-legacy.ts'

describe('readLegacy of tables', () => {
  // An index of 0 is the first entry, not "none".
  const dictionary = {
    string_table: ['', 'main', 'run', 'lib.so', 'k', 'ms'],
    function_table: [
      { name_strindex: 1 },
      { name_strindex: 2, system_name_strindex: 2, filename_strindex: 3, start_line: 9n },
    ],
    mapping_table: [{ memory_start: 2n ** 63n, memory_limit: 2n ** 64n - 1n, file_offset: 1n, filename_strindex: 3 }],
    location_table: [
      {
        mapping_index: 0,
        address: 2n ** 64n - 1n,
        line: [
          { function_index: 1, line: 5n },
          { line: -1n, column: 8n },
        ],
      },
      { address: 3n, line: [{ function_index: 0 }] },
    ],
    link_table: [{ trace_id: new Uint8Array(16).fill(1), span_id: new Uint8Array(8).fill(2) }],
    attribute_table: [
      { key: 'k', value: { int_value: 5n } },
      { key: 'other', value: { array_value: { values: [{ string_value: 'x' }, {}] } } },
    ],
    attribute_units: [{ attribute_key_strindex: 4, unit_strindex: 5 }],
  }
  const profile = {
    sample_type: [{}],
    location_indices: [0, 1, 1],
    sample: [
      { locations_length: 2, value: [1n], attribute_indices: [0], link_index: 0 },
      { locations_start_index: 1, locations_length: 2, value: [1n], attribute_indices: [1] },
      { value: [1n] },
    ],
  }

  const asV1_7 = (content: PlainMessage): Read =>
    read('v1.7', { resource_profiles: [{ scope_profiles: [{ profiles: [content] }] }], dictionary })

  function check(result: Read): void {
    const { samples, dictionary: tables } = result.profiles
    expect([0, 1, 2].map(i => frames(result, i))).toEqual([['run', 'main', 'main'], ['main', 'main'], []])
    expect([0, 1, 2].map(i => samples.link(i))).toEqual([1, 0, 0])
    expect(attributes(result, samples.attributesOf(0))).toEqual({ 'k (ms)': 5n })
    expect(attributes(result, samples.attributesOf(1))).toEqual({ other: ['x', undefined] })
    const [withMapping, withoutMapping] = tables.stacks.locations.slice(0, 2)
    expect(tables.mappings.memoryLimit(tables.locations.mapping(withMapping))).toBe(2n ** 64n - 1n)
    expect(tables.strings.text(tables.mappings.filename(tables.locations.mapping(withMapping)))).toBe('lib.so')
    expect(tables.locations.mapping(withoutMapping)).toBe(0)
    expect(tables.locations.address(withMapping)).toBe(2n ** 64n - 1n)
    const line = tables.locations.linesFrom(withMapping)
    expect(tables.functions.startLine(tables.locations.lines.function(line))).toBe(9n)
    expect(tables.locations.lines.line(line + 1)).toBe(-1n)
    expect(tables.locations.lines.column(line + 1)).toBe(8n)
  }

  test('reads the dictionary of v1.7', () => check(asV1_7(profile)))

  test('reads the tables in the root of v1.6', () => {
    check(read('v1.6', { resource_profiles: [{ scope_profiles: [{ profiles: [profile] }] }], ...dictionary }))
  })

  test.each(['v1.4', 'v1.5'] as const)('reads the tables in the profile of %s', generation => {
    check(
      read(generation, { resource_profiles: [{ scope_profiles: [{ profiles: [{ ...profile, ...dictionary }] }] }] }),
    )
  })

  test('converts flags that are true to attributes', () => {
    const result = readProfile(
      { sample_type: [CPU], location_indices: [0], sample: [{ value: [1n], locations_length: 1 }] },
      {
        mapping_table: [{ has_functions: true, has_line_numbers: true }],
        location_table: [{ mapping_index: 0, is_folded: true }],
      },
    )
    const { locations, mappings, stacks } = result.profiles.dictionary
    const location = stacks.locations.at(0)
    expect(attributes(result, locations.attributesOf(location))).toEqual({ 'pprof.location.is_folded': true })
    expect(attributes(result, mappings.attributesOf(locations.mapping(location)))).toEqual({
      'pprof.mapping.has_functions': true,
      'pprof.mapping.has_line_numbers': true,
    })
  })

  test.each([
    [
      'sample[2].attribute_indices[0]',
      { sample: [...profile.sample.slice(0, 2), { value: [1n], attribute_indices: [2] }] },
    ],
    ['sample[0].link_index', { sample: [{ value: [1n], link_index: 1 }] }],
    ['sample[0].link_index', { sample: [{ value: [1n], link_index: -1 }] }],
    ['sample[0].locations_start_index', { sample: [{ value: [1n], locations_start_index: 2, locations_length: 2 }] }],
    ['sample[0].locations_start_index', { sample: [{ value: [1n], locations_start_index: -1, locations_length: 1 }] }],
    ['location_indices[1]', { location_indices: [0, 2] }],
    ['sample_type[0].unit_strindex', { sample_type: [{ unit_strindex: 6 }] }],
    ['period_type.type_strindex', { period_type: { type_strindex: -5 } }],
    ['comment_strindices[1]', { comment_strindices: [1, 99] }],
    ['default_sample_type_index', { default_sample_type_index: 1 }],
    ['attribute_indices[0]', { attribute_indices: [2] }],
  ])('rejects an index out of range in %s', (path, changes) => {
    const full = `resource_profiles[0].scope_profiles[0].profiles[0].${path}`
    expect(() => asV1_7({ ...profile, ...changes })).toThrow(FormatError)
    expect(() => asV1_7({ ...profile, ...changes })).toThrow(full)
  })

  test.each([
    ['location_table[0].line[1].function_index', { location_table: [{ line: [{}, { function_index: 2 }] }] }],
    ['location_table[0].mapping_index', { location_table: [{ mapping_index: 1 }] }],
    ['location_table[0].attribute_indices[1]', { location_table: [{ attribute_indices: [0, 2] }] }],
    ['mapping_table[1].filename_strindex', { mapping_table: [{}, { filename_strindex: 6 }] }],
    ['function_table[0].system_name_strindex', { function_table: [{ system_name_strindex: 6 }, {}] }],
    ['attribute_units[0].attribute_key_strindex', { attribute_units: [{ attribute_key_strindex: 6 }] }],
  ])('rejects an index out of range in dictionary.%s', (path, changes) => {
    const content = { resource_profiles: [], dictionary: { ...dictionary, ...changes } }
    expect(() => read('v1.7', content)).toThrow(`dictionary.${path}`)
  })

  test('reports the offset of an invalid index', () => {
    const content = { ...profile, location_indices: [0, 1, 99] }
    const bytes = encodeMessage('v1.7', {
      resource_profiles: [{ scope_profiles: [{ profiles: [content] }] }],
      dictionary,
    })
    const shifted = new Uint8Array(bytes.length + 10)
    shifted.set(bytes, 5)
    try {
      readLegacy(shifted, 5, 5 + bytes.length, 'v1.7', new NoteList())
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError)
      expect(shifted[(error as FormatError).offset]).toBe(99)
      return
    }
    expect.unreachable()
  })
})
