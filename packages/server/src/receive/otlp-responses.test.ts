import { describe, expect, test } from 'vitest'
import {
  logsResponse,
  metricsResponse,
  profilesResponse,
  retryDelayMs,
  rpcStatus,
  tracesResponse,
} from '@hearth/signals'
import { responseBody, statusBody } from './otlp-responses.ts'
import { busy, undecodable } from './refusal.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

describe('responseBody', () => {
  const cases = [
    ['profiles', 'rejectedProfiles', profilesResponse],
    ['traces', 'rejectedSpans', tracesResponse],
    ['logs', 'rejectedLogRecords', logsResponse],
    ['metrics', 'rejectedDataPoints', metricsResponse],
  ] as const

  test.each(cases)('%s: leaves partial_success unset if all items were accepted', signal => {
    const outcome = { signal, rejected: 0, message: '' }
    expect(responseBody(outcome, 'protobuf')).toHaveLength(0)
    expect(text(responseBody(outcome, 'json'))).toBe('{}')
  })

  test.each(cases)('%s: counts rejects as %s, with the reason', (signal, name, codec) => {
    const outcome = { signal, rejected: 3, message: 'spans[0]: no' }
    const expected = { partialSuccess: { [name]: 3n, errorMessage: 'spans[0]: no' } }
    expect(codec.decode(responseBody(outcome, 'protobuf'))).toEqual(expected)
    expect(JSON.parse(text(responseBody(outcome, 'json')))).toEqual({
      partialSuccess: { [name]: '3', errorMessage: 'spans[0]: no' },
    })
  })
})

describe('statusBody', () => {
  test('has no details for a permanent refusal', () => {
    const refusal = undecodable('what is this')
    const status = { code: 3, message: 'what is this', details: [] }
    expect(rpcStatus.decode(statusBody(refusal, 'protobuf'))).toEqual(status)
    expect(JSON.parse(text(statusBody(refusal, 'json')))).toEqual({ code: 3, message: 'what is this' })
  })

  test('has RetryInfo for a temporary refusal', () => {
    const refusal = busy('queue-full', 'come later', 1.5)
    const status = rpcStatus.decode(statusBody(refusal, 'protobuf'))
    expect(status).toMatchObject({ code: 14, message: 'come later' })
    expect(retryDelayMs(status)).toBe(1500)
    expect(JSON.parse(text(statusBody(refusal, 'json')))).toMatchObject({
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }],
    })
  })
})
