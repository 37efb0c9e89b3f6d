import { describe, expect, it } from 'vitest'
import { preferredValues, spanValues, sumOf } from './span-values.ts'

const types = [
  { type: 'wall', unit: 'ns' },
  { type: 'cpu', unit: 'ns' },
  { type: 'alloc', unit: 'By' },
]
// Two roots; the second has a child.
const parent = Int32Array.of(-1, -1, 1)
const all = spanValues(
  { types, spans: { length: 3 } },
  {
    span: Uint32Array.of(0, 1, 2, 2),
    type: Uint32Array.of(0, 1, 0, 1),
    samples: Float64Array.of(4, 0, 2, 3),
    value: Float64Array.of(40, 0, 20, 30),
    subtreeSamples: Float64Array.of(4, 3, 2, 3),
    subtreeValue: Float64Array.of(40, 30, 20, 30),
    valueExact: undefined,
    subtreeValueExact: undefined,
  },
)

describe('spanValues', () => {
  it('sums samples by type and drops types without samples', () => {
    expect(all.map(({ key }) => key)).toEqual(['wall:ns', 'cpu:ns'])
    expect(sumOf(all[1], 1, false, parent)).toEqual({ samples: 0, value: 0 })
    expect(sumOf(all[1], 1, true, parent)).toEqual({ samples: 3, value: 30 })
    // The sum of all roots. Their values include those of their children.
    expect(sumOf(all[1], -1, true, parent)).toEqual({ samples: 3, value: 30 })
    expect(sumOf(all[0], -1, false, parent)).toEqual({ samples: 4, value: 40 })
  })
})

describe('preferredValues', () => {
  it('prefers CPU time but selects a type that has samples', () => {
    const first = (row: number, below: boolean): string =>
      preferredValues(all, values => sumOf(values, row, below, parent))
    expect(first(-1, true)).toBe('cpu:ns')
    expect(first(0, true)).toBe('wall:ns')
    expect(first(1, false)).toBe('cpu:ns')
    expect(preferredValues([], () => ({ samples: 0, value: 0 }))).toBe('')
  })
})
