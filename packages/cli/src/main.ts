// The `hearth` command: the program with all of its subcommands, and how its failures become words and an exit status.
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { addAdmin } from './commands/server/admin.ts'
import { addCapture } from './commands/broker/capture.ts'
import { addComponents } from './commands/broker/components.ts'
import { addConvert } from './commands/files/convert.ts'
import { addDiff } from './commands/files/diff.ts'
import { addEvents } from './commands/broker/events.ts'
import { addFlame } from './commands/files/flame.ts'
import { addFormats } from './commands/files/formats.ts'
import { addInspect } from './commands/files/inspect.ts'
import { addLogs } from './commands/queries/logs.ts'
import { addMerge } from './commands/files/merge.ts'
import { addPush } from './commands/recording/push.ts'
import { addQuery } from './commands/queries/query.ts'
import { addRecord } from './commands/recording/record.ts'
import { addServe } from './commands/server/serve.ts'
import { addTop } from './commands/files/top.ts'
import { addTrace, addTraces } from './commands/queries/trace.ts'
import { addTriggers } from './commands/broker/triggers.ts'
import { addValidate } from './commands/files/validate.ts'
import { addView } from './commands/files/view.ts'
import type { Context } from './context.ts'
import { contextOf } from './context.ts'
import { CliError, OutputClosed, errorText } from './errors.ts'
import { examples } from './options.ts'
import { print } from './terminal/output.ts'
import { printable } from './terminal/printable.ts'
import type { Terminal } from './terminal/terminal.ts'

export const OK = 0
/** The input or the answer is bad. */
export const BAD = 1
export const WRONG_USAGE = 2

/** Runs one command line, without the names of node and script; returns the exit status. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const context = contextOf(terminal)
  // Without a listener a closed pipe ends the process; the failed write is reported to its caller anyway.
  terminal.stdout.on?.('error', ignore)
  terminal.stderr.on?.('error', ignore)
  // Commander writes synchronously; what it says is printed when it is done.
  const said: Said = { out: '', err: '', status: OK }
  try {
    const program = programFor(context, said)
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync(argv, { from: 'user' })
    await flush(said, context)
    return said.status
  } catch (error) {
    context.progress.done()
    return await statusOf(error, argv, said, context).catch(quietly)
  }
}

interface Said {
  out: string
  err: string
  /** Set by a command whose answer is bad without anything having failed. */
  status: number
}

function programFor(context: Context, said: Said): Command {
  const program = new Command('hearth')
  program
    .description('A home for profiles in the OpenTelemetry Profiles data model')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .option('--no-color', 'no colours, as with the environment variable NO_COLOR')
    .exitOverride()
    .configureOutput({
      writeOut: text => void (said.out += text),
      writeErr: text => void (said.err += text),
      getOutHelpWidth: () => Math.min(context.width ?? 100, 120),
      getErrHelpWidth: () => Math.min(context.stderr.columns ?? 100, 120),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(`hearth: ${usageText(text)}\n`),
    })
    .addHelpText(
      'after',
      `
FILE may be compressed (gzip, zstd) and is recognised by its content; \`-\` is standard input or output.
Exit status: 0 done, 1 the input or the answer is bad, 2 wrong usage.
${examples(
  ['hearth inspect cpu.otlp', 'what is in a file'],
  ['hearth top cpu.otlp', 'where the time goes'],
  ['hearth convert cpu.otlp -o cpu.folded', 'to another format'],
  [`hearth query 'cpu {service.name="web"}'`, 'the same of what a server keeps'],
)}`,
    )
  const answer = (status: number): void => void (said.status = status)
  addInspect(program, context)
  addValidate(program, context, answer)
  addConvert(program, context)
  addFormats(program, context)
  addMerge(program, context)
  addDiff(program, context)
  addTop(program, context)
  addFlame(program, context)
  addView(program, context)
  addRecord(program, context, answer)
  addPush(program, context)
  addQuery(program, context)
  addTraces(program, context)
  addTrace(program, context)
  addLogs(program, context)
  addComponents(program, context)
  addCapture(program, context)
  addTriggers(program, context)
  addEvents(program, context)
  addServe(program, context, version())
  addAdmin(program, context)
  return program
}

async function statusOf(error: unknown, argv: readonly string[], said: Said, context: Context): Promise<number> {
  if (error instanceof OutputClosed) return OK
  await flush(said, context)
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return OK
    // A group of commands without the name of one: its help, which has been printed, is all there is to say.
    if (error.code !== 'commander.help') await print(context.stderr, `  ${usageAdvice(error, argv, context)}\n`)
    return WRONG_USAGE
  }
  if (error instanceof CliError) {
    await print(context.stderr, errorText(error))
    return error.status
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  await print(
    context.stderr,
    `hearth: this is a mistake in hearth itself; please report it with the lines below\n${text}\n`,
  )
  return BAD
}

/** Commander's words on one line: a suggestion comes on a line of its own. */
function usageText(text: string): string {
  return printable(
    text
      .trim()
      .replace(/^error: /, '')
      .replaceAll('\n', ' '),
  )
}

function usageAdvice({ code }: CommanderError, argv: readonly string[], context: Context): string {
  // The program once more, for the names of its commands.
  let command = programFor(context, { out: '', err: '', status: OK })
  const path = ['hearth']
  for (const word of argv) {
    if (word.startsWith('-')) continue
    const next = command.commands.find(candidate => candidate.name() === word)
    if (next === undefined) break
    command = next
    path.push(word)
  }
  // `hearth query cpu {a="b"}` without quotes.
  if (code === 'commander.excessArguments' && (path[1] === 'query' || path[1] === 'diff')) {
    return `A selector is one argument: put quotes around it, as 'cpu {service.name="checkout"}'.`
  }
  if (code === 'commander.unknownOption' && path[1] === 'record' && !argv.includes('--')) {
    return 'The command to run comes after --, as in `hearth record -- node app.js --fast`.'
  }
  const lists = code === 'commander.unknownCommand' || command.commands.length > 0
  return `\`${path.join(' ')} --help\` ${lists ? 'lists the commands' : 'explains the command'}.`
}

async function flush(said: Said, { stdout, stderr }: Context): Promise<void> {
  const { out, err } = said
  said.out = said.err = ''
  if (out !== '') await print(stdout, out)
  if (err !== '') await print(stderr, err)
}

/** When not even standard error takes the words, the status has to do. */
function quietly(): number {
  return BAD
}

function ignore(): void {}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
