// Original payloads: every fixture of every format is stored in its profiles and restored byte for byte.
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
  test('restores a stored file byte for byte after a trip through OTLP', () => {
    let restored = 0
    for (const fixture of fixturesOf(format)) {
      const { profiles, notes } = readProfile(fixture.bytes, { format: name, keepOriginal: true })
      if (notes.some(note => note.code === 'original-not-kept')) continue
      const stored = writeProfile(profiles, 'otlp', { fresh: true }).bytes
      const back = writeProfile(readProfile(stored, { format: 'otlp' }).profiles, name)
      // Not toEqual on the bytes: it takes seconds per megabyte.
      const differs = back.bytes.findIndex((byte, i) => byte !== fixture.bytes[i])
      expect({ fixture: fixture.name, notes: back.notes, length: back.bytes.length, differs }).toEqual({
        fixture: fixture.name,
        notes: [],
        length: fixture.bytes.length,
        differs: -1,
      })
      restored++
    }
    // All fixtures of OTLP already contain a payload.
    if (!name.startsWith('otlp')) expect(restored).toBeGreaterThan(0)
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

test('withOriginalPayload sets the payload of the first profile and changes nothing else', () => {
  const profiles = twoTypes()
  const carrying = withOriginalPayload(profiles, 'jfr', text)
  expect(carrying.profiles.originalPayload(0)).toEqual(text)
  expect(carrying.profiles.originalPayloadFormat(0)).toBe('jfr')
  expect(carrying.profiles.originalPayload(1)).toHaveLength(0)
  expect(contentEqual(withOriginalPayload(carrying, '', new Uint8Array(0)), profiles)).toBe(true)
})

test('writeProfile returns the payload only for its own format and without options for the form', () => {
  expect(writeProfile(kept(), 'folded').bytes).toEqual(text)
  expect(originalBytes(kept(), 'pprof')).toBeUndefined()
  const fresh = writeProfile(kept(), 'folded', { fresh: true })
  expect(fresh.notes.map(({ code }) => code)).not.toEqual([])
  expect(writeProfile(kept(), 'folded', { extended: true }).bytes).not.toEqual(text)
})

test('originalBytes returns nothing for profiles that differ from their payload', () => {
  const pprof = writeProfile(twoTypes(), 'pprof').bytes
  const { profiles } = readProfile(pprof, { format: 'pprof', keepOriginal: true })
  expect(originalBytes(profiles, 'pprof')).toEqual(pprof)
  expect(originalBytes(pickProfiles(profiles, [0]), 'pprof')).toBeUndefined()
  expect(originalBytes(concat([profiles, twoTypes()]), 'pprof')).toBeUndefined()
  expect(originalBytes(withOriginalPayload(twoTypes(), 'pprof', text), 'pprof')).toBeUndefined()
})

test('keepOriginal leaves an existing payload and rejects a file without profiles', () => {
  const carrying = writeProfile(kept(), 'otlp').bytes
  const again = readProfile(carrying, { format: 'otlp', keepOriginal: true })
  expect(again.notes.map(({ code }) => code)).toEqual(['original-not-kept'])
  expect(again.profiles.profiles.originalPayload(0)).toEqual(text)
  expect(() => withOriginalPayload(new ProfilesBuilder().build(), 'pprof', text)).toThrow(RangeError)
})
