// Errors for people: the file, what is wrong, where, and what to do. The library states facts, and the advice is added here.
//
//   hearth: cpu.otlp: otlp: index 7 is outside string_table (length 3), read as v1.11 at byte 12 (dictionary.function_table[1])
//     The file is damaged or truncated, or it is not otlp: `--lenient` reads its intact part, `--from FORMAT` …
import { CompressionError, FormatError, WireError } from '@hearth/profile'
import { printable } from './terminal/printable.ts'

/** 1: the input or the result is bad. 2: wrong usage. */
export type FailureStatus = 1 | 2

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly status: FailureStatus
  /** The advice, in one or more lines. Empty if it is obvious. */
  readonly advice: string

  constructor(status: FailureStatus, message: string, advice = '', options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.advice = advice
  }
}

/** The reader has closed the output (`hearth top …  head`). This is not a failure. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/** The text for standard error. */
export function errorText({ message, advice }: CliError): string {
  const lines = [`hearth: ${printable(message)}`]
  if (advice !== '') lines.push(...advice.split('\n').map(line => `  ${printable(line)}`))
  return `${lines.join('\n')}\n`
}

/** Converts an error about a file, whichever layer threw it. Returns other errors unchanged. */
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

/** Names the stream that `-` stands for. */
export function shownName(file: string, stream = 'standard input'): string {
  return file === '-' ? stream : file
}

const DAMAGED = 'The file is damaged or truncated: copy or download it again.'

function formatAdvice({ format }: FormatError): string {
  return `The file is damaged or truncated, or it is not ${format}: \`--lenient\` reads its intact part, \`--from FORMAT\` reads it as another format (see \`hearth formats\`).`
}

function compressionAdvice({ reason }: CompressionError): string {
  switch (reason) {
    case 'limit':
      return 'If the profile really has this size, decompress it first: files of up to 2 GiB can be read.'
    case 'corrupt':
      return DAMAGED
    case 'unsupported':
      return 'Decompress the file first.'
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  ENOENT: ['no such file or directory', 'Check the spelling and the current directory.'],
  EISDIR: ['is a directory', 'Use a file in it.'],
  ENOTDIR: ['a part of the path is not a directory', 'Check the spelling.'],
  EACCES: ['permission denied', 'Check the permissions of the file.'],
  EPERM: ['operation not permitted', 'Check the permissions, or use another directory.'],
  ENOSPC: ['no space left on the device', 'Free some space, or write to another directory.'],
  EROFS: ['the file system is read-only', 'Write to another directory.'],
  EMFILE: ['too many open files', 'Raise the limit with `ulimit -n`.'],
  ENAMETOOLONG: ['the name is too long', 'Use a shorter one.'],
  ELOOP: ['too many symbolic links', 'Use the path of the file itself.'],
  EIO: ['the device failed', 'Check the disk.'],
}

function systemError(error: unknown): { readonly what: string; readonly advice: string } | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const known = SYSTEM_ERRORS[error.code]
  if (known !== undefined) return { what: known[0], advice: known[1] }
  // An error of the operating system has a `syscall`. Others are bugs in hearth.
  return 'syscall' in error ? { what: error.message, advice: '' } : undefined
}
