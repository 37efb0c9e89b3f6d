// `hearth query SELECTOR`: what a server keeps, as a table, a flame graph, totals over time, or a file.
import type {
  FlameGraphResponse,
  FlameGraphRequest,
  HearthClient,
  SelectionRequest,
  SeriesRequest,
  TopResponse,
  TopRequest,
} from '@hearth/client'
import { formatShare } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError, shownName } from '../../errors.ts'
import { checkWritable, outputFormat } from '../../files/format-name.ts'
import { flameLines } from '../../render/flame-lines.ts'
import { liveFlame } from '../../remote/live-flame.ts'
import { nothingAdvice, printNothingFound } from '../../remote/nothing-found.ts'
import { printNotes } from '../../terminal/notes.ts'
import type { FrameOptions, RootOption } from '../../options.ts'
import { EXACT, GROUPINGS, addRootOption, durationMs, examples, percent, wholeNumber } from '../../options.ts'
import { checkOutput, checkTerminal, compressedFor, printJson, printLines, writeOutput } from '../../terminal/output.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, isNotFound, addRemoteOptions, connect } from '../../remote/remote.ts'
import { remoteTopLines } from '../../remote/remote-top.ts'
import { remoteTree } from '../../remote/remote-tree.ts'
import { sumText } from '../../files/select-profiles.ts'
import { seriesLines } from '../../render/series-lines.ts'
import { TOP_ROWS } from '../../render/top-lines.ts'

interface QueryOptions extends RemoteOptions, RootOption, Pick<FrameOptions, 'by' | 'inlined'> {
  readonly demangle: boolean
  readonly server: string
  readonly from?: string
  readonly to?: string
  readonly exact?: boolean
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

/** What is asked of a server, also of what was observed when and by which thread. */
type ObservedSelection = SelectionRequest & Pick<TopRequest, 'exact' | 'threads'>

const MIXED = { 'mixed-types': `Begin the selector with one of them, as 'cpu {service.name="checkout"}'.` }
const EVERY_MS = 5000
/** What --live looks at: an hour hardly moves. */
const LIVE_FROM = 'now-5m'

export function addQuery(program: Command, context: Context): void {
  const command = program
    .command('query')
    .summary('ask a server about the profiles that it keeps')
    .description(
      'Selects profiles that a server keeps and shows where they were spent: as a table (--top, unless another is asked for), ' +
        'as a flame graph (--flame) that may go on (--live), or over time (--series). With -o they are written to a file.',
    )
    .argument('[selector]', `which profiles, as 'cpu {service.name="checkout"} | frame "gc"'; all unless given`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      `from when on: 2026-11-15T14:00:00Z, a number since 1970, or now-1h, which it is unless given (${LIVE_FROM} for --live)`,
    )
    .option('--to <time>', 'until when; now unless given')
    .option('--exact', EXACT)
    .option('--thread <key...>', 'only samples of these threads, by the keys that /api/v1/events gives them')
    .option('--top', 'frames by what was spent in them')
    .option('--flame', 'a flame graph')
    .option(
      '--live',
      'a flame graph of the last minutes, drawn anew until Ctrl-C (once, where the output is no terminal)',
    )
    .option('--series', 'totals over time')
    .option('-o, --output <file>', 'write the profiles to a file, `.gz` and `.zst` compressed; `-` is standard output')
    .option('--format <format>', 'what -o writes; told by the extension unless given (see `hearth formats`)')
    .addOption(new Option('--by <grouping>', 'what counts as one frame').choices(GROUPINGS).default('function'))
    .option('--no-demangle', 'show C++ and Rust names as the linker has them')
    .option('--no-inlined', 'take inlined calls as part of the function that they were inlined into')
    .option('-n, --count <n>', `how many rows or groups (${TOP_ROWS} unless given)`, wholeNumber)
    .addOption(new Option('--sort <column>', 'which value decides in --top').choices(['self', 'total']).default('self'))
    .option('--leaf-first', 'for --flame and --live: turn the stacks round')
    .option('--min-percent <p>', 'for --flame and --live: leave out frames below this share', percent)
    .addOption(new Option('--every <duration>', 'for --live: how often').default(EVERY_MS, '5s').argParser(durationMs))
    .option('--step <duration>', 'for --series: how long a step is, as 15s; a hundredth of the range unless given')
    .option('--group-by <attribute...>', 'for --series: a line for each value of these')
  addRemoteOptions(addRootOption(command))
    .option('--json', "for scripts: the server's answer as it is")
    .addHelpText(
      'after',
      examples(
        [`hearth query 'cpu {service.name="checkout"}'`, 'where the last hour went'],
        [
          `hearth query 'cpu' --flame --exact --from 2026-11-15T14:00:02.4Z --to 2026-11-15T14:00:03.1Z`,
          'what was observed in those 0.7 seconds',
        ],
        [`hearth query 'cpu' --flame --from now-15m`, 'a flame graph of the last quarter of an hour'],
        [`hearth query 'cpu' --flame --root service.name --root thread.name`, 'the same by service and thread'],
        [`hearth query 'cpu {service.name="checkout"}' --live`, 'what it does now'],
        [`hearth query 'cpu' --series --group-by service.name --from now-1d`, 'which service, and when'],
        [`hearth query '{region="eu"}' -o eu.pb.gz`, 'as a file of another format'],
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
    throw new CliError(2, '--series counts whole profiles', 'Leave out --exact and --thread, or use --top or --flame.')
  }
  if (series === true && options.root !== undefined) {
    throw new CliError(2, '--series has no stacks', 'Use --group-by instead of --root.')
  }
  if (live === true && to !== undefined) {
    throw new CliError(2, '--live goes on with the time, and --to ends it', 'Leave out --to, or use --flame.')
  }
  const from = options.from ?? (live === true ? LIVE_FROM : undefined)
  const client = await connect(options.server, '--server', options, context)
  const selection = {
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(options.exact === true ? { exact: true } : {}),
    ...(options.thread === undefined ? {} : { threads: options.thread }),
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
      throw new CliError(1, `${aboutOf(selection)}: no profiles are selected`, advice, { cause: error })
    }
    throw aboutServer(error, { option: '--server', selector, advice: MIXED })
  }
}

async function showTop(
  client: HearthClient,
  selection: ObservedSelection,
  { by, inlined, root, sort, count = TOP_ROWS, json, demangle }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: TopRequest = { ...selection, by, inlined, ...rootOf(root), sort, limit: count }
  const answer = await asking(client.ask('top', request), client, context)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, answer)
  await printLines(context.stdout, remoteTopLines(answer, { demangle }, context.width))
  await sayMissing(answer, context)
  if (answer.profiles === 0) await sayEmpty(client, selection, context)
}

