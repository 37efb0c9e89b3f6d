// Formats by name: from --from, --to, or the extension of a file.
import type { Format } from '@hearth/profile'
import { formatNamed, formatOfName, formats } from '@hearth/profile'
import { CliError } from '../errors.ts'

type Direction = 'read' | 'write'

/** Throws a usage error that lists the known names. `option` is the option with the name. */
export function knownFormat(
  name: string,
  direction: Direction,
  option = direction === 'read' ? '--from' : '--to',
): Format {
  const format = formatNamed(name)
  if (format?.[direction] !== undefined) return format
  const what = format === undefined ? 'unknown format' : `hearth cannot ${direction} the format`
  throw new CliError(
    2,
    `${option}: ${what} ${JSON.stringify(name)}`,
    `Formats to ${direction}: ${namesFor(direction)}.`,
  )
}

/** The format with the longest matching extension before `.gz` or `.zst`. A bare `.json` is OTLP. */
export function formatByExtension(file: string, option = '--to'): Format {
  const format = formatOfName(file, formatsFor('write')) ?? (isJson(file) ? formatNamed('otlp-json') : undefined)
  if (format !== undefined) return format
  const what = file === '-' ? 'standard output has no extension' : `${file}: no format has this extension`
  throw new CliError(2, what, `Set the format with ${option}: ${namesFor('write')}.`)
}

/**
 * The format of `-o` and `--to`. It may be one that Hearth cannot write, because an input may contain its original file.
 * `checkWritable` checks that later, when the inputs are known.
 */
export function outputFormat(output: string, to: string | undefined, option = '--to'): Format {
  if (to !== undefined) return formatNamed(to) ?? knownFormat(to, 'write', option)
  const named = formatOfName(output, formats)
  return named?.write === undefined && named !== undefined ? named : formatByExtension(output, option)
}

/** Throws a usage error if the format can only be read. */
export function checkWritable(format: Format): void {
  if (format.write !== undefined) return
  const what = `hearth cannot write ${format.name}, and the input does not contain an original of it`
  throw new CliError(2, what, `Formats to write: ${namesFor('write')}.`)
}

/** The format of traces, logs or metrics: OTLP as protobuf, unless `to` or the extension of the output is that of JSON. */
export function signalFormat(signal: string, output: string, to: string | undefined, option = '--to'): string {
  const byName = isJson(output) ? 'otlp-json' : (formatOfName(output, formats)?.name ?? 'otlp')
  const name = to ?? byName
  if (name === 'otlp' || name === 'otlp-json') return name
  const where = to === undefined ? output : option
  throw new CliError(2, `${where}: ${signal} cannot be written as ${JSON.stringify(name)}`, 'Use otlp or otlp-json.')
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
