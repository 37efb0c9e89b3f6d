// Opens the bytes of an input: a file or standard input, compressed or not.
import * as fs from 'node:fs'
import type { Compression, Note } from '@hearth/profile'
import { opened } from '@hearth/codecs'
import type { Context } from '../context.ts'
import { CliError, aboutFile, shownName } from '../errors.ts'
import type { ReadingOptions } from '../options.ts'
import type { Source } from '../terminal/terminal.ts'

/** Column offsets are int32, and Node reads no more at once. */
const MAX_BYTES = 2 ** 31 - 1

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

export async function openInputs(
  files: readonly string[],
  options: ReadingOptions,
  context: Context,
): Promise<readonly OpenInput[]> {
  checkInputs(files)
  const inputs: OpenInput[] = []
  for (const file of files) inputs.push(await openInput(file, options, context))
  return inputs
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

export function readFile(file: string): Uint8Array {
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

export function empty(file: string, cause?: unknown): CliError {
  const advice = file === '-' ? 'Check the command before the pipe.' : 'Check the program that writes it.'
  return new CliError(1, `${shownName(file)}: is empty`, advice, { cause })
}
