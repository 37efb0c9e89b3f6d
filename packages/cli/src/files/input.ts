// Reads the profiles of an input, whose format is recognised or given.
import type { Compression, Note, Profiles, ReadProfileResult } from '@hearth/profile'
import { EmptyInputError, UnknownFormatError, concat, keepOriginal, pruneFrames, readProfile } from '@hearth/profile'
import type { Context } from '../context.ts'
import { CliError, aboutFile, shownName } from '../errors.ts'
import { knownFormat } from './format-name.ts'
import { nodeCodecs, opened } from '@hearth/codecs'
import type { ReadingOptions } from '../options.ts'
import type { SymbolOptions } from './symbols.ts'
import { withSymbols } from './symbols.ts'
import type { OpenInput } from './open-input.ts'
import { empty, openInput, openInputs, readFile } from './open-input.ts'
import { checkProfiles } from './signal-input.ts'

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

export async function readContent(input: OpenInput, options: InputOptions): Promise<Input> {
  await checkProfiles(input, options)
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

/** Reads a file to show its frames. */
export async function readShown(file: string, options: InputOptions, context: Context): Promise<Input> {
  return shownInput(await readInput(file, options, context), options)
}

/** The profiles of several files, one behind the other. */
export interface ShownFiles {
  readonly profiles: Profiles
  /** The names of the files, for errors. */
  readonly name: string
  readonly inputs: readonly Input[]
}

/** Reads files to show their frames together. */
export async function readShownFiles(
  files: readonly string[],
  options: InputOptions,
  context: Context,
): Promise<ShownFiles> {
  const inputs = (await readInputs(files, options, context)).map(input => shownInput(input, options))
  const [first] = inputs
  return {
    profiles: inputs.length === 1 ? first.profiles : concat(inputs.map(({ profiles }) => profiles)),
    name: files.join(', '),
    inputs,
  }
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
  return await readContents(await openInputs(files, options, context), options)
}

export async function readContents(opened: readonly OpenInput[], options: InputOptions): Promise<readonly Input[]> {
  if (opened.length > 1 && options.labels !== undefined)
    throw new CliError(2, '--labels applies to one file', 'Convert that file first, then read the result.')
  const inputs: Input[] = []
  for (const input of opened) inputs.push(await readContent(input, options))
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
