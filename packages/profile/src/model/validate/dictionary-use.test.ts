import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Dictionary, Table } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LINK_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
  STRING_STRIDE,
} from '../columns/dictionary.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, RESOURCE_STRIDE, SAMPLE_STRIDE, SCOPE_STRIDE } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'
import { findDuplicates } from './canonical-rows.ts'
import { findOrphans } from './orphans.ts'
import type { TableName } from './references.ts'
import { findBadReference } from './references.ts'
import { richProfiles } from './testing/rich-profiles.ts'

/** Appends `table` to a column, with `shift[c]` added to column c of each row. */
function copy(to: GrowingInts, table: Table, stride: number, shift: readonly number[] = []): void {
  for (let i = 0; i < table.length * stride; i++) to.push(table.ints[table.base + i] + (shift[i % stride] ?? 0))
}

/** The same profiles with a second copy of every dictionary row. The copies refer to copies, and nothing uses them. */
function doubled({ dictionary, resources, scopes, profiles, samples }: Profiles): Profiles {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const draft = new ProfilesDraft()
  for (const n of [0, 1]) {
    const s = n * strings.length
    copy(draft.strings, strings, STRING_STRIDE)
    copy(draft.functions, functions, FUNCTION_STRIDE, [s, s, s])
    copy(draft.mappings, mappings, MAPPING_STRIDE, [0, 0, 0, 0, 0, 0, s, n * mappings.attributes.length])
    copy(draft.mappingAttributes, mappings.attributes, 1, [n * attributes.length])
    copy(draft.locations, locations, LOCATION_STRIDE, [
      n * mappings.length,
      0,
      0,
      n * locations.lines.length,
      n * locations.attributes.length,
    ])
    copy(draft.lines, locations.lines, LINE_STRIDE, [n * functions.length])
    copy(draft.locationAttributes, locations.attributes, 1, [n * attributes.length])
    copy(draft.stacks, stacks, 1, [n * stacks.locations.length])
    copy(draft.stackLocations, stacks.locations, 1, [n * locations.length])
    copy(draft.links, links, LINK_STRIDE)
    copy(draft.attributes, attributes, ATTRIBUTE_STRIDE, [s, s])
  }
  // The attributes of a mapping are a set: the copy has them in reverse order.
  const half = mappings.attributes.length
  draft.mappingAttributes.array.subarray(half, 2 * half).reverse()
  copy(draft.resources, resources, RESOURCE_STRIDE)
  copy(draft.scopes, scopes, SCOPE_STRIDE)
  copy(draft.profiles, profiles, PROFILE_STRIDE)
  copy(draft.profileAttributes, profiles.attributes, 1)
  copy(draft.samples, samples, SAMPLE_STRIDE)
  copy(draft.sampleAttributes, samples.attributes, 1)
  copy(draft.values, samples.values, 2)
  copy(draft.timestamps, samples.timestamps, 2)
  return draft.freeze(dictionary.bytes)
}

function duplicatesOf(dictionary: Dictionary): string[] {
  const found: string[] = []
  findDuplicates(dictionary, (table, row, first) => found.push(`${table} ${row} = ${first}`))
  return found
}

function orphansOf(profiles: Profiles): Map<TableName, number[]> {
  const found = new Map<TableName, number[]>()
  findOrphans(profiles, (table, row) => found.set(table, [...(found.get(table) ?? []), row]))
  return found
}

const TABLES = (dictionary: Dictionary): readonly (readonly [TableName, number])[] => [
  ['string_table', dictionary.strings.length],
  ['attribute_table', dictionary.attributes.length],
  ['function_table', dictionary.functions.length],
  ['mapping_table', dictionary.mappings.length],
  ['location_table', dictionary.locations.length],
  ['stack_table', dictionary.stacks.length],
  ['link_table', dictionary.links.length],
]

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

describe('a dictionary with every row twice', () => {
  const profiles = richProfiles()
  const twice = doubled(profiles)

  test('has no bad references', () => {
    expect(findBadReference(twice)).toBeUndefined()
    expect(duplicatesOf(profiles.dictionary)).toEqual([])
    expect(orphansOf(profiles)).toEqual(new Map())
  })

  test('reports each copy as a duplicate, at every level', () => {
    const expected = TABLES(profiles.dictionary).flatMap(([table, length]) =>
      range(0, length).map(row => `${table} ${length + row} = ${row}`),
    )
    expect(duplicatesOf(twice.dictionary)).toEqual(expected)
  })

  test('reports each copy as an orphan', () => {
    const orphans = orphansOf(twice)
    for (const [table, length] of TABLES(profiles.dictionary)) {
      expect(orphans.get(table)).toEqual(range(length, 2 * length))
    }
  })
})

describe('findOrphans', () => {
  test('reports rows that are only reachable from orphans', () => {
    const profiles = richProfiles(b => {
      const attribute = b.attribute('process.executable.build_id.go', 'orphan')
      const mapping = b.mapping({ filename: 'a.so', attributes: [attribute] })
      b.stack([b.location({ mapping, lines: [{ function: b.function({ name: 'main', filename: 'a.so' }) }] })])
    })
    const { mappings, locations, functions, attributes, stacks } = richProfiles().dictionary
    expect(orphansOf(profiles)).toEqual(
      new Map([
        ['mapping_table', [mappings.length]],
        ['location_table', [locations.length]],
        ['function_table', [functions.length]],
        ['attribute_table', [attributes.length]],
        ['stack_table', [stacks.length]],
      ]),
    )
  })

  test('does not report strings that a resource, a scope or an attribute may have referred to', () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'in a resource', value: [{ entries: [{ key: 'nested', value: 'deep' }] }] }] })
    b.scope({ name: 'name', attributes: [{ key: 'in a scope', value: 'as value' }] })
    b.profile({
      type: 'a',
      unit: 'b',
      attributes: [b.attribute('key', 'of an attribute'), b.attribute('k', ['in a list'])],
    })
    const texts = ['in a resource', 'nested', 'deep', 'in a scope', 'as value', 'of an attribute', 'in a list']
    for (const text of texts) b.string(text)
    const unused = b.string('nowhere')
    expect(orphansOf(b.build())).toEqual(new Map([['string_table', [unused]]]))
  })
})

describe('findDuplicates', () => {
  test('does not confuse lines with attributes, or one kind of value with another', () => {
    const b = new ProfilesBuilder()
    const f = b.function({ name: 'f' })
    b.location({ lines: [{ function: f }, { function: f }] })
    b.location({ lines: [{ function: f }] })
    for (const value of ['1', 1n, 1, true, new Uint8Array([0x31]), ['1'], undefined]) b.attribute('k', value)
    b.attribute('k', 1n, 'By')
    expect(duplicatesOf(b.build().dictionary)).toEqual([])
  })

  test('treats all encodings of a zero link as equal', () => {
    const b = new ProfilesBuilder()
    b.link(Uint8Array.of(1), Uint8Array.of(2))
    const zeros = b.dictionary.blobOffset(b.dictionary.blobs.intern(new Uint8Array(16), 0, 16))
    const { dictionary } = b.build()
    const { ints, base } = dictionary.links
    expect(duplicatesOf(dictionary)).toEqual([])
    ints.set([zeros, 16, zeros, 8], base + LINK_STRIDE)
    expect(duplicatesOf(dictionary)).toEqual(['link_table 1 = 0'])
  })
})
