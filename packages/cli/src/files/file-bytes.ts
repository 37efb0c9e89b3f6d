// The content of a whole file. Debug files are large, so it is not copied.
import { readFileSync } from 'node:fs'

export function fileBytes(path: string): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = readFileSync(path)
  return new Uint8Array(buffer, byteOffset, length)
}
