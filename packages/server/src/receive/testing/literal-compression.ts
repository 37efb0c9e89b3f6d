// Snappy and LZ4 that contain their content as it is, for tests of requests. packages/codecs tests real compression.

/** The block format: the length, then one literal. */
export function snappyLiterals(bytes: Uint8Array): Buffer {
  const length = [(bytes.length & 0x7f) | 0x80, ((bytes.length >> 7) & 0x7f) | 0x80, bytes.length >> 14]
  const literal = [61 << 2, (bytes.length - 1) & 0xff, (bytes.length - 1) >> 8]
  return Buffer.concat([Buffer.from([...length, ...literal]), bytes])
}

/** A frame with one uncompressed block and without checksums. */
export function lz4Literals(bytes: Uint8Array): Buffer {
  const header = Buffer.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0)
  header.writeUInt32LE(bytes.length + 0x80000000, 7)
  return Buffer.concat([header, bytes, Buffer.alloc(4)])
}
