import { describe, expect, test } from 'vitest'
import { difference } from '../model/compare/content-equal.ts'
import { CompressionError } from '../wire/compression/compression.ts'
import { decodeUtf8, encodeUtf8 } from '../wire/utf8.ts'
import { folded } from './folded/index.ts'
import { utf16 } from './folded/testing/fixtures.ts'
import { FormatError } from './format.ts'
import { EmptyInputError, readProfile, UnknownFormatError } from './read-profile.ts'
import { writeProfile } from './write-profile.ts'

const text = encodeUtf8('main;run 3\nmain 4\n')
// `printf 'main;run 3\nmain 4\n' | gzip -9n`
const GZIPPED = '1f8b0800000000000203cb4dccccb32e2acd5330e6ca0532154cb800e8acc38012000000'
const gzipped = Uint8Array.from(GZIPPED.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

function failure(act: () => unknown): Error {
  try {
    act()
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not fail')
}

describe('readProfile', () => {
  test('detects the format', () => {
    const result = readProfile(text, { fileName: 'unknown' })
    expect(result).toMatchObject({ format: folded, confidence: 'certain', generation: 'plain', compression: 'none' })
    expect(result.notes).toEqual([])
  })

  test('decompresses gzip', () => {
    const result = readProfile(gzipped)
    expect(result).toMatchObject({ format: folded, compression: 'gzip' })
    expect(difference(result.profiles, readProfile(text).profiles)).toBeUndefined()
    expect(failure(() => readProfile(gzipped, { limit: 5 }))).toBeInstanceOf(CompressionError)
  })

  test('reads the intact part of truncated gzip if lenient', () => {
    const cut = gzipped.subarray(0, 24)
    expect(failure(() => readProfile(cut))).toBeInstanceOf(CompressionError)
    const { profiles, notes, compression } = readProfile(cut, { lenient: true })
    expect([compression, profiles.samples.length]).toEqual(['gzip', 1])
    expect(notes.slice(0, 1)).toMatchObject([
      { code: 'truncated-gzip', message: expect.stringContaining('at byte 24; ') as string },
    ])
    expect(failure(() => readProfile(gzipped.subarray(0, 10), { lenient: true }))).toBeInstanceOf(CompressionError)
  })

  test('uses the format and generation that the caller gives', () => {
    const lines = encodeUtf8('worker 3 17\n')
    expect(readProfile(lines)).toMatchObject({ generation: 'differential', confidence: 'possible' })
    expect(readProfile(lines, { format: 'folded', generation: 'plain' })).toMatchObject({
      generation: 'plain',
      confidence: 'given',
    })
  })

  test('lists the formats it tried if none matches', () => {
    const error = failure(() => readProfile(encodeUtf8('Dear diary,\n'))) as UnknownFormatError
    expect(error).toBeInstanceOf(UnknownFormatError)
    expect(error.tried).toContain('folded')
    expect(error.message).toMatch(/^not a known format: tried .*folded.*; it begins with 44 65 61 72 20/)
  })

  test('lists the readable formats if the name is unknown', () => {
    const error = failure(() => readProfile(text, { format: 'foldet' }))
    expect(error).toBeInstanceOf(UnknownFormatError)
    expect(error.message).toMatch(/^there is no format "foldet"; these can be read: .*folded/)
    expect(failure(() => readProfile(text, { format: 'flamegraph-html' })).message).toMatch(
      /^flamegraph-html cannot be read/,
    )
  })

  test('throws EmptyInputError for empty input, compressed or not', () => {
    expect(failure(() => readProfile(new Uint8Array(0)))).toBeInstanceOf(EmptyInputError)
    const nothing = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(failure(() => readProfile(nothing)).message).toBe('the input is empty after gzip decompression')
  })

  const cpuprofile = '{"nodes":[{"id":1,"callFrame":{"functionName":"é"},"hitCount":3}],"samples":['

  test('throws FormatError with the offset for broken input of a known format', () => {
    const error = failure(() => readProfile(encodeUtf8(cpuprofile))) as FormatError
    expect(error).toBeInstanceOf(FormatError)
    expect(error.offset).toBe(encodeUtf8(cpuprofile).length)
  })

  test('throws the same error if a lenient reader finds nothing', () => {
    const cut = encodeUtf8(
      '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[]},"profiles":[',
    )
    expect(failure(() => readProfile(cut, { lenient: true }))).toEqual(failure(() => readProfile(cut)))
    expect(failure(() => readProfile(cut))).toBeInstanceOf(FormatError)
  })

  test('removes several layers of gzip, and ignores bytes after the end', () => {
    // gzip of `gzipped` in one stored block, with its CRC and length.
    const size = gzipped.length
    const stored = Uint8Array.of(1, size, 0, ~size & 0xff, 0xff)
    const twice = Uint8Array.of(
      ...gzipped.subarray(0, 10),
      ...stored,
      ...gzipped,
      0xde,
      0xb0,
      0xd7,
      0x8b,
      size,
      0,
      0,
      0,
    )
    expect(readProfile(twice)).toMatchObject({ format: folded, compression: 'gzip' })
    expect(readProfile(Uint8Array.of(...gzipped, 1, 2, 3)).profiles.samples.length).toBe(2)
  })

  test('reads every text format as UTF-16 too, with offsets in the file', () => {
    const { profiles, format } = readProfile(utf16(`${cpuprofile}],"timeDeltas":[]}`, 'little'))
    expect([format.name, profiles.samples.length]).toEqual(['cpuprofile', 1])
    const error = failure(() => readProfile(utf16(cpuprofile, 'big'))) as FormatError
    expect(error.offset).toBe(2 + 2 * cpuprofile.length)
    const script = readProfile(utf16('app 1 1.5: 2 cycles:\n\t10 f (/x)\n\t20 g\ud800 (/x)\n', 'little'))
    expect(script.format.name).toBe('perf-script')
    expect(script.notes).toContainEqual(expect.objectContaining({ code: 'invalid-text', count: 1 }))
  })
})

describe('writeProfile', () => {
  const { profiles } = readProfile(text)

  test('writes the named format', () => {
    const { bytes } = writeProfile(profiles, 'folded')
    expect(decodeUtf8(bytes)).toBe('main 4\nmain;run 3\n')
    const extended = writeProfile(profiles, 'folded', { extended: true }).bytes
    expect(decodeUtf8(extended)).toMatch(/^# dialect=extended type=samples unit=count\n/)
  })

  test('lists the writable formats if the name is unknown', () => {
    const error = failure(() => writeProfile(profiles, 'floded'))
    expect(error).toBeInstanceOf(UnknownFormatError)
    expect(error.message).toMatch(/^there is no format "floded"; these can be written: .*folded/)
  })
})
