// `hearth capture SERVICE`: requests profiles of running processes through a server's Broker, and shows or writes them.
import type { Capture, CaptureInstance, HearthClient, StartCaptureRequest } from '@hearth/client'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { CliError, shownName } from '../../errors.ts'
import { flameLines } from '../../render/flame-lines.ts'
import { checkWritable, outputFormat } from '../../files/format-name.ts'
import { printNotes } from '../../terminal/notes.ts'
import { durationMs, examples, namedValues, wholeNumber } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, printJson, printLines, writeOutput } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { remoteTopLines } from '../../remote/remote-top.ts'
import { remoteTree } from '../../remote/remote-tree.ts'
import { sumText } from '../../files/select-profiles.ts'
import { TOP_ROWS } from '../../render/top-lines.ts'

interface CaptureOptions extends RemoteOptions {
  readonly server: string
  readonly type: string
  readonly duration: number
  readonly all?: boolean
  readonly instance?: string
  readonly environment?: string
  readonly frequency?: number
  readonly lookBack?: number
  readonly trace?: string
  readonly span?: string
  readonly label: Readonly<Record<string, string>>
  readonly reason?: string
  readonly flame?: boolean
  readonly output?: string
  readonly format?: string
  readonly count?: number
  readonly demangle: boolean
  readonly json?: boolean
}

const DURATION_MS = 10_000
const TICK_MS = 250

export function addCapture(program: Command, context: Context): void {
  const command = program
    .command('capture')
    .summary('capture a profile of a running service')
    .description(
      'Captures a profile of one process of a service, or of all, and shows its top functions. The server stores the ' +
        'profile like any other. Ctrl-C cancels the capture.',
    )
    .argument('<service>', 'service.name (see `hearth components`)')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--type <type>',
      'profile type to record, such as cpu, wall or heap; `hearth components` lists the types of a process',
      'cpu',
    )
    .addOption(
      new Option('--duration <duration>', 'how long to record').default(DURATION_MS, '10s').argParser(durationMs),
    )
    .option('--all', 'capture all instances instead of the least busy one')
    .option('--instance <id>', 'only this service.instance.id')
    .option('--environment <name>', 'only instances of this deployment.environment.name')
    .option('--frequency <hz>', 'samples per second (the Node agent supports 1 to 1000)', wholeNumber)
    .addOption(
      new Option('--look-back <duration>', 'capture the time up to now instead of the time from now on').argParser(
        durationMs,
      ),
    )
    .option('--trace <id>', 'only samples of this trace')
    .option('--span <id>', 'only samples of this span; requires --trace')
    .addOption(
      new Option('--label <name=value>', 'label for the rules of components; repeatable')
        .default({}, 'none')
        .argParser(namedValues),
    )
    .option('--reason <text>', 'reason to store with the profile')
    .option('--flame', 'show a flame graph instead of a table')
    .option(
      '-o, --output <file>',
      'write the profiles to a file (`.gz` and `.zst` compress it, `-` is standard output)',
    )
    .option('--format <format>', 'format of the output file; default: by its extension (see `hearth formats`)')
    .option('-n, --count <n>', `number of rows; default: ${TOP_ROWS}`, wholeNumber)
    .option('--no-demangle', 'show mangled C++ and Rust names')
  addRemoteOptions(command)
    .option('--json', 'print JSON: the instances and their results')
    .addHelpText(
      'after',
      examples(
        ['hearth capture checkout', '10 seconds of CPU of one instance'],
        ['hearth capture checkout --all --duration 30s --flame', 'all instances, as a flame graph'],
        ['hearth capture checkout --type heap -o heap.pb.gz', 'write the heap to a file'],
        ['hearth capture checkout --look-back 30s', 'the last 30 seconds'],
      ),
    )
    .action(async (service: string, options: CaptureOptions, self: Command) => {
      const { color } = self.optsWithGlobals<{ color: boolean }>()
      await capture(service, options, color, context)
    })
}

