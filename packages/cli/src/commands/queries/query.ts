// `hearth query SELECTOR`: shows stored profiles as a table, a flame graph or totals over time, or writes them to a file.
import type {
  FlameGraphResponse,
  FlameGraphRequest,
  HearthClient,
  SelectionRequest,
  SeriesRequest,
  TopResponse,
  TopRequest,
  Unresolved,
} from '@hearth/client'
import type { SnapshotMode } from '@hearth/profile'
import { formatShare } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { checkWritable, outputFormat } from '../../files/format-name.ts'
import { flameLines } from '../../render/flame-lines.ts'
import { liveFlame } from '../../remote/live-flame.ts'
import { nothingAdvice, printNothingFound } from '../../remote/nothing-found.ts'
import { countOf } from '../../terminal/count-text.ts'
import { printNotes } from '../../terminal/notes.ts'
import { printable } from '../../terminal/printable.ts'
import type { FrameOptions, RootOption } from '../../options.ts'
import {
  ADDRESSES,
  EXACT,
  GROUPINGS,
  addRootOption,
  durationMs,
  examples,
  percent,
  snapshotsOf,
  snapshotsOption,
  wholeNumber,
} from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, printJson, printLines, writeOutput } from '../../terminal/output.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, isNotFound, addRemoteOptions, connect } from '../../remote/remote.ts'
import { remoteTopLines } from '../../remote/remote-top.ts'
import { remoteTree } from '../../remote/remote-tree.ts'
import { sumText } from '../../files/select-profiles.ts'
import { seriesLines } from '../../render/series-lines.ts'
import { TOP_ROWS } from '../../render/top-lines.ts'

interface QueryOptions extends RemoteOptions, RootOption, Pick<FrameOptions, 'by' | 'inlined' | 'addresses'> {
  readonly demangle: boolean
  readonly server: string
  readonly from?: string
  readonly to?: string
  readonly exact?: boolean
  readonly snapshots?: SnapshotMode
  readonly thread?: readonly string[]
  readonly top?: boolean
  readonly flame?: boolean
  readonly series?: boolean
  readonly live?: boolean
  readonly every: number
  readonly output?: string
  readonly format?: string
  readonly count?: number
  readonly sort: 'self' | 'total'
  readonly leafFirst?: boolean
  readonly minPercent?: number
  readonly step?: string
  readonly groupBy?: readonly string[]
  readonly json?: boolean
}

/** A selection that can also be limited by observation time and thread. */
type ObservedSelection = SelectionRequest & Pick<TopRequest, 'exact' | 'threads' | 'snapshots'>

const MIXED = { 'mixed-types': `Start the selector with one type, such as 'cpu {service.name="checkout"}'.` }
const EVERY_MS = 5000
/** The default start of --live. An hour would hardly change between two refreshes. */
const LIVE_FROM = 'now-5m'

export function addQuery(program: Command, context: Context): void {
  const command = program
    .command('query')
    .summary('query the profiles of a server')
    .description(
      'Selects profiles on a server and shows them as a table (--top, the default), as a flame graph ' +
        '(--flame, or --live to refresh it), or as totals over time (--series). With -o, writes them to a file.',
    )
    .argument('[selector]', `profiles to select, such as 'cpu {service.name="checkout"} | frame "gc"'; default: all`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      `start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now; default: now-1h, with --live ${LIVE_FROM}`,
    )
    .option('--to <time>', 'end of the range; default: now')
    .option('--exact', EXACT)
    .addOption(snapshotsOption('average, and with -o all of them'))
    .option('--thread <key...>', 'only samples of these threads, by the keys of /api/v1/events')
    .option('--top', 'show a table of frames (the default)')
    .option('--flame', 'show a flame graph')
    .option(
      '--live',
      'show a flame graph of the last minutes and refresh it until Ctrl-C (draws once if the output is not a terminal)',
    )
    .option('--series', 'show totals over time')
    .option(
      '-o, --output <file>',
      'write the profiles to a file (`.gz` and `.zst` compress it, `-` is standard output)',
    )
    .option('--format <format>', 'format of the output file; default: by its extension (see `hearth formats`)')
    .addOption(new Option('--by <grouping>', 'what counts as one frame').choices(GROUPINGS).default('function'))
    .option('--no-demangle', 'show mangled C++ and Rust names')
    .option('--no-inlined', 'count inlined calls as part of the function that contains them')
    .option('--addresses', ADDRESSES)
    .option('-n, --count <n>', `number of rows or groups; default: ${TOP_ROWS}`, wholeNumber)
    .addOption(
      new Option('--sort <column>', 'for --top: the value to sort by').choices(['self', 'total']).default('self'),
    )
    .option('--leaf-first', 'for --flame and --live: invert the stacks')
    .option('--min-percent <p>', 'for --flame and --live: hide frames below this share', percent)
    .addOption(
      new Option('--every <duration>', 'for --live: refresh interval').default(EVERY_MS, '5s').argParser(durationMs),
    )
    .option('--step <duration>', 'for --series: step length, such as 15s; default: 1/100 of the range')
    .option('--group-by <attribute...>', 'for --series: one line per value of these attributes')
  addRemoteOptions(addRootOption(command))
    .option('--json', "print the server's response as JSON")
    .addHelpText(
      'after',
      examples(
        [`hearth query 'cpu {service.name="checkout"}'`, 'top functions of the last hour'],
        [
          `hearth query 'cpu' --flame --exact --from 2026-11-15T14:00:02.4Z --to 2026-11-15T14:00:03.1Z`,
          'samples of these 0.7 seconds',
        ],
        [`hearth query 'cpu' --flame --from now-15m`, 'a flame graph of the last 15 minutes'],
        [`hearth query 'cpu' --flame --root service.name --root thread.name`, 'by service and thread'],
        [`hearth query 'cpu {service.name="checkout"}' --live`, 'refresh every 5 seconds'],
        [`hearth query 'cpu' --series --group-by service.name --from now-1d`, 'totals of each service over time'],
        [`hearth query '{region="eu"}' -o eu.pb.gz`, 'write a pprof file'],
      ),
    )
    .action(async (selector: string | undefined, options: QueryOptions, self: Command) => {
      const { color } = self.optsWithGlobals<{ color: boolean }>()
      await query(selector ?? '', options, color, context)
    })
}

