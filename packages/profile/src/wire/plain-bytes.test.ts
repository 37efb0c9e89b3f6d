import { expect, test } from 'vitest'
import { plainBytes } from './plain-bytes.ts'

class Subclass extends Uint8Array {}

test('plainBytes returns a view for a subclass and a plain array unchanged', () => {
  const memory = new ArrayBuffer(8)
  const bytes = new Subclass(memory, 2, 4)
  const plain = plainBytes(bytes)
  expect([plain.constructor, plain.buffer, plain.byteOffset, plain.length]).toEqual([Uint8Array, memory, 2, 4])
  expect(plainBytes(plain)).toBe(plain)
})
