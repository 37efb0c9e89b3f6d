import { describe, expect, it } from 'vitest'
import { sparklinePath } from './sparkline-path.ts'

describe('sparklinePath', () => {
  it('scales from zero to the largest value', () => {
    expect(sparklinePath([0, 10], 10, 12).line).toBe('M0.0 11.0L10.0 1.0')
  })

  it('interrupts the line at missing values', () => {
    expect(sparklinePath([1, 1, undefined, 1], 30, 10).line).toBe('M0.0 1.0L10.0 1.0M30.0 1.0L31.0 1.0')
  })

  it('is empty without values', () => {
    expect(sparklinePath([], 30, 10)).toEqual({ line: '', area: '' })
  })
})