async function query(selector: string, options: QueryOptions, color: boolean, context: Context): Promise<void> {
  const { top, flame, live, series, output, to } = options
  if ([top, flame, live, series, output !== undefined].filter(Boolean).length > 1) {
    throw new CliError(2, '--top, --flame, --live, --series and -o exclude each other', 'Give one of them.')
  }
  if (series === true && (options.exact === true || options.thread !== undefined)) {
    throw new CliError(2, '--series excludes --exact and --thread', 'Remove them, or use --top or --flame.')
  }
  if (output !== undefined && options.snapshots !== undefined && options.root !== undefined) {
    throw new CliError(2, '-o with --snapshots excludes --root', 'Remove one of them.')
  }
  if (series === true && options.root !== undefined) {
    throw new CliError(2, '--series excludes --root', 'Use --group-by instead.')
  }
  if (live === true && to !== undefined) {
    throw new CliError(2, '--live excludes --to', 'Remove --to, or use --flame.')
  }
  const from = options.from ?? (live === true ? LIVE_FROM : undefined)
  const client = await connect(options.server, '--server', options, context)
  const selection = {
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(options.exact === true ? { exact: true } : {}),
    ...(options.thread === undefined ? {} : { threads: options.thread }),
    ...snapshotsOf(options),
  }
  try {
    if (output !== undefined) await writeFile(client, selection, output, options, context)
    else if (live === true && goesOn(options, context)) await watchFlame(client, selection, options, color, context)
    else if (flame === true || live === true) await showFlame(client, selection, options, color, context)
    else if (series === true) await showSeries(client, selection, options, context)
    else await showTop(client, selection, options, context)
  } catch (error) {
    if (isNotFound(error)) {
      const advice = await nothingAdvice(client, selection, '--from')
      throw new CliError(1, `${aboutOf(selection)}: no profiles match`, advice, { cause: error })
    }
    throw aboutServer(error, { option: '--server', selector, advice: MIXED })
  }
}

async function showTop(
  client: HearthClient,
  selection: ObservedSelection,
  { by, inlined, addresses = false, root, sort, count = TOP_ROWS, json, demangle }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: TopRequest = { ...selection, by, inlined, addresses, ...rootOf(root), sort, limit: count }
  const response = await whileQuerying(client.query('top', request), client, context)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, response)
  await printLines(context.stdout, remoteTopLines(response, { demangle }, context.width))
  await sayNotes(response, context)
  await sayMissing(response, context)
  if (response.profiles === 0) await sayEmpty(client, selection, context)
}

/** True if the flame graph can be refreshed on a terminal. */
function goesOn({ json }: QueryOptions, { stdout, env }: Context): boolean {
  return json !== true && stdout.isTTY === true && env['TERM'] !== 'dumb'
}

function flameRequest(
  selection: ObservedSelection,
  { by, inlined, addresses = false, root, leafFirst = false }: QueryOptions,
): FlameGraphRequest {
  return { ...selection, by, inlined, addresses, ...rootOf(root), order: leafFirst ? 'leaf-first' : 'root-first' }
}

function rootOf(root: readonly string[] | undefined): Pick<FlameGraphRequest, 'root'> {
  return root === undefined ? {} : { root }
}

