import { describe, expect, it } from 'vitest'
import { RepeatedBytes } from './repeated-bytes.ts'

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])
const bytesOf = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)
const make = (kept: Uint8Array): { readonly kept: Uint8Array } => ({ kept })

describe('RepeatedBytes', () => {
  it('makes a value for bytes that are seen twice, and returns it from then on', () => {
    const repeated = new RepeatedBytes<{ kept: Uint8Array }>({ equal })
    expect(repeated.get(bytesOf(100, 1), make)).toBeUndefined()
    const value = repeated.get(bytesOf(100, 1), make)
    expect(value?.kept).toEqual(bytesOf(100, 1))
    expect(repeated.get(bytesOf(100, 1), make)).toBe(value)
    expect(repeated.get(bytesOf(100, 2), make)).toBeUndefined()
    expect(repeated.get(bytesOf(101, 1), make)).toBeUndefined()
  })

  it('distinguishes bytes that differ between the hashed words', () => {
    const repeated = new RepeatedBytes<{ kept: Uint8Array }>({ equal })
    const first = bytesOf(10_000, 1)
    const other = Uint8Array.from(first)
    other[77] = 9
    for (let i = 0; i < 3; i++) repeated.get(first, make)
    expect(repeated.get(other, make)).toBeUndefined()
    expect(repeated.get(other, make)?.kept[77]).toBe(9)
    expect(repeated.get(first, make)).toBeUndefined()
    expect(repeated.bytes).toBe(0)
  })

  it('drops the least recently used bytes above its limit, and keeps none above the length limit', () => {
    const repeated = new RepeatedBytes<{ kept: Uint8Array }>({ equal, maxBytes: 250, maxLength: 120 })
    const see = (fill: number): unknown => repeated.get(bytesOf(100, fill), make)
    for (const fill of [1, 2, 1, 2]) see(fill)
    see(1)
    see(3)
    see(3)
    expect(see(1)).toBeDefined()
    expect(see(2)).toBeUndefined()
    expect(repeated.bytes).toBe(200)
    for (let i = 0; i < 3; i++) expect(repeated.get(bytesOf(121, 1), make)).toBeUndefined()
  })
})
