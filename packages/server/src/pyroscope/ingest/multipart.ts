// The parts of a multipart/form-data body by name. The body is in memory and has a size limit, so parts are views of
// it.
import { Code, Refusal } from '../../receive/refusal.ts'

/** Pyroscope's clients send at most 3 parts. */
const MAX_PARTS = 32
const MAX_HEADER_BYTES = 8 * 1024

const CRLF = '\r\n'

export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(contentType)
}

/** The first of several parts with one name counts. Throws Refusal. */
export function multipartParts(body: Uint8Array, contentType: string): ReadonlyMap<string, Uint8Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const delimiter = Buffer.from(`--${boundaryOf(contentType)}`)
  const parts = new Map<string, Uint8Array>()
  let at = firstDelimiter(bytes, delimiter)
  for (let count = 0; ; count++) {
    at += delimiter.length
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return parts
    if (count === MAX_PARTS) throw broken(at, `more than ${MAX_PARTS} parts`)
    // Spaces may pad the line of a delimiter.
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
    if (!startsAt(bytes, at, CRLF)) throw broken(at, 'no line break after a boundary')
    const [header, from] = partHeader(bytes, at)
    const to = bytes.indexOf(Buffer.concat([Buffer.from(CRLF), delimiter]), from - CRLF.length)
    if (to < 0) throw broken(from, 'the last part has no end; the body is truncated')
    const name = partName(header, at)
    // An empty part ends with the line break that ends its header.
    if (!parts.has(name)) parts.set(name, body.subarray(from, Math.max(from, to)))
    at = to + CRLF.length
  }
}

function boundaryOf(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType)
  if (match === null) throw broken(0, `the Content-Type '${contentType}' has no boundary of 1 to 70 characters`)
  return match[1] ?? match[2]
}

/** Text before the first delimiter has no meaning. */
function firstDelimiter(bytes: Buffer, delimiter: Buffer): number {
  if (startsAt(bytes, 0, delimiter)) return 0
  const at = bytes.indexOf(Buffer.concat([Buffer.from(CRLF), delimiter]))
  if (at < 0) throw broken(0, 'the body does not contain the boundary')
  return at + CRLF.length
}

/** The header, and the start of the content. `at` is the line break before the header. */
function partHeader(bytes: Buffer, at: number): readonly [header: string, from: number] {
  const window = bytes.subarray(at, at + MAX_HEADER_BYTES)
  const end = window.indexOf(CRLF + CRLF)
  if (end < 0) throw broken(at, `the header of a part has no end within ${MAX_HEADER_BYTES} bytes`)
  return [window.toString('utf8', 0, end), at + end + 2 * CRLF.length]
}

function partName(header: string, at: number): string {
  const match = /^content-disposition:\s*form-data\b[^\r\n]*?;\s*name=(?:"([^"\r\n]*)"|([^\s;"]+))/im.exec(header)
  if (match === null) throw broken(at, 'a part has no name')
  return match[1] ?? match[2]
}

function startsAt(bytes: Buffer, at: number, start: Buffer | string): boolean {
  return bytes.subarray(at, at + start.length).equals(Buffer.from(start))
}

function broken(at: number, what: string): Refusal {
  return new Refusal(422, Code.invalidArgument, 'undecodable', `multipart: ${what} at byte ${at}`)
}
