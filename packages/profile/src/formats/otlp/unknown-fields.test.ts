// Fields that a newer version adds come back with their messages, in order, through everything that copies profiles.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profilesFromClone } from '../../model/columns/cloned-profiles.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { compact } from '../../model/compact/compact.ts'
import { contentEqual, difference } from '../../model/compare/content-equal.ts'
import { pickObservations } from '../../model/edit/pick-observations.ts'
import { pickProfiles } from '../../model/edit/pick-profiles.ts'
import { concat } from '../../model/merge/concat.ts'
import { merge } from '../../model/merge/merge.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { protoMessage as message } from '../../wire/testing/proto-message.ts'
import { randomFrom } from '../testing/random.ts'
import { writeProfile } from '../write-profile.ts'
import { readOtlpJson } from '../otlp-json/read.ts'
import { writeOtlpJson } from '../otlp-json/write.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { encodeOtlp } from './encode.ts'
import { readOtlp } from './read.ts'
import { MESSAGES, addUnknownFields } from './testing/add-unknown-fields.ts'
import { writeOtlp } from './write.ts'

const read = (bytes: Uint8Array) => readOtlp(bytes, { generation: 'v1.11' })
const rich = encodeOtlp(compact(richProfiles()))

function richWith(messages: readonly string[], seed = 1): Uint8Array {
  return addUnknownFields(rich, randomFrom(seed), name => messages.includes(name))
}

/** A JSON message with new members in every object, in the layout of the writer. */
const NAMED = `{
  "resourceProfiles": [{
    "resource": {
      "attributes": [{"key": "k", "value": {"intValue": "1", "new1": [1, {"a": "é"}]}, "new2": 18446744073709551616}],
      "entityRefs": [{"type": "t", "new3": {}}],
      "new4": "x"
    },
    "scopeProfiles": [{
      "scope": {"name": "s", "new5": false},
      "profiles": [{
        "sampleType": {"typeStrindex": 1, "new6": 1},
        "samples": [{"stackIndex": 1, "attributeIndices": [1], "linkIndex": 1, "values": ["1"], "new7": {"a": [1]}, "new8": -0.5}],
        "periodType": {"new9": 2},
        "new10": 1e3
      }],
      "new11": 0
    }],
    "new12": ""
  }],
  "dictionary": {
    "mappingTable": [{}, {"filenameStrindex": 1, "new13": 1}],
    "locationTable": [{}, {"mappingIndex": 1, "lines": [{"functionIndex": 1, "new14": 1}], "new15": 1}],
    "functionTable": [{}, {"nameStrindex": 1, "new16": 1}],
    "linkTable": [{}, {"new17": 1, "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331"}],
    "stringTable": ["", "cpu"],
    "attributeTable": [{}, {"keyStrindex": 1, "value": {"boolValue": true, "new18": 1}, "new19": 1}],
    "stackTable": [{"new20": 0}, {"locationIndices": [1], "new21": 1}],
    "new22": 1
  },
  "new23": 1
}`

