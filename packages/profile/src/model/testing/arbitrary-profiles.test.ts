import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ValueKind } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { validate } from '../validate/validate.ts'
import { arbitraryProfiles } from './arbitrary-profiles.ts'
import { richProfiles } from './rich-profiles.ts'
import { scatter } from './scatter.ts'
import { tidiness } from './tidiness.ts'

function broken(profiles: Profiles): string[] {
  return validate(profiles)
    .filter(({ level }) => level === 'must')
    .map(({ path, rule }) => `${path} ${rule}`)
}

test('arbitraryProfiles draws valid profiles', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), profiles => {
      expect(broken(profiles)).toEqual([])
    }),
  )
})

test('arbitraryProfiles draws varied profiles', () => {
  const drawn = fc.sample(arbitraryProfiles(), { numRuns: 100, seed: 1 })
  const kinds = new Set<number>()
  const shapes = new Set<string>()
  const found = {
    links: 0,
    inlined: 0,
    mappings: 0,
    ids: 0,
    payloads: 0,
    empty: 0,
    negative: 0,
    beyond53: 0,
    repeated: 0,
  }
  for (const { dictionary, resources, profiles, samples } of drawn) {
    for (let i = 0; i < dictionary.attributes.length; i++) kinds.add(dictionary.attributes.kind(i as never))
    if (dictionary.links.length > 1) found.links++
    if (dictionary.mappings.length > 1) found.mappings++
    if (dictionary.locations.lines.length > dictionary.locations.length) found.inlined++
    const urls = Array.from(
      { length: resources.length },
      (_, i) => JSON.stringify(resources.resource(i), text) + resources.schemaUrl(i),
    )
    if (new Set(urls).size < urls.length) found.repeated++
    for (let i = 0; i < profiles.length; i++) {
      if (profiles.id(i).length > 0) found.ids++
      if (profiles.originalPayload(i).length > 0) found.payloads++
      if (profiles.samplesFrom(i) === profiles.samplesTo(i)) found.empty++
    }
    for (let i = 0; i < samples.length; i++) {
      shapes.add(
        `${samples.valuesTo(i) > samples.valuesFrom(i)} ${samples.timestampsTo(i) > samples.timestampsFrom(i)}`,
      )
    }
    for (const value of samples.values.signed()) {
      if (value < 0n) found.negative++
      if (value > 2n ** 53n) found.beyond53++
    }
  }
  expect(kinds).toEqual(new Set(Object.values(ValueKind)))
  expect(shapes.size).toBe(3)
  expect(Object.entries(found).filter(([, times]) => times === 0)).toEqual([])
})

test('arbitraryProfiles obeys its options', () => {
  const options = {
    shapes: ['values'],
    nested: false,
    oddValues: false,
    links: false,
    mappings: false,
    columns: false,
    extras: false,
    unicode: false,
  } as const
  fc.assert(
    fc.property(arbitraryProfiles(options), ({ dictionary, profiles, samples }) => {
      const { attributes, links, mappings, locations } = dictionary
      const kinds = Array.from({ length: attributes.length }, (_, i) => attributes.kind(i as never)).slice(1)
      expect(kinds.every(kind => kind === ValueKind.string || kind === ValueKind.int)).toBe(true)
      expect([links.length, mappings.length, samples.timestamps.length]).toEqual([1, 1, 0])
      for (let k = 0; k < locations.lines.length; k++) expect(locations.lines.column(k)).toBe(0n)
      for (let i = 0; i < profiles.length; i++) expect(profiles.id(i).length + profiles.droppedAttributes(i)).toBe(0)
      const texts = Array.from({ length: dictionary.strings.length }, (_, i) => dictionary.strings.text(i as never))
      expect(texts.join('')).toMatch(/^[a-z.]*$/)
    }),
    { numRuns: 50 },
  )
})

test('richProfiles is valid and sets every field', () => {
  const profiles = richProfiles()
  expect(broken(profiles)).toEqual([])
  const { attributes } = profiles.dictionary
  const kinds = new Set(Array.from({ length: attributes.length }, (_, i) => attributes.kind(i as never)))
  expect(kinds).toEqual(new Set(Object.values(ValueKind)))
})

test('scatter makes duplicates and orphans', () => {
  const findings = tidiness(scatter(richProfiles(), 1))
  expect(findings.some(line => line.includes('is the same as'))).toBe(true)
  expect(findings.some(line => line.includes('nothing refers to'))).toBe(true)
  expect(tidiness(richProfiles())).toEqual([])
})

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}
