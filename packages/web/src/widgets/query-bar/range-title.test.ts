import { expect, it } from 'vitest'
import { RELATIVE, rangeTitle } from './range-title.ts'

it('spells ranges that are not offered like those that are', () => {
  const titles = ['now-5m', 'now-15m', 'now-7m', 'now-90m', 'now-1h', 'now-2h', 'now-3d', 'now-2d'].map(from =>
    rangeTitle({ from, to: 'now' }),
  )
  expect(titles).toEqual([
    'Last 5 minutes',
    'Last 15 minutes',
    'Last 7 minutes',
    'Last 1 hour 30 minutes',
    'Last 1 hour',
    'Last 2 hours',
    'Last 3 days',
    'Last 2 days',
  ])
  for (const [from, title] of RELATIVE) expect(rangeTitle({ from, to: 'now' })).toBe(title)
})

it('states both ends of other ranges, and the day once', () => {
  const day = rangeTitle({ from: '2026-11-15T10:00:00', to: '2026-11-15T11:30:00' })
  expect(day).toMatch(/^Nov 15.*10:00:00 – 11:30:00$/)
  expect(rangeTitle({ from: '2026-11-15T10:00:00', to: '2026-11-16T11:30:00' })).toMatch(/Nov 15.* – Nov 16/)
  expect(rangeTitle({ from: 'x', to: 'now' })).toBe('x to now')
})
