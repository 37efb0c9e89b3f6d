import type { Event } from '@hearth/broker'
import { BrokerError, createEvent } from '@hearth/broker'
import { describe, expect, test } from 'vitest'
import { chooseRate } from './capture-rate.ts'
import type { CaptureRequest } from './capture-request.ts'
import { readCaptureRequest } from './capture-request.ts'
import { identityOf } from './identity.ts'

const BOUNDS = { kinds: ['cpu', 'allocations'], threadIds: [7n, 9n], maxDurationMs: 60_000, maxBytes: 1000 } as const

function read(params: Event['params'], env: Event['params'] = {}): CaptureRequest {
  return readCaptureRequest(createEvent({ id: 'e1', ttl: 30_000_000_000n, params }), env, BOUNDS)
}

test('readCaptureRequest uses defaults for missing parameters', () => {
  expect(read({ profile_type: 'cpu' })).toEqual({
    captureId: 'e1',
    kind: 'cpu',
    durationMs: 10_000,
    from: undefined,
    until: undefined,
    traceId: undefined,
    spanId: undefined,
    threadId: undefined,
    frequencyHz: undefined,
    timestamps: true,
    maxBytes: 1000,
    reason: '',
    labels: {},
  })
})

test('readCaptureRequest accepts strings and numbers', () => {
  const request = read({
    profile_type: 'alloc',
    capture_id: 'c',
    duration_ms: '250',
    timestamps: false,
    max_bytes: 500,
    thread_id: 9,
    frequency_hz: '250',
    reason: 'slow',
    labels: { region: 'eu', canary: true, n: 5, deep: {}, list: [1] },
  })
  expect(request).toMatchObject({
    captureId: 'c',
    kind: 'allocations',
    durationMs: 250,
    timestamps: false,
    maxBytes: 500,
    threadId: 9n,
    frequencyHz: 250,
    reason: 'slow',
    labels: { region: 'eu', canary: 'true', n: '5' },
  })
})

test('readCaptureRequest keeps nanoseconds exact', () => {
  expect(read({ profile_type: 'cpu', from_unix_nano: '1790000000000000001', to_unix_nano: '' })).toMatchObject({
    durationMs: 0,
    from: 1790000000000000001n,
    until: undefined,
  })
})

describe('readCaptureRequest rejects', () => {
  test.each<[Event['params'], Event['params'], string]>([
    [{ profile_type: 'cpu', duration_ms: 60_001 }, {}, 'from 0 to 60000'],
    [{ profile_type: 'cpu', duration_ms: 20_000 }, { MAX_DURATION_MS: 5000 }, 'from 0 to 5000'],
    [{ profile_type: 'cpu', duration_ms: -1 }, {}, 'must be from 0 to'],
    [{ profile_type: 'cpu', duration_ms: 29_000 }, {}, 'time to live'],
    [{ profile_type: 'cpu', span_id: '00' }, {}, '8 bytes'],
    [{ profile_type: 'cpu', max_bytes: {} }, {}, 'not a number'],
    [{ profile_type: 'cpu', thread_id: -1 }, {}, 'recorded threads: 7, 9'],
    [{ profile_type: 'cpu', frequency_hz: 0 }, {}, 'above 0'],
    [{ profile_type: 'toString' }, {}, 'recorded types: cpu, allocations'],
    [{ profile_type: 'alloc', from_unix_nano: '1' }, {}, 'heap profiles'],
  ])('%j with the environment %j', (params, env, what) => {
    expect(() => read(params, env)).toThrow(what)
    expect(() => read(params, env)).toThrow(BrokerError)
  })
})

describe('chooseRate', () => {
  test.each<[Event['params'], number | undefined, string]>([
    [{ profile_type: 'cpu' }, undefined, ''],
    [{ profile_type: 'cpu', frequency_hz: 250 }, 250, ''],
    [
      { profile_type: 'cpu', frequency_hz: 5000 },
      1000,
      'recorded at 1000 Hz instead of 5000 Hz; the rate must be from 1 to 1000',
    ],
    [
      { profile_type: 'cpu', frequency_hz: 0.1 },
      1,
      'recorded at 1 Hz instead of 0.1 Hz; the rate must be from 1 to 1000',
    ],
    [
      { profile_type: 'cpu', frequency_hz: 50, to_unix_nano: '5' },
      undefined,
      'not at 50 Hz: existing samples keep their rate',
    ],
    [
      { profile_type: 'alloc', frequency_hz: 50 },
      undefined,
      'frequency_hz does not apply to profiles of type allocations',
    ],
  ])('%j', (params, frequencyHz, note) => {
    expect(chooseRate(read(params))).toEqual({ frequencyHz, notes: note === '' ? [] : [note] })
  })
})

describe('identityOf', () => {
  test('returns defaults for a resource with few attributes', () => {
    expect(identityOf([{ key: 'service.name', value: 'unknown_service:node' }])).toEqual({
      component: { type: 'Process', app: '', name: 'unknown-service-node', hash: 'unversioned', id: '' },
      context: {},
      attributes: { 'service.name': 'unknown_service:node' },
    })
  })

  test('replaces characters that are not ASCII, because headers contain the names', () => {
    const { component, attributes } = identityOf([
      { key: 'service.name', value: 'Größe' },
      { key: 'service.version', value: '1.0 beta ß' },
      { key: 'process.pid', value: 5n },
    ])
    expect(component).toMatchObject({ name: 'gr--e', hash: '1.0-beta--' })
    expect(attributes['process.pid']).toBe('5')
  })
})
