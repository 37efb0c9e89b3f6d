// Streams of uploads: one that fails once more bytes than allowed have passed, and one that can fail without its source.
import type { Readable } from 'node:stream'
import { PassThrough, Transform } from 'node:stream'
import { DebugFileError } from './debug-file-error.ts'

export function limited(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes)
        done(new DebugFileError('too-large', `the file has more than ${maxBytes} bytes, the limit of symbols-max-file`))
      else done(undefined, chunk)
    },
  })
}

/**
 * The same content. If it is destroyed, the rest of the source is read and dropped: a sender that is cut off would not receive the
 * response.
 */
export function detached(source: Readable): Readable {
  const content = new PassThrough()
  const abort = (): void => void content.destroy(new DebugFileError('broken', 'the upload was aborted'))
  source.once('error', abort).once('close', () => {
    if (!source.readableEnded) abort()
  })
  source.pipe(content)
  content.once('close', () => {
    source.unpipe(content)
    source.resume()
  })
  return content
}
