import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { composed, numberByUse } from './numbering.ts'
import { UseCounts } from './use-counts.ts'

function usesOf(counts: readonly number[]): UseCounts {
  const uses = new UseCounts(counts.length)
  uses.counts.set(counts)
  return uses
}

function bytesOf(index: number): number {
  return index < 128 ? 1 : index < 16_384 ? 2 : 3
}

/** The total number of bytes of all references. */
function wireSize(counts: readonly number[], numbers: ArrayLike<number>): number {
  return counts.reduce((sum, count, row) => sum + count * bytesOf(numbers[row]), 0)
}

/** Use counts of a table: many small, some large, many equal. */
const counts = fc
  .tuple(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 0, max: 5 }), fc.infiniteStream(fc.nat(9)))
  .map(([length, spread, stream]) => Array.from(stream.take(length), n => (n > spread ? n * n : spread)))

describe('numberByUse', () => {
  test('keeps the order of rows that all fit into one byte', () => {
    const { rows, numbers, isIdentity } = numberByUse(usesOf(Array.from({ length: 128 }, (_, i) => i)))
    expect(isIdentity).toBe(true)
    expect(Array.from(rows.subarray(0, 128))).toEqual(Array.from({ length: 128 }, (_, i) => i))
    expect(Array.from(numbers.subarray(0, 128))).toEqual(Array.from({ length: 128 }, (_, i) => i))
  })

  test('numbers every row once, and row 0 with 0', () => {
    fc.assert(
      fc.property(counts, list => {
        const { rows, numbers, length, isIdentity } = numberByUse(usesOf(list))
        expect(length).toBe(list.length)
        expect(numbers[0]).toBe(0)
        expect(list.every((_, row) => rows[numbers[row]] === row)).toBe(true)
        expect(isIdentity).toBe(list.every((_, row) => numbers[row] === row))
      }),
    )
  })

  test('finds an order that no other order beats on the wire', () => {
    fc.assert(
      fc.property(counts, list => {
        const best = list.slice(1).sort((a, b) => b - a)
        const numbers = Array.from(list, (_, i) => i)
        expect(wireSize(list, numberByUse(usesOf(list)).numbers)).toBe(wireSize([list[0], ...best], numbers))
      }),
    )
  })

  test('preserves the order of rows within a class', () => {
    fc.assert(
      fc.property(counts, list => {
        const { rows, length } = numberByUse(usesOf(list))
        const turned = Array.from(rows.subarray(0, length)).findIndex(
          (row, i) => i > 0 && bytesOf(i) === bytesOf(i - 1) && row < rows[i - 1],
        )
        expect(turned).toBe(-1)
      }),
    )
  })

  test('fills three classes', () => {
    // Rows used rarely, often and most, in this order.
    const list = Array.from({ length: 20_000 }, (_, row) => (row > 19_873 ? 9 : row > 3_617 ? 5 : 1))
    const { rows, numbers } = numberByUse(usesOf(list))
    // 126 rows are used most, so the first row of the next group still fits in their class, and so on.
    expect([rows[1], rows[2], rows[127], rows[128], rows[129]]).toEqual([3_618, 19_874, 19_999, 1, 3_619])
    expect([numbers[2], numbers[3_617], numbers[19_873]]).toEqual([16_384, 19_999, 16_383])
    expect(wireSize(list, numbers)).toBe(
      wireSize(
        [1, ...list.slice(1).sort((a, b) => b - a)],
        list.map((_, i) => i),
      ),
    )
  })
})

test('composed maps source rows to the new numbers', () => {
  const uses = Array.from({ length: 200 }, (_, row) => row)
  const numbering = numberByUse(usesOf(uses))
  expect(numbering.numbers[199]).toBe(127)
  expect(Array.from(composed(Int32Array.of(199, -1, 0), numbering, 3))).toEqual([127, 0, 0])
})
