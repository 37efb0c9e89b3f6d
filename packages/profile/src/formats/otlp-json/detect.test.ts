import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { detectOtlpJson } from './detect.ts'
import { fixtures } from './testing/fixtures.ts'
import { framed } from '../otlp/testing/framed.ts'

const detect = (text: string): string => detectOtlpJson(encodeUtf8(text), '')

test.each(fixtures)('detectOtlpJson is certain of $name and of its first 64 bytes', ({ bytes }) => {
  expect(detectOtlpJson(bytes, '')).toBe('certain')
  expect(detectOtlpJson(bytes.subarray(0, 64), '')).toBe('certain')
})

describe('detectOtlpJson recognises the first object by', () => {
  test('resourceProfiles after any other keys', () => {
    expect(detect('\ufeff \n{"schema":{"resourceProfiles":1},"resourceProfiles":[')).toBe('certain')
    expect(detect('{"resourceProfiles":7}')).toBe('no')
  })

  test('a dictionary with one of the tables', () => {
    expect(detect('{"dictionary":{"other":[1,2],"stringTable":["')).toBe('certain')
    expect(detect('{"dictionary":{"words":["a"]}}')).toBe('no')
    expect(detect('{"dictionary":["a"],"resourceProfiles":[]}')).toBe('certain')
  })

  test('tables at the top level, as in v1.6, without certainty', () => {
    expect(detect('{"stringTable":["')).toBe('possible')
    expect(detect('{"stringTable":[""],"resourceProfiles":[]}')).toBe('certain')
  })
})

test.each([
  ['an empty file', ''],
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
])('detectOtlpJson rejects %s', (_, text) => {
  expect(detect(text)).toBe('no')
})

test('detectOtlpJson decides by the file name for compressed frames', () => {
  const file = framed(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0))
  expect(detectOtlpJson(file, 'profiles.json')).toBe('possible')
  expect(detectOtlpJson(file, 'profiles.jsonl.zst')).toBe('possible')
  expect(detectOtlpJson(file, 'profiles.bin')).toBe('no')
})
