// With onRejectedProfile, one invalid profile is dropped and reported, and all others are read.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../../model/validate/references.ts'
import { packedVarints, protoMessage as message } from '../../../wire/testing/proto-message.ts'
import type { ProfileReject, ReadResult } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { readOtlp } from '../read.ts'
import type { Generation } from '../generations/schema.ts'
import { GENERATIONS, ROOT } from '../generations/schema.ts'
import type { Message } from '../generations/schema-reader.ts'
import { SchemaReader } from '../generations/schema-reader.ts'
import { listOf, profilePlaces, withProfiles } from '../testing/bad-profiles.ts'
import { encodeGeneration } from '../testing/encode-generation.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import { encodeMessage } from '../testing/encode-message.ts'
import { framed } from '../testing/framed.ts'

interface Read extends ReadResult {
  readonly rejects: readonly ProfileReject[]
}

function readGood(bytes: Uint8Array, generation: Generation): Read {
  const rejects: ProfileReject[] = []
  const result = readOtlp(bytes, { generation, onRejectedProfile: reject => rejects.push(reject) })
  expect(findBadReference(result.profiles)).toBeUndefined()
  return { ...result, rejects }
}

function strict(bytes: Uint8Array, generation: Generation): Profiles {
  return readOtlp(bytes, { generation }).profiles
}

function isReadable(bytes: Uint8Array, generation: Generation): boolean {
  try {
    strict(bytes, generation)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError)
    return false
  }
}

const rich = richProfiles()
const encoded = GENERATIONS.map(generation => ({ generation, bytes: encodeGeneration(rich, generation) }))
const samplesKey = (generation: Generation): string =>
  generation === 'v1.9' || generation === 'v1.11' ? 'samples' : 'sample'

