// Compares htlhash with Node's SHA-256 for file sizes at which the two windows start to overlap or shrink.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { htlhash, htlhashOf } from './build-id.ts'

function expected(head: Uint8Array, tail: Uint8Array, size: bigint): string {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(size)
  return createHash('sha256').update(head).update(tail).update(length).digest('hex').slice(0, 32)
}

test.each([0, 1, 55, 56, 64, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 100_000])(
  "htlhash of a file of %i bytes equals Node's hash",
  size => {
    const file = Uint8Array.from({ length: size }, (_, i) => (i * 167 + (i >> 7)) & 0xff)
    expect(htlhash(file)).toBe(expected(file.slice(0, 4096), file.slice(-4096), BigInt(size)))
  },
)

test.each([2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])(
  'htlhashOf computes the hash of a file of %s bytes from its ends',
  size => {
    const head = new Uint8Array(4096).fill(1)
    const tail = new Uint8Array(4096).fill(2)
    expect(htlhashOf(head, tail, size)).toBe(expected(head, tail, size))
  },
)
