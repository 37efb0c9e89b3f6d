// Decodes the part of zstd that the fixtures use: frames of uncompressed blocks. It replaces a host's decoder for tests in a
// browser, and like those it requires complete frames.
export function unzstdRaw(bytes: Uint8Array, limit: number): Uint8Array {
  const parts: Uint8Array[] = []
  let length = 0
  for (let at = 0; at < bytes.length;) {
    if (at + 6 > bytes.length) throw new Error('truncated frame header')
    const descriptor = bytes[at + 4]
    if (descriptor !== 0) throw new Error(`unsupported frame header ${descriptor}`)
    at += 6
    for (let last = false; !last;) {
      if (at + 3 > bytes.length) throw new Error('truncated block header')
      const header = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
      if ((header & 6) !== 0) throw new Error('unsupported block type')
      const size = header >> 3
      if (at + 3 + size > bytes.length) throw new Error('truncated block')
      parts.push(bytes.subarray(at + 3, at + 3 + size))
      length += size
      at += 3 + size
      last = (header & 1) !== 0
    }
  }
  if (length > limit) throw new Error('too large')
  const all = new Uint8Array(length)
  let to = 0
  for (const part of parts) {
    all.set(part, to)
    to += part.length
  }
  return all
}
