// Joins pieces of a zstd stream: for any cuts, the result is complete frames with the same content.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zstdOfRaw } from './testing/perf-data-writer.ts'
import { unzstdRaw } from './testing/unzstd-raw.ts'
import { joinZstdPieces } from './zstd-stream.ts'

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

test('joins frames with and without an end from pieces of any size', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      fc.integer({ min: 1, max: 600 }),
      fc.boolean(),
      (content, size, ends) => {
        const frames = joinZstdPieces(cut(zstdOfRaw(content, ends), size))!
        expect(frames.cutOff).toBe(0)
        expect(unzstdRaw(frames.bytes, 1000)).toEqual(content)
      },
    ),
  )
})

test('joins several frames, the last of them open', () => {
  const pieces = [zstdOfRaw(Uint8Array.of(1, 2), true), zstdOfRaw(Uint8Array.of(3), false)]
  expect(unzstdRaw(joinZstdPieces(pieces)!.bytes, 10)).toEqual(Uint8Array.of(1, 2, 3))
})

test('drops an incomplete last block', () => {
  const stream = zstdOfRaw(new Uint8Array(250).fill(7), false)
  const frames = joinZstdPieces([stream.subarray(0, stream.length - 10)])!
  expect(unzstdRaw(frames.bytes, 1000)).toHaveLength(200)
  expect(frames.cutOff).toBe(43)
})

test('clears the checksum flag if the checksum is missing', () => {
  const stream = zstdOfRaw(Uint8Array.of(9), false)
  stream[4] |= 4
  expect(joinZstdPieces([stream])!.bytes[4]).toBe(0)
  const ended = zstdOfRaw(Uint8Array.of(9), true)
  ended[4] |= 4
  expect(unzstdRaw(joinZstdPieces([ended, Uint8Array.of(1, 2)])!.bytes, 10)).toEqual(Uint8Array.of(9))
})

test('rejects data that is not zstd', () => {
  expect(joinZstdPieces([])).toBeUndefined()
  expect(joinZstdPieces([Uint8Array.of(1, 2, 3, 4, 5, 6)])).toBeUndefined()
})
