// Numbers and texts as the bytes of generated files.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export type Part = ArrayLike<number>

export const number =
  (bytes: number, littleEndian: boolean) =>
  (value: number | bigint): Part => {
    const digits = Array.from({ length: bytes }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn))
    return littleEndian ? digits : digits.reverse()
  }

export const u16 = number(2, true)
export const u32 = number(4, true)
export const u64 = number(8, true)

export const fixed = (text: string, bytes: number): Part =>
  [...encodeUtf8(text), ...new Uint8Array(bytes)].slice(0, bytes)

export const zeroEnded = (text: string): Part => [...encodeUtf8(text), 0]

export const join = (...parts: readonly Part[]): Uint8Array => Uint8Array.from(parts.flatMap(part => Array.from(part)))

/** Joins parts that begin at given offsets. */
export function placed(parts: readonly (readonly [number, Part])[]): Uint8Array {
  const file = new Uint8Array(Math.max(...parts.map(([at, part]) => at + part.length)))
  for (const [at, part] of parts) file.set(Array.from(part), at)
  return file
}
