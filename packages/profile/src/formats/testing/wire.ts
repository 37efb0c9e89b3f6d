// Builds protobuf messages by hand, with the field numbers in the test.
import { encodeUtf8 } from '../../wire/utf8.ts'

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function rawVarint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

const tag = (field: number, wireType: number): Uint8Array => rawVarint(BigInt(field * 8 + wireType))

export function varint(field: number, value: bigint | number): Uint8Array {
  return join(tag(field, 0), rawVarint(BigInt(value)))
}

export function fixed64(field: number, value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return join(tag(field, 1), bytes)
}

export function len(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = join(...parts)
  return join(tag(field, 2), rawVarint(BigInt(content.length)), content)
}

export function text(field: number, value: string): Uint8Array {
  return len(field, encodeUtf8(value))
}

export function packed(field: number, values: readonly (bigint | number)[]): Uint8Array {
  return len(field, ...values.map(value => rawVarint(BigInt(value))))
}

/** The same numbers, one field each. */
export function unpacked(field: number, values: readonly (bigint | number)[]): Uint8Array {
  return join(...values.map(value => varint(field, value)))
}

export function hex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], byte => parseInt(byte, 16))
}
