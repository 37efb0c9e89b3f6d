import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignLines } from './align-lines.ts'

function shown(before: string, after: string): string {
  return alignLines(before.split(''), after.split(''))
    .map(pair => `${before[(pair.before ?? 0) - 1] ?? '·'}${after[(pair.after ?? 0) - 1] ?? '·'}`)
    .join(' ')
}

describe('alignLines', () => {
  it('puts equal lines beside each other', () => {
    expect(shown('abcd', 'acxd')).toBe('aa b· cc ·x dd')
    expect(shown('', 'ab')).toBe('·a ·b')
    expect(shown('ab', '')).toBe('a· b·')
    expect(shown('abc', 'abc')).toBe('aa bb cc')
  })

  it('contains every line of both versions once and in order, and pairs only equal lines', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const aligned = alignLines(before, after)
        const numbers = (side: 'before' | 'after'): number[] =>
          aligned.map(pair => pair[side]).filter(line => line !== undefined)
        expect(numbers('before')).toEqual(before.map((_, i) => i + 1))
        expect(numbers('after')).toEqual(after.map((_, i) => i + 1))
        for (const pair of aligned)
          if (pair.before !== undefined && pair.after !== undefined)
            expect(before[pair.before - 1]).toBe(after[pair.after - 1])
      }),
    )
  })

  it('pairs very large differences by position', () => {
    const before = Array.from({ length: 3000 }, (_, i) => `a${i}`)
    const after = Array.from({ length: 2500 }, (_, i) => `b${i}`)
    const aligned = alignLines(before, after)
    expect(aligned).toHaveLength(3000)
    expect(aligned[2499]).toEqual({ before: 2500, after: 2500 })
    expect(aligned[2999]).toEqual({ before: 3000, after: undefined })
  })
})
