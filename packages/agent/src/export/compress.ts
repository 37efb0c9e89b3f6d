// Compresses a payload before it is sent: gzip off the main thread, zstd by the host's codecs, which are loaded on demand.
import type { ExportCompression } from '../configuration/options.ts'
import { gzipLater } from './gzip.ts'

export type Compress = (bytes: Uint8Array) => Promise<Uint8Array>

export function compressor(compression: ExportCompression): Compress {
  switch (compression) {
    case 'none':
      return bytes => Promise.resolve(bytes)
    case 'gzip':
      return gzipLater
    case 'zstd':
      return async bytes => {
        const { nodeCodecs } = await import('@hearth/codecs')
        return nodeCodecs.zstd!(bytes)
      }
  }
}