describe('unknown fields', () => {
  test.each(MESSAGES)('are written again in %s', name => {
    const bytes = richWith([name])
    expect(bytes.length).toBeGreaterThan(rich.length)
    const { profiles, notes } = read(bytes)
    expect(notes.map(({ code }) => code)).toEqual(['unknown-fields-kept'])
    expect(writeOtlp(profiles).bytes).toEqual(bytes)
  })

  test('are written again for arbitrary profiles and compare equal', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), fc.integer(), (profiles, seed) => {
        const random = randomFrom(seed)
        const bytes = addUnknownFields(encodeOtlp(profiles), random, () => random() < 0.3)
        const found = read(bytes).profiles
        expect(encodeOtlp(found)).toEqual(bytes)
        expect(difference(found, read(writeOtlp(found).bytes).profiles)).toBeUndefined()
        const twice = concat([found, found])
        expect(difference(read(encodeOtlp(twice)).profiles, twice)).toBeUndefined()
      }),
      { numRuns: 30 },
    )
  })

  test('keep their order wherever they are in a message', () => {
    const stack = message([9, 1], [1, Uint8Array.of(0)], [8, 2], [9, 3])
    const bytes = message([2, message([7, message()], [7, stack])])
    const written = encodeOtlp(read(bytes).profiles)
    const expected = message([1, Uint8Array.of(0)], [9, 1], [8, 2], [9, 3])
    expect(written.subarray(written.length - expected.length)).toEqual(expected)
  })

  // The lists in a value are compared by their content alone.
  const compared = MESSAGES.filter(name => name !== 'ArrayValue' && name !== 'KeyValueList')

  test.each(compared)('make profiles different in %s', name => {
    const [first, second] = [1, 2].map(seed => read(richWith([name], seed)).profiles)
    expect(contentEqual(first, read(richWith([name], 1)).profiles)).toBe(true)
    expect(contentEqual(first, second)).toBe(false)
    expect(difference(first, second)).toMatch(/unknown|spelled differently/)
  })

  test('survive a copy, a clone and a selection of all samples', () => {
    const { profiles } = read(richWith(MESSAGES))
    expect(difference(profilesFromClone(structuredClone(profiles)), profiles)).toBeUndefined()
    const twice = concat([profiles, profiles])
    const { length } = profiles.profiles
    const [first, second] = [0, length].map(from =>
      pickProfiles(
        twice,
        Array.from({ length }, (_, i) => from + i),
      ),
    )
    expect(difference(first, second)).toBeUndefined()
    expect(first.unknown?.samples?.size).toBe(profiles.samples.length)
    expect(first.unknown?.profiles?.size).toBe(length)
    const withoutPayload = (all: Profiles) => pickObservations(all, {})
    expect(difference(withoutPayload(twice), concat([profiles, profiles].map(withoutPayload)))).toBeUndefined()
  })

  test('stay with the samples that are picked', () => {
    const { profiles } = read(richWith(['Sample']))
    const last = profiles.samples.length - 1
    const picked = pickObservations(profiles, { samples: sample => sample === last })
    expect(picked.unknown?.samples?.get(0)).toEqual(profiles.unknown?.samples?.get(last))
    expect(picked.unknown?.samples?.size).toBe(1)
  })

  test('keep apart what merge would sum', () => {
    const inputs = [1, 2].map(
      seed => read(richWith(['Profile', 'Sample', 'Function', 'ResourceProfiles'], seed)).profiles,
    )
    const { profiles } = merge(inputs)
    const once = merge([inputs[0]]).profiles
    expect(profiles.resources.length).toBe(2 * once.resources.length)
    expect(profiles.samples.length).toBe(2 * once.samples.length)
    expect(difference(read(encodeOtlp(profiles)).profiles, profiles)).toBeUndefined()
  })

  test('are written again by JSON with their names, and dropped and counted by protobuf', () => {
    const named = JSON.stringify(JSON.parse(NAMED))
    const { profiles, notes } = readOtlpJson(encodeUtf8(NAMED))
    expect(notes.map(({ code, count }) => [code, count])).toEqual([
      ['unknown-fields-kept', NAMED.split('"new').length - 1],
    ])
    const again = writeProfile(profiles, 'otlp-json')
    expect(again.notes).toEqual([])
    expect(JSON.parse(decodeUtf8(again.bytes))).toEqual(JSON.parse(named))
    const binary = writeOtlp(concat([profiles]))
    expect(binary.notes.map(({ code, count }) => [code, count])).toEqual([
      ['unknown-fields', NAMED.split('"new').length - 1],
    ])
    expect(read(binary.bytes).notes).toEqual([])
    const plain = JSON.stringify(JSON.parse(NAMED), (key, value: unknown) => (/^new\d/.test(key) ? undefined : value))
    expect(binary.bytes).toEqual(writeOtlp(readOtlpJson(encodeUtf8(plain)).profiles).bytes)
    expect(writeProfile(profiles, 'pprof').notes).toContainEqual(expect.objectContaining({ code: 'unknown-fields' }))
  })

  test('are counted by JSON if they have no name there', () => {
    const { profiles } = read(richWith(['Function', 'Resource', 'Sample']))
    const { bytes, notes } = writeOtlpJson(profiles)
    expect(notes).toMatchObject([{ code: 'unknown-fields' }])
    expect(notes[0].count).toBeGreaterThan(profiles.samples.length)
    expect(readOtlpJson(bytes).notes).toEqual([])
    // The number that JSON uses, with texts that are no members.
    for (const wrong of ['', '1', '"a":', '"a":1,"b":2', '"a":1}', '"a":[}', '"traceId":\u0000']) {
      const forged = read(message([19_000, wrong], [2, message([5, ''])])).profiles
      expect(writeOtlpJson(forged).notes).toMatchObject([{ code: 'unknown-fields', count: 1 }])
      expect(() => JSON.parse(decodeUtf8(writeOtlpJson(forged).bytes)) as unknown).not.toThrow()
    }
  })

  test('are dropped with a note from older generations and by other formats', () => {
    const old = read(richWith(['Function'])).profiles
    expect(writeProfile(old, 'otlp').notes).toEqual([])
    expect(writeProfile(old, 'pprof').notes).toContainEqual(expect.objectContaining({ code: 'unknown-fields' }))
    const bytes = message([9, 1])
    expect(readOtlp(bytes, { generation: 'v1.9' }).notes).toMatchObject([{ code: 'unknown-fields', count: 1 }])
    expect(readOtlp(bytes, { generation: 'v1.9' }).profiles.unknown).toBeUndefined()
  })
})
