// `hearth validate FILE`: checks a file against the rules of its format.
import type { Command } from 'commander'
import type { Level } from '@hearth/profile'
import type { SignalKind } from '@hearth/signals'
import { RULES, CompressionError, FormatError, validateFile } from '@hearth/profile'
import { nodeCodecs } from '@hearth/codecs'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { CliError, shownName } from '../../errors.ts'
import type { Input } from '../../files/input.ts'
import { readContent } from '../../files/input.ts'
import type { OpenInput } from '../../files/open-input.ts'
import { openInput } from '../../files/open-input.ts'
import { readSignal, signalKindOf } from '../../files/signal-input.ts'
import { printDamage, printNotes } from '../../terminal/notes.ts'
import type { ReadingOptions } from '../../options.ts'
import { addReadingOptions, examples, wholeNumber } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'

interface ValidateOptions extends ReadingOptions {
  readonly strict?: boolean
  readonly json?: boolean
  readonly rules?: boolean
  readonly limit?: number
}

/** A problem of profiles or of another signal. */
interface Problem {
  readonly path: string
  readonly rule: string
  readonly level: Level
  readonly message: string
}

export function addValidate(program: Command, context: Context, setStatus: (status: number) => void): void {
  addReadingOptions(program.command('validate'))
    .summary('check a file against the rules of its format')
    .description(
      'Reports every broken rule of the data format with its path: MUST rules, and with --strict SHOULD rules too. ' +
        'Exit status: 0 if the file is valid, 1 if a rule is broken or the file cannot be decoded.',
    )
    .argument('[file]', 'profiles in any format, or traces, logs or metrics as OTLP; `-` is standard input')
    .option('--strict', 'check SHOULD rules too')
    .option('--limit <n>', 'maximum problems per rule; default: 100', wholeNumber)
    .option('--rules', 'list the rules instead')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth validate cpu.otlp', 'check the MUST rules'],
        ['hearth validate --strict cpu.otlp', 'check the SHOULD rules too'],
        ['hearth validate --rules', 'list all rules'],
      ),
    )
    .action(async (file: string | undefined, options: ValidateOptions) => {
      if (options.rules) await printRules(options, context)
      else if (file === undefined)
        throw new CliError(
          2,
          "missing required argument 'file'",
          '`hearth validate FILE` checks a file, `hearth validate --rules` lists the rules.',
        )
      else setStatus((await printProblems(file, options, context)) ? 0 : 1)
    })
}

async function printProblems(file: string, options: ValidateOptions, context: Context): Promise<boolean> {
  const found = await problemsOf(file, options, context)
  context.progress.done()
  const problems = found.filter(({ level }) => level !== 'info')
  const remarks = found.filter(({ level }) => level === 'info')
  const valid = problems.length === 0
  if (options.json) {
    const plain = ({ path, rule, level, message }: Problem): object => ({ path, rule, level, message })
    await printJson(context.stdout, { valid, problems: problems.map(plain), remarks: remarks.map(plain) })
  } else await printLines(context.stdout, problemLines(file, found, problems.length, options.strict ?? false))
  return valid
}

async function problemsOf(file: string, options: ValidateOptions, context: Context): Promise<readonly Problem[]> {
  const { strict = false, limit, generation } = options
  try {
    const opened = await openInput(file, options, context)
    const kind = await signalKindOf(opened, options)
    if (kind !== undefined) return await signalProblems(opened, kind, options, context)
    const read: Input | FormatError = await orFormatError(readContent(opened, options))
    if (!(read instanceof FormatError)) await printDamage(context, options, read)
    context.progress.say(`validating ${shownName(file)}`)
    return validateFile(opened.bytes, read instanceof FormatError ? read : read.profiles, {
      format: read.format,
      codecs: nodeCodecs,
      strict,
      ...(generation === undefined ? {} : { generation }),
      ...(limit === undefined ? {} : { limit }),
    })
  } catch (error) {
    // A file that cannot be decompressed is reported like a broken rule, so that scripts see it the same way.
    const cause = error instanceof CliError ? error.cause : undefined
    if (!(cause instanceof CompressionError)) throw error
    return [{ path: '', rule: 'decodable', level: 'must', message: cause.message }]
  }
}

async function signalProblems(
  opened: OpenInput,
  kind: SignalKind,
  options: ValidateOptions,
  context: Context,
): Promise<readonly Problem[]> {
  const read = await orFormatError(readSignal(opened, kind, options))
  if (read instanceof FormatError) return [{ path: read.path, rule: 'decodable', level: 'must', message: read.message }]
  if (options.lenient === true) await printNotes(context, shownName(opened.file), read.notes)
  const { validateSignal } = await import('@hearth/signals')
  return validateSignal(read.content, { encoding: kind.encoding, strict: options.strict, limit: options.limit })
}

/** Returns the error if the file cannot be decoded. */
async function orFormatError<Read>(reading: Promise<Read>): Promise<Read | FormatError> {
  try {
    return await reading
  } catch (error) {
    const cause = error instanceof CliError ? error.cause : undefined
    if (cause instanceof FormatError) return cause
    throw error
  }
}

function problemLines(file: string, found: readonly Problem[], problems: number, strict: boolean): string[] {
  const name = printable(shownName(file))
  const lines = found.flatMap(({ path, rule, level, message }) => [
    `${level.toUpperCase().padEnd(6)}  ${rule}  ${printable(path)}`,
    `        ${printable(message)}`,
  ])
  if (problems > 0) return [...lines, `${name}: not valid, ${countOf(problems, 'problem')}`]
  return [...lines, `${name}: valid${strict ? ', strictly' : ''}`]
}

async function printRules({ json }: ValidateOptions, context: Context): Promise<void> {
  const { SIGNAL_RULES } = await import('@hearth/signals')
  const rules = [
    ...RULES.map(({ id, level, title, source }) => ({ signal: 'profiles', id, level, title, source })),
    ...SIGNAL_RULES.map(({ id, level, title, source }) => ({ signal: 'others', id, level, title, source })),
  ]
  if (json) await printJson(context.stdout, { rules })
  else {
    const rows = rules.map(({ signal, id, level, title, source }) => [id, level, signal, title, source])
    const columns = [
      { title: 'RULE' },
      { title: 'LEVEL' },
      { title: 'SIGNAL' },
      { title: 'RULE TEXT', flexible: true },
      { title: 'SOURCE' },
    ]
    await printLines(context.stdout, table(columns, rows, context.width))
  }
}
