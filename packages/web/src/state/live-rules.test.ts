import { describe, expect, it } from 'vitest'
import { LIVE_INTERVALS, canRefresh, intervalTitle } from './live-rules.ts'

describe('canRefresh', () => {
  const idle = { isHidden: false, isHovered: false, isBusy: false, isTyping: false }

  it('pauses while the user would be disturbed or does not look', () => {
    expect(canRefresh(idle)).toBe(true)
    for (const key of Object.keys(idle)) expect(canRefresh({ ...idle, [key]: true })).toBe(false)
  })
})

describe('intervalTitle', () => {
  it('names each interval', () => {
    expect(LIVE_INTERVALS.map(intervalTitle)).toEqual(['Off', '5 s', '10 s', '30 s', '1 min'])
  })
})
