// zstd and Snappy for gRPC requests. grpc-js decompresses gzip and deflate, and has no interface for others, so this replaces
// the method of a call that decompresses its messages.
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { decoded } from '../http/content-encoding.ts'
import { Refusal } from '../refusal.ts'

const ADDED: ReadonlySet<string> = new Set(['zstd', 'snappy'])
const COMPRESSIONS: ReadonlySet<string> = new Set([...ADDED, 'gzip', 'deflate'])
/** A byte for the compression and four for the length. */
const MESSAGE_HEADER = 5
/** The maximum size of a message that is decompressed on the main thread, which takes a few milliseconds. */
const MAX_CONTENT = 2 ** 20

/** The part of grpc-js's call that is replaced. A test fails if it changes. */
interface DecompressingCall {
  decompressMessage(message: Buffer, encoding: string): Promise<Buffer> | Buffer
}

/** Leaves the message of a call compressed, for methods whose content is decompressed in a write thread. */
export function keepCompressed(call: ServerInterceptingCallInterface, onKept: (encoding: string) => void): void {
  replace(call, COMPRESSIONS, (content, encoding) => {
    onKept(encoding)
    return content
  })
}

/** Decompresses the messages of other methods, which are small. */
export function acceptCompressions(call: ServerInterceptingCallInterface, maxBody: number): void {
  const limit = Math.min(maxBody, MAX_CONTENT)
  replace(call, ADDED, async (content, encoding) => {
    try {
      const { buffer, byteOffset, length } = await decoded(content, encoding, limit)
      return Buffer.from(buffer, byteOffset, length)
    } catch (error) {
      // grpc-js sends a rejected value as the status of the call.
      if (error instanceof Refusal) return Promise.reject({ code: error.code, details: error.message })
      throw error
    }
  })
}

function replace(
  call: ServerInterceptingCallInterface,
  encodings: ReadonlySet<string>,
  open: (content: Buffer, encoding: string) => Promise<Buffer> | Buffer,
): void {
  if (!canDecompress(call)) return
  const original = call.decompressMessage.bind(call)
  call.decompressMessage = (message, encoding) =>
    encodings.has(encoding) ? open(message.subarray(MESSAGE_HEADER), encoding) : original(message, encoding)
}

function canDecompress(call: object): call is DecompressingCall {
  return 'decompressMessage' in call && typeof call.decompressMessage === 'function'
}
