import { describe, expect, test } from 'vitest'
import {
  HASH_WORDS,
  HashInput,
  MAX_CONTENT_IDS,
  Seed,
  hashBytes,
  hashInts,
  isIdOf,
  toNextId,
  viewOf,
} from './content-hash.ts'

function ofBytes(bytes: Uint8Array, from = 0, to = bytes.length, seed: number = Seed.text): number[] {
  const out = new Int32Array(HASH_WORDS)
  hashBytes(seed, bytes, viewOf(bytes), from, to, out, 0)
  return [...out]
}

function ofInts(ints: readonly number[], seed: number = Seed.stacks): number[] {
  const out = new Int32Array(HASH_WORDS)
  hashInts(seed, Int32Array.from(ints), 0, ints.length, out, 0)
  return [...out]
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

test('never changes, because ids are stored', () => {
  expect(ofBytes(utf8(''))).toMatchInlineSnapshot(`
    [
      -1632227520,
      -442146385,
      -1846127129,
      -1663711038,
    ]
  `)
  expect(ofBytes(utf8('main'))).toMatchInlineSnapshot(`
    [
      -2062967842,
      858927675,
      -1239056260,
      160820106,
    ]
  `)
  expect(ofBytes(utf8('a longer name, of more than sixteen bytes'))).toMatchInlineSnapshot(`
    [
      -1333331282,
      -1479932041,
      -1372056870,
      -1849757479,
    ]
  `)
  expect(ofInts([1, -2, 3, -4, 5])).toMatchInlineSnapshot(`
    [
      -2043675578,
      1840658805,
      601797418,
      1676566942,
    ]
  `)
})

test('depends on the bytes and not on their position in a buffer', () => {
  const text = utf8('the quick brown fox jumps over it')
  for (let shift = 0; shift < 5; shift++) {
    const moved = new Uint8Array(text.length + 20).fill(shift)
    moved.set(text, shift)
    expect(ofBytes(moved, shift, shift + text.length)).toEqual(ofBytes(text))
  }
})

test('hashes a string like its UTF-8', () => {
  const input = new HashInput()
  for (const text of ['', 'main', 'naïve 日本語 🔥', 'lone \ud800', 'long '.repeat(100_000), 'after']) {
    input.start(2 * HASH_WORDS)
    input.string(text)
    input.text(utf8(text))
    expect([...input.ints.subarray(0, 4)]).toEqual([...input.ints.subarray(4, 8)])
    expect([...input.ints.subarray(0, 4)]).toEqual(ofBytes(utf8(text)))
  }
})

test('hashes whole words equally as bytes and as ints', () => {
  const ints = Int32Array.from([7, -1, 0, 2 ** 30, 5, 6])
  for (let count = 0; count <= ints.length; count++) {
    expect(ofBytes(new Uint8Array(ints.buffer, 0, count * 4))).toEqual(ofInts([...ints.subarray(0, count)], Seed.text))
  }
})

test('distinguishes zeros, lengths and seeds', () => {
  const seen = new Set<string>()
  for (let length = 0; length < 100; length++) {
    for (const seed of Object.values(Seed)) seen.add(ofBytes(new Uint8Array(length), 0, length, seed).join(' '))
  }
  expect(seen.size).toBe(100 * Object.values(Seed).length)
})

describe('flipping one bit flips about half of the result', () => {
  test.each([1, 2, 4, 7, 16, 19, 40])('in %i bytes', length => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255)
    const trials = 40
    // How often each bit of the result flipped, over every bit of the input.
    const flips = new Array<number>(128).fill(0)
    for (let trial = 0; trial < trials; trial++) {
      bytes[trial % length] = (bytes[trial % length] * 31 + trial) & 255
      const before = ofBytes(bytes)
      for (let bit = 0; bit < length * 8; bit++) {
        bytes[bit >> 3] ^= 1 << (bit & 7)
        const after = ofBytes(bytes)
        bytes[bit >> 3] ^= 1 << (bit & 7)
        for (let i = 0; i < 128; i++) flips[i] += ((before[i >> 5] ^ after[i >> 5]) >>> (i & 31)) & 1
      }
    }
    const shares = flips.map(count => count / (trials * length * 8))
    // At least 320 trials: four standard deviations are 0.11.
    expect(Math.min(...shares)).toBeGreaterThan(0.38)
    expect(Math.max(...shares)).toBeLessThan(0.62)
  })
})

test('has no collision in 64 bits for 2 million structured inputs', () => {
  // Small numbers in few positions, like the ids of lines and addresses: the worst case for weak mixing.
  const halves: [BigUint64Array, BigUint64Array] = [new BigUint64Array(2_000_000), new BigUint64Array(2_000_000)]
  const ints = new Int32Array(8)
  const out = new Int32Array(HASH_WORDS)
  const words = new BigUint64Array(out.buffer)
  let count = 0
  for (let length = 1; length <= 8; length++) {
    for (let k = 0; k < 250_000; k++) {
      ints.fill(0)
      ints[k % length] = Math.floor(k / length)
      ints[length - 1] ^= (k % 7) << 28
      ints[0] += (k % 5) * 4096
      // The loops above generate some inputs twice.
      ints[length >> 1] += k << 8
      hashInts(Seed.locations, ints, 0, length, out, 0)
      halves[0][count] = words[0]
      halves[1][count] = words[1]
      count++
    }
  }
  for (const half of halves) {
    const sorted = half.sort()
    let same = 0
    for (let i = 1; i < count; i++) if (sorted[i] === sorted[i - 1]) same++
    expect(same).toBe(0)
  }
})

test('gives a content several ids with the same check', () => {
  const words = Int32Array.from(ofInts([1, 2, 3]))
  const next = words.slice()
  for (let i = 1; i < MAX_CONTENT_IDS; i++) {
    toNextId(next)
    expect([next[0], next[1]]).not.toEqual([words[0], words[1]])
    expect(isIdOf(next[0], next[1], words[2], words[3], words)).toBe(true)
  }
  expect(isIdOf(words[0], words[1], words[2], words[3], words)).toBe(true)
  expect(isIdOf(words[0] ^ 1, words[1], words[2], words[3], words)).toBe(false)
  expect(isIdOf(words[0], words[1], words[2] ^ 1, words[3], words)).toBe(false)
})
