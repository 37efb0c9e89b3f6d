import { describe, expect, it } from 'vitest'
import { freeBuffers } from './free-buffers.ts'

describe('freeBuffers', () => {
  it('frees memory without a garbage collection', () => {
    const MIB = 2 ** 20
    const buffers = Array.from({ length: 8 }, () => new Uint8Array(16 * MIB).fill(1).buffer)
    // Node counts the bytes that its allocator has not freed yet. Unlike the size of the process, they do not depend on other threads.
    const before = process.memoryUsage().arrayBuffers
    freeBuffers(buffers)
    expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(127 * MIB)
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual(Array.from({ length: 8 }, () => 0))
  })
})
