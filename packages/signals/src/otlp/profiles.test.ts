// Compares the messages of profiles with @hearth/profile, which reads and writes the same bytes by other means.
import { contentEqual, readFolded, readOtlp, writeOtlp, writeOtlpJson } from '@hearth/profile'
import { expect, test } from 'vitest'
import { plainProfiles } from './codecs.ts'

const { profiles } = readFolded(
  new TextEncoder().encode('main;run;gc 3\nmain;run 4\nmain;idle é 9007199254740993\n'),
  {},
)

test('plainProfiles reads and writes the bytes of the library without a difference', () => {
  const { bytes } = writeOtlp(profiles)
  const plain = plainProfiles.decode(bytes)
  const [profile] = plain.resourceProfiles[0].scopeProfiles[0].profiles
  expect(profile.samples.map(({ values }) => values)).toEqual([[3n], [4n], [9007199254740993n]])
  expect(plain.dictionary?.stringTable).toContain('idle é')
  const again = plainProfiles.encode(plain)
  expect(contentEqual(readOtlp(again, {}).profiles, profiles)).toBe(true)
  expect(plainProfiles.decode(again)).toEqual(plain)
})

test('plainProfiles reads the same message from the JSON of the library', () => {
  const json = plainProfiles.decodeJson(writeOtlpJson(profiles).bytes)
  expect(json.dictionary).toEqual(plainProfiles.decode(writeOtlp(profiles).bytes).dictionary)
  expect(contentEqual(readOtlp(plainProfiles.encode(json), {}).profiles, profiles)).toBe(true)
})
