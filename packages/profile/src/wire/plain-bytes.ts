// Bytes as a plain Uint8Array. Node's Buffer is a subclass, and the engine compiles slower loops once they have seen both
// classes. Readers convert their input first, so that their loops see only one.

export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
