// The `hearth` program with all subcommands. Converts failures to messages and an exit status.
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Help } from 'commander'
import { addAdmin } from './commands/server/admin.ts'
import { addCapture } from './commands/broker/capture.ts'
import { addComponents } from './commands/broker/components.ts'
import { addConvert } from './commands/files/convert.ts'
import { addDiff } from './commands/files/diff.ts'
import { addEvents } from './commands/broker/events.ts'
import { addFlame } from './commands/files/flame.ts'
import { addFormats } from './commands/files/formats.ts'
import { addGate } from './commands/files/gate.ts'
import { addInspect } from './commands/files/inspect.ts'
import { addAnnotations } from './commands/queries/annotations.ts'
import { addExport } from './commands/queries/export.ts'
import { addLogs } from './commands/queries/logs.ts'
import { addMcp } from './commands/server/mcp.ts'
import { addMerge } from './commands/files/merge.ts'
import { addImport } from './commands/recording/import.ts'
import { addPush } from './commands/recording/push.ts'
import { addQuery } from './commands/queries/query.ts'
import { addBench } from './commands/recording/bench.ts'
import { addRecord } from './commands/recording/record.ts'
import { addDemo } from './commands/server/demo.ts'
import { addServe } from './commands/server/serve.ts'
import { addPgo } from './commands/files/pgo.ts'
import { addSource } from './commands/files/source.ts'
import { addSymbols } from './commands/files/symbols.ts'
import { addTop } from './commands/files/top.ts'
import { addExplain } from './commands/queries/explain.ts'
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

const OK = 0
/** The input or the result is bad. */
const BAD = 1
const WRONG_USAGE = 2

/** Runs one command line, without the names of node and the script. Returns the exit status. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const context = contextOf(terminal)
  // Without a listener, a closed pipe would end the process. The failed write is reported to its caller anyway.
  terminal.stdout.on?.('error', ignore)
  terminal.stderr.on?.('error', ignore)
  // Commander writes synchronously. Its output is printed at the end.
  const output: CommandOutput = { out: '', err: '', status: OK }
  try {
    const program = programFor(context, output)
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync(withoutHelpOfNothing(argv, program), { from: 'user' })
    await flush(output, context)
    return output.status
  } catch (error) {
    context.progress.done()
    return await statusOf(error, argv, output, context).catch(quietly)
  }
}

interface CommandOutput {
  out: string
  err: string
  /** Set by a command whose result is bad although nothing failed. */
  status: number
}

function programFor(context: Context, output: CommandOutput): Command {
  const program = new Command('hearth')
  program
    .description('Records, stores, queries, converts and shows profiles in the OpenTelemetry Profiles data model')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .option('--no-color', 'print no colours, like the environment variable NO_COLOR')
    .configureHelp({
      optionDescription: option => {
        const text = new Help().optionDescription(option)
        return option.mandatory ? `${text} (required)` : text
      },
    })
    .exitOverride()
    .configureOutput({
      writeOut: text => void (output.out += text),
      writeErr: text => void (output.err += text),
      getOutHelpWidth: () => Math.min(context.width ?? 100, 120),
      getErrHelpWidth: () => Math.min(context.stderr.columns ?? 100, 120),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(`hearth: ${usageText(text)}\n`),
    })
    .addHelpText(
      'after',
      `
FILE may be compressed (gzip, zlib, zstd) and is recognised by its content; \`-\` is standard input or output.
Exit status: 0 success, 1 failure, 2 wrong usage.
${examples(
  ['hearth inspect cpu.otlp', 'the content of a file'],
  ['hearth top cpu.otlp', 'the most expensive functions'],
  ['hearth convert cpu.otlp -o cpu.folded', 'convert to another format'],
  [`hearth query 'cpu {service.name="web"}'`, 'profiles on a server'],
)}`,
    )
  const setStatus = (status: number): void => void (output.status = status)
  addInspect(program, context)
  addValidate(program, context, setStatus)
  addConvert(program, context)
  addFormats(program, context)
  addMerge(program, context)
  addDiff(program, context)
  addGate(program, context, setStatus)
  addTop(program, context)
  addFlame(program, context)
  addSource(program, context)
  addPgo(program, context)
  addSymbols(program, context)
  addView(program, context)
  addRecord(program, context, setStatus)
  addBench(program, context, setStatus)
  addPush(program, context)
  addImport(program, context)
  addQuery(program, context)
  addTraces(program, context)
  addTrace(program, context)
  addExplain(program, context)
  addLogs(program, context)
  addExport(program, context)
  addAnnotations(program, context)
  addComponents(program, context)
  addCapture(program, context)
  addTriggers(program, context)
  addEvents(program, context)
  addServe(program, context, version())
  addDemo(program, context, version())
  addMcp(program, context, version())
  addAdmin(program, context)
  return program
}

/** `hearth help X` and `hearth X --help` print the help of `hearth` if there is no command X. Without `help`, they report X. */
function withoutHelpOfNothing(argv: readonly string[], program: Command): readonly string[] {
  const name = argv[0] === 'help' ? argv[1] : argv[0]
  if (name === undefined || name === 'help' || name.startsWith('-')) return argv
  return program.commands.some(command => command.name() === name) ? argv : [name]
}

async function statusOf(
  error: unknown,
  argv: readonly string[],
  output: CommandOutput,
  context: Context,
): Promise<number> {
  if (error instanceof OutputClosed) return OK
  await flush(output, context)
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return OK
    // A group without a subcommand prints its help, which is enough.
    if (error.code !== 'commander.help') await print(context.stderr, `  ${usageAdvice(error, argv, context)}\n`)
    return WRONG_USAGE
  }
  if (error instanceof CliError) {
    await print(context.stderr, errorText(error))
    return error.status
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  await print(context.stderr, `hearth: this is a bug in hearth; please report it with the lines below\n${text}\n`)
  return BAD
}

/** Commander's message on one line. A suggestion comes on a separate line. */
function usageText(text: string): string {
  return printable(
    text
      .trim()
      .replace(/^error: /, '')
      .replaceAll('\n', ' '),
  )
}

function usageAdvice({ code }: CommanderError, argv: readonly string[], context: Context): string {
  // Another instance of the program, for the names of its commands.
  let command = programFor(context, { out: '', err: '', status: OK })
  const path = ['hearth']
  for (const word of argv) {
    if (word.startsWith('-')) continue
    const next = command.commands.find(candidate => candidate.name() === word)
    if (next === undefined) break
    command = next
    path.push(word)
  }
  // A selector without quotes: `hearth query cpu {a="b"}`.
  if (code === 'commander.excessArguments' && (path[1] === 'query' || path[1] === 'diff')) {
    return `A selector is one argument: put quotes around it, such as 'cpu {service.name="checkout"}'.`
  }
  if (code === 'commander.unknownOption' && path[1] === 'record' && !argv.includes('--')) {
    return 'Put the command to run after --, such as `hearth record -- node app.js --fast`.'
  }
  const lists = code === 'commander.unknownCommand' || command.commands.length > 0
  return `\`${path.join(' ')} --help\` ${lists ? 'lists the commands' : 'explains the command'}.`
}

async function flush(output: CommandOutput, { stdout, stderr }: Context): Promise<void> {
  const { out, err } = output
  output.out = output.err = ''
  if (out !== '') await print(stdout, out)
  if (err !== '') await print(stderr, err)
}

/** Used if even standard error is closed: only the status is left. */
function quietly(): number {
  return BAD
}

function ignore(): void {}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