describe.each(encoded)('readOtlp with onRejectedProfile, $generation', ({ generation, bytes }) => {
  const places = profilePlaces(bytes, generation)
  const withoutOne = places.map((_, k) =>
    strict(
      withProfiles(bytes, generation, (profile, i) => (i === k ? undefined : profile)),
      generation,
    ),
  )

  test('rejects nothing in a valid message', () => {
    const { profiles, rejects, notes } = readGood(bytes, generation)
    expect(rejects).toEqual([])
    expect(notes).toEqual(readOtlp(bytes, { generation }).notes)
    expect(difference(profiles, strict(bytes, generation))).toBeUndefined()
  })

  test('rejects only the profile whose bytes were changed', () => {
    const notEmpty = places.map((place, k) => ({ ...place, k })).filter(({ from, to }) => to > from)
    const edit = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
    fc.assert(
      fc.property(fc.constantFrom(...notEmpty), fc.array(edit, { minLength: 1, maxLength: 3 }), (place, edits) => {
        const changed = bytes.slice()
        for (const { at, byte } of edits) changed[place.from + (at % (place.to - place.from))] = byte
        const { profiles, rejects } = readGood(changed, generation)
        if (isReadable(changed, generation)) {
          expect(rejects).toEqual([])
          return
        }
        expect(rejects).toHaveLength(1)
        expect(rejects[0].path.startsWith(place.path)).toBe(true)
        expect(rejects[0].what).toMatch(/., read as /)
        expect(difference(profiles, withoutOne[place.k])).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })

  test('rejects all profiles if all are invalid', () => {
    const changed = bytes.slice()
    const empty = places.filter(({ from, to }) => from === to).length
    for (const { from, to } of places) changed.fill(0xff, from, to)
    const { profiles, rejects } = readGood(changed, generation)
    expect(rejects).toHaveLength(places.length - empty)
    expect(rejects.map(({ path }) => path)).toEqual(places.filter(({ from, to }) => from < to).map(({ path }) => path))
    expect(profiles.profiles.length).toBe(empty)
    expect(profiles.resources.length).toBe(rich.resources.length)
  })

  test('reports the path of a dangling reference', () => {
    const list = samplesKey(generation)
    const field = generation === 'v1.3' ? 'link' : 'link_index'
    const changed = withProfiles(bytes, generation, (profile, i) => {
      const holder = generation === 'v1.3' ? (profile['profile'] as Message) : profile
      const samples = listOf(holder, list)
      if (i === 0) samples[1][field] = 99_999
      return profile
    })
    const { profiles, rejects } = readGood(changed, generation)
    const inner = generation === 'v1.3' ? '.profile' : ''
    expect(rejects.map(({ path }) => path)).toEqual([`${places[0].path}${inner}.${list}[1].${field}`])
    expect(rejects[0].what).toMatch(/^index 99999 is outside link_table \(length \d+\), read as v/)
    expect(difference(profiles, withoutOne[0])).toBeUndefined()
  })

  test('rejects the profiles of an invalid resource', () => {
    const root = new SchemaReader(bytes, generation).read(ROOT)
    const [first, ...others] = listOf(root, 'resource_profiles')
    const expected = encodeMessage(generation, { ...root, resource_profiles: others } as PlainMessage)
    first['schema_url'] = Uint8Array.of(0xff)
    const { profiles, rejects, notes } = readGood(encodeMessage(generation, root as PlainMessage), generation)
    expect(notes).toEqual(readOtlp(expected, { generation }).notes)
    const inFirst = places.map(({ path }) => path).filter(path => path.startsWith('resource_profiles[0]'))
    expect(rejects.map(({ path }) => path)).toEqual(inFirst)
    expect(rejects[0].what).toContain('is in resource_profiles[0].schema_url: string is not valid UTF-8')
    expect(difference(profiles, strict(expected, generation))).toBeUndefined()
  })

  test('still throws for truncated messages', () => {
    for (const end of [1, bytes.length >> 1, bytes.length - 1]) {
      const cut = bytes.subarray(0, end)
      if (!isReadable(cut, generation)) expect(() => readGood(cut, generation)).toThrow(FormatError)
    }
  })
})

describe('readOtlp with onRejectedProfile and invalid rows of the dictionary', () => {
  const none = new Uint8Array(0)
  const dictionary = (rows: Readonly<Record<number, readonly (Uint8Array | string)[]>>): Uint8Array =>
    message(...[1, 2, 3, 4, 5, 6, 7].flatMap(field => [none, ...(rows[field] ?? [])].map(row => [field, row] as const)))
  const TABLES = {
    1: [message([4, 3])],
    2: [message([1, 1], [3, message([1, 1])]), message([1, 1], [2, 77], [3, message([1, 2])])],
    3: [message([1, 2]), message([1, 2], [2, 1])],
    5: ['cpu', 'main', 'a.out'],
    6: [message([1, 1], [2, message([1, 'on'])])],
    7: [message([1, packedVarints(1)]), message([1, packedVarints(1, 2)])],
  }
  const withStack = (stack: number): Uint8Array => message([1, message([1, 1])], [2, message([1, stack], [4, 7])])
  const request = (tables: Readonly<Record<number, readonly (Uint8Array | string)[]>>): Uint8Array =>
    message([1, message([2, message([2, withStack(1)], [2, withStack(2)])])], [2, dictionary(tables)])
  const good = readGood(request(TABLES), 'v1.11')

  test('rejects the profiles that refer to them', () => {
    expect(good.rejects).toEqual([])
    const { profiles, rejects } = readGood(request({ ...TABLES, 3: [TABLES[3][0], message([1, 9], [2, 1])] }), 'v1.11')
    expect(rejects).toEqual([
      {
        path: 'resource_profiles[0].scope_profiles[0].profiles[1].samples[0].stack_index',
        what: 'refers to dictionary.function_table[2].name_strindex: index 9 is outside string_table (length 4), read as v1.11',
      },
    ])
    expect([profiles.profiles.length, profiles.samples.stack(0)]).toEqual([1, 1])
    const { functions } = profiles.dictionary
    expect([functions.name(2 as never), functions.systemName(2 as never)]).toEqual([0, 1])
  })

  test('accepts rows that nothing uses', () => {
    const unused = {
      1: [...TABLES[1], message([4, 99], [5, packedVarints(0, 99)])],
      2: [...TABLES[2], message([1, 99], [2, 5], [3, message([1, 99], [2, 8])], [4, packedVarints(1, 99, 1)])],
      3: [...TABLES[3], message([1, -1])],
      5: [...TABLES[5], Uint8Array.of(0xc3)],
      6: [...TABLES[6], message([1, 99]), message([1, 1], [2, message([8, 99])])],
      7: [...TABLES[7], message([1, packedVarints(99, 1)])],
    }
    const { profiles, rejects } = readGood(request(unused), 'v1.11')
    expect(rejects).toEqual([])
    expect(difference(profiles, good.profiles)).toBeUndefined()
    const { locations, stacks, strings } = profiles.dictionary
    expect(locations.length).toBe(4)
    expect(locations.mapping(3 as never)).toBe(0)
    expect(locations.address(3 as never)).toBe(5n)
    expect(locations.attributesOf(3 as never)).toEqual([1, 0, 1])
    expect(stacks.locations.slice(stacks.from(3 as never), stacks.to(3 as never))).toEqual([0, 1])
    expect(strings.text(4 as never)).toBe('')
  })

  test('rejects profiles that refer to them through attributes and strings', () => {
    const attribute = message([1, 1], [2, message([8, 99])])
    const mapping = message([4, 3], [5, packedVarints(2)])
    const bad = { ...TABLES, 1: [mapping], 6: [...TABLES[6], attribute] }
    const { profiles, rejects } = readGood(request(bad), 'v1.11')
    expect(profiles.profiles.length).toBe(0)
    const [what] = new Set(rejects.map(reject => reject.what))
    expect(what).toBe(
      'refers to dictionary.attribute_table[2].value.string_value_strindex: index 99 is outside string_table (length 4), read as v1.11',
    )
    const text = readGood(request({ ...TABLES, 5: ['cpu', Uint8Array.of(0xff), 'a.out'] }), 'v1.11')
    expect(text.rejects).toHaveLength(2)
    expect(text.rejects[0].what).toContain('refers to dictionary.string_table[2]: string is not valid UTF-8')
  })

  test('throws if a row is malformed', () => {
    expect(() => readGood(request({ ...TABLES, 3: [Uint8Array.of(0x08)] }), 'v1.11')).toThrow(FormatError)
  })

  test('counts rows of v1.6 and v1.7 from 0', () => {
    for (const generation of ['v1.6', 'v1.7'] as const) {
      const tables = {
        string_table: ['', 'cpu', 'main'],
        function_table: [{ name_strindex: 9 }, { name_strindex: 2 }],
        location_table: [{ line: [{ line: 1n }] }, { line: [{ function_index: 1 }] }],
      }
      const profile = (location: number): PlainMessage => ({
        sample_type: [{ type_strindex: 1 }],
        location_indices: [location],
        sample: [{ locations_length: 1, value: [5n] }],
      })
      const content = {
        resource_profiles: [{ scope_profiles: [{ profiles: [profile(0), profile(1)] }] }],
        ...(generation === 'v1.6' ? tables : { dictionary: tables }),
      }
      const { profiles, rejects } = readGood(encodeMessage(generation, content), generation)
      expect(rejects.map(({ path }) => path)).toEqual([
        'resource_profiles[0].scope_profiles[0].profiles[0].location_indices[0]',
      ])
      const prefix = generation === 'v1.6' ? '' : 'dictionary.'
      expect(rejects[0].what).toContain(`refers to ${prefix}function_table[0].name_strindex: index 9 is outside`)
      const { dictionary } = profiles
      expect(profiles.profiles.length).toBe(1)
      expect(dictionary.strings.text(dictionary.functions.name(1 as never))).toBe('main')
    }
  })
})

test('the path includes the number of the message in frames', () => {
  const { bytes, generation } = encoded[encoded.length - 1]
  const changed = bytes.slice()
  const place = profilePlaces(bytes, generation)[0]
  changed.fill(0xff, place.from, place.to)
  const { rejects } = readGood(framed(bytes, changed), generation)
  expect(rejects).toMatchObject([{ path: `message[1].${place.path}` }])
})

test('faults that only the reader detects reject the profile they are in', () => {
  // 2000 runs that overlap expand to more than 2000 * 8000 numbers.
  const count = 10_000
  const large: PlainMessage = {
    sample_type: [{ type_strindex: 1 }],
    location_indices: new Array<number>(count).fill(0),
    sample: Array.from({ length: 2000 }, (_, i) => ({
      locations_start_index: i,
      locations_length: count - i,
      value: [1n],
    })),
  }
  const small: PlainMessage = { sample_type: [{ type_strindex: 1 }] }
  const bytes = encodeMessage('v1.7', {
    resource_profiles: [{}, { scope_profiles: [{}, { profiles: [small, large, small] }] }],
    dictionary: { string_table: ['', 'cpu'], location_table: [{}] },
  })
  const { profiles, rejects } = readGood(bytes, 'v1.7')
  expect(profiles.profiles.length).toBe(2)
  expect(rejects).toHaveLength(1)
  expect(rejects[0].path).toMatch(/^resource_profiles\[1\]\.scope_profiles\[1\]\.profiles\[1\]\.sample\[\d+\]$/)
  expect(rejects[0].what).toMatch(/^the input expands to more than \d+ numbers, read as v1.7$/)
})
