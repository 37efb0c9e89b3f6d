import { expect, test } from 'vitest'
import { durationMs } from '../options.ts'
import { storedRange } from './stored-range.ts'

test('storedRange parses ranges', () => {
  expect(storedRange('now-2h..now-1h')).toEqual({ from: 'now-2h', to: 'now-1h' })
  expect(storedRange('now-2h..')).toEqual({ from: 'now-2h', to: undefined })
  expect(storedRange('2026-11-15T14:00:00.5Z')).toEqual({ from: '2026-11-15T14:00:00.5Z', to: undefined })
  for (const text of ['', '..', '..now', 'a..b..c']) expect(() => storedRange(text)).toThrow('FROM..TO')
})

test('durationMs parses durations', () => {
  const texts = ['5s', '5', '0.5s', '250ms', '2m', '24h', '1d']
  expect(texts.map(durationMs)).toEqual([5000, 5000, 500, 250, 120_000, 86_400_000, 86_400_000])
  for (const text of ['', '0', '0.1ms', '25h', '-1s', '2d', 'soon', '1e3']) expect(() => durationMs(text)).toThrow('5s')
})
