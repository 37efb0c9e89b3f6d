import { describe, expect, it } from 'vitest'
import { isPublicBinary } from './public-binaries.ts'

describe('isPublicBinary', () => {
  it('accepts files in folders of the system, and names that match a pattern', () => {
    expect(isPublicBinary('/usr/lib/x86_64-linux-gnu/libfoo.so', [])).toBe(true)
    expect(isPublicBinary('/bin/bash', [])).toBe(true)
    expect(isPublicBinary('libc.so.6', ['libc.so*'])).toBe(true)
    expect(isPublicBinary('ld-linux-x86-64.so.2', ['ld-*.so*'])).toBe(true)
    expect(isPublicBinary('anything', ['*'])).toBe(true)
  })

  it('rejects all other files', () => {
    expect(isPublicBinary('/opt/company/bin/app', ['libc.so*'])).toBe(false)
    expect(isPublicBinary('/usr/local/lib/libfoo.so', [])).toBe(false)
    expect(isPublicBinary('app', ['libc.so*', 'ap', 'a*b'])).toBe(false)
    // The parts of a pattern must not overlap.
    expect(isPublicBinary('aba', ['ab*ba'])).toBe(false)
    expect(isPublicBinary('', ['libc'])).toBe(false)
  })
})
