// Compresses a payload before it is sent: gzip off the main thread, zstd by the host's codecs, which are loaded on demand.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ExportCompression } from '../configuration/options.ts'

export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>

/** Level 6 makes profiles at most a tenth smaller and takes nearly twice the time. */
const GZIP_LEVEL = 3

const gzipped = promisify<Uint8Array, { level: number }, Uint8Array>(gzip)

export function compressor(compression: ExportCompression): Compress {
  switch (compression) {
    case 'none':
      return bytes => Promise.resolve(bytes)
    case 'gzip':
      return bytes => gzipped(bytes, { level: GZIP_LEVEL })
    case 'zstd':
      return async bytes => {
        const { nodeCodecs } = await import('@hearth/codecs')
        return nodeCodecs.zstd!(bytes)
      }
  }
}
