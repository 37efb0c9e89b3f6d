// The bytes of a column as numbers. They are copied only if they are not aligned.

function aligned(raw: Uint8Array, width: number): Uint8Array {
  return raw.byteOffset % width === 0 ? raw : new Uint8Array(raw)
}

export function int32sOf(raw: Uint8Array): Int32Array {
  const bytes = aligned(raw, 4)
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

export function longsOf(raw: Uint8Array): BigInt64Array {
  const bytes = aligned(raw, 8)
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
}

export function doublesOf(raw: Uint8Array): Float64Array {
  const bytes = aligned(raw, 8)
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
}
