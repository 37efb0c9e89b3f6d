import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StackIndex } from '../columns/brand.ts'
import type { Table } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
} from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, SAMPLE_STRIDE } from '../columns/profiles.ts'
import type { TableName } from './references.ts'
import { findAllBadReferences, findBadReference } from './references.ts'
import { richProfiles } from './testing/rich-profiles.ts'

/** A column of indexes: its position, the table it points into, and the path of its entry in the given row. */
interface Column {
  readonly table: (profiles: Profiles) => Table
  readonly stride: number
  readonly column: number
  readonly into: TableName
  readonly row: number
  readonly path: string
}

const PROFILE = 'resource_profiles[0].scope_profiles[0].profiles'

const COLUMNS: readonly Column[] = [
  ...['name_strindex', 'system_name_strindex', 'filename_strindex'].map((field, column): Column => ({
    table: all => all.dictionary.functions,
    stride: FUNCTION_STRIDE,
    column,
    into: 'string_table',
    row: 2,
    path: `dictionary.function_table[2].${field}`,
  })),
  {
    table: all => all.dictionary.mappings,
    stride: MAPPING_STRIDE,
    column: 6,
    into: 'string_table',
    row: 1,
    path: 'dictionary.mapping_table[1].filename_strindex',
  },
  {
    table: all => all.dictionary.mappings.attributes,
    stride: 1,
    column: 0,
    into: 'attribute_table',
    row: 3,
    path: 'dictionary.mapping_table[1].attribute_indices[3]',
  },
  {
    table: all => all.dictionary.locations,
    stride: LOCATION_STRIDE,
    column: 0,
    into: 'mapping_table',
    row: 2,
    path: 'dictionary.location_table[2].mapping_index',
  },
  {
    table: all => all.dictionary.locations.lines,
    stride: LINE_STRIDE,
    column: 0,
    into: 'function_table',
    row: 1,
    path: 'dictionary.location_table[1].lines[1].function_index',
  },
  {
    table: all => all.dictionary.locations.attributes,
    stride: 1,
    column: 0,
    into: 'attribute_table',
    row: 0,
    path: 'dictionary.location_table[1].attribute_indices[0]',
  },
  {
    table: all => all.dictionary.stacks.locations,
    stride: 1,
    column: 0,
    into: 'location_table',
    row: 2,
    path: 'dictionary.stack_table[2].location_indices[0]',
  },
  ...['key_strindex', 'unit_strindex'].map((field, column): Column => ({
    table: all => all.dictionary.attributes,
    stride: ATTRIBUTE_STRIDE,
    column,
    into: 'string_table',
    row: 4,
    path: `dictionary.attribute_table[4].${field}`,
  })),
  ...['sample_type.type', 'sample_type.unit', 'period_type.type', 'period_type.unit'].map((field, column): Column => ({
    table: all => all.profiles,
    stride: PROFILE_STRIDE,
    column,
    into: 'string_table',
    row: 2,
    path: `resource_profiles[0].scope_profiles[1].profiles[0].${field}_strindex`,
  })),
  {
    table: all => all.profiles.attributes,
    stride: 1,
    column: 0,
    into: 'attribute_table',
    row: 2,
    path: `${PROFILE}[0].attribute_indices[2]`,
  },
  {
    table: all => all.samples,
    stride: SAMPLE_STRIDE,
    column: 0,
    into: 'stack_table',
    row: 3,
    path: `${PROFILE}[1].samples[0].stack_index`,
  },
  {
    table: all => all.samples,
    stride: SAMPLE_STRIDE,
    column: 1,
    into: 'link_table',
    row: 2,
    path: `${PROFILE}[0].samples[2].link_index`,
  },
  {
    table: all => all.samples.attributes,
    stride: 1,
    column: 0,
    into: 'attribute_table',
    row: 3,
    path: `${PROFILE}[0].samples[1].attribute_indices[1]`,
  },
]

function lengthOf({ dictionary }: Profiles, table: TableName): number {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  return {
    string_table: strings,
    function_table: functions,
    mapping_table: mappings,
    location_table: locations,
    stack_table: stacks,
    link_table: links,
    attribute_table: attributes,
  }[table].length
}

function put(profiles: Profiles, { table, stride, column, row }: Column, index: number): void {
  const { ints, base } = table(profiles)
  ints[base + row * stride + column] = index
}

describe('findBadReference', () => {
  test('finds nothing in valid profiles', () => {
    expect(findBadReference(richProfiles())).toBeUndefined()
    expect(findAllBadReferences(richProfiles(), 10)).toEqual([])
  })

  test.each(COLUMNS.map(column => [column.path, column] as const))('finds %s', (path, column) => {
    const length = lengthOf(richProfiles(), column.into)
    for (const index of [length, length + 1, 2 ** 31 - 1, -1, -(2 ** 31)]) {
      const profiles = richProfiles()
      put(profiles, column, index)
      expect(findBadReference(profiles)).toMatchObject({ path, index, length, table: column.into })
      expect(findAllBadReferences(profiles, 10)).toHaveLength(1)
    }
    const last = richProfiles()
    put(last, column, length - 1)
    expect(findBadReference(last)).toBeUndefined()
  })

  test('reports the steps to the reference', () => {
    const profiles = richProfiles()
    put(
      profiles,
      COLUMNS.find(column => column.path.includes('lines'))!,
      -5,
    )
    expect(findBadReference(profiles)!.steps).toEqual([
      ['dictionary', 0],
      ['location_table', 1],
      ['lines', 1],
      ['function_index', 0],
    ])
    const inSamples = richProfiles()
    put(inSamples, COLUMNS.at(-1)!, 99)
    expect(findBadReference(inSamples)!.steps).toEqual([
      ['resource_profiles', 0],
      ['scope_profiles', 0],
      ['profiles', 0],
      ['samples', 1],
      ['attribute_indices', 1],
    ])
  })

  test('finds all bad references, the first one first', () => {
    fc.assert(
      fc.property(fc.subarray([...COLUMNS], { minLength: 1 }), fc.nat(20), (columns, limit) => {
        const profiles = richProfiles()
        for (const column of columns) put(profiles, column, -1)
        const all = findAllBadReferences(profiles, Infinity)
        expect(all.map(bad => bad.path).toSorted()).toEqual(columns.map(column => column.path).toSorted())
        expect(findAllBadReferences(profiles, limit)).toEqual(all.slice(0, limit))
        expect(findBadReference(profiles)).toEqual(all[0])
      }),
    )
  })
})

describe('paths', () => {
  test('skip empty resources and scopes', () => {
    const profiles = richProfiles(b => {
      b.resource()
      b.scope()
      b.resource()
      b.resource()
      b.scope()
      b.scope()
      b.profile({ type: 'a', unit: 'b' })
      b.profile({ type: 'a', unit: 'b' })
      b.sample({ stack: 0 as StackIndex, values: [1] })
    })
    const { samples } = profiles
    samples.ints[samples.base + 3 * SAMPLE_STRIDE] = -1
    expect(findBadReference(profiles)!.path).toBe(
      'resource_profiles[3].scope_profiles[1].profiles[1].samples[0].stack_index',
    )
  })
})
