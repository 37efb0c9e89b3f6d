import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodecError } from './codec-error.ts'
import { openLz4 } from './lz4.ts'
import { openSnappy } from './snappy.ts'

const TEXT = 'main;run;work 12\nmain;idle 3\n'.repeat(40)

// Written by github.com/golang/snappy and github.com/pierrec/lz4, which the Collector uses.
const BLOCK =
  '8809406d61696e3b72756e3b776f726b2031320a05111469646c652033090cfe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00fe1d00961d00'
const SNAPPY = {
  framed: `ff060000734e61507059005900003b31a2e9${BLOCK}`,
  block: BLOCK,
}
const LZ4_BLOCK =
  'f1026d61696e3b72756e3b776f726b2031320a11006269646c6520330c000f1d00ffffffff45016b04d00a6d61696e3b69646c6520330a'
const LZ4 = {
  plain: `04224d186470b937000000${LZ4_BLOCK}00000000748d8a04`,
  'with checksums and a size': `04224d187c7088040000000000000137000000${LZ4_BLOCK}544d20d100000000748d8a04`,
}

const FORMATS = [
  ...Object.entries(SNAPPY).map(([name, hex]) => [`snappy, ${name}`, hex, openSnappy] as const),
  ...Object.entries(LZ4).map(([name, hex]) => [`lz4, ${name}`, hex, openLz4] as const),
]

describe.each(FORMATS)('%s', (_name, hex, open) => {
  const packed = Buffer.from(hex, 'hex')

  test('reads what Go writes', () => {
    expect(Buffer.from(open(packed, TEXT.length)).toString()).toBe(TEXT)
  })

  test('stops at the limit', () => {
    expect(() => open(packed, TEXT.length - 1)).toThrow(expect.objectContaining({ reason: 'limit' }))
  })

  test('rejects truncated input', () => {
    for (let length = 0; length < packed.length - 4; length++) {
      // A framed stream may end after its header.
      if (length === 10 && hex.startsWith('ff')) continue
      expect(() => open(packed.subarray(0, length), 10_000)).toThrow(CodecError)
    }
  })

  test('throws nothing but CodecError for damaged input', () => {
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const damaged = Buffer.from(packed)
        damaged[at] = byte
        try {
          open(damaged, 10_000)
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError)
        }
      }),
    )
  })
})

test('openSnappy checks the checksums of frames', () => {
  const packed = Buffer.from(SNAPPY.framed, 'hex')
  packed[14] ^= 1
  expect(() => openSnappy(packed, 10_000)).toThrow('wrong checksum')
})
