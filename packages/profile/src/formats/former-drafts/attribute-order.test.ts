import { expect, test } from 'vitest'
import type { AnyValue } from '../../model/columns/any-value.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { AttributeOrder } from './attribute-order.ts'

test('AttributeOrder sorts by key, kind, value and unit, independent of rows', () => {
  const sorted: readonly (readonly [key: string, value: AnyValue, unit: string])[] = [
    ['a', undefined, ''],
    ['a', 'x', ''],
    ['a', 'x', 'ms'],
    ['a', 'xy', ''],
    ['a', false, ''],
    ['a', 1n, ''],
    ['a', 2n, ''],
    ['ab', 'x', ''],
    ['b', Uint8Array.of(1), ''],
  ]
  for (const drawn of [sorted, sorted.toReversed(), [...sorted.slice(4), ...sorted.slice(0, 4)]]) {
    const builder = new ProfilesBuilder()
    const rows = drawn.map(([key, value, unit]) => builder.attribute(key, value, unit))
    const { dictionary } = builder.build()
    const { attributes, strings } = dictionary
    const order = new AttributeOrder(dictionary).sorted(rows)
    const content = order.map(row => [
      strings.text(attributes.key(row)),
      attributes.value(row),
      strings.text(attributes.unit(row)),
    ])
    expect(content).toEqual(sorted)
  }
})
