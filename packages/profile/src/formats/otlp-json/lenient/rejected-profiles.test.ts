// With onRejectedProfile, one invalid profile is dropped and reported, and all others are read.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../../model/validate/references.ts'
import { decodeUtf8, encodeUtf8 } from '../../../wire/utf8.ts'
import type { ProfileReject, ReadResult } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { profilePlaces, withProfiles } from '../../otlp/testing/bad-profiles.ts'
import { encodeGeneration } from '../../otlp/testing/encode-generation.ts'
import { GENERATIONS, jsonName } from '../../otlp/generations/schema.ts'
import { readOtlpJson } from '../read.ts'
import { REFERENCES } from '../testing/fixtures.ts'
import { framed } from '../../otlp/testing/framed.ts'
import { generationJson } from '../testing/generation-json.ts'

interface Read extends ReadResult {
  readonly rejects: readonly ProfileReject[]
}

function readGood(text: string | Uint8Array, generation?: string): Read {
  const rejects: ProfileReject[] = []
  const bytes = typeof text === 'string' ? encodeUtf8(text) : text
  const onRejectedProfile = (reject: ProfileReject): number => rejects.push(reject)
  const result = readOtlpJson(
    bytes,
    generation === undefined ? { onRejectedProfile } : { onRejectedProfile, generation },
  )
  expect(findBadReference(result.profiles)).toBeUndefined()
  return { ...result, rejects }
}

function isReadable(text: string, generation: string): boolean {
  try {
    readOtlpJson(encodeUtf8(text), { generation })
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError)
    return false
  }
}

const rich = richProfiles()

/** Normalizes like JSON.stringify, which writes -0 as 0. */
function plainJson(bytes: Uint8Array): string {
  return JSON.stringify(JSON.parse(decodeUtf8(bytes)))
}

interface Json {
  [key: string]: Json
}

/** The profiles of a parsed message, in order. */
function profilesOf(root: Json): Json[] {
  const list = (value: Json | undefined): Json[] => (value as unknown as Json[] | undefined) ?? []
  return list(root['resourceProfiles']).flatMap(resource =>
    list(resource['scopeProfiles']).flatMap(scope => list(scope['profiles'])),
  )
}

/** Every non-empty object or array in a value, with each of its keys. */
function slotsOf(value: Json): readonly (readonly [holder: Json, key: string])[] {
  if (typeof value !== 'object') return []
  return Object.keys(value).flatMap(key => [[value, key] as const, ...slotsOf(value[key])])
}

const WRONG: readonly unknown[] = ['x', 1e30, -1, true, [], {}, [[]], [{}], 99_999, '18446744073709551616']

describe.each(GENERATIONS.map(generation => ({ generation })))(
  'readOtlpJson with onRejectedProfile, $generation',
  ({ generation }) => {
    const bytes = encodeGeneration(rich, generation)
    const text = plainJson(generationJson(bytes, generation))
    const places = profilePlaces(bytes, generation).map(({ path }) => jsonName(path))
    const withoutOne = (k: number): Profiles => {
      const left = withProfiles(bytes, generation, (profile, i) => (i === k ? undefined : profile))
      return readOtlpJson(encodeUtf8(plainJson(generationJson(left, generation))), { generation }).profiles
    }
    const expected = places.map((_, k) => withoutOne(k))

    test('rejects nothing in a valid message', () => {
      const { profiles, rejects, notes, generation: found } = readGood(text)
      const strict = readOtlpJson(encodeUtf8(text))
      expect([rejects, notes, found]).toEqual([[], strict.notes, strict.generation])
      expect(difference(profiles, strict.profiles)).toBeUndefined()
    })

    test('rejects only the profile whose value was changed', () => {
      fc.assert(
        fc.property(fc.nat(), fc.nat(), fc.constantFrom(...WRONG), fc.boolean(), (which, slot, wrong, isGiven) => {
          const root = JSON.parse(text) as Json
          const k = which % places.length
          const slots = slotsOf(profilesOf(root)[k])
          fc.pre(slots.length > 0)
          const [holder, key] = slots[slot % slots.length]
          holder[key] = wrong as Json
          const changed = JSON.stringify(root)
          const { profiles, rejects, ...result } = readGood(changed, isGiven ? generation : undefined)
          if (isReadable(changed, generation)) {
            if (isGiven) expect(rejects).toEqual([])
            return
          }
          expect(rejects).toHaveLength(1)
          expect(rejects[0].path.startsWith(places[k])).toBe(true)
          expect(rejects[0].path).toMatch(/^[\w.[\]]+$/)
          expect(rejects[0].path).not.toContain('_')
          expect(result.generation).toBe(isGiven ? generation : readOtlpJson(encodeUtf8(text)).generation)
          expect(difference(profiles, expected[k])).toBeUndefined()
        }),
        { numRuns: 30 },
      )
    })

    test('does not change the generation because of one broken type', () => {
      const root = JSON.parse(text) as Json
      const [first] = profilesOf(root)
      const holder = first['profile'] ?? first
      holder['sampleType'] = (Array.isArray(holder['sampleType']) ? {} : []) as unknown as Json
      const { rejects, generation: found } = readGood(JSON.stringify(root))
      expect(rejects.map(({ path }) => path.startsWith(places[0]))).toEqual([true])
      expect(found).toBe(readOtlpJson(encodeUtf8(text)).generation)
    })

    test('rejects all profiles if all are invalid', () => {
      const root = JSON.parse(text) as Json
      for (const profile of profilesOf(root)) profile['profileId'] = 1 as unknown as Json
      const { profiles, rejects } = readGood(JSON.stringify(root), generation)
      expect(rejects.map(({ path }) => path)).toEqual(places.map(path => `${path}.profileId`))
      expect([profiles.profiles.length, profiles.resources.length]).toEqual([0, rich.resources.length])
    })

    test('rejects the profiles of an invalid scope', () => {
      const changed = text.replace('"scope":{"name":"hearth.test"', '"scope":{"name":5')
      expect(changed).not.toBe(text)
      const { rejects } = readGood(changed)
      const inScope = places.filter(path => path.startsWith('resourceProfiles[0].scopeProfiles[0]'))
      expect(rejects.map(({ path }) => path)).toEqual(inScope)
      expect(rejects[0].what).toBe(
        'is in resourceProfiles[0].scopeProfiles[0].scope.name: expected a string, found a number',
      )
    })
  },
)

