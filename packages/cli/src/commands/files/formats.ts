// `hearth formats`: lists the formats of the registry, with what is lost in each direction.
import type { Command } from 'commander'
import type { Format } from '@hearth/profile'
import { formats } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { examples } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { table } from '../../terminal/table.ts'

interface FormatsOptions {
  readonly json?: boolean
}

export function addFormats(program: Command, context: Context): void {
  program
    .command('formats')
    .summary('list the formats, with what each loses')
    .description('Lists the formats that can be read and written, and what is lost in each direction.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(['hearth formats', 'a table, then the losses'], ['hearth formats --json', 'as JSON']),
    )
    .action(async ({ json }: FormatsOptions) => {
      if (json) await printJson(context.stdout, { formats: formats.map(described) })
      else await printLines(context.stdout, formatLines(context.width))
    })
}

/** The losses of a direction. Undefined if the direction does not exist. */
function losses(format: Format, direction: 'read' | 'write'): readonly string[] | undefined {
  if (format[direction] === undefined) return undefined
  const carries = direction === 'read' ? format.reads : format.writes
  return carries?.losses ?? []
}

function described(format: Format): object {
  const { name, title, extensions } = format
  const readingLoses = losses(format, 'read')
  const writingLoses = losses(format, 'write')
  const directions = { reads: readingLoses !== undefined, writes: writingLoses !== undefined }
  return { name, title, extensions, ...directions, readingLoses, writingLoses }
}

function formatLines(width: number | undefined): string[] {
  const columns = [
    { title: 'FORMAT' },
    { title: 'READ' },
    { title: 'WRITE' },
    { title: 'EXTENSIONS' },
    { title: 'WHAT', flexible: true },
  ]
  const rows = formats.map(format => [
    format.name,
    amount(losses(format, 'read')),
    amount(losses(format, 'write')),
    format.extensions.join(' '),
    format.title,
  ])
  return [...table(columns, rows, width), ...formats.flatMap(lossLines)]
}

function amount(lost: readonly string[] | undefined): string {
  if (lost === undefined) return '-'
  return lost.length === 0 ? 'all' : 'most'
}

function lossLines(format: Format): string[] {
  const lines = [
    ...(losses(format, 'read') ?? []).map(loss => `  reading: ${loss}`),
    ...(losses(format, 'write') ?? []).map(loss => `  writing: ${loss}`),
  ]
  return lines.length === 0 ? [] : ['', `${format.name} loses`, ...lines]
}
