// Files kept whole inside the profiles read from them, and had back byte for byte: over the fixtures of every format.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../model/build/builder.ts'
import { concat } from '../model/merge/concat.ts'
import { contentEqual } from '../model/compare/content-equal.ts'
import { withOriginalPayload } from '../model/edit/original-payload.ts'
import { pickProfiles } from '../model/edit/pick-profiles.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { encodeUtf8 } from '../wire/utf8.ts'
import { originalBytes } from './original-bytes.ts'
import { readProfile } from './read-profile.ts'
import { formats } from './registry.ts'
import { fixturesOf } from './testing/fixtures-of.ts'
import { writeProfile } from './write-profile.ts'

const readable = formats.filter(format => format.read !== undefined)

describe.each(readable.map(format => [format.name, format] as const))('%s', (name, format) => {
  test('a kept file comes back through OTLP, byte for byte', () => {
    let came = 0
    for (const fixture of fixturesOf(format)) {
      const { profiles, notes } = readProfile(fixture.bytes, { format: name, keepOriginal: true })
      if (notes.some(note => note.code === 'original-not-kept')) continue
      const stored = writeProfile(profiles, 'otlp', { fresh: true }).bytes
      const back = writeProfile(readProfile(stored, { format: 'otlp' }).profiles, name)
      // Not toEqual on the bytes: it takes seconds for megabytes.
      const differs = back.bytes.findIndex((byte, i) => byte !== fixture.bytes[i])
      expect({ fixture: fixture.name, notes: back.notes, length: back.bytes.length, differs }).toEqual({
        fixture: fixture.name,
        notes: [],
        length: fixture.bytes.length,
        differs: -1,
      })
      came++
    }
    // OTLP's own fixtures all carry a payload already.
    if (!name.startsWith('otlp')) expect(came).toBeGreaterThan(0)
  })
})

const text = encodeUtf8('main;run 3\nmain;stop 4\n')

function kept(): Profiles {
  return readProfile(text, { format: 'folded', keepOriginal: true }).profiles
}

function twoTypes(): Profiles {
  const b = new ProfilesBuilder()
  for (const type of ['cpu', 'wall']) {
    b.profile({ type, unit: 'ns' })
    b.sample({ stack: b.stack([b.location({ address: 0x1234 })]), values: [7n] })
  }
  return b.build()
}

test('nothing else changes, and the payload is on the first profile alone', () => {
  const profiles = twoTypes()
  const carrying = withOriginalPayload(profiles, 'jfr', text)
  expect(carrying.profiles.originalPayload(0)).toEqual(text)
  expect(carrying.profiles.originalPayloadFormat(0)).toBe('jfr')
  expect(carrying.profiles.originalPayload(1)).toHaveLength(0)
  expect(contentEqual(withOriginalPayload(carrying, '', new Uint8Array(0)), profiles)).toBe(true)
})

test('only the format of the payload gives it back, and not when a fresh or a certain form is asked for', () => {
  expect(writeProfile(kept(), 'folded').bytes).toEqual(text)
  expect(originalBytes(kept(), 'pprof')).toBeUndefined()
  const fresh = writeProfile(kept(), 'folded', { fresh: true })
  expect(fresh.notes.map(({ code }) => code)).not.toEqual([])
  expect(writeProfile(kept(), 'folded', { extended: true }).bytes).not.toEqual(text)
})

test('what no longer says the same as its payload is written anew', () => {
  const pprof = writeProfile(twoTypes(), 'pprof').bytes
  const { profiles } = readProfile(pprof, { format: 'pprof', keepOriginal: true })
  expect(originalBytes(profiles, 'pprof')).toEqual(pprof)
  expect(originalBytes(pickProfiles(profiles, [0]), 'pprof')).toBeUndefined()
  expect(originalBytes(concat([profiles, twoTypes()]), 'pprof')).toBeUndefined()
  expect(originalBytes(withOriginalPayload(twoTypes(), 'pprof', text), 'pprof')).toBeUndefined()
})

test('a payload that is there already stays, and there must be a profile to carry one', () => {
  const carrying = writeProfile(kept(), 'otlp').bytes
  const again = readProfile(carrying, { format: 'otlp', keepOriginal: true })
  expect(again.notes.map(({ code }) => code)).toEqual(['original-not-kept'])
  expect(again.profiles.profiles.originalPayload(0)).toEqual(text)
  expect(() => withOriginalPayload(new ProfilesBuilder().build(), 'pprof', text)).toThrow(RangeError)
})
