import { expect, test } from 'vitest'
import { EMPTY_TRACE_SEARCH, isNarrowed, samplesWithFrame } from '../../address/signal-searches.ts'
import { durationText, spanRequest } from './trace-request.ts'

test('only what was chosen is asked for', () => {
  expect(spanRequest(EMPTY_TRACE_SEARCH)).toEqual({ from: 'now-1h', to: 'now' })
  expect(
    spanRequest({
      ...EMPTY_TRACE_SEARCH,
      service: 'shop',
      name: 'GET /',
      kind: 'server',
      status: 'error',
      minDuration: '500',
      maxDuration: '1.5 s',
      samples: samplesWithFrame('a"b'),
      filters: [{ key: 'region', operator: '=', value: 'eu' }],
    }),
  ).toEqual({
    from: 'now-1h',
    to: 'now',
    service: 'shop',
    name: 'GET /',
    kind: 'server',
    status: 'error',
    minDuration: '500ms',
    maxDuration: '1500ms',
    samples: ' | frame "a\\"b"',
    selector: '{region="eu"}',
  })
})

test('durations as people write them', () => {
  expect(['20', '20ms', ' 1 s', '0.5ms', '.25s', '5µs', '1s500ms'].map(durationText)).toEqual([
    '20ms',
    '20ms',
    '1s',
    '500us',
    '250ms',
    '5us',
    '1s500ms',
  ])
})

test('a time alone narrows nothing down', () => {
  expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, from: 'now-1d' }, EMPTY_TRACE_SEARCH)).toBe(false)
  expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, status: 'error' }, EMPTY_TRACE_SEARCH)).toBe(true)
  const filters = [{ key: 'a', operator: 'exists', value: '' }] as const
  expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, filters }, EMPTY_TRACE_SEARCH)).toBe(true)
})
