import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HTLHASH_WINDOW, htlhash, htlhashOf, parseBuildId } from './build-id.ts'
import { ATTRIBUTES } from './semantic-conventions.ts'

function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff)
}

describe('htlhash', () => {
  // The SHA-256 of eight zero bytes, as sha256sum prints it.
  test('hashes only the length of an empty file', () => {
    expect(htlhash(new Uint8Array(0))).toBe('af5570f5a1810b7af78caf4bc70a660f')
  })

  test('depends on the ends and the length, not on the middle', () => {
    const file = patterned(3 * HTLHASH_WINDOW)
    const id = htlhash(file)
    const changedAt = (at: number) => htlhash(file.with(at, file[at] ^ 1))
    expect(changedAt(HTLHASH_WINDOW)).toBe(id)
    expect(changedAt(2 * HTLHASH_WINDOW - 1)).toBe(id)
    for (const at of [0, HTLHASH_WINDOW - 1, 2 * HTLHASH_WINDOW, 3 * HTLHASH_WINDOW - 1]) {
      expect(changedAt(at)).not.toBe(id)
    }
    const longer = new Uint8Array(file.length + 1)
    longer.set(file.subarray(0, HTLHASH_WINDOW))
    longer.set(file.subarray(-HTLHASH_WINDOW), longer.length - HTLHASH_WINDOW)
    expect(htlhash(longer)).not.toBe(id)
  })

  test('computed from the ends equals the hash of the file, even if the ends overlap or are longer than needed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.nat(9000), fc.nat(9000), (length, more, evenMore) => {
        const file = patterned(length)
        const head = file.subarray(0, HTLHASH_WINDOW + more)
        const tail = file.subarray(Math.max(0, length - HTLHASH_WINDOW - evenMore))
        expect(htlhashOf(head, tail, BigInt(length))).toBe(htlhash(file))
      }),
      { numRuns: 50 },
    )
  })

  test('rejects ends that are too short or too long for the file size', () => {
    const window = patterned(HTLHASH_WINDOW)
    const short = window.subarray(1)
    expect(() => htlhashOf(short, window, 10_000n)).toThrow(new RangeError('head has 4095 bytes, the hash needs 4096'))
    expect(() => htlhashOf(window, short, 10_000n)).toThrow(new RangeError('tail has 4095 bytes, the hash needs 4096'))
    expect(() => htlhashOf(window, window, 4095n)).toThrow(new RangeError('head has 4096 bytes, the file only 4095'))
    expect(() => htlhashOf(window, window, -1n)).toThrow(RangeError)
    expect(() => htlhashOf(window, window, 2n ** 64n)).toThrow(RangeError)
    expect(htlhashOf(window, window, 2n ** 64n - 1n)).toMatch(/^[0-9a-f]{32}$/)
  })
})

test('parseBuildId recognises the four attribute names exactly', () => {
  expect(parseBuildId('process.executable.build_id.gnu')).toBe('gnu')
  expect(parseBuildId('process.executable.build_id.go')).toBe('go')
  expect(parseBuildId('process.executable.build_id.htlhash')).toBe('htlhash')
  expect(parseBuildId('process.executable.build_id.profiling')).toBe('profiling')
  const others = ['', 'process.executable.build_id', 'process.executable.build_id.', 'process.executable.build_id.GNU']
  for (const key of [...others, ' process.executable.build_id.gnu']) expect(parseBuildId(key)).toBeUndefined()
})

test('ATTRIBUTES lists every name once', () => {
  const names = Object.values(ATTRIBUTES)
  expect(new Set(names).size).toBe(names.length)
})
