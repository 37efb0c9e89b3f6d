// Bytes of any known format to profiles: opens the compression, finds the format, reads.
import type { Profiles } from '../model/columns/profiles.ts'
import type { Codecs, Compression } from '../wire/compression/compression.ts'
import { decompress } from '../wire/compression/compression.ts'
import { plainBytes } from '../wire/plain-bytes.ts'
import { detectFormat, HEAD_BYTES, triedFormats } from './detect.ts'
import type { Confidence, Format, Note } from './format.ts'
import { keepOriginal } from './keep-original.ts'
import { formatNamed } from './registry.ts'

export interface ReadProfileOptions {
  /** The name of the format, where it is known; otherwise it is detected. */
  readonly format?: string
  readonly generation?: string
  /** Helps where the content leaves the format open. */
  readonly fileName?: string
  /** What the host can decompress with; gzip works without. */
  readonly codecs?: Codecs
  /** The largest size in bytes to decompress to. */
  readonly limit?: number
  /** Read a broken file as far as it goes; a note says what is missing. */
  readonly lenient?: boolean
  /** For jfr: the labels file beside the recording. A note says where a format has no use for it. */
  readonly labels?: Uint8Array
  /** Called where the input is needed no longer before everything is done, so that it may be freed; not by all formats. */
  readonly onBytesRead?: () => void
  /**
   * Keep the input, with its compression, as the original payload of the first profile; `writeProfile` of the same format
   * then returns it. A note says why where it could not be kept.
   */
  readonly keepOriginal?: boolean
}

export interface ReadProfileResult {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
  readonly format: Format
  /** How sure detection was; `given` where the caller named the format. */
  readonly confidence: Exclude<Confidence, 'no'> | 'given'
  readonly generation: string
  readonly compression: Compression
}

/** The input is of no known format, or the format that was asked for does not exist or does not go that way. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError'
  /** Names of the formats that were tried, or that there are. */
  readonly tried: readonly string[]

  constructor(what: string, tried: readonly string[]) {
    super(what)
    this.tried = tried
  }
}

/** There is nothing to read. */
export class EmptyInputError extends Error {
  override readonly name = 'EmptyInputError'
}

/** Throws UnknownFormatError, EmptyInputError, CompressionError, or the FormatError of the format. */
export function readProfile(bytes: Uint8Array, options: ReadProfileOptions = {}): ReadProfileResult {
  if (bytes.length === 0) throw new EmptyInputError('the input is empty')
  const { lenient } = options
  const { bytes: opened, compression, faults } = decompress(bytes, options.codecs, options.limit, { lenient })
  const content = plainBytes(opened)
  if (content.length === 0) throw new EmptyInputError(`the input is empty once its ${compression} is opened`)
  const { format, confidence } =
    options.format === undefined ? detected(content, options.fileName ?? '') : named(options.format)
  const read = format.read!(content, {
    ...(options.generation === undefined ? {} : { generation: options.generation }),
    ...(options.codecs === undefined ? {} : { codecs: options.codecs }),
    ...(lenient === undefined ? {} : { lenient }),
    ...(options.labels === undefined ? {} : { labels: options.labels }),
    ...(options.onBytesRead === undefined || options.keepOriginal === true ? {} : { onBytesRead: options.onBytesRead }),
  })
  const { profiles, generation } = read
  const notes = [...faults, ...read.notes, ...unusedLabels(format, options)]
  const facts = { format, confidence, generation, compression }
  if (options.keepOriginal !== true) return { profiles, notes, ...facts }
  const kept = keepOriginal(profiles, format.name, bytes)
  return { profiles: kept.profiles, notes: [...notes, ...kept.notes], ...facts }
}

/** Labels that belong to a recording of another format. */
function unusedLabels({ name }: Format, { labels }: ReadProfileOptions): readonly Note[] {
  if (labels === undefined || name === 'jfr') return []
  return [{ code: 'labels-unused', count: 1, message: `labels were given, which ${name} has no use for` }]
}

interface Chosen {
  readonly format: Format
  readonly confidence: ReadProfileResult['confidence']
}

function detected(content: Uint8Array, fileName: string): Chosen {
  const found = detectFormat(content.subarray(0, HEAD_BYTES), fileName)
  if (found !== undefined) return found
  const tried = triedFormats()
  const start = Array.from(content.subarray(0, 16), byte => byte.toString(16).padStart(2, '0')).join(' ')
  throw new UnknownFormatError(`not a known format: tried ${tried.join(', ')}; it begins with ${start}`, tried)
}

function named(name: string): Chosen {
  const format = formatNamed(name)
  if (format?.read !== undefined) return { format, confidence: 'given' }
  const tried = triedFormats()
  const what = format === undefined ? `there is no format ${JSON.stringify(name)}` : `${name} cannot be read`
  throw new UnknownFormatError(`${what}; these can be read: ${tried.join(', ')}`, tried)
}
