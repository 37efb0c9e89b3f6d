// Ids in hex, as people write them, and as bytes, as the store has them.

export function bytesOfHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
