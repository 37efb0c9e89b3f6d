// `hearth validate FILE`: checks a file against the rules of its format.
import type { Command } from 'commander'
import type { Problem } from '@hearth/profile'
import { CompressionError, FormatError, RULES, validate } from '@hearth/profile'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { CliError, shownName } from '../../errors.ts'
import { readInput } from '../../files/input.ts'
import { printLenientNotes } from '../../terminal/notes.ts'
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

/** A problem of the library, or a file that cannot be decoded. */
interface ShownProblem extends Omit<Problem, 'rule'> {
  readonly rule: string
}

const DECODABLE = { id: 'decodable', level: 'must', title: 'the file can be decoded', source: 'protobuf' } as const

export function addValidate(program: Command, context: Context, setStatus: (status: number) => void): void {
  addReadingOptions(program.command('validate'))
    .summary('check a file against the rules of its format')
    .description(
      'Reports every broken rule of the data format with its path: MUST rules, and with --strict SHOULD rules too. ' +
        'Exit status: 0 if the file is valid, 1 if a rule is broken or the file cannot be decoded.',
    )
    .argument('[file]', 'a profile in any format; `-` is standard input')
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
      else setStatus((await validateFile(file, options, context)) ? 0 : 1)
    })
}

async function validateFile(file: string, options: ValidateOptions, context: Context): Promise<boolean> {
  const problems = await problemsOf(file, options, context)
  context.progress.done()
  const valid = problems.length === 0
  if (options.json) {
    const plain = problems.map(({ path, rule, level, message }) => ({ path, rule, level, message }))
    await printJson(context.stdout, { valid, problems: plain })
  } else await printLines(context.stdout, problemLines(file, problems, options.strict ?? false))
  return valid
}

async function problemsOf(file: string, options: ValidateOptions, context: Context): Promise<readonly ShownProblem[]> {
  const { strict = false, limit } = options
  try {
    const input = await readInput(file, options, context)
    await printLenientNotes(context, options, input)
    context.progress.say(`validating ${shownName(file)}`)
    return validate(input.profiles, { strict, ...(limit === undefined ? {} : { limit }) })
  } catch (error) {
    // A file that cannot be decoded is reported like a broken rule, so that scripts see it the same way.
    const cause = error instanceof CliError ? error.cause : undefined
    if (cause instanceof FormatError) return [decodingProblem(cause.path, cause.message)]
    if (cause instanceof CompressionError) return [decodingProblem('', cause.message)]
    throw error
  }
}

function decodingProblem(path: string, message: string): ShownProblem {
  return { path, rule: DECODABLE.id, level: DECODABLE.level, message }
}

function problemLines(file: string, problems: readonly ShownProblem[], strict: boolean): string[] {
  const name = printable(shownName(file))
  if (problems.length === 0) return [`${name}: valid${strict ? ', strictly' : ''}`]
  const lines = problems.flatMap(({ path, rule, level, message }) => [
    `${level.toUpperCase().padEnd(6)}  ${rule}  ${printable(path)}`,
    `        ${printable(message)}`,
  ])
  return [...lines, `${name}: not valid, ${countOf(problems.length, 'problem')}`]
}

async function printRules({ json }: ValidateOptions, context: Context): Promise<void> {
  const rules = [DECODABLE, ...RULES].map(({ id, level, title, source }) => ({ id, level, title, source }))
  if (json) await printJson(context.stdout, { rules })
  else {
    const rows = rules.map(({ id, level, title, source }) => [id, level, title, source])
    const columns = [{ title: 'RULE' }, { title: 'LEVEL' }, { title: 'RULE TEXT', flexible: true }, { title: 'SOURCE' }]
    await printLines(context.stdout, table(columns, rows, context.width))
  }
}
