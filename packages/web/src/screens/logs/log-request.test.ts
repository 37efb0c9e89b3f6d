import { describe, expect, it } from 'vitest'
import { EMPTY_LOG_SEARCH } from '../../address/signal-searches.ts'
import { logRequest } from './log-request.ts'
import { severityName } from '../../widgets/severity-name.ts'

describe('logRequest', () => {
  it('contains only the conditions of the search', () => {
    expect(logRequest(EMPTY_LOG_SEARCH)).toEqual({ from: 'now-1h', to: 'now' })
    expect(logRequest({ ...EMPTY_LOG_SEARCH, exact: true, regex: true })).toEqual({ from: 'now-1h', to: 'now' })
    expect(
      logRequest({
        ...EMPTY_LOG_SEARCH,
        service: 'shop',
        text: 'refused',
        severity: 'warn',
        trace: 'a',
        span: 'b',
        profile: 'c',
        process: '7',
        thread: '1',
        filters: [{ key: 'region', operator: 'exists', value: '' }],
      }),
    ).toEqual({
      from: 'now-1h',
      to: 'now',
      service: 'shop',
      text: 'refused',
      ignoreCase: true,
      severity: 'warn',
      traceId: 'a',
      spanId: 'b',
      profileId: 'c',
      resource: '7',
      thread: '1',
      selector: '{region}',
    })
    expect(logRequest({ ...EMPTY_LOG_SEARCH, text: 'a.*b', regex: true, exact: true })).toMatchObject({ regex: 'a.*b' })
  })
})

describe('severityName', () => {
  it('maps the numbers of OTLP to names', () => {
    expect([0, 1, 4, 5, 12, 13, 17, 24, 25].map(severityName)).toEqual([
      '',
      'trace',
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      '',
    ])
  })
})