async function watchFlame(
  client: HearthClient,
  selection: ObservedSelection,
  options: QueryOptions,
  color: boolean,
  context: Context,
): Promise<void> {
  const request = flameRequest(selection, options)
  const { selector = 'everything', from = '' } = selection
  await liveFlame(
    {
      title: `${selector} from ${from} on, ${client.server}`,
      colors: context.colorDepth(color),
      minPercent: options.minPercent,
      everyMs: options.every,
      demangle: options.demangle,
      query: signal => client.query('flameGraph', request, { signal }),
    },
    context,
  )
}

async function showFlame(
  client: HearthClient,
  selection: ObservedSelection,
  options: QueryOptions,
  color: boolean,
  context: Context,
): Promise<void> {
  const response = await whileQuerying(client.query('flameGraph', flameRequest(selection, options)), client, context)
  context.progress.done()
  if (options.json === true) return await printJson(context.stdout, response)
  const tree = remoteTree(response, options)
  const { type, unit, profiles } = response
  const { minPercent } = options
  const lines = flameLines(tree, { unit, colors: context.colorDepth(color), width: context.width, minPercent })
  await printLines(context.stdout, [sumText(type, unit, tree.sum, profiles, response.snapshots), '', ...lines])
  await sayNotes(response, context)
  await sayMissing(response, context)
  if (profiles === 0) await sayEmpty(client, selection, context)
}

async function showSeries(
  client: HearthClient,
  selection: ObservedSelection,
  { step, groupBy = [], count = TOP_ROWS, json }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: SeriesRequest = { ...selection, groupBy, ...(step === undefined ? {} : { step }) }
  const response = await whileQuerying(client.query('series', request), client, context)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, response)
  const sum = response.groups.flatMap(({ points }) => points).reduce((all, point) => all + BigInt(point.sum), 0n)
  const { type, unit, profiles, snapshots } = response
  // The totals of steps add up, but snapshots do not.
  const heading =
    snapshots === undefined || profiles === 0
      ? sumText(type, unit, sum, profiles)
      : printable(`${type}: ${snapshots} of the snapshots in each step, ${countOf(profiles, 'profile')}`)
  await printLines(context.stdout, [heading, ...seriesLines(response, count, context.width)])
  await sayNotes(response, context)
  if (response.profiles === 0) await sayEmpty(client, selection, context)
}

async function writeFile(
  client: HearthClient,
  selection: ObservedSelection,
  output: string,
  { format: wanted, root }: QueryOptions,
  context: Context,
): Promise<void> {
  const format = outputFormat(output, wanted, '--format')
  checkWritable(format)
  checkOutput(output, [])
  const file = await whileQuerying(
    client.export({
      ...selection,
      ...rootOf(root),
      ...(selection.snapshots === undefined ? {} : { merged: true }),
      format: format.name,
    }),
    client,
    context,
  )
  const bytes = compressedFor(output, file.bytes)
  context.progress.done()
  await printNotes(context, shownName(output, 'standard output'), file.notes)
  checkTerminal(output, bytes, context.stdout)
  await writeOutput(output, bytes, context.stdout)
}

async function whileQuerying<T>(response: Promise<T>, client: HearthClient, context: Context): Promise<T> {
  return await context.progress.during(`querying ${client.server}`, response)
}

async function sayEmpty(client: HearthClient, selection: ObservedSelection, context: Context): Promise<void> {
  await printNothingFound(client, { about: aboutOf(selection), range: selection, option: '--from' }, context)
}

async function sayNotes({ notes }: Pick<TopResponse, 'notes'>, { stderr }: Context): Promise<void> {
  if (notes.length > 0)
    await printLines(
      stderr,
      notes.map(({ message }) => `note: ${message}`),
    )
}

const UNRESOLVED: Readonly<Record<Unresolved['reason'], string>> = {
  'no-build-id': 'native frames have no name: their binary has no build id',
  'no-debug-info': 'native frames have no name: the server has no debug file (see `hearth symbols upload`)',
  downloading: 'native frames have no name yet: the server downloads their debug file',
  'download-failed': 'native frames have no name: the download of their debug file failed',
  'not-in-file': 'native frames have no name: their debug file has no function there',
}

async function sayMissing(
  { sum, missing: { stacks, self, unresolved } }: TopResponse | FlameGraphResponse,
  context: Context,
): Promise<void> {
  const notes = unresolved.map(({ reason, frames }) => ({ code: reason, count: frames, message: UNRESOLVED[reason] }))
  if (notes.length > 0) await printNotes(context, 'the response', notes)
  if (stacks === 0) return
  const share = formatShare(BigInt(self), BigInt(sum))
  const message = `stacks with ${share} of the total have names that are not stored`
  await printNotes(context, 'the response', [{ code: 'missing-names', count: stacks, message }])
}

function aboutOf({ selector = 'everything' }: SelectionRequest): string {
  return selector
}
