// Opens an input: a file or standard input, compressed or not, whose format is recognised or given.
import * as fs from 'node:fs'
import type { Compression, Note, Profiles, ReadProfileResult } from '@hearth/profile'
import { EmptyInputError, UnknownFormatError, keepOriginal, pruneFrames, readProfile } from '@hearth/profile'
import type { Context } from '../context.ts'
import { CliError, aboutFile, shownName } from '../errors.ts'
import { knownFormat } from './format-name.ts'
import { nodeCodecs, opened } from '@hearth/codecs'
import type { ReadingOptions } from '../options.ts'
import type { SymbolOptions } from './symbols.ts'
import { withSymbols } from './symbols.ts'
import type { Source } from '../terminal/terminal.ts'

/** Column offsets are int32, and Node reads no more at once. */
const MAX_BYTES = 2 ** 31 - 1

export interface Input {
  readonly file: string
  /** The stored size. */
  readonly size: number
  readonly compression: Compression
  /** The size without compression. */
  readonly contentSize: number
  readonly format: string
  /** How certain the recognised format is. 'given' with --from. */
  readonly confidence: ReadProfileResult['confidence']
  readonly generation: string
  readonly profiles: Profiles
  readonly notes: readonly Note[]
}

export interface InputOptions extends ReadingOptions, SymbolOptions {
  /** Shows the frames that `drop_frames` hides. */
  readonly allFrames?: boolean
  /** Stores the file as the original payload of its first profile. */
  readonly keepOriginal?: boolean
}

export async function readInput(file: string, options: InputOptions, context: Context): Promise<Input> {
  return await readContent(await openInput(file, options, context), options)
}

/** A file without its compression, before its format is recognised. */
export interface OpenInput {
  readonly file: string
  readonly stored: Uint8Array
  readonly bytes: Uint8Array
  readonly compression: Compression
  readonly faults: readonly Note[]
}

export async function openInput(file: string, { lenient }: ReadingOptions, context: Context): Promise<OpenInput> {
  context.progress.say(`reading ${shownName(file)}`)
  try {
    const stored = await readStored(file, context)
    return { file, stored, ...(await opened(stored, lenient)) }
  } catch (error) {
    throw aboutFile(error, file)
  }
}

export async function readContent(input: OpenInput, options: InputOptions): Promise<Input> {
  const { file, stored, bytes, compression, faults } = input
  const from = options.from === undefined ? undefined : knownFormat(options.from, 'read').name
  try {
    const sizes = { file, size: stored.length, compression, contentSize: bytes.length }
    const labels = options.labels === undefined ? undefined : await readLabels(options.labels)
    const found = recognised(bytes, file, from, options, labels)
    const read = { ...found, notes: [...faults, ...found.notes], profiles: withSymbols(found.profiles, options) }
    if (options.keepOriginal !== true) return { ...sizes, ...read }
    const { profiles, notes } = keepOriginal(read.profiles, read.format, stored)
    return { ...sizes, ...read, profiles, notes: [...read.notes, ...notes] }
  } catch (error) {
    throw aboutFile(error, file)
  }
}

/** The bytes of a file or of standard input. Throws if they are empty. */
export async function readStored(file: string, context: Context): Promise<Uint8Array> {
  try {
    const stored = file === '-' ? await readStream(context.stdin) : readFile(file)
    if (stored.length === 0) throw empty(file)
    return stored
  } catch (error) {
    // A file name with braces is probably a selector for another command.
    if (file.includes('{') && !fs.existsSync(file)) throw noFile(file, error)
    throw aboutFile(error, file)
  }
}

/** Throws a usage error for files that cannot be read together. */
export function checkInputs(files: readonly string[]): void {
  if (files.filter(file => file === '-').length <= 1) return
  throw new CliError(2, 'standard input can be read only once', 'Use `-` once.')
}

/** Reads a file to show its frames. */
export async function readShown(file: string, options: InputOptions, context: Context): Promise<Input> {
  return shownInput(await readInput(file, options, context), options)
}

/** The input without the frames that it marks as uninteresting, unless the user wants all frames. */
export function shownInput(input: Input, { allFrames = false }: InputOptions): Input {
  if (allFrames) return input
  const { profiles, notes } = pruneFrames(input.profiles)
  return { ...input, profiles, notes: [...input.notes, ...notes] }
}

export async function readInputs(
  files: readonly string[],
  options: InputOptions,
  context: Context,
): Promise<readonly Input[]> {
  checkInputs(files)
  if (files.length > 1 && options.labels !== undefined)
    throw new CliError(2, '--labels applies to one file', 'Convert that file first, then read the result.')
  const inputs: Input[] = []
  for (const file of files) inputs.push(await readInput(file, options, context))
  return inputs
}

type Recognised = Pick<Input, 'format' | 'confidence' | 'generation' | 'profiles' | 'notes'>

function recognised(
  bytes: Uint8Array,
  file: string,
  from: string | undefined,
  options: ReadingOptions,
  labels: Uint8Array | undefined,
): Recognised {
  try {
    const { format, confidence, generation, profiles, notes } = readProfile(bytes, {
      codecs: nodeCodecs,
      ...(file === '-' ? {} : { fileName: file }),
      ...(from === undefined ? {} : { format: from }),
      ...(options.generation === undefined ? {} : { generation: options.generation }),
      ...(options.lenient === undefined ? {} : { lenient: options.lenient }),
      ...(labels === undefined ? {} : { labels }),
    })
    return { format: format.name, confidence, generation, profiles, notes }
  } catch (error) {
    if (error instanceof UnknownFormatError) {
      const advice = 'If you know the format, add `--from FORMAT`; `hearth formats` lists the formats.'
      throw new CliError(1, `${shownName(file)}: ${error.message}`, advice, { cause: error })
    }
    if (error instanceof EmptyInputError) throw empty(file, error)
    if (error instanceof RangeError && options.generation !== undefined) {
      throw new CliError(2, `--generation: ${error.message}`, 'Remove it to have the generation recognised.', {
        cause: error,
      })
    }
    throw error
  }
}

async function readLabels(file: string): Promise<Uint8Array> {
  try {
    return (await opened(readFile(file))).bytes
  } catch (error) {
    throw aboutFile(error, file)
  }
}

function readFile(file: string): Uint8Array {
  const stat = fs.statSync(file)
  if (stat.isDirectory()) throw new CliError(1, `${file}: is a directory`, 'Use a file in it.')
  if (stat.size > MAX_BYTES) throw tooLarge(file)
  return fs.readFileSync(file)
}

async function readStream(stdin: Source): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    length += bytes.length
    if (length > MAX_BYTES) throw tooLarge('-')
    chunks.push(bytes)
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)
}

function noFile(selector: string, cause: unknown): CliError {
  const advice = 'This looks like a selector. Use it with `hearth query`.'
  return new CliError(1, `${selector}: no such file or directory`, advice, { cause })
}

function tooLarge(file: string): CliError {
  return new CliError(1, `${shownName(file)}: is larger than 2 GiB`, 'Split it, or record a shorter time.')
}

function empty(file: string, cause?: unknown): CliError {
  const advice = file === '-' ? 'Check the command before the pipe.' : 'Check the program that writes it.'
  return new CliError(1, `${shownName(file)}: is empty`, advice, { cause })
}
