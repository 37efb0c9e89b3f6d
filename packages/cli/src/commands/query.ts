// `hearth query SELECTOR`: what a server keeps, as a table, a flame graph, totals over time, or a file.
import type { FlameGraphRequest, HearthClient, SelectionRequest, SeriesRequest, TopRequest } from '@hearth/client'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { CliError, shownName } from '../errors.ts'
import { checkWritable, outputFormat } from '../format-name.ts'
import { icicle } from '../icicle.ts'
import { printNotes } from '../notes.ts'
import type { FrameOptions } from '../options.ts'
import { GROUPINGS, examples, percent, wholeNumber } from '../options.ts'
import { checkOutput, checkTerminal, compressedFor, printJson, printLines, writeOutput } from '../output.ts'
import type { RemoteOptions } from '../remote.ts'
import { aboutServer, addRemoteOptions, connect } from '../remote.ts'
import { remoteTree } from '../remote-tree.ts'
import { sumText } from '../select-profiles.ts'
import { seriesLines } from '../series-lines.ts'
import { TOP_ROWS, topLines } from '../top-lines.ts'
import { treeLines } from '../tree-lines.ts'

interface QueryOptions extends RemoteOptions, Pick<FrameOptions, 'by' | 'inlined'> {
  readonly server: string
  readonly from?: string
  readonly to?: string
  readonly top?: boolean
  readonly flame?: boolean
  readonly series?: boolean
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

const SERVER = 'http://127.0.0.1:4040'
const TEXT_MIN_PERCENT = 0.5
/** Deep recursion would scroll everything else away. */
const MAX_DEPTH = 200
const MAX_WIDTH = 1000

export function addQuery(program: Command, context: Context): void {
  const command = program
    .command('query')
    .summary('ask a server about the profiles that it keeps')
    .description(
      'Selects profiles that a server keeps and shows where they were spent: as a table (--top, unless another is asked for),\n' +
        'as a flame graph (--flame) or over time (--series); with -o they are written to a file. docs/api.md has more.',
    )
    .argument('[selector]', `which profiles, as 'cpu {service.name="checkout"} | frame "gc"'; all unless given`)
    .option('--server <url>', "the server's main address", SERVER)
    .option(
      '--from <time>',
      'from when on: 2026-11-15T14:00:00Z, a number since 1970, or now-1h, which it is unless given',
    )
    .option('--to <time>', 'until when; now unless given')
    .option('--top', 'frames by what was spent in them')
    .option('--flame', 'a flame graph')
    .option('--series', 'totals over time')
    .option('-o, --output <file>', 'write the profiles to a file, `.gz` and `.zst` compressed; `-` is standard output')
    .option('--format <format>', 'what -o writes; told by the extension unless given (see `hearth formats`)')
    .addOption(new Option('--by <grouping>', 'what counts as one frame').choices(GROUPINGS).default('function'))
    .option('--no-inlined', 'take inlined calls as part of the function that they were inlined into')
    .option('-n, --count <n>', `how many rows or groups (${TOP_ROWS} unless given)`, wholeNumber)
    .addOption(new Option('--sort <column>', 'which value decides in --top').choices(['self', 'total']).default('self'))
    .option('--leaf-first', 'for --flame: turn the stacks round')
    .option('--min-percent <p>', 'for --flame: leave out frames below this share', percent)
    .option('--step <duration>', 'for --series: how long a step is, as 15s; a hundredth of the range unless given')
    .option('--group-by <attribute...>', 'for --series: a line for each value of these')
  addRemoteOptions(command)
    .option('--json', "for scripts: the server's answer as it is")
    .addHelpText(
      'after',
      examples(
        [`hearth query 'cpu {service.name="checkout"}'`, 'where the last hour went'],
        [`hearth query 'cpu' --flame --from now-15m`, 'a flame graph of the last quarter of an hour'],
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
  const { top, flame, series, output, from, to } = options
  if ([top, flame, series, output !== undefined].filter(Boolean).length > 1) {
    throw new CliError(2, '--top, --flame, --series and -o exclude each other', 'Give one of them.')
  }
  const client = await connect(options.server, '--server', options, context)
  const selection = {
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  context.progress.say(`asking ${client.server}`)
  try {
    if (output !== undefined) await writeFile(client, selection, output, options, context)
    else if (flame === true) await showFlame(client, selection, options, color, context)
    else if (series === true) await showSeries(client, selection, options, context)
    else await showTop(client, selection, options, context)
  } catch (error) {
    throw aboutServer(error, { option: '--server', selector })
  }
}

async function showTop(
  client: HearthClient,
  selection: SelectionRequest,
  { by, inlined, sort, count = TOP_ROWS, json }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: TopRequest = { ...selection, by, inlined, sort, limit: count }
  const answer = await client.ask('top', request)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, answer)
  const { type, unit, profiles, allFrames } = answer
  const sum = BigInt(answer.sum)
  const rows = answer.rows.map(({ frame: { name, file = '', line, mapping = '' }, self, total }) => ({
    self: BigInt(self),
    total: BigInt(total),
    name,
    place: file === '' ? mapping : line === undefined ? file : `${file}:${line}`,
  }))
  const heading = [sumText(type, unit, sum, profiles), '']
  await printLines(context.stdout, [...heading, ...topLines(rows, { sum, unit, all: allFrames }, context.width)])
}

async function showFlame(
  client: HearthClient,
  selection: SelectionRequest,
  { by, inlined, leafFirst = false, minPercent, json }: QueryOptions,
  color: boolean,
  context: Context,
): Promise<void> {
  const request: FlameGraphRequest = { ...selection, by, inlined, order: leafFirst ? 'leaf-first' : 'root-first' }
  const answer = await client.ask('flameGraph', request)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, answer)
  const tree = remoteTree(answer)
  const { type, unit, profiles } = answer
  const colors = context.colorDepth(color)
  const { width } = context
  const lines =
    colors > 1 && tree.sum > 0n
      ? icicle(tree, {
          width: Math.min(width ?? 80, MAX_WIDTH),
          colors,
          minPercent: minPercent ?? 0,
          maxDepth: MAX_DEPTH,
        })
      : treeLines(tree, { unit, minPercent: minPercent ?? TEXT_MIN_PERCENT, maxDepth: MAX_DEPTH, width })
  await printLines(context.stdout, [sumText(type, unit, tree.sum, profiles), '', ...lines])
}

async function showSeries(
  client: HearthClient,
  selection: SelectionRequest,
  { step, groupBy = [], count = TOP_ROWS, json }: QueryOptions,
  context: Context,
): Promise<void> {
  const request: SeriesRequest = { ...selection, groupBy, ...(step === undefined ? {} : { step }) }
  const answer = await client.ask('series', request)
  context.progress.done()
  if (json === true) return await printJson(context.stdout, answer)
  const sum = answer.groups.flatMap(({ points }) => points).reduce((all, point) => all + BigInt(point.sum), 0n)
  const heading = sumText(answer.type, answer.unit, sum, answer.profiles)
  await printLines(context.stdout, [heading, ...seriesLines(answer, count, context.width)])
}

async function writeFile(
  client: HearthClient,
  selection: SelectionRequest,
  output: string,
  { format: wanted }: QueryOptions,
  context: Context,
): Promise<void> {
  const format = outputFormat(output, wanted)
  checkWritable(format)
  checkOutput(output, [])
  const file = await client.export({ ...selection, format: format.name })
  const bytes = compressedFor(output, file.bytes)
  context.progress.done()
  await printNotes(context, shownName(output, 'standard output'), file.notes)
  checkTerminal(output, bytes, context.stdout)
  await writeOutput(output, bytes, context.stdout)
}
