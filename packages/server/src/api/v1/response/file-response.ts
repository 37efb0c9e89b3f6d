// Profiles as a file in the format of the request: complete, or streamed while the store is read.
import type { Note, Profiles } from '@hearth/profile'
import { formatNamed, formats, writeProfile } from '@hearth/profile'
import type { MissingSymbols } from '../../../query/profiles/missing-symbols.ts'
import { QueryError } from '../../../query/query-error.ts'
import { RequestError } from './request-error.ts'

export class FileResponse {
  readonly bytes: Uint8Array
  readonly name: string
  /** Data that the format cannot hold, or that the store has lost. */
  readonly notes: readonly Note[]

  constructor(bytes: Uint8Array, name: string, notes: readonly Note[]) {
    this.bytes = bytes
    this.name = name
    this.notes = notes
  }

  /** `name` has no extension. Throws RequestError if the format cannot hold these profiles. */
  static of(profiles: Profiles, format: string, name: string, before: readonly Note[] = []): FileResponse {
    try {
      const { bytes, notes } = writeProfile(profiles, format)
      return new FileResponse(bytes, fileName(name, format), [...before, ...notes])
    } catch (error) {
      // Formats that hold a single profile, or only some types, throw RangeError.
      if (error instanceof RangeError) throw new RequestError(422, 'format', `${format}: ${error.message}`)
      throw error
    }
  }
}

export class StreamedFile {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly name: string
  /** Data that the format may not hold, as far as that is known before the file is written. */
  readonly notes: readonly Note[]

  constructor(pieces: AsyncIterable<Uint8Array>, name: string, notes: readonly Note[] = []) {
    this.pieces = pieces
    this.name = name
    this.notes = notes
  }

  /**
   * Waits for the first set, because the status says whether there is any, and the notes whether the store has lost parts of it. Throws
   * QueryError if there is none.
   */
  static async of(
    sets: AsyncGenerator<Profiles>,
    format: string,
    name: string,
    missing: MissingSymbols,
  ): Promise<StreamedFile> {
    if (!Object.hasOwn(STREAMS, format)) {
      const names = Object.keys(STREAMS).join(', ')
      throw new RequestError(400, 'argument', `stream: cannot stream ${format}; use one of ${names}`)
    }
    const first = await sets.next()
    if (first.done === true) throw new QueryError('not-found', 'no profile matches')
    async function* pieces(set: Profiles): AsyncGenerator<Uint8Array> {
      try {
        yield* STREAMS[format](FileResponse.of(set, format, '').bytes)
        for await (const next of sets) yield* STREAMS[format](FileResponse.of(next, format, '').bytes)
      } finally {
        await sets.return(undefined)
      }
    }
    return new StreamedFile(pieces(first.value), fileName(name, format), missing.notes())
  }
}

/** Throws RequestError if Hearth does not write the format. */
export function writableFormat(name = 'otlp'): string {
  if (formatNamed(name)?.write !== undefined) return name
  const names = formats.filter(format => format.write !== undefined).map(format => format.name)
  throw new RequestError(
    400,
    'argument',
    `format: unknown format ${JSON.stringify(name)}; use one of ${names.join(', ')}`,
  )
}

function fileName(name: string, format: string): string {
  const extension = formatNamed(format)?.extensions[0] ?? ''
  return `${name}${extension.startsWith('.') ? '' : '.'}${extension}`
}

const NEW_LINE = Uint8Array.of(10)

/** The formats in which files can be concatenated, with the bytes that one set adds to the file. */
const STREAMS: Readonly<Record<string, (bytes: Uint8Array) => readonly Uint8Array[]>> = {
  otlp: bytes => [lengthPrefix(bytes), bytes],
  'otlp-json': bytes => [bytes, NEW_LINE],
  folded: bytes => (bytes.at(-1) === 10 ? [bytes] : [bytes, NEW_LINE]),
}

/** Four bytes, big-endian, as the Collector's file exporter writes them. */
export function lengthPrefix(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}
