import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GrowingBytes } from '../columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from './intern.ts'
import { sortSet } from '../columns/sorted-set.ts'

const fewBytes = fc.array(fc.constantFrom(0, 1, 2, 255), { maxLength: 9 }).map(list => Uint8Array.from(list))
const fewInts = fc
  .array(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), { maxLength: 5 })
  .map(list => Int32Array.from(list))

describe('BytesInterner', () => {
  test('interns bytes appended to its pool, and removes them if they are a duplicate', () => {
    const pool = new GrowingBytes(1)
    const interner = new BytesInterner(pool)
    const write = (...bytes: number[]): number => {
      const from = pool.append(Uint8Array.from(bytes), 0, bytes.length)
      return interner.internTail(from)
    }
    expect([write(1, 2, 3), write(4), write(1, 2, 3), write(), write(4), write(5)]).toEqual([1, 2, 1, 0, 2, 3])
    expect(pool.array.subarray(0, pool.length).join()).toBe('1,2,3,4,5')
    expect([1, 2, 3].map(row => contentOf(interner, row))).toEqual(['1,2,3', '4', '5'])
  })

  test('numbers distinct contents in order of appearance', () => {
    fc.assert(
      fc.property(fc.array(fewBytes, { maxLength: 300 }), list => {
        const interner = new BytesInterner(new GrowingBytes(1))
        const expected = new Map([['', 0]])
        for (const bytes of list) {
          const text = bytes.join()
          if (!expected.has(text)) expected.set(text, expected.size)
          // In the middle of an array, whose neighbouring bytes must not count.
          const padded = Uint8Array.of(7, ...bytes, 7)
          expect(interner.intern(padded, 1, 1 + bytes.length)).toBe(expected.get(text))
        }
        expect(interner.length).toBe(expected.size)
        for (const [text, row] of expected) expect(contentOf(interner, row)).toBe(text)
      }),
    )
  })

  test('keeps rows with equal hashes apart', () => {
    // Among 250,000 32-bit hashes, about seven pairs are equal.
    const interner = new BytesInterner(new GrowingBytes())
    const key = new Uint8Array(8)
    const numberOf = (i: number): number => {
      // Varies both words, because keys that differ in one word only never have equal hashes.
      key.set([i, 0, 0, 0, i >> 8, i >> 16])
      return interner.intern(key, 0, 8)
    }
    for (let i = 0; i < 250_000; i++) numberOf(i)
    expect(interner.length).toBe(250_001)
    const wrong = Array.from({ length: 250_000 }, (_, i) => i).filter(i => numberOf(i) !== i + 1)
    expect(wrong).toEqual([])
  })

  test('does not copy bytes that are already in the pool', () => {
    const bytes = Uint8Array.of(1, 2, 3, 1, 2)
    const pool = new GrowingBytes()
    pool.over(bytes)
    const interner = new BytesInterner(pool)
    expect([interner.intern(bytes, 3, 5), interner.intern(bytes, 0, 2), interner.intern(bytes, 1, 3)]).toEqual([
      1, 1, 2,
    ])
    expect(pool.array).toBe(bytes)
    expect(Array.from(interner.rows.view())).toEqual([0, 0, 3, 2, 1, 2])
    // Bytes from elsewhere are copied, even if the pool has to grow.
    expect(interner.intern(Uint8Array.of(9, 9), 0, 2)).toBe(3)
    expect(contentOf(interner, 3)).toBe('9,9')
    expect(contentOf(interner, 1)).toBe('1,2')
  })

  test('can be cleared and reused', () => {
    const interner = new BytesInterner(new GrowingBytes())
    interner.intern(Uint8Array.of(1), 0, 1)
    interner.clear()
    expect(interner.length).toBe(1)
    expect(interner.intern(Uint8Array.of(2), 0, 1)).toBe(1)
    expect(interner.intern(Uint8Array.of(1), 0, 1)).toBe(2)
  })
})

describe('SequenceInterner', () => {
  test('numbers distinct runs in order of appearance', () => {
    fc.assert(
      fc.property(fc.array(fewInts, { maxLength: 300 }), list => {
        const interner = new SequenceInterner()
        const expected = new Map<string, number>()
        for (const ints of list) {
          const text = ints.join()
          if (!expected.has(text)) expected.set(text, expected.size)
          expect(interner.intern(ints, 0, ints.length)).toBe(expected.get(text))
        }
        expect(interner.length).toBe(expected.size)
        for (const [text, row] of expected) {
          expect(interner.pool.array.subarray(interner.start(row), interner.end(row)).join()).toBe(text)
        }
      }),
    )
  })

  test('interns runs written behind the end of its pool', () => {
    const interner = new SequenceInterner()
    const write = (...ints: number[]): number => {
      interner.pool.reserve(ints.length).set(ints, interner.pool.length)
      return interner.internTail(ints.length)
    }
    expect([write(1, 2), write(2, 1), write(1, 2), write(), write(1), write()]).toEqual([0, 1, 0, 2, 3, 2])
    expect(Array.from(interner.pool.view())).toEqual([1, 2, 2, 1, 1])
  })

  test('does not find rows that were only appended', () => {
    const interner = new SequenceInterner()
    interner.pool.reserve(4).set([7, 8], 0)
    expect(interner.appendTail(2)).toBe(0)
    expect([7, 9, 9].map(int => interner.intern(Int32Array.of(int, 8), 0, 2))).toEqual([1, 2, 2])
    expect([interner.start(0), interner.end(0), interner.end(2), interner.length]).toEqual([0, 2, 6, 3])
  })

  test('finds every row of a large index', () => {
    const interner = new SequenceInterner()
    const key = new Int32Array(1)
    let wrong = 0
    for (let i = 0; i < 3_600_000; i++) {
      key[0] = i % 1_800_000
      if (interner.intern(key, 0, 1) !== key[0]) wrong++
    }
    expect(wrong).toBe(0)
  })

  test('gives the same numbers with and without reserved room', () => {
    for (const rows of [0, 250_000]) {
      const interner = new SequenceInterner()
      interner.expect(rows, rows)
      const key = new Int32Array(3)
      const numberOf = (i: number): number => {
        key.set([i % 13, i, i % 17])
        return interner.intern(key, 0, 3)
      }
      const wrong = Array.from({ length: 500_000 }, (_, i) => i % 250_000).filter(i => numberOf(i) !== i)
      expect(wrong).toEqual([])
    }
  })

  test('can be cleared and reused', () => {
    const interner = new SequenceInterner()
    interner.intern(Int32Array.of(1), 0, 1)
    interner.clear()
    expect([interner.intern(Int32Array.of(2), 0, 1), interner.intern(Int32Array.of(1), 0, 1)]).toEqual([0, 1])
  })
})

test('sortSet sorts and removes repeats, and changes nothing outside its range', () => {
  const ints = fc.array(fc.integer({ min: -5, max: 60 }), { maxLength: 80 })
  fc.assert(
    fc.property(ints, list => {
      const array = Int32Array.of(99, ...list, 99)
      const end = sortSet(array, 1, 1 + list.length)
      expect(Array.from(array.subarray(1, end))).toEqual([...new Set(list)].sort((a, b) => a - b))
      expect([array[0], array[array.length - 1]]).toEqual([99, 99])
    }),
  )
})

function contentOf({ rows, pool }: BytesInterner, row: number): string {
  const offset = rows.array[2 * row]
  return pool.array.subarray(offset, offset + rows.array[2 * row + 1]).join()
}
