import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partialSuccessIn, retryAfterMillis, rpcStatusIn } from './responses.ts'

const bytes = (...parts: readonly (number | string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map(part => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))))
const field = (number: number, content: string | Uint8Array): Uint8Array =>
  bytes((number << 3) | 2, Buffer.byteLength(content), content)
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

describe('partialSuccessIn', () => {
  test('reads protobuf', () => {
    const partial = field(1, bytes(0x08, 0xac, 0x02, field(2, 'no stacks')))
    expect(partialSuccessIn(partial, 'protobuf')).toEqual({ rejected: 300n, message: 'no stacks' })
    expect(partialSuccessIn(field(1, field(2, 'slow down')), 'protobuf')).toEqual({
      rejected: 0n,
      message: 'slow down',
    })
    expect(partialSuccessIn(new Uint8Array(0), 'protobuf')).toBeUndefined()
    expect(partialSuccessIn(field(1, ''), 'protobuf')).toBeUndefined()
    // Fields of future versions.
    expect(partialSuccessIn(bytes(field(9, 'x'), 0x78, 1, 0x7d, 1, 2, 3, 4), 'protobuf')).toBeUndefined()
  })

  test('reads JSON', () => {
    const response = { partialSuccess: { rejectedProfiles: '9007199254740993', errorMessage: 'many' } }
    expect(partialSuccessIn(json(response), 'json')).toEqual({ rejected: 9007199254740993n, message: 'many' })
    expect(partialSuccessIn(json({ partialSuccess: { rejectedProfiles: 2 } }), 'json')).toEqual({
      rejected: 2n,
      message: '',
    })
    expect(partialSuccessIn(json({}), 'json')).toBeUndefined()
  })

  test('reports a response that is not OTLP', () => {
    for (const encoding of ['protobuf', 'json'] as const) {
      const response = partialSuccessIn(Buffer.from('<html>Welcome to the proxy</html>'), encoding)
      expect(response).toEqual({ rejected: 0n, message: 'the response is not from an OTLP backend' })
    }
  })
})

test('rpcStatusIn returns the message and the retry delay', () => {
  const retryInfo = bytes(
    field(1, 'type.googleapis.com/google.rpc.RetryInfo'),
    field(2, field(1, bytes(0x08, 2, 0x10, 0x80, 0xca, 0xb5, 0xee, 0x01))),
  )
  const other = bytes(field(1, 'type.googleapis.com/google.rpc.DebugInfo'), field(2, 'x'))
  const status = bytes(0x08, 14, field(2, 'busy'), field(3, other), field(3, retryInfo))
  expect(rpcStatusIn(status, 'protobuf')).toEqual({ message: 'busy', retryAfterMillis: 2500 })
  expect(rpcStatusIn(bytes(0x08, 14), 'protobuf')).toEqual({ message: '', retryAfterMillis: undefined })
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }]
  expect(rpcStatusIn(json({ code: 14, message: 'busy', details }), 'json')).toEqual({
    message: 'busy',
    retryAfterMillis: 1500,
  })
})

test('retryAfterMillis reads seconds and dates', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  expect(retryAfterMillis('7', now)).toBe(7000)
  expect(retryAfterMillis('Sun, 15 Nov 2026 12:00:30 GMT', now)).toBe(30_000)
  expect(retryAfterMillis('Sun, 15 Nov 2026 11:00:30 GMT', now)).toBe(0)
  expect(retryAfterMillis('soon', now)).toBeUndefined()
  expect(retryAfterMillis(undefined, now)).toBeUndefined()
})

test('arbitrary bytes never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.constantFrom('protobuf', 'json'), (body, encoding) => {
      const partial = partialSuccessIn(body, encoding)
      if (partial !== undefined) expect(typeof partial.rejected).toBe('bigint')
      expect(typeof rpcStatusIn(body, encoding).message).toBe('string')
    }),
  )
})
