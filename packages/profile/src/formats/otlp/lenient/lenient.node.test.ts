// Compressed frames that are truncated. Only Node provides zlib.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import { CompressionError } from '../../../wire/compression/compression.ts'
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
