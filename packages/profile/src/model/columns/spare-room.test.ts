import { describe, expect, it } from 'vitest'
import { bytesWithRoom, extendedInPlace } from './spare-room.ts'

describe('extendedInPlace', () => {
  it('adds bytes behind the others without moving them', () => {
    const bytes = bytesWithRoom(3)
    bytes.set([1, 2, 3])
    const longer = extendedInPlace(bytes, 2)
    longer?.set([4, 5], 3)
    expect([...(longer ?? [])]).toEqual([1, 2, 3, 4, 5])
    expect(longer?.buffer).toBe(bytes.buffer)
    expect([...bytes]).toEqual([1, 2, 3])
  })

  it('gives the room behind the same bytes to one caller only', () => {
    const bytes = bytesWithRoom(3)
    const first = extendedInPlace(bytes, 2)
    expect(first).toBeDefined()
    expect(extendedInPlace(bytes, 2)).toBeUndefined()
    expect(extendedInPlace(first!, 2)).toHaveLength(7)
  })

  it('needs enough room, and bytes that end where the room begins', () => {
    const bytes = bytesWithRoom(3)
    expect(extendedInPlace(bytes, 5000)).toBeUndefined()
    expect(extendedInPlace(bytes.subarray(0, 2), 1)).toBeUndefined()
    expect(extendedInPlace(new Uint8Array(new ArrayBuffer(8), 0, 3), 1)).toBeUndefined()
  })
})
