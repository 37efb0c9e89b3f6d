// The bytes of a file without their compression, and what formats need to open parts of theirs.
import type { Codecs } from '@hearth/profile'
import { DEFAULT_LIMIT, compressionOf, portableCodecs } from '@hearth/profile'

export interface OpenedBytes {
  readonly bytes: Uint8Array
  /** Whether they were gzipped and are no longer. */
  readonly isUnpacked: boolean
}

/**
 * gzip by the browser's own inflater, which takes a third of the time of one in JavaScript and never has the packed bytes
 * as a whole. It refuses files of several members, as bgzip and some loggers write them: those are left to the library.
 */
export async function withoutGzip(content: Blob): Promise<OpenedBytes> {
  const head = new Uint8Array(await content.slice(0, 4).arrayBuffer())
  if (compressionOf(head) === 'gzip') {
    try {
      const stream = content.stream().pipeThrough(new DecompressionStream('gzip'))
      return { bytes: await gathered(stream.getReader()), isUnpacked: true }
    } catch {
      // As below.
    }
  }
  return { bytes: new Uint8Array(await content.arrayBuffer()), isUnpacked: false }
}

/** Takes their memory away, whoever still has them, so that the next collection of garbage frees it: 100 MB of a large trace. */
export function letGo({ buffer }: Uint8Array): void {
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
      throw new RangeError(`more than ${DEFAULT_LIMIT} bytes come out of it`)
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

/** zstd comes as WebAssembly of its own, loaded when the first file is opened. */
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
      if (length > limit) throw new RangeError(`zstd: more than ${limit} bytes come out of it`)
      chunks.push(chunk)
    }
    return joined(chunks, length)
  }
  return { ...portableCodecs, unzstd }
}
