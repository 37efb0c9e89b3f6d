// `hearth trace ID` and `hearth traces`: shows a trace as a waterfall, and lists traces.
import type { CompareTracesResponse, CompareTracesRequest, HearthClient, TracesRequest } from '@hearth/client'
import { formatDuration, formatTime } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import { changeLines, changesJson } from '../../diff/changed-frames.ts'
import type { Context } from '../../context.ts'
import { countOf } from '../../terminal/count-text.ts'
import { CliError } from '../../errors.ts'
import { examples, wholeNumber } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import { requestChanges } from '../../diff/remote-changes.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect, isNotFound } from '../../remote/remote.ts'
import { table } from '../../terminal/table.ts'
import { waterfallLines, withOneClock } from '../../render/waterfall.ts'

interface TraceOptions extends RemoteOptions {
  readonly server: string
  readonly span?: string
  readonly count?: number
  readonly unlinked?: boolean
  readonly correctClocks?: boolean
  readonly json?: boolean
}

/** The default number of spans. People read no more lines. */
const SPANS = 200
const TRACES = 30

export function addTrace(program: Command, context: Context): void {
  const command = program
    .command('trace')
    .summary('show a trace with its profile samples')
    .description(
      'Shows the spans of a trace: the duration and self time of each, the number of its profile samples, ' +
        'and their sum including all descendants.',
    )
    .argument('<id>', 'trace id: 32 hexadecimal digits')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--span <id>', 'only this span and its descendants: 16 hexadecimal digits')
    .option('--unlinked', 'also count samples without a link that were taken on the thread of a span during the span')
    .option('--correct-clocks', 'move spans whose clock seems to differ from that of their parent into the parent')
    .option('-n, --count <n>', `number of spans, the longest first; default: ${SPANS}`, wholeNumber)
  addRemoteOptions(command)
    .option('--json', "print the server's response as JSON")
    .addHelpText(
      'after',
      examples(
        ['hearth trace 0af7651916cd43dd8448eb211c80319c', 'where a request spent its time'],
        ['hearth traces --min-duration 500ms', 'find slow requests'],
      ),
    )
    .action(async (id: string, options: TraceOptions) => await showTrace(id, options, context))
}

async function showTrace(id: string, options: TraceOptions, context: Context): Promise<void> {
  const { span, unlinked, correctClocks = false, count = SPANS, json, server } = options
  const client = await connect(server, '--server', options, context)
  const request = {
    limit: count,
    ...(span === undefined ? {} : { spanId: span }),
    ...(unlinked === true ? { unlinked } : {}),
    ...(json === true ? {} : { details: false }),
  }
  try {
    const response = await context.progress.during(`querying ${client.server}`, client.trace(id, request))
    context.progress.done()
    if (json === true) await printJson(context.stdout, response)
    else
      await printLines(context.stdout, waterfallLines(correctClocks ? withOneClock(response) : response, context.width))
  } catch (error) {
    if (isNotFound(error)) {
      throw new CliError(1, `${printable(error.message)}`, '`hearth traces` lists traces.', {
        cause: error,
      })
    }
    throw aboutServer(error, { option: '--server' })
  }
}

interface TracesOptions extends RemoteOptions {
  readonly server: string
  readonly from?: string
  readonly to?: string
  readonly service?: string
  readonly name?: string
  readonly kind?: TracesRequest['kind'] & string
  readonly status?: TracesRequest['status'] & string
  readonly minDuration?: string
  readonly maxDuration?: string
  readonly samples?: string
  readonly function?: string
  readonly sort?: TracesRequest['sort'] & string
  /** A quantile or a duration. True if neither is given. */
  readonly slowVsFast?: string | true | undefined
  readonly slowAgainstFast?: string | true
  readonly slow?: readonly string[]
  readonly fast?: readonly string[]
  readonly profiles?: string
  readonly count?: number
  readonly json?: boolean
}

export function addTraces(program: Command, context: Context): void {
  const command = program
    .command('traces')
    .summary('list traces')
    .description('Lists traces that contain a matching span, the latest first. All conditions apply to the same span.')
    .argument('[selector]', `attributes of resource, scope and span, such as '{http.response.status_code>=500}'`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      'start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now; default: now-1h',
    )
    .option('--to <time>', 'end of the range; default: now')
    .option('--service <name>', 'spans of this service')
    .option('--name <operation>', 'spans of this name')
    .addOption(
      new Option('--kind <kind>', 'spans of this kind').choices([
        'internal',
        'server',
        'client',
        'producer',
        'consumer',
        'unspecified',
      ]),
    )
    .addOption(new Option('--status <status>', 'spans with this status').choices(['unset', 'ok', 'error']))
    .option('--min-duration <duration>', 'minimum span duration, such as 500ms')
    .option('--max-duration <duration>', 'maximum span duration')
    .option('--samples <selector>', `only traces with samples that this selector matches, such as 'cpu | frame "gc"'`)
    .addOption(new Option('--function <name>', 'only traces whose samples contain this function').conflicts('samples'))
    .option(
      '--slow-vs-fast [threshold]',
      'compare the profiles of slow and fast traces instead of listing them; requires --name. ' +
        'The threshold is a duration, such as 500ms, or a quantile; default: 0.9',
    )
    // The former name of --slow-vs-fast.
    .addOption(new Option('--slow-against-fast [threshold]').hideHelp())
    .option('--slow <ids...>', 'compare these traces as the slow ones')
    .option('--fast <ids...>', 'with these as the fast ones')
    .option('--profiles <type>', 'for the comparison: profile type, such as cpu')
    .addOption(new Option('--sort <by>', 'sort order').choices(['time', 'duration']).default('time'))
    .option('-n, --count <n>', `number of traces; default: ${TRACES}`, wholeNumber)
  addRemoteOptions(command)
    .option('--json', "print JSON: the server's response, or the functions of a comparison")
    .addHelpText(
      'after',
      examples(
        ['hearth traces --service checkout --sort duration', 'the slowest requests of the last hour'],
        ['hearth traces --function gc', 'requests that ran a function'],
        ["hearth traces --name 'POST /orders' --slow-vs-fast", 'compare the slowest tenth with the rest'],
        [`hearth traces '{user.id="42"}' --status error`, 'failed requests of a user'],
      ),
    )
    .action(async (selector: string | undefined, options: TracesOptions) => {
      const slowVsFast = options.slowVsFast ?? options.slowAgainstFast
      await listTraces(selector ?? '', { ...options, slowVsFast }, context)
    })
}

