// Reads bytes of any known format: decompresses them, detects the format and reads the profiles.
import { hexOf } from '../model/text/hex.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import type { Codecs, Compression } from '../wire/compression/compression.ts'
import { decompress } from '../wire/compression/compression.ts'
import { plainBytes } from '../wire/plain-bytes.ts'
import { utf16ToUtf8 } from '../wire/utf16.ts'
import { detectFormat, HEAD_BYTES, triedFormats } from './detect.ts'
import type { KnownSymbols } from './known-symbols.ts'
import type { Confidence, Format, Note, ReadOptions, ReadResult } from './format.ts'
import { FormatError } from './format.ts'
import { keepOriginal } from './keep-original.ts'
import { formatNamed } from './registry.ts'

export interface ReadProfileOptions {
  /** The name of the format. Detected if absent. */
  readonly format?: string
  readonly generation?: string
  /** Decides between formats if the content is ambiguous. */
  readonly fileName?: string
  /** The decompressors of the host. gzip works without. */
  readonly codecs?: Codecs
  /** Maximum size in bytes after decompression. */
  readonly limit?: number
  /** Reads as much of a broken file as possible. Notes report what is missing. */
  readonly lenient?: boolean
  /** For jfr: the labels file of the recording. A note reports labels given for another format. */
  readonly labels?: Uint8Array
  /** Called as soon as the reader no longer needs the input, so that it can be freed. Not all formats call it. */
  readonly onBytesRead?: () => void
  /**
   * Stores the input, with its compression, as the original payload of the first profile. `writeProfile` to the same format
   * then returns it. A note reports why if it could not be stored.
   */
  readonly keepOriginal?: boolean
  /** See ReadOptions. */
  readonly symbols?: KnownSymbols
}

export interface ReadProfileResult {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
  readonly format: Format
  /** How certain the detection was. `given` if the caller named the format. */
  readonly confidence: Exclude<Confidence, 'no'> | 'given'
  readonly generation: string
  readonly compression: Compression
}

/** The format of the input is unknown, or the named format does not exist or cannot be read or written. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError'
  /** Names of the formats that were tried or that are available. */
  readonly tried: readonly string[]

  constructor(what: string, tried: readonly string[]) {
    super(what)
    this.tried = tried
  }
}

export class EmptyInputError extends Error {
  override readonly name = 'EmptyInputError'
}

/** Throws UnknownFormatError, EmptyInputError, CompressionError, or the FormatError of the format. */
export function readProfile(bytes: Uint8Array, options: ReadProfileOptions = {}): ReadProfileResult {
  if (bytes.length === 0) throw new EmptyInputError('the input is empty')
  const { content: plain, compression, faults } = unpacked(bytes, options)
  if (plain.length === 0) throw new EmptyInputError(`the input is empty after ${compression} decompression`)
  const text = utf16ToUtf8(plain)
  const content = text?.bytes ?? plain
  const { format, confidence } =
    options.format === undefined ? detected(content, options.fileName ?? '', plain) : named(options.format)
  let read: ReadResult
  try {
    read = readContent(format, content, options)
  } catch (error) {
    if (text === undefined || !(error instanceof FormatError)) throw error
    throw new FormatError(error.format, text.sourceOffset(error.offset), error.what, error.path)
  }
  const { profiles, generation } = read
  const notes = [...faults, ...brokenText(text?.broken ?? 0), ...read.notes, ...unusedLabels(format, options)]
  const facts = { format, confidence, generation, compression }
  if (options.keepOriginal !== true) return { profiles, notes, ...facts }
  const kept = keepOriginal(profiles, format.name, bytes)
  return { profiles: kept.profiles, notes: [...notes, ...kept.notes], ...facts }
}

/** Layers of compression that are removed. Some tools compress files that are compressed already. */
const MAX_LAYERS = 3

function unpacked(
  bytes: Uint8Array,
  { codecs, limit, lenient }: ReadProfileOptions,
): { content: Uint8Array; compression: Compression; faults: readonly Note[] } {
  const { bytes: opened, compression, faults } = decompress(bytes, codecs, limit, { lenient })
  const notes: Note[] = [...faults]
  let content = plainBytes(opened)
  for (let layer = 1; layer < MAX_LAYERS; layer++) {
    const inner = decompress(content, codecs, limit, { lenient })
    if (inner.compression === 'none') break
    content = plainBytes(inner.bytes)
    notes.push(...inner.faults)
  }
  return { content, compression, faults: notes }
}

/** With `lenient`, throws the error of the strict reader if there is nothing to return. */
function readContent(format: Format, content: Uint8Array, options: ReadProfileOptions): ReadResult {
  const { generation, codecs, lenient, labels, onBytesRead, symbols, keepOriginal: keep } = options
  let isReleased = false
  const release = (): void => {
    isReleased = true
    onBytesRead?.()
  }
  const reading: ReadOptions = {
    ...(generation === undefined ? {} : { generation }),
    ...(codecs === undefined ? {} : { codecs }),
    ...(labels === undefined ? {} : { labels }),
  }
  const read = format.read!(content, {
    ...reading,
    ...(lenient === undefined ? {} : { lenient }),
    ...(symbols === undefined ? {} : { symbols }),
    ...(onBytesRead === undefined || keep === true ? {} : { onBytesRead: release }),
  })
  if (lenient === true && read.profiles.samples.length === 0 && !isReleased) format.read!(content, reading)
  return read
}

function brokenText(count: number): readonly Note[] {
  if (count === 0) return []
  return [{ code: 'invalid-text', count, message: 'texts were not valid UTF-16; invalid parts became U+FFFD' }]
}

/** Reports labels that were given for a format other than jfr. */
function unusedLabels({ name }: Format, { labels }: ReadProfileOptions): readonly Note[] {
  if (labels === undefined || name === 'jfr') return []
  return [{ code: 'labels-unused', count: 1, message: `${name} does not use the given labels` }]
}

interface Chosen {
  readonly format: Format
  readonly confidence: ReadProfileResult['confidence']
}

/** `plain` is the content as it is in the file, before UTF-16 became UTF-8. */
function detected(content: Uint8Array, fileName: string, plain: Uint8Array): Chosen {
  const found = detectFormat(content.subarray(0, HEAD_BYTES), fileName)
  if (found !== undefined) return found
  const tried = triedFormats()
  const start = hexOf(plain.subarray(0, 16), ' ')
  throw new UnknownFormatError(`not a known format: tried ${tried.join(', ')}; it begins with ${start}`, tried)
}

function named(name: string): Chosen {
  const format = formatNamed(name)
  if (format?.read !== undefined) return { format, confidence: 'given' }
  const tried = triedFormats()
  const what = format === undefined ? `there is no format ${JSON.stringify(name)}` : `${name} cannot be read`
  throw new UnknownFormatError(`${what}; these can be read: ${tried.join(', ')}`, tried)
}
