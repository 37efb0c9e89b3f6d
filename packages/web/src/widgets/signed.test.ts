import { formatDuration } from '@hearth/profile'
import { expect, it } from 'vitest'
import { signed } from './signed.ts'

it('signed writes a plus sign or a minus sign, and neither for zero', () => {
  expect([722_000n, -722_000n, 0n].map(nanos => signed(nanos, formatDuration(nanos)))).toEqual([
    '+722 \u00b5s',
    '−722 \u00b5s',
    '0 s',
  ])
})
