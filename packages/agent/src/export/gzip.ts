// Compresses payloads with gzip.
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'

/** Level 6 makes profiles at most a tenth smaller and takes nearly twice the time. */
const OPTIONS = { level: 3 }

/** Off this thread. */
export const gzipLater: (bytes: Uint8Array) => Promise<Uint8Array> = bytes => gzipped(bytes, OPTIONS)

const gzipped = promisify<Uint8Array, { level: number }, Uint8Array>(gzip)

/** On this thread: a megabyte takes about 20 ms. */
export function gzipNow(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, OPTIONS)
}
