// ScaledNumber against BigInt arithmetic, at all sizes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { DecimalPlaces, ScaledNumber, decimalText, scaledUnit, unscaledUnit } from './scaled-number.ts'

function read(text: string, shift: number): bigint | undefined {
  const number = new ScaledNumber()
  const bytes = encodeUtf8(text)
  return number.read(bytes, 0, bytes.length, shift) ? number.value : undefined
}

function isRounded(text: string, shift: number): boolean {
  const number = new ScaledNumber()
  const bytes = encodeUtf8(text)
  number.read(bytes, 0, bytes.length, shift)
  return number.rounded
}

describe('ScaledNumber', () => {
  test.each([
    ['0', 9, 0n],
    ['-0', 0, 0n],
    ['1.5', 3, 1500n],
    ['-0.25', 6, -250_000n],
    ['1e3', 0, 1000n],
    ['1.5E-3', 9, 1_500_000n],
    ['123456789.123456789', 9, 123_456_789_123_456_789n],
    ['1700000000123.456', 6, 1_700_000_000_123_456_000n],
    ['9223372036854775807', 0, 2n ** 63n - 1n],
    ['-9223372036854775808', 0, -(2n ** 63n)],
    ['0.4999', 0, 0n],
    ['0.5', 0, 1n],
    ['-1.5', 0, -2n],
    ['1e-400', 0, 0n],
    ['0e99999', 9, 0n],
  ])('reads %s times 10^%d', (text, shift, value) => {
    expect(read(text, shift)).toBe(value)
  })

  test.each(['9223372036854775808', '1e19', '1e400', '99999999999'])('rejects %s times 10^9', text => {
    expect(read(text, 9)).toBeUndefined()
  })

  test('reports rounding', () => {
    expect(isRounded('0.125', 3)).toBe(false)
    expect(isRounded('0.125', 2)).toBe(true)
    expect(isRounded('1.000', 0)).toBe(false)
  })

  test('reads back what decimalText writes', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.integer({ min: 0, max: 9 }), (value, places) => {
        expect(read(decimalText(value, places), places)).toBe(value)
      }),
    )
  })
})

test('DecimalPlaces returns the decimals that the numbers need and 64 bits allow', () => {
  const placesOf = (...texts: string[]): number => {
    const places = new DecimalPlaces(9)
    for (const text of texts) places.add(encodeUtf8(text), 0, text.length)
    return places.places
  }
  expect(placesOf('1', '20', '3e5')).toBe(0)
  expect(placesOf('1.5', '0.125', '7')).toBe(3)
  expect(placesOf('0.30000000000000004')).toBe(9)
  expect(placesOf('123456789012345678', '0.5')).toBe(0)
})

test('scaledUnit adds the scale to a unit and unscaledUnit removes it', () => {
  expect(scaledUnit('count', 3)).toBe('count/1000')
  expect(unscaledUnit('count/1000')).toEqual({ unit: 'count', places: 3 })
  expect(unscaledUnit('By/s')).toEqual({ unit: 'By/s', places: 0 })
})
