import { describe, expect, it } from 'vitest'
import { freeBuffers } from './free-buffers.ts'

describe('freeBuffers', () => {
  it('frees memory without a garbage collection', () => {
    const MIB = 2 ** 20
    const buffers = Array.from({ length: 8 }, () => new Uint8Array(16 * MIB).fill(1).buffer)
    const before = process.memoryUsage.rss()
    freeBuffers(buffers)
    expect(before - process.memoryUsage.rss()).toBeGreaterThan(64 * MIB)
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual(Array.from({ length: 8 }, () => 0))
  })
})
