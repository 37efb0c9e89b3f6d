// Errors as people read them: which file, what, where, and a line of advice on what to do. The library states facts; the
// advice is added here.
//
//   hearth: cpu.otlp: otlp: index 7 is outside string_table (length 3), read as v1.11 at byte 12 (dictionary.function_table[1])
//     The file is damaged or cut off, or it is not otlp: `--from F` reads it as another format.
import { CompressionError, FormatError, WireError } from '@hearth/profile'
import { printable } from './terminal/printable.ts'

/** 1: the input or the answer is bad. 2: wrong usage. */
export type FailureStatus = 1 | 2

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly status: FailureStatus
  /** What to do, in one line or more; empty where that is plain. */
  readonly advice: string

  constructor(status: FailureStatus, message: string, advice = '', options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.advice = advice
  }
}

/** Nobody reads the output any more (`hearth top … | head`): nothing is wrong, and nothing is left to do. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/** The lines for standard error. */
export function errorText({ message, advice }: CliError): string {
  const lines = [`hearth: ${printable(message)}`]
  if (advice !== '') lines.push(...advice.split('\n').map(line => `  ${printable(line)}`))
  return `${lines.join('\n')}\n`
}

/** What went wrong with a file, whichever layer noticed. Passes on what is not about the file. */
export function aboutFile(error: unknown, file: string, stream?: string): unknown {
  if (error instanceof CliError || error instanceof OutputClosed) return error
  const name = shownName(file, stream)
  const cause = { cause: error }
  if (error instanceof FormatError) return new CliError(1, `${name}: ${error.message}`, formatAdvice(error), cause)
  if (error instanceof CompressionError) {
    const where = error.offset === undefined || error.message.includes(' at byte ') ? '' : ` at byte ${error.offset}`
    return new CliError(1, `${name}: ${error.message}${where}`, compressionAdvice(error), cause)
  }
  if (error instanceof WireError) return new CliError(1, `${name}: ${error.message}`, DAMAGED, cause)
  const known = systemError(error)
  if (known !== undefined) return new CliError(1, `${name}: ${known.what}`, known.advice, cause)
  return error
}

/** `-` says little in an error. */
export function shownName(file: string, stream = 'standard input'): string {
  return file === '-' ? stream : file
}

const DAMAGED = 'The file is damaged or cut off: copy or download it again.'

function formatAdvice({ format }: FormatError): string {
  return `The file is damaged or cut off, or it is not ${format}: \`--from F\` reads it as another format (see \`hearth formats\`).`
}

function compressionAdvice({ reason }: CompressionError): string {
  switch (reason) {
    case 'limit':
      return 'If a profile of this size is meant, decompress it first: up to 2 GiB are read.'
    case 'corrupt':
      return DAMAGED
    case 'unsupported':
      return 'Decompress the file first.'
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  ENOENT: ['no such file or directory', 'Check the spelling and the current directory.'],
  EISDIR: ['is a directory', 'Name a file in it.'],
  ENOTDIR: ['a part of the path is not a directory', 'Check the spelling.'],
  EACCES: ['permission denied', 'Ask for the right to it, or use a copy.'],
  EPERM: ['operation not permitted', 'Ask for the right to it, or use another place.'],
  ENOSPC: ['no space left on the device', 'Make room, or write to another place.'],
  EROFS: ['the file system is read-only', 'Write to another place.'],
  EMFILE: ['too many open files', 'Raise the limit with `ulimit -n`.'],
  ENAMETOOLONG: ['the name is too long', 'Use a shorter one.'],
  ELOOP: ['too many symbolic links', 'Name the file itself.'],
  EIO: ['the device failed', 'Check the disk.'],
}

function systemError(error: unknown): { readonly what: string; readonly advice: string } | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const known = SYSTEM_ERRORS[error.code]
  if (known !== undefined) return { what: known[0], advice: known[1] }
  // Other errors of the operating system have a call to their name; what has not is a mistake of ours.
  return 'syscall' in error ? { what: error.message, advice: '' } : undefined
}
