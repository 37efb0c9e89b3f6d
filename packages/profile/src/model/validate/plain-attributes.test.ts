import { describe, expect, it } from 'vitest'
import type { AnyValue, KeyValue } from '../columns/any-value.ts'
import { encodeResource } from '../columns/any-value.ts'
import { ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { hasPlainAttributes } from './plain-attributes.ts'

function isPlain(...attributes: readonly KeyValue[]): boolean {
  const bytes = encodeResource({ attributes, droppedAttributesCount: 3, entityRefs: [] })
  return hasPlainAttributes(new ProtoReader(bytes), bytes.length, 1)
}

const attribute = (key: string, value: AnyValue): KeyValue => ({ key, value })

describe('hasPlainAttributes', () => {
  it('accepts plain values with distinct keys', () => {
    const values: readonly AnyValue[] = ['text', true, 5n, 0.5, new Uint8Array(3), undefined, '']
    expect(isPlain(...values.map((value, i) => attribute(`key${i}`, value)))).toBe(true)
    expect(isPlain()).toBe(true)
  })

  it.each<readonly [string, readonly KeyValue[]]>([
    ['a repeated key', [attribute('a', 'x'), attribute('b', 'y'), attribute('a', 'z')]],
    ['an empty key', [attribute('', 'x')]],
    ['a list', [attribute('a', ['x'])]],
    ['a key-value list', [attribute('a', { entries: [attribute('b', 'x')] })]],
    ['a key beyond ASCII', [attribute('ä', 'x')]],
    ['many attributes', Array.from({ length: 40 }, (_, i) => attribute(`key${i}`, 'x'))],
  ])('leaves %s to the caller', (_, attributes) => {
    expect(isPlain(...attributes)).toBe(false)
  })

  it('leaves malformed messages to the caller', () => {
    const bytes = encodeResource({ attributes: [attribute('a', 'x')], droppedAttributesCount: 0, entityRefs: [] })
    for (let length = 1; length < bytes.length; length++)
      expect(hasPlainAttributes(new ProtoReader(bytes, 0, length), length, 1)).toBe(false)
  })
})