/** A page that is drawn anew needs somebody to see it. */
function goesOn({ json }: QueryOptions, { stdout, env }: Context): boolean {
  return json !== true && stdout.isTTY === true && env['TERM'] !== 'dumb'
}

function flameRequest(
  selection: ObservedSelection,
  { by, inlined, root, leafFirst = false }: QueryOptions,
): FlameGraphRequest {
  return { ...selection, by, inlined, ...rootOf(root), order: leafFirst ? 'leaf-first' : 'root-first' }
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
      ask: signal => client.ask('flameGraph', request, { signal }),
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
  const answer = await asking(client.ask('flameGraph', flameRequest(selection, options)), client, context)
  context.progress.done()
  if (options.json === true) return await printJson(context.stdout, answer)
  const tree = remoteTree(answer, options)
  const { type, unit, profiles } = answer
  const { minPercent } = options
  const lines = flameLines(tree, { unit, colors: context.colorDepth(color), width: context.width, minPercent })
  await printLines(context.stdout, [sumText(type, unit, tree.sum, profiles), '', ...lines])
  await sayMissing(answer, context)
  if (profiles === 0) await sayEmpty(client, selection, context)
}

async function showSeries(
  client: HearthClient,
  selection: SelectionRequest,
  { step, groupBy = [], count = TOP_ROWS, json }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: SeriesRequest = { ...selection, groupBy, ...(step === undefined ? {} : { step }) }
  const answer = await asking(client.ask('series', request), client, context)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, answer)
  const sum = answer.groups.flatMap(({ points }) => points).reduce((all, point) => all + BigInt(point.sum), 0n)
  const heading = sumText(answer.type, answer.unit, sum, answer.profiles)
  await printLines(context.stdout, [heading, ...seriesLines(answer, count, context.width)])
  if (answer.profiles === 0) await sayEmpty(client, selection, context)
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
  const file = await asking(client.export({ ...selection, ...rootOf(root), format: format.name }), client, context)
  const bytes = compressedFor(output, file.bytes)
  context.progress.done()
  await printNotes(context, shownName(output, 'standard output'), file.notes)
  checkTerminal(output, bytes, context.stdout)
  await writeOutput(output, bytes, context.stdout)
}

async function asking<T>(answer: Promise<T>, client: HearthClient, context: Context): Promise<T> {
  return await context.progress.during(`asking ${client.server}`, answer)
}

async function sayEmpty(client: HearthClient, selection: ObservedSelection, context: Context): Promise<void> {
  await printNothingFound(client, { about: aboutOf(selection), range: selection, option: '--from' }, context)
}

async function sayMissing(
  { sum, missing: { stacks, self } }: TopResponse | FlameGraphResponse,
  context: Context,
): Promise<void> {
  if (stacks === 0) return
  const share = formatShare(BigInt(self), BigInt(sum))
  const message = `stacks with ${share} of it, of which not every name is stored`
  await printNotes(context, 'the answer', [{ code: 'missing-names', count: stacks, message }])
}

function aboutOf({ selector = 'everything' }: SelectionRequest): string {
  return selector
}
