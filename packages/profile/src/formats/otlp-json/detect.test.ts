import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { detectOtlpJson } from './detect.ts'
import { fixtures } from './testing/fixtures.ts'
import { framed } from './testing/framed.ts'

const detect = (text: string): string => detectOtlpJson(encodeUtf8(text), '')

test.each(fixtures)('certain of $name, and of its first 64 bytes', ({ bytes }) => {
  expect(detectOtlpJson(bytes, '')).toBe('certain')
  expect(detectOtlpJson(bytes.subarray(0, 64), '')).toBe('certain')
})

describe('by the keys of the first object', () => {
  test('resourceProfiles, whatever stands before it', () => {
    expect(detect('\ufeff \n{"schema":{"resourceProfiles":1},"resourceProfiles":[')).toBe('certain')
    expect(detect('{"resourceProfiles":7}')).toBe('no')
  })

  test('a dictionary with one of the tables', () => {
    expect(detect('{"dictionary":{"other":[1,2],"stringTable":["')).toBe('certain')
    expect(detect('{"dictionary":{"words":["a"]}}')).toBe('no')
    expect(detect('{"dictionary":["a"],"resourceProfiles":[]}')).toBe('certain')
  })

  test('tables at the top, as v1.6 had them, are not enough to be certain', () => {
    expect(detect('{"stringTable":["')).toBe('possible')
    expect(detect('{"stringTable":[""],"resourceProfiles":[]}')).toBe('certain')
  })
})

test.each([
  ['nothing', ''],
  ['an array', '[{"resourceProfiles":[]}]'],
  ['an object without keys', '{}'],
  ['OTLP traces', '{"resourceSpans":[{"resource":{}}]}'],
  ['a Chrome trace', '{"traceEvents":[{"name":"resourceProfiles"}]}'],
  ['a cpuprofile', '{"nodes":[{"id":1}],"startTime":1,"endTime":2}'],
  [
    'speedscope',
    '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[]},"profiles":[]}',
  ],
  ['a Firefox profile', '{"meta":{"version":24},"libs":[],"threads":[{"stringTable":{}}]}'],
  ['text', 'resourceProfiles'],
  ['protobuf', '\n\u0002\u0012\u0000'],
])('not %s', (_, text) => {
  expect(detect(text)).toBe('no')
})

test('compressed frames are left to the name of the file', () => {
  const file = framed(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0))
  expect(detectOtlpJson(file, 'profiles.json')).toBe('possible')
  expect(detectOtlpJson(file, 'profiles.jsonl.zst')).toBe('possible')
  expect(detectOtlpJson(file, 'profiles.bin')).toBe('no')
})
