import { describe, expect, it } from 'vitest'
import { EMPTY_TRACE_SEARCH, isNarrowed, samplesWithFrame } from '../../address/signal-searches.ts'
import { durationWithUnit, spanRequest } from './trace-request.ts'

describe('spanRequest', () => {
  it('contains only the conditions of the search', () => {
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
        samples: samplesWithFrame({ name: 'a"b', file: '' }),
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
})

describe('durationWithUnit', () => {
  it('accepts plain numbers, fractions, spaces and the micro sign', () => {
    expect(['20', '20ms', ' 1 s', '0.5ms', '.25s', '5µs', '1s500ms'].map(durationWithUnit)).toEqual([
      '20ms',
      '20ms',
      '1s',
      '500us',
      '250ms',
      '5us',
      '1s500ms',
    ])
  })
})

describe('isNarrowed', () => {
  it('returns false for a search that only has a time range', () => {
    expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, from: 'now-1d' }, EMPTY_TRACE_SEARCH)).toBe(false)
    expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, status: 'error' }, EMPTY_TRACE_SEARCH)).toBe(true)
    const filters = [{ key: 'a', operator: 'exists', value: '' }] as const
    expect(isNarrowed({ ...EMPTY_TRACE_SEARCH, filters }, EMPTY_TRACE_SEARCH)).toBe(true)
  })
})
