import { expect, it } from 'vitest'
import { formatLength, lengthWords } from './format-time.ts'

it('lengthWords and formatLength write a length in its two largest units', () => {
  expect([300_000, 3_600_000, 5_400_000, 172_800_000].map(lengthWords)).toEqual([
    '5 minutes',
    '1 hour',
    '1 hour 30 minutes',
    '2 days',
  ])
  expect([300_000, 90_000].map(formatLength)).toEqual(['5 min', '1 min 30 s'])
})
