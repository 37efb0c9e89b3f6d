// Bytes as a plain Uint8Array. Node's Buffer is a subclass of it, and a loop that has seen both is compiled for both: reading
// small payloads took two to three times as long in a process that had once been given a Buffer.

export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
