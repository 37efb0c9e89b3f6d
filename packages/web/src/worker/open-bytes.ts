// The decompressed bytes of a file, and the codecs that formats need for compressed parts.
import type { Codecs } from '@hearth/profile'
import { DEFAULT_LIMIT, compressionOf, portableCodecs } from '@hearth/profile'

export interface OpenedBytes {
  readonly bytes: Uint8Array
  /** Whether the bytes were gzipped. */
  readonly isUnpacked: boolean
}

/**
 * Decompresses gzip with the browser's inflater, which takes a third of the time of one in JavaScript and never holds
 * the whole compressed file. It rejects files of several members, as bgzip and some loggers write them. The library
 * reads those.
 */
export async function withoutGzip(content: Blob): Promise<OpenedBytes> {
  const head = new Uint8Array(await content.slice(0, 4).arrayBuffer())
  if (compressionOf(head) === 'gzip') {
    try {
      const stream = content.stream().pipeThrough(new DecompressionStream('gzip'))
      return { bytes: await gathered(stream.getReader()), isUnpacked: true }
    } catch {
      // Same as below.
    }
  }
  return { bytes: new Uint8Array(await content.arrayBuffer()), isUnpacked: false }
}

/**
 * Detaches the memory of the bytes from all references, so the next garbage collection frees it: 100 MB for a large
 * trace.
 */
export function releaseMemory({ buffer }: Uint8Array): void {
  structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })
}

async function gathered(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, length)
    length += value.length
    if (length > DEFAULT_LIMIT) {
      await reader.cancel()
      throw new RangeError(`the file is larger than ${DEFAULT_LIMIT} bytes after decompression`)
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

let codecs: Promise<Codecs> | undefined

/** zstd is a separate WebAssembly module, loaded when the first file is opened. */
export function browserCodecs(): Promise<Codecs> {
  return (codecs ??= loadCodecs())
}

async function loadCodecs(): Promise<Codecs> {
  const { ZSTDDecoder } = await import('zstddec/stream')
  const decoder = new ZSTDDecoder()
  await decoder.init()
  const unzstd = (bytes: Uint8Array, limit: number): Uint8Array => {
    const chunks: Uint8Array[] = []
    let length = 0
    for (const chunk of decoder.decodeStreaming([bytes])) {
      length += chunk.length
      if (length > limit) throw new RangeError(`zstd: the data is larger than ${limit} bytes after decompression`)
      chunks.push(chunk)
    }
    return joined(chunks, length)
  }
  return { ...portableCodecs, unzstd }
}
