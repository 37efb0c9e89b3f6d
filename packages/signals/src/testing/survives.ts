// Decodes randomly changed bytes. The only accepted results are content and a FormatError.
import { FormatError } from '@hearth/profile'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Codec } from '../protobuf/codec.ts'

const changes = fc.array(
  fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'remove', 'cut', 'repeat') }),
  { minLength: 1, maxLength: 6 },
)

function changed(bytes: Uint8Array, list: readonly { at: number; byte: number; kind: string }[]): Uint8Array {
  let result = [...bytes]
  for (const { at, byte, kind } of list) {
    const place = result.length === 0 ? 0 : at % result.length
    if (kind === 'set') result[place] = byte
    else if (kind === 'insert') result.splice(place, 0, byte)
    else if (kind === 'remove') result.splice(place, 1)
    else if (kind === 'cut') result = result.slice(0, place)
    else result.splice(place, 0, ...result.slice(place, place + byte))
  }
  return Uint8Array.from(result)
}

export function survives<T>(codec: Codec<T>, contents: fc.Arbitrary<T>): void {
  const attempt = (decode: (bytes: Uint8Array) => T, encode: (content: T) => Uint8Array, bytes: Uint8Array): void => {
    let content: T
    try {
      content = decode(bytes)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      expect(error.offset).toBeGreaterThanOrEqual(0)
      expect(error.offset).toBeLessThanOrEqual(bytes.length)
      return
    }
    // Accepted content can be written and read again.
    expect(decode(encode(content))).toEqual(content)
  }
  fc.assert(
    fc.property(contents, changes, (content, list) => {
      attempt(codec.decode, codec.encode, changed(codec.encode(content), list))
      attempt(codec.decodeJson, codec.encodeJson, changed(codec.encodeJson(content), list))
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
  )
}
