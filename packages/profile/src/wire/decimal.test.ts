// Decimal text against BigInt, over all of int64 and uint64.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { negate, parseDigits, parseInteger, writeInt64, writeUint } from './decimal.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'

const EDGES = [
  0n,
  1n,
  9n,
  10n,
  999999999n,
  1000000000n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  10n ** 18n - 1n,
  10n ** 18n,
  2n ** 63n - 1n,
]
const SIGNED = [...EDGES, ...EDGES.map(value => -value), -(2n ** 63n)]
const UNSIGNED = [...EDGES, 2n ** 63n, 10n ** 19n, 2n ** 64n - 1n]

const signed = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(...SIGNED))
const unsigned = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(...UNSIGNED))

function parse(text: string): bigint | string {
  const bytes = encodeUtf8(`<${text}>`)
  const out = { lo: 0, hi: 0 }
  const fault = parseInteger(bytes, 1, bytes.length - 1, out)
  if (fault !== 'none') return fault
  expect(out.lo).toBe(out.lo | 0)
  expect(out.hi).toBe(out.hi | 0)
  const bits = (BigInt(out.hi) << 32n) | BigInt(out.lo >>> 0)
  return text.startsWith('-') ? bits : BigInt.asUintN(64, bits)
}

function written(value: bigint, isUnsigned: boolean): string {
  const target = new Uint8Array(24)
  const lo = Number(BigInt.asIntN(32, value))
  const hi = Number(BigInt.asIntN(32, value >> 32n))
  const end = writeInt64(lo, hi, isUnsigned, target, 2)
  return decodeUtf8(target, 2, end)
}

describe('parseInteger', () => {
  test('parses all of int64 and uint64 exactly', () => {
    for (const value of [...SIGNED, ...UNSIGNED]) expect(parse(String(value))).toBe(value)
    fc.assert(
      fc.property(signed, value => {
        expect(parse(String(value))).toBe(value)
      }),
    )
    fc.assert(
      fc.property(unsigned, value => {
        expect(parse(String(value))).toBe(value)
      }),
    )
  })

  test.each([
    ['1e3', 1000n],
    ['1.0', 1n],
    ['-1.50E1', -15n],
    ['1500e-2', 15n],
    ['0.001e+3', 1n],
    ['1.8446744073709551615e19', 2n ** 64n - 1n],
    ['-922337203685477580.8e1', -(2n ** 63n)],
    ['-0', 0n],
    ['0e999999999999999999999', 0n],
    ['0.000', 0n],
    ['100000000000000000000000000000e-29', 1n],
    ['18446744073709551616', 'range'],
    ['-9223372036854775809', 'range'],
    ['99999999999999999999', 'range'],
    ['100000000000000000000000', 'range'],
    ['1e20', 'range'],
    ['1e400000000000000000000000', 'range'],
    ['0.5', 'fraction'],
    ['1.5e0', 'fraction'],
    ['15e-2', 'fraction'],
    ['1e-400000000000000000000000', 'fraction'],
    ['', 'syntax'],
    ['-', 'syntax'],
    ['+1', 'syntax'],
    ['01', 'syntax'],
    ['-00', 'syntax'],
    ['1.', 'syntax'],
    ['.5', 'syntax'],
    ['1e', 'syntax'],
    ['1e+', 'syntax'],
    [' 1', 'syntax'],
    ['1 ', 'syntax'],
    ['0x10', 'syntax'],
    ['NaN', 'syntax'],
    ['1e3.0', 'syntax'],
  ])('parses %s', (text, expected) => {
    expect(parse(text)).toBe(expected)
  })
})

test('parseDigits and negate return false if the value does not fit', () => {
  const out = { lo: 0, hi: 0 }
  const digits = (text: string) => parseDigits(encodeUtf8(text), 0, text.length, out)
  expect(digits('18446744073709551616')).toBe(false)
  expect(digits('123456789012345678901')).toBe(false)
  expect(digits('9223372036854775809')).toBe(true)
  expect(negate(out)).toBe(false)
  expect(digits('9223372036854775808')).toBe(true)
  expect(negate(out)).toBe(true)
  expect(out).toEqual({ lo: 0, hi: -(2 ** 31) })
})

describe('writeInt64', () => {
  test('writes all of int64 and uint64 exactly', () => {
    for (const value of SIGNED) expect(written(value, false)).toBe(String(value))
    for (const value of UNSIGNED) expect(written(value, true)).toBe(String(value))
    fc.assert(
      fc.property(signed, value => {
        expect(written(value, false)).toBe(String(value))
      }),
    )
    fc.assert(
      fc.property(unsigned, value => {
        expect(written(value, true)).toBe(String(value))
      }),
    )
  })

  test('writes numbers of every length', () => {
    for (let power = 0n, value = 1n; power < 20n; power++, value *= 10n) {
      expect(written(value, true)).toBe(String(value))
      expect(written(value - 1n, true)).toBe(String(value - 1n))
    }
  })
})

test('writeUint writes numbers up to 2^53 - 1', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), value => {
      const target = new Uint8Array(20)
      expect(decodeUtf8(target, 1, writeUint(value, target, 1))).toBe(String(value))
    }),
  )
})