const PATH = 'resourceProfiles[0].scopeProfiles[0].profiles[0]'

test('rejects report the path of references in the spelling of the text', () => {
  const stack = readGood(REFERENCES.replace('"samples": [{', '"samples": [{}, {"stackIndex": 3, '))
  expect(stack.rejects).toEqual([
    { path: `${PATH}.samples[1].stackIndex`, what: 'index 3 is outside stack_table (length 1)' },
  ])
  expect(stack.generation).toBe('v1.11')
  const resource = readGood(REFERENCES.replace('"stringValueStrindex": 2', '"stringValueStrindex": 9'))
  expect(resource.rejects).toEqual([
    {
      path: PATH,
      what: 'is in resourceProfiles[0].resource.attributes[0].value.stringValueStrindex: index 9 is outside string_table (length 5)',
    },
  ])
  expect(resource.profiles.resources.length).toBe(0)
  const row = readGood(
    REFERENCES.replace('{"keyStrindex": 1, "value": {"stringValueStrindex": 0}}', '{"keyStrindex": 9}'),
  )
  expect(row.rejects).toEqual([
    {
      path: `${PATH}.attributeIndices[1]`,
      what: 'refers to dictionary.attributeTable[2].value.kvlistValue.values[0].keyStrindex: index 9 is outside string_table (length 5)',
    },
  ])
})

test('names of v1.8 and v1.9 may be mixed', () => {
  const changed = REFERENCES.replace(
    '"profiles": [{',
    '"profiles": [{"timeUnixNano": true}, {"commentStrindices": [3], "sample": [{"values": ["9007199254740993"]}], ',
  )
  const { profiles, rejects, generation } = readGood(changed)
  expect(rejects).toEqual([{ path: `${PATH}.timeUnixNano`, what: 'expected an integer, found a boolean' }])
  expect(generation).toBe('v1.8')
  expect(profiles.samples.length).toBe(2)
  expect(profiles.samples.values.signed()[0]).toBe(9_007_199_254_740_993n)
})

test('reading continues with the next line or frame after a rejected profile', () => {
  const good = REFERENCES.replaceAll('\n', '')
  const bad = good.replace('"values": ["1"]', '"values": [{}]')
  const lines = readGood(`${good}\n${bad}\n${good}\n`)
  const reject = { path: `message[1].${PATH}.samples[0].values[0]`, what: 'expected an integer, found an object' }
  expect(lines.rejects).toEqual([reject])
  expect(lines.profiles.profiles.length).toBe(2)
  const frames = readGood(framed(encodeUtf8(good), encodeUtf8(bad), encodeUtf8(good)))
  expect(frames.rejects).toEqual([reject])
  expect(frames.profiles.profiles.length).toBe(2)
})

test('text that is not JSON or broken around the profiles is an error', () => {
  for (const broken of [
    REFERENCES.slice(0, -1),
    REFERENCES.replace('"samples": [{', '"samples": [{]'),
    REFERENCES.replace('"scopeProfiles": [', '"scopeProfiles": [5, '),
    REFERENCES.replace('"stackTable": [{}]', '"stackTable": [5]'),
  ]) {
    expect(() => readGood(broken)).toThrow(FormatError)
    expect(() => readOtlpJson(encodeUtf8(broken))).toThrow(FormatError)
  }
})
