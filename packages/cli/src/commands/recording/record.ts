// `hearth record -- COMMAND`: runs a Node.js program with the agent.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Format } from '@hearth/profile'
import { ProfilesMerger, writeProfile } from '@hearth/profile'
import type { ProfileKind } from '../../record/agent-environment.ts'
import { OTLP_SERVER, PROFILE_KINDS, agentEnvironment, endpointIn, serviceIn } from '../../record/agent-environment.ts'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { CliError } from '../../errors.ts'
import { formatByExtension, knownFormat } from '../../files/format-name.ts'
import { readInput } from '../../files/input.ts'
import { printNotes } from '../../terminal/notes.ts'
import { durationMs, examples, wholeNumber } from '../../options.ts'
import { checkOutput, compressedFor, printLines, writeOutput, writing } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { programName } from '../../record/program-name.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { addRemoteOptions, checkAddress } from '../../remote/remote.ts'

export interface RecordOptions extends RemoteOptions {
  readonly service?: string
  readonly to?: string
  readonly output?: string
  readonly outputDir?: string
  readonly format?: string
  readonly types?: readonly ProfileKind[]
  readonly rate?: number
  readonly interval?: number
}

export function addRecord(program: Command, context: Context, setStatus: (status: number) => void): void {
  const command = program
    .command('record')
    .summary('profile a Node.js program while it runs')
    .description(
      'Runs a command with the agent in each of its Node.js processes, and sends the profiles to a server, or with -o writes ' +
        'them to a file at the end. The exit status is that of the command.',
    )
    .argument('<command...>', 'the command to run, after --')
    .option('-o, --output <file>', 'write the sum of all profiles of the run to a file (`.gz` and `.zst` compress it)')
    .option('--format <format>', 'format of the output file; default: by its extension (see `hearth formats`)')
    .option('--output-dir <dir>', 'write each export to a separate file in this directory')
    .option('--to <url>', `the server's address for OTLP over HTTP; default: ${OTLP_SERVER}`)
    .option('--service <name>', 'service.name of the program; default: the name of its package or script')
    .option('--types <list>', `profile types to record, of ${PROFILE_KINDS.join(',')}; default: all`, kinds)
    .option('--rate <hz>', 'samples per second, up to 1000; default: 100', hertz)
    .option('--interval <duration>', 'time between exports; default: 10s', durationMs)
  addRemoteOptions(command)
    .addHelpText(
      'after',
      examples(
        ['hearth record -- node app.js', 'to the server on this machine'],
        ['hearth record -o cpu.html --types cpu -- node app.js', 'a flame graph of the run'],
        ['hearth record --to https://hearth:4318 -- npm start', 'to another server, with a token in HEARTH_TOKEN'],
      ),
    )
    .action(async (words: readonly string[], options: RecordOptions) => {
      setStatus(await record(words, options, context))
    })
}

function kinds(text: string): readonly ProfileKind[] {
  const words = text.split(',').map(word => word.trim())
  const known = words.filter((word): word is ProfileKind => PROFILE_KINDS.some(kind => kind === word))
  if (known.length < words.length) throw new InvalidArgumentError(`It must be a list of ${PROFILE_KINDS.join(',')}.`)
  return known
}

function hertz(text: string): number {
  const value = wholeNumber(text)
  if (value > 1000) throw new InvalidArgumentError('It must be from 1 to 1000.')
  return value
}

