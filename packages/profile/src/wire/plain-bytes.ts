// Bytes as a plain Uint8Array. Node's Buffer is a subclass of it, and the engine compiles a loop that has seen both kinds for
// both; readers take this view first, so that their loops only ever see one kind.

export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
