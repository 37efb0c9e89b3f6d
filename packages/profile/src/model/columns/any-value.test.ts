import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WireError } from '../../wire/wire-error.ts'
import type { AnyValue, Resource, Scope } from './any-value.ts'
import {
  decodeAnyValue,
  decodeAttributeValue,
  decodeKeyValue,
  decodeResource,
  decodeScope,
  doubleFromHalves,
  encodeNested,
  encodeResource,
  encodeScope,
  halvesOfDouble,
  isKeyValueList,
} from './any-value.ts'
import { canonicalNested, canonicalResource } from '../attributes/canonical.ts'
import { ValueKind } from './dictionary.ts'
import { arbitraryValue } from '../testing/arbitrary-profiles.ts'

/** Objects with the same prototype as the decoder's. */
const plain = { noNullPrototype: true } as const
const keyValues = fc.array(fc.record({ key: fc.string(), value: arbitraryValue() }, plain), { maxLength: 4 })
const resource: fc.Arbitrary<Resource> = fc.record(
  {
    attributes: keyValues,
    droppedAttributesCount: fc.constantFrom(0, 1, 0x8000_0000, 0xffff_ffff),
    entityRefs: fc.array(
      fc.record(
        {
          schemaUrl: fc.string(),
          type: fc.string(),
          idKeys: fc.array(fc.string(), { maxLength: 2 }),
          descriptionKeys: fc.array(fc.string(), { maxLength: 2 }),
        },
        plain,
      ),
      { maxLength: 2 },
    ),
  },
  plain,
)
const scope: fc.Arbitrary<Scope> = fc.record(
  {
    name: fc.string(),
    version: fc.string(),
    attributes: keyValues,
    droppedAttributesCount: fc.constantFrom(0, 1, 0xffff_ffff),
  },
  plain,
)

function nestedOnce(value: AnyValue, levels: number): AnyValue {
  return levels === 0 ? value : nestedOnce([value], levels - 1)
}

describe('encoding and decoding', () => {
  test('round-trips resources', () => {
    fc.assert(
      fc.property(resource, value => {
        const bytes = encodeResource(value)
        expect(decodeResource(bytes, 0, bytes.length)).toStrictEqual(value)
      }),
    )
  })

  test('round-trips scopes', () => {
    fc.assert(
      fc.property(scope, value => {
        const bytes = encodeScope(value)
        expect(decodeScope(bytes, 0, bytes.length)).toStrictEqual(value)
      }),
    )
  })

  test('round-trips arrays and key-value lists', () => {
    fc.assert(
      fc.property(fc.array(arbitraryValue(), { maxLength: 4 }), keyValues, (list, entries) => {
        const array = encodeNested(list)
        const keyed = encodeNested({ entries })
        expect(decodeAttributeValue(array, ValueKind.array, 0, array.length)).toStrictEqual(list)
        expect(decodeAttributeValue(keyed, ValueKind.keyValues, 0, keyed.length)).toStrictEqual({ entries })
      }),
    )
  })

  test('round-trips doubles bit by bit', () => {
    for (const value of [0, -0, NaN, Infinity, -Infinity, 5e-324, 0.1, -1.5]) {
      expect(doubleFromHalves(...halvesOfDouble(value))).toBe(value)
    }
    expect(halvesOfDouble(-0)).toEqual([0, -0x8000_0000])
  })
})

test('encodeNested rejects integers beyond 64 bits instead of truncating them', () => {
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n]) expect(() => encodeNested([value])).toThrow(RangeError)
})

test('isKeyValueList distinguishes lists from arrays and bytes', () => {
  expect([{ entries: [] }, [], new Uint8Array(1), 'entries', undefined, 1n].map(isKeyValueList)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})

describe('decoding foreign input', () => {
  test('skips unknown fields and uses the last of several values', () => {
    // field 9 (varint 5), string 'a', int 7
    const bytes = Uint8Array.of(0x48, 5, 0x0a, 1, 0x61, 0x18, 7)
    expect(decodeAnyValue(bytes, 0, bytes.length)).toBe(7n)
  })

  test('decodes negative and large integers', () => {
    const allOnes = Uint8Array.of(0x18, ...Array.from({ length: 9 }, () => 0xff), 1)
    expect(decodeAnyValue(allOnes, 0, allOnes.length)).toBe(-1n)
  })

  test('requires a string table to resolve references to it', () => {
    // key_strindex 2, value { string_value_strindex 3 }
    const bytes = Uint8Array.of(0x18, 2, 0x12, 2, 0x40, 3)
    const strings = (index: number): string => ['', 'one', 'key', 'value'][index]
    expect(decodeKeyValue(bytes, 0, bytes.length, strings)).toEqual({ key: 'key', value: 'value' })
    expect(() => decodeKeyValue(bytes, 0, bytes.length)).toThrow(WireError)
  })

  test('limits the depth of nested values', () => {
    const deep = encodeNested([nestedOnce('x', 47)])
    expect(decodeAttributeValue(deep, ValueKind.array, 0, deep.length)).toEqual([nestedOnce('x', 47)])
    const deeper = encodeNested([nestedOnce('x', 60)])
    expect(() => decodeAttributeValue(deeper, ValueKind.array, 0, deeper.length)).toThrow(/nested deeper than 50/)
  })

  test('decodes any bytes or throws a WireError with an offset', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        for (const decode of [decodeAnyValue, decodeKeyValue, decodeResource, decodeScope]) {
          try {
            decode(bytes, 0, bytes.length)
          } catch (error) {
            expect(error).toBeInstanceOf(WireError)
            expect((error as WireError).offset).toBeLessThanOrEqual(bytes.length)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('canonical encoding', () => {
  test('is the same for all orders and encodings', () => {
    const turned = (value: AnyValue): AnyValue => {
      if (isKeyValueList(value)) {
        return { entries: value.entries.map(entry => ({ ...entry, value: turned(entry.value) })).reverse() }
      }
      return Array.isArray(value) ? (value as AnyValue[]).map(turned) : value
    }
    const unique = fc.uniqueArray(fc.record({ key: fc.string(), value: arbitraryValue() }, plain), {
      selector: ({ key }) => key,
    })
    fc.assert(
      fc.property(unique, attributes => {
        const empty = { droppedAttributesCount: 0, entityRefs: [] }
        const a = encodeResource({ ...empty, attributes })
        const b = encodeResource({
          ...empty,
          attributes: attributes.map(({ key, value }) => ({ key, value: turned(value) })).reverse(),
        })
        expect(canonicalResource(b, 0, b.length)).toEqual(canonicalResource(a, 0, a.length))
      }),
    )
  })

  test('omits what may be omitted', () => {
    // [{ key: 'k', value: an empty AnyValue }], and the same with no value at all
    const present = Uint8Array.of(0x0a, 5, 0x0a, 1, 0x6b, 0x12, 0)
    const absent = encodeNested({ entries: [{ key: 'k', value: undefined }] })
    expect(present).not.toEqual(absent)
    expect(canonicalNested(present, ValueKind.keyValues, 0, present.length)).toEqual(absent)
  })
})
