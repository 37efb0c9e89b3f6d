// Format names as people give them: by --from, --to, or the extension of a file.
import type { Format } from '@hearth/profile'
import { formatNamed, formatOfName, formats } from '@hearth/profile'
import { CliError } from '../errors.ts'

type Direction = 'read' | 'write'

/** Throws a usage error with the names there are. `option` is the one that has the name. */
export function knownFormat(
  name: string,
  direction: Direction,
  option = direction === 'read' ? '--from' : '--to',
): Format {
  const format = formatNamed(name)
  if (format?.[direction] !== undefined) return format
  const what = format === undefined ? 'there is no format' : `hearth cannot ${direction} the format`
  throw new CliError(
    2,
    `${option}: ${what} ${JSON.stringify(name)}`,
    `Formats to ${direction}: ${namesFor(direction)}.`,
  )
}

/** The format to write by the longest extension that fits, before a `.gz` or `.zst`. Bare `.json` is OTLP's. */
export function formatByExtension(file: string, option = '--to'): Format {
  const format = formatOfName(file, formatsFor('write')) ?? (isJson(file) ? formatNamed('otlp-json') : undefined)
  if (format !== undefined) return format
  const what = file === '-' ? 'standard output has no extension' : `${file}: no format has this extension`
  throw new CliError(2, what, `Say what to write with ${option} F: ${namesFor('write')}.`)
}

/**
 * The format that `-o` and `--to` ask for, where it may be one that Hearth cannot write: an input may carry the file it was
 * made from. `checkWritable` comes later, once the inputs are known.
 */
export function outputFormat(output: string, to: string | undefined, option = '--to'): Format {
  if (to !== undefined) return formatNamed(to) ?? knownFormat(to, 'write', option)
  const named = formatOfName(output, formats)
  return named?.write === undefined && named !== undefined ? named : formatByExtension(output, option)
}

/** Throws a usage error where the format can only be read. */
export function checkWritable(format: Format): void {
  if (format.write !== undefined) return
  const what = `hearth cannot write ${format.name}, and the input does not carry an original of it`
  throw new CliError(2, what, `Formats to write: ${namesFor('write')}.`)
}

function isJson(file: string): boolean {
  return /\.json(?:\.gz|\.gzip|\.zst|\.zstd)?$/i.test(file)
}

function formatsFor(direction: Direction): Format[] {
  return formats.filter(format => format[direction] !== undefined)
}

function namesFor(direction: Direction): string {
  const names = formatsFor(direction).map(({ name }) => name)
  return names.join(', ')
}
