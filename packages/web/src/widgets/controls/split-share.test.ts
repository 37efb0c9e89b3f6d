import { describe, expect, it } from 'vitest'
import { limitedShare, shareAfterKey } from './split-share.ts'

describe('limitedShare', () => {
  it('keeps both panes visible and replaces text that is no number', () => {
    expect([limitedShare(0, 0.4), limitedShare(2, 0.4), limitedShare(Number('x'), 0.4)]).toEqual([0.1, 0.9, 0.4])
  })
})

describe('shareAfterKey', () => {
  it('moves by steps, to the ends and back to the default', () => {
    const after = (key: string): number | undefined => shareAfterKey(key, 0.5, 0.4)
    expect(after('ArrowLeft')).toBeCloseTo(0.48)
    expect(after('ArrowDown')).toBeCloseTo(0.52)
    expect([after('Home'), after('End'), after('Enter'), after('a')]).toEqual([0.1, 0.9, 0.4, undefined])
  })
})
