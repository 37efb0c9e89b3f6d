// SHA-256 against published examples.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sha256, sha256 } from './sha256.ts'
import { encodeUtf8 } from './utf8.ts'

const hex = (bytes: Uint8Array) => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

// The examples of FIPS 180-2, appendix B, and lengths around the end of a block.
test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['a'.repeat(55), '9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318'],
  ['a'.repeat(56), 'b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a'],
  ['a'.repeat(64), 'ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb'],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('sha256 hashes "%.20s"', (text, expected) => {
  expect(hex(sha256(encodeUtf8(text)))).toBe(expected)
})

test('pieces give the same hash as the whole input', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 6 }), pieces => {
      const whole = Uint8Array.from(pieces.flatMap(piece => [...piece]))
      const hash = new Sha256()
      for (const piece of pieces) hash.update(piece)
      expect(hash.digest()).toEqual(sha256(whole))
    }),
  )
})
