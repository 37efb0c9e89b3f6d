// Lenient reading of truncated compressed frames, for which only Node provides zlib, and of files with very many faults.
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { CompressionError } from '../../../wire/compression/compression.ts'
import { protoMessage as message } from '../../../wire/testing/proto-message.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { ReadResult } from '../../format.ts'
import { readOtlpJson } from '../../otlp-json/read.ts'
import { writeOtlpJson } from '../../otlp-json/write.ts'
import { encodeOtlp } from '../encode.ts'
import { readOtlp } from '../read.ts'
import { framed } from '../testing/framed.ts'

const rich = richProfiles()

test.each([
  ['protobuf', encodeOtlp(rich), readOtlp],
  ['JSON', writeOtlpJson(rich).bytes, readOtlpJson],
] as const)('lenient reading returns the intact part of %s in gzip frames', (_, message, read) => {
  const packed = gzipSync(message)
  const first = rich.samples.length
  const bytes = framed(packed, packed)
  for (const missing of [1, 9, 40, 300, packed.length - 5]) {
    const cut = bytes.subarray(0, bytes.length - missing)
    expect(() => read(cut)).toThrow('runs past the end of the file')
    const { profiles, notes } = read(cut, { lenient: true })
    const codes = notes.map(({ code }) => code)
    expect(profiles.samples.length).toBeGreaterThanOrEqual(first)
    expect(codes).toContain(missing === packed.length - 5 ? 'skipped-messages' : 'truncated-gzip')
    // The content is complete before the trailer.
    if (missing < 9) expect(profiles.samples.length).toBe(2 * first)
  }
  const broken = Uint8Array.from(packed).fill(0xff, 10, 60)
  const middle = framed(packed, broken, packed)
  expect(() => read(middle)).toThrow(CompressionError)
  expect(read(middle, { lenient: true }).profiles.samples.length).toBeGreaterThanOrEqual(2 * first)
})

describe('lenient reading stops after the maximum number of faults', () => {
  const countsOf = ({ notes }: ReadResult): Record<string, number> =>
    Object.fromEntries(notes.map(({ code, count }) => [code, count]))

  it('in protobuf', () => {
    const samples = new Uint8Array(3_000_000)
    for (let i = 0; i < samples.length; i += 3) samples.set([0x12, 0x01, 0xff], i)
    const bytes = message([1, message([2, message([2, samples])])])
    const result = readOtlp(bytes, { lenient: true, generation: 'v1.11' })
    expect(result.profiles.samples.length).toBe(0)
    expect(countsOf(result)).toEqual({ truncated: 1, 'skipped-samples': 65_537 })
  })

  it('in JSON', () => {
    const lenient = (text: string): ReadResult => readOtlpJson(encodeUtf8(text), { lenient: true })
    const withSamples = (sample: string): ReadResult => {
      const samples = Array.from({ length: 30_000 }, () => sample).join(',')
      const profile = `{"sampleType":{"typeStrindex":1},"samples":[${samples}]}`
      return lenient(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[${profile}]}]}]}`)
    }
    expect(countsOf(withSamples('{"stackIndex":[]}'))).toEqual({ 'skipped-samples': 30_000, 'skipped-references': 1 })
    const wrongNumber = countsOf(withSamples('{"stackIndex":"x"}'))
    expect(wrongNumber).toMatchObject({ truncated: 1 })
    expect(wrongNumber['skipped-samples']).toBeLessThan(30_000)
    const lines = lenient('{"resourceProfiles":[{}],"dictionary":{"stackTable":[7\n'.repeat(11_000))
    expect(lines.profiles.resources.length).toBeGreaterThan(1000)
    expect(lines.profiles.resources.length).toBeLessThan(11_000)
  })
})
