/** The bytes in a buffer of their own, which can move to another thread. Copies them if they share it with others. */
export function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer)
  return new Uint8Array(bytes)
}
