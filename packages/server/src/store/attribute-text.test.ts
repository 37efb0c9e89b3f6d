import type { AnyValue, AttributeIndex } from '@hearth/profile'
import { ProfilesBuilder, ValueKind, doubleFromHalves, halvesOfDouble } from '@hearth/profile'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryValue } from '../../../profile/src/model/testing/arbitrary-profiles.ts'
import {
  AttributeTextError,
  addAttribute,
  bytesOfRow,
  bytesOfValue,
  kindOfValue,
  valueOfBytes,
} from './attribute-text.ts'

const text = (value: AnyValue): string => new TextDecoder().decode(bytesOfValue(value))
const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('bytesOfValue', () => {
  test.each<[AnyValue, ValueKind, string]>([
    [undefined, 0, ''],
    ['', 1, ''],
    ['naïve', 1, 'naïve'],
    [true, 2, 'true'],
    [false, 2, 'false'],
    [-(2n ** 63n), 3, '-9223372036854775808'],
    [0.1, 4, '0.1'],
    [-0, 4, '-0'],
    [1e300, 4, '1e+300'],
    [NaN, 4, 'NaN'],
    [-Infinity, 4, '-Infinity'],
    [[], 5, '{"values":[]}'],
    [
      [1n, undefined, -0, NaN, new Uint8Array([255])],
      5,
      '{"values":[{"intValue":"1"},{},{"doubleValue":"-0"},{"doubleValue":"NaN"},{"bytesValue":"/w=="}]}',
    ],
    [
      { entries: [{ key: 'a', value: { entries: [] } }] },
      6,
      '{"values":[{"key":"a","value":{"kvlistValue":{"values":[]}}}]}',
    ],
  ])('writes %s with kind %i', (value, kind, expected) => {
    expect(kindOfValue(value)).toBe(kind)
    expect(text(value)).toBe(expected)
    expect(valueOfBytes(kind, utf8(expected))).toEqual(value)
  })

  test('returns bytes unchanged', () => {
    const bytes = new Uint8Array([0, 255, 10])
    expect(bytesOfValue(bytes)).toEqual(bytes)
    expect(valueOfBytes(ValueKind.bytes, bytes)).toEqual(bytes)
  })
})

test('any value can be read back', () => {
  fc.assert(
    fc.property(arbitraryValue({}, 3), value => {
      expect(valueOfBytes(kindOfValue(value), bytesOfValue(value))).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('any row of a dictionary has the text of its value and can be added again', () => {
  fc.assert(
    fc.property(arbitraryValue({}, 3), value => {
      const builder = new ProfilesBuilder()
      const row = builder.attribute('key', value, 'unit')
      const { attributes } = builder.build().dictionary
      const bytes = bytesOfRow(attributes, row)
      expect(bytes).toEqual(bytesOfValue(value))
      const second = new ProfilesBuilder()
      const same = addAttribute(second, utf8('key'), utf8('unit'), attributes.kind(row), bytes)
      expect(second.attribute('key', value, 'unit')).toBe(same)
    }),
    { numRuns: 500 },
  )
})

test('every bit of a double survives, also of a NaN', () => {
  const halves = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 0x7ff0_0000, 0x7ff8_0000, 0x7ff0_0001, -0x8000_0000))
  fc.assert(
    fc.property(halves, halves, (lo, hi) => {
      const first = new ProfilesBuilder()
      const key = first.string('k')
      const row = first.dictionary.attribute(key, first.string(''), ValueKind.double, lo, hi, new Uint8Array(0))
      const bytes = bytesOfRow(first.build().dictionary.attributes, row)
      const second = new ProfilesBuilder()
      const back: AttributeIndex = addAttribute(second, utf8('k'), utf8(''), ValueKind.double, bytes)
      const { attributes } = second.build().dictionary
      expect([attributes.a(back), attributes.b(back)]).toEqual([lo, hi])
      const value = doubleFromHalves(lo, hi)
      if (!Number.isNaN(value))
        expect(halvesOfDouble(valueOfBytes(ValueKind.double, bytes) as number)).toEqual([lo, hi])
    }),
    { numRuns: 1000 },
  )
})

test.each<[number, string]>([
  [2, 'yes'],
  [3, ''],
  [3, '1.5'],
  [3, '9223372036854775808'],
  [4, ''],
  [4, 'x'],
  [5, 'x'],
  [5, '{}'],
  [5, '{"values":[{"mystery":1}]}'],
  [5, '{"values":[null]}'],
  [6, '{"values":[{}]}'],
  [8, ''],
])('kind %i rejects %j', (kind, bad) => {
  expect(() => valueOfBytes(kind, utf8(bad))).toThrow(AttributeTextError)
  expect(() => addAttribute(new ProfilesBuilder(), utf8('k'), utf8(''), kind, utf8(bad))).toThrow(AttributeTextError)
})
