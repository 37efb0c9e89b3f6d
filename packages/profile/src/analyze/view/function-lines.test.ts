import { describe, expect, test } from 'vitest'
import { functionLines } from './function-lines.ts'
import { profileOf } from '../testing/profile-of.ts'
import { topTable } from '../top.ts'

describe('functionLines', () => {
  const { profiles } = profileOf(`
    3                 1                 2
    main[shop.c:40]   main[shop.c:41]   main[shop.c:40]
    price[shop.c:12]  price[shop.c:14]  other[shop.c:9]`)
  const top = topTable(profiles, 0, { by: 'line' })

  test('lists the lines of matching functions in order, the most expensive function first', () => {
    expect(functionLines(top, name => name !== 'other')).toEqual([
      {
        name: 'price',
        file: 'shop.c',
        type: '',
        buildIds: [],
        self: 4n,
        lines: [
          { line: 12, self: 3n, total: 3n },
          { line: 14, self: 1n, total: 1n },
        ],
      },
      {
        name: 'main',
        file: 'shop.c',
        type: '',
        buildIds: [],
        self: 0n,
        lines: [
          { line: 40, self: 0n, total: 5n },
          { line: 41, self: 0n, total: 1n },
        ],
      },
    ])
  })

  test('finds nothing if no function matches', () => {
    expect(functionLines(top, () => false)).toEqual([])
  })
})