async function capture(service: string, options: CaptureOptions, color: boolean, context: Context): Promise<void> {
  const { output, flame, json } = options
  if ([output !== undefined, flame, json].filter(Boolean).length > 1)
    throw new CliError(2, '-o, --flame and --json exclude each other', 'Give one of them.')
  if (options.span !== undefined && options.trace === undefined)
    throw new CliError(2, '--span requires --trace', 'Add --trace ID.')
  if (options.all === true && options.instance !== undefined)
    throw new CliError(2, '--all and --instance exclude each other', 'Give one of them.')
  // Checked before the capture: a capture for a file that cannot be written would be useless.
  const format = output === undefined ? undefined : outputFormat(output, options.format, '--format')
  if (format !== undefined) checkWritable(format)
  if (output !== undefined) checkOutput(output, [])
  const client = await connect(options.server, '--server', options, context)
  try {
    const ended = await followed(client, await client.act('startCapture', requestOf(service, options)), context)
    context.progress.done()
    if (json === true) await printJson(context.stdout, ended)
    await printFailures(ended, context)
    if (ended.state !== 'finished') throw new CliError(1, whyNot(ended), adviceFor(ended))
    if (json === true) return
    if (output !== undefined && format !== undefined) await writeFile(client, ended, output, format.name, context)
    else await show(client, ended, options, color, context)
  } catch (error) {
    throw aboutServer(error, {
      option: '--server',
      advice: { 'not-found': '`hearth components` lists the connected services.' },
    })
  }
}

function requestOf(service: string, options: CaptureOptions): StartCaptureRequest {
  const { type, duration, all, instance, environment, frequency, lookBack, trace, span, label, reason } = options
  return {
    service,
    type,
    durationMs: duration,
    ...(all === undefined ? {} : { all }),
    ...(instance === undefined ? {} : { instance }),
    ...(environment === undefined ? {} : { environment }),
    ...(frequency === undefined ? {} : { frequencyHz: frequency }),
    ...(lookBack === undefined ? {} : { from: `now-${Math.ceil(lookBack)}ms` }),
    ...(trace === undefined ? {} : { traceId: trace }),
    ...(span === undefined ? {} : { spanId: span }),
    ...(Object.keys(label).length === 0 ? {} : { labels: label }),
    reason: reason ?? 'hearth capture',
  }
}

/** Waits until the capture has ended. Ctrl-C cancels it. */
async function followed(client: HearthClient, begun: Capture, context: Context): Promise<Capture> {
  let now = begun
  const since = performance.now()
  const say = (): void => context.progress.say(progressText(now, (performance.now() - since) / 1000))
  const timer = setInterval(say, TICK_MS)
  const forget = context.onStop(() => void client.act('cancelCapture', {}, { of: begun.id }).catch(() => undefined))
  try {
    for await (const next of client.followCapture(begun.id)) now = next
    return now
  } finally {
    clearInterval(timer)
    forget()
  }
}

/** `capturing cpu of checkout: 2 of 3 instances responded, 1 failed, 4 of 10 s` */
function progressText(
  { type, service, instances, answered, failed, durationMs: ms, lookBack }: Capture,
  seconds: number,
): string {
  const all = instances.length
  const who = all === 1 ? instances[0].instance : `${answered} of ${countOf(all, 'instance')} responded`
  const lost = failed === 0 ? '' : `, ${failed} failed`
  const time =
    lookBack === undefined ? `${Math.floor(seconds)} of ${Math.ceil(ms / 1000)} s` : `${Math.floor(seconds)} s`
  return `capturing ${type} of ${service}: ${who}${lost}, ${time}`
}

async function printFailures({ instances }: Capture, context: Context): Promise<void> {
  if (instances.length === 1) return
  const failed = instances.filter(({ state }) => state === 'failed' || state === 'cancelled')
  await printLines(
    context.stderr,
    failed.map(instance => printable(`hearth: ${instance.instance}: ${failureText(instance)}`)),
  )
}

function failureText({ error, state }: CaptureInstance): string {
  return error === undefined ? state : `${error.code}: ${error.message}`
}

function whyNot({ state, service, instances }: Capture): string {
  if (state === 'cancelled') return `${service}: the capture was cancelled`
  if (instances.length === 1) return `${service} ${instances[0].instance}: ${failureText(instances[0])}`
  return `${service}: none of ${countOf(instances.length, 'instance')} responded`
}

