import { expect, test } from 'vitest'
import { rpcStatus } from './codecs.ts'
import { RETRY_INFO_URL, retryDelayMs, statusOf } from './rpc-status.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('statusOf makes a status without details', () => {
  expect(Buffer.from(rpcStatus.encode(statusOf(3, 'no'))).toString('hex')).toBe('080312026e6f')
  expect(text(rpcStatus.encodeJson(statusOf(3, 'no')))).toBe('{"code":3,"message":"no"}')
})

test('statusOf adds when to retry', () => {
  const status = statusOf(14, 'busy', 1500)
  expect(retryDelayMs(rpcStatus.decode(rpcStatus.encode(status)))).toBe(1500)
  const json = text(rpcStatus.encodeJson(status))
  expect(json).toBe(`{"code":14,"message":"busy","details":[{"@type":"${RETRY_INFO_URL}","retryDelay":"1.5s"}]}`)
  expect(rpcStatus.decodeJson(new TextEncoder().encode(json))).toEqual(status)
})

test('retryDelayMs returns delays of any length', () => {
  for (const ms of [0, 1, 999, 1000, 0.000001, 86_400_000]) {
    const status = statusOf(8, '', ms)
    expect(retryDelayMs(status)).toBeCloseTo(ms, 6)
    expect(rpcStatus.decodeJson(rpcStatus.encodeJson(status))).toEqual(status)
  }
})

test('rpcStatus keeps details of other types and broken details as bytes', () => {
  const value = Uint8Array.of(0xff)
  const status = {
    code: 1,
    message: '',
    details: [
      { typeUrl: 'x/y', value },
      { typeUrl: RETRY_INFO_URL, value },
    ],
  }
  expect(retryDelayMs(status)).toBeUndefined()
  expect(rpcStatus.decode(rpcStatus.encode(status))).toEqual(status)
  expect(rpcStatus.decodeJson(rpcStatus.encodeJson(status))).toEqual(status)
})
