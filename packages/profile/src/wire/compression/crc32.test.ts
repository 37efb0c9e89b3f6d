// CRC-32 against its published check values.
import { expect, test } from 'vitest'
import { crc32 } from './crc32.ts'
import { encodeUtf8 } from '../utf8.ts'

test('crc32 returns the published check values, for all alignments of eight bytes', () => {
  const bytes = encodeUtf8('xx123456789yy')
  expect(crc32(bytes, 2, 11) >>> 0).toBe(0xcbf43926)
  expect(crc32(bytes, 3, 3)).toBe(0)
  expect(crc32(encodeUtf8('a'), 0, 1) >>> 0).toBe(0xe8b7be43)
  expect(crc32(encodeUtf8('The quick brown fox jumps over the lazy dog'), 0, 43) >>> 0).toBe(0x414fa339)
})