function adviceFor({ instances }: Capture): string {
  const wait = instances.map(({ error }) => error?.retryAfterMs).find(ms => ms !== undefined)
  return wait === undefined ? '' : `Retry in ${Math.ceil(wait / 1000)} s.`
}

async function writeFile(
  client: HearthClient,
  { id, instances }: Capture,
  output: string,
  format: string,
  context: Context,
): Promise<void> {
  const file = await client.captureProfile(id, { format })
  const bytes = compressedFor(output, file.bytes)
  const name = shownName(output, 'standard output')
  await printNotes(context, name, file.notes)
  checkTerminal(output, bytes, context.stdout)
  await writeOutput(output, bytes, context.stdout)
  if (output !== '-')
    await printLines(context.stderr, [`${printable(name)}: ${responseText(instances)}`, ...noteLines(instances)])
}

async function show(
  client: HearthClient,
  { selector, from, to, instances, type }: Capture,
  { flame, count = TOP_ROWS, demangle }: CaptureOptions,
  color: boolean,
  context: Context,
): Promise<void> {
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const { profileTypes } = await client.query('profileTypes', { selector, ...range })
  // A heap capture has bytes and objects. Prefer the type that was requested by name.
  const shown = profileTypes.find(row => row.type === type) ?? profileTypes[0]
  if (shown === undefined)
    throw new CliError(
      1,
      'the server has stored the profile, but queries do not return it yet',
      'Retry with `hearth query`.',
    )
  const selection = { selector: `${word(shown.type)}:${word(shown.unit)} ${selector}`, ...range }
  const others = profileTypes.filter(row => row !== shown).map(row => `${row.type}:${row.unit}`)
  const lead = [responseText(instances), ...(others.length === 0 ? [] : [`also captured: ${others.join(', ')}`])]
  const lines =
    flame === true
      ? await flameOf(client, selection, demangle, color, context)
      : remoteTopLines(await client.query('top', { ...selection, limit: count }), { demangle }, context.width)
  await printLines(context.stdout, [
    printable(lead.join('; ')),
    ...noteLines(instances),
    ...lines,
    '',
    again(selection),
  ])
}

/** A word of a selector, quoted only if necessary. */
function word(text: string): string {
  return /^[A-Za-z_][\w.]*$/.test(text) ? text : JSON.stringify(text)
}

async function flameOf(
  client: HearthClient,
  selection: { readonly selector: string },
  demangle: boolean,
  color: boolean,
  context: Context,
): Promise<string[]> {
  const response = await client.query('flameGraph', selection)
  const tree = remoteTree(response, { demangle })
  const { type, unit, profiles } = response
  const lines = flameLines(tree, { unit, colors: context.colorDepth(color), width: context.width })
  return [sumText(type, unit, tree.sum, profiles), '', ...lines]
}

/** `i-1 responded with 980 samples, truncated` */
function responseText(instances: readonly CaptureInstance[]): string {
  const answered = instances.filter(({ state }) => state === 'answered')
  const samples = answered.reduce((sum, instance) => sum + (instance.samples ?? 0), 0)
  const dropped = answered.reduce((sum, instance) => sum + (instance.dropped ?? 0), 0)
  const who =
    instances.length === 1 ? instances[0].instance : `${answered.length} of ${countOf(instances.length, 'instance')}`
  return [
    `${who} responded with ${countOf(samples, 'sample')}`,
    ...(dropped > 0 ? [`${countOf(dropped, 'sample')} lost`] : []),
    ...(answered.some(({ truncated }) => truncated === true) ? ['truncated'] : []),
  ].join(', ')
}

/** The notes of the instances, each with the instance. */
function noteLines(instances: readonly CaptureInstance[]): string[] {
  return instances.flatMap(({ instance, notes = [] }) => notes.map(note => printable(`${instance}: ${note}`)))
}

function again({
  selector,
  from,
  to,
}: {
  readonly selector: string
  readonly from?: string
  readonly to?: string
}): string {
  return printable(`hearth query '${selector}' --from ${from ?? ''} --to ${to ?? ''}`)
}