async function listTraces(selector: string, options: TracesOptions, context: Context): Promise<void> {
  const { json, count = TRACES, sort, slowVsFast, slow, fast } = options
  const client = await connect(options.server, '--server', options, context)
  const filter = spanFilter(selector, options)
  try {
    if (slowVsFast !== undefined || slow !== undefined || fast !== undefined) {
      return await compareTraces(client, filter, options, context)
    }
    const request = { ...filter, limit: count, ...(sort === undefined ? {} : { sort }) }
    const response = await context.progress.during(`querying ${client.server}`, client.query('traces', request))
    context.progress.done()
    if (json === true) return await printJson(context.stdout, response)
    const rows = response.traces.map(({ traceId, span, start, duration, spans, errors, samples }) => [
      traceId,
      formatTime(BigInt(start)),
      formatDuration(BigInt(duration)),
      formatDuration(BigInt(span.duration)),
      String(spans),
      errors === 0 ? '' : String(errors),
      samples === 0 ? '' : String(samples),
      printable(span.service === '' ? span.name : `${span.service}: ${span.name}`),
    ])
    const columns = [
      { title: 'TRACE' },
      { title: 'START' },
      { title: 'DURATION', align: 'right' },
      { title: 'SPAN', align: 'right' },
      { title: 'SPANS', align: 'right' },
      { title: 'ERRORS', align: 'right' },
      { title: 'SAMPLES', align: 'right' },
      { title: 'OPERATION', flexible: true },
    ] as const
    const more = response.next === undefined ? [] : ['There are more traces; increase -n to show them.']
    const none = rows.length === 0 ? ['no traces match'] : []
    await printLines(context.stdout, [...table(columns, rows, context.width), ...none, ...more])
  } catch (error) {
    throw aboutServer(error, { option: '--server', selector })
  }
}

function spanFilter(selector: string, options: TracesOptions): TracesRequest {
  const { from, to, service, name, kind, status, minDuration, maxDuration } = options
  const samples = options.function === undefined ? options.samples : `| frame ${JSON.stringify(options.function)}`
  return {
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(service === undefined ? {} : { service }),
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(minDuration === undefined ? {} : { minDuration }),
    ...(maxDuration === undefined ? {} : { maxDuration }),
    ...(samples === undefined ? {} : { samples }),
  }
}

/** The maximum number of call tree nodes. Smaller nodes do not affect any sum that is shown. */
const NODES = 200_000

async function compareTraces(
  client: HearthClient,
  filter: TracesRequest,
  options: TracesOptions,
  context: Context,
): Promise<void> {
  const { slow, fast, profiles, count, json } = options
  const request: CompareTracesRequest = {
    ...filter,
    ...(slow === undefined && fast === undefined ? splitOf(options) : { slow: slow ?? [], fast: fast ?? [] }),
    ...(profiles === undefined ? {} : { profiles }),
    nodes: NODES,
  }
  const response = await context.progress.during(`querying ${client.server}`, client.query('compareTraces', request))
  context.progress.done()
  const changes = requestChanges(response)
  const shown = { sort: 'self', count } as const
  if (json === true) return await printJson(context.stdout, { ...setsOf(response), ...changesJson(changes, shown) })
  const sets = `before: ${setText(response.fast, 'fast')}; after: ${setText(response.slow, 'slow')}${from(response)}`
  await printLines(context.stdout, [sets, '', ...changeLines(changes, shown, context.width)])
}

function splitOf({ name, slowVsFast }: TracesOptions): Pick<CompareTracesRequest, 'threshold' | 'quantile'> {
  if (name === undefined) {
    throw new CliError(2, '--slow-vs-fast requires --name', "Add the operation, such as --name 'POST /orders'.")
  }
  if (slowVsFast === undefined || slowVsFast === true) return {}
  const quantile = Number(slowVsFast)
  return Number.isNaN(quantile) ? { threshold: slowVsFast } : { quantile }
}

function setsOf({ threshold, slow, fast }: CompareTracesResponse): object {
  return { ...(threshold === undefined ? {} : { threshold }), slow, fast }
}

function setText({ found, traceIds }: CompareTracesResponse['slow'], which: string): string {
  const of = found > traceIds.length ? `, the latest of ${found}` : ''
  return `${countOf(traceIds.length, `${which} trace`)}${of}`
}

function from({ threshold }: CompareTracesResponse): string {
  return threshold === undefined ? '' : `, from ${formatDuration(BigInt(threshold))} on`
}