/** Returns the exit status of the command. */
export async function record(words: readonly string[], options: RecordOptions, context: Context): Promise<number> {
  const { output, outputDir, to, types, rate, interval, tenant } = options
  if ([output, outputDir, to].filter(one => one !== undefined).length > 1) {
    throw new CliError(2, '-o, --output-dir and --to exclude each other', 'Give one of them.')
  }
  if (to !== undefined) checkAddress(to, '--to')
  const file = output === undefined ? undefined : recordingFor(output, options.format)
  const service = options.service ?? serviceIn(context.env) ?? programName(words)
  const sends = file === undefined && outputDir === undefined
  const endpoint = sends ? (to ?? (endpointIn(context.env) === undefined ? OTLP_SERVER : undefined)) : undefined
  // A server named by other variables may not be Hearth, so it does not get Hearth's token.
  const own = endpoint === undefined ? undefined : filled(context.env['HEARTH_TOKEN'])
  const env = agentEnvironment(context.env, {
    register: agentModule(),
    service,
    to: endpoint,
    // A path that ends with a slash is a directory for the agent, even if it does not exist.
    output: file?.temporary ?? (outputDir === undefined ? undefined : `${resolve(outputDir)}/`),
    ...(sends ? { token: options.token ?? own, tenant } : {}),
    types,
    rate,
    intervalMs: interval,
  })
  const where = file?.output ?? outputDir ?? endpoint ?? endpointIn(context.env) ?? ''
  await printLines(context.stderr, [printable(`hearth: recording ${service} to ${where}`)])
  try {
    const status = await running(words, env)
    if (file !== undefined) await finish(file, context)
    return status
  } finally {
    if (file !== undefined) rmSync(file.temporary, { force: true })
  }
}

interface Recording {
  readonly output: string
  readonly format: Format
  /** The file, beside the output, that the processes append to meanwhile. */
  readonly temporary: string
}

function recordingFor(output: string, named: string | undefined): Recording {
  if (output === '-')
    throw new CliError(2, '-o cannot be standard output, which belongs to the command', 'Use -o FILE.')
  const format = named === undefined ? formatByExtension(output, '--format') : knownFormat(named, 'write', '--format')
  checkOutput(output, [])
  const folder = dirname(resolve(output))
  if (!existsSync(folder)) throw new CliError(1, `${folder}: no such directory`, 'Create it first.')
  const temporary = join(folder, `.${basename(output)}.${randomBytes(6).toString('hex')}.tmp`)
  return { output, format, temporary }
}

/** Resolved from here, because the recorded program need not depend on the agent. */
function agentModule(): string {
  // The published command contains the agent.
  const bundled = new URL('./register.js', import.meta.url)
  if (existsSync(bundled)) return bundled.href
  try {
    return import.meta.resolve('@hearth/agent/register')
  } catch (error) {
    throw new CliError(1, '@hearth/agent is not installed', 'Install it beside @hearth/cli.', { cause: error })
  }
}

export async function running(
  [command, ...rest]: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const child = spawn(command, rest, { stdio: 'inherit', env })
  const forget = passSignals(child)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
  } catch (error) {
    throw cannotRun(command, error)
  } finally {
    forget()
  }
}

/** A terminal sends Ctrl-C to the command too. Sending it twice would mean an immediate exit. */
function passSignals(child: ChildProcess): () => void {
  const interactive = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  const wait = (): void => undefined
  const listeners = [
    ['SIGINT', interactive ? wait : pass],
    ['SIGTERM', pass],
    ['SIGHUP', pass],
  ] as const
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

function cannotRun(command: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'EACCES') return error
  const isScript = /\.[cm]?js$/.test(command)
  const what = code === 'ENOENT' ? 'command not found' : 'not an executable program'
  const advice = isScript
    ? `Put node before it: -- node ${command}`
    : 'Put the command after --, as you would run it without hearth.'
  return new CliError(2, `${command}: ${what}`, advice, { cause: error })
}

async function finish({ output, format, temporary }: Recording, context: Context): Promise<void> {
  if (!existsSync(temporary) || statSync(temporary).size === 0) {
    const advice = 'Check that it is a Node.js program and runs for at least a second.'
    throw new CliError(1, `${output}: nothing was recorded`, advice)
  }
  context.progress.say(`writing ${output}`)
  const input = await readInput(temporary, { from: 'otlp', lenient: true }, context)
  const merger = new ProfilesMerger()
  merger.add(input.profiles)
  const { profiles } = merger.finish()
  const written = writing(output, () => writeProfile(profiles, format.name))
  await writeOutput(output, compressedFor(output, written.bytes), context.stdout)
  await printNotes(context, output, written.notes)
  context.progress.done()
  const counts = `${countOf(profiles.profiles.length, 'profile')}, ${countOf(profiles.samples.length, 'sample')}`
  await printLines(context.stderr, [printable(`hearth: ${output}: ${format.name} of ${counts}`)])
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
