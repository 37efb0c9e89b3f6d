// zstd and Snappy for gRPC requests. grpc-js decompresses gzip and deflate, and has no interface for others, so this replaces
// the method of a call that decompresses its messages.
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { decoded } from '../http/content-encoding.ts'
import { Refusal } from '../refusal.ts'

const COMPRESSIONS: ReadonlySet<string> = new Set(['zstd', 'snappy'])
/** A byte for the compression and four for the length. */
const MESSAGE_HEADER = 5

/** The part of grpc-js's call that is replaced. A test fails if it changes. */
interface DecompressingCall {
  decompressMessage(message: Buffer, encoding: string): Promise<Buffer> | Buffer
}

export function acceptCompressions(call: ServerInterceptingCallInterface, limit: number): void {
  if (!canDecompress(call)) return
  const original = call.decompressMessage.bind(call)
  call.decompressMessage = async (message, encoding) => {
    if (!COMPRESSIONS.has(encoding)) return original(message, encoding)
    try {
      const content = await decoded(message.subarray(MESSAGE_HEADER), encoding, limit)
      return Buffer.from(content.buffer, content.byteOffset, content.length)
    } catch (error) {
      // grpc-js sends a rejected value as the status of the call.
      if (error instanceof Refusal) return Promise.reject({ code: error.code, details: error.message })
      throw error
    }
  }
}

function canDecompress(call: object): call is DecompressingCall {
  return 'decompressMessage' in call && typeof call.decompressMessage === 'function'
}
