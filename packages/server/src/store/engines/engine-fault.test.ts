// Classifies errors in the wording of the engine and the operating system.
import { describe, expect, test } from 'vitest'
import { EngineError } from '../engine.ts'
import { engineErrorOf } from './engine-fault.ts'

describe('faults', () => {
  test.each([
    ['Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)', 'disk-full', 243],
    [
      'Code: 75. DB::ErrnoException: Cannot write to file: , errno: 28, strerror: No space left on device.',
      'disk-full',
      75,
    ],
    [
      'Code: 75. DB::ErrnoException: Cannot write to file: , errno: 5, strerror: Input/output error.',
      'unavailable',
      75,
    ],
    ['ENOSPC: no space left on device, write', 'disk-full', 0],
    ['Code: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)', 'limit', 241],
    ['Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 'limit', 159],
    ['Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)', 'cancelled', 394],
    ["Code: 40. DB::Exception: Checksum doesn't match: corrupted data. (CHECKSUM_DOESNT_MATCH)", 'corrupt', 40],
    ['Code: 252. DB::Exception: Too many parts (3000). (TOO_MANY_PARTS)', 'unavailable', 252],
    ['Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)', 'refused', 62],
  ])('%s', (message, fault, code) => {
    const error = engineErrorOf(new Error(message), 'query')
    expect([error.fault, error.code]).toEqual([fault, code])
  })

  test('keeps an EngineError, truncates long statements and hides secrets', () => {
    const known = new EngineError('limit', 241, 'x')
    expect(engineErrorOf(known, 'query')).toBe(known)
    expect(engineErrorOf(new Error('x'.repeat(100_000)), 'query').message.length).toBeLessThan(3000)
    expect(engineErrorOf('a s/t b s%2Ft', 'query', 's/t').message).toBe('query: a *** b ***')
  })
})
