// `hearth trace ID` and `hearth traces`: one trace as a waterfall, and which there are.
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
import { remoteChanges } from '../../diff/remote-changes.ts'
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

/** More lines than that are read by nobody. */
const SPANS = 200
const TRACES = 30

export function addTrace(program: Command, context: Context): void {
  const command = program
    .command('trace')
    .summary('show a trace that a server keeps, with what profiles saw in it')
    .description(
      'Shows the spans of a trace as they ran: how long each took, how long by itself, how many samples of profiles were taken ' +
        'in it, and what they add up to with all spans below it.',
    )
    .argument('<id>', 'the id of the trace: 32 hex digits')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--span <id>', 'only this span and those below it: 16 hex digits')
    .option('--unlinked', 'count samples without a link that were taken on the thread of a span in its time, too')
    .option('--correct-clocks', "move spans whose clock seems to differ from their parent's into it")
    .option('-n, --count <n>', `how many spans, of which the longest stay (${SPANS} unless given)`, wholeNumber)
  addRemoteOptions(command)
    .option('--json', "for scripts: the server's answer as it is")
    .addHelpText(
      'after',
      examples(
        ['hearth trace 0af7651916cd43dd8448eb211c80319c', 'where a request spent its time'],
        ['hearth traces --min-duration 500ms', 'which requests to look at'],
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
    const answer = await context.progress.during(`asking ${client.server}`, client.trace(id, request))
    context.progress.done()
    if (json === true) await printJson(context.stdout, answer)
    else await printLines(context.stdout, waterfallLines(correctClocks ? withOneClock(answer) : answer, context.width))
  } catch (error) {
    if (isNotFound(error)) {
      throw new CliError(1, `${printable(error.message)}`, '`hearth traces` lists those that there are.', {
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
  /** A quantile or a duration; true where neither is given. */
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
    .summary('list traces that a server keeps')
    .description('Lists traces with a span of a kind, the latest first; conditions are about one and the same span.')
    .argument('[selector]', `attributes of resource, scope and span, as '{http.response.status_code>=500}'`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      'from when on: 2026-11-15T14:00:00Z, a number since 1970, or now-1h, which it is unless given',
    )
    .option('--to <time>', 'until when; now unless given')
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
    .addOption(new Option('--status <status>', 'spans that ended so').choices(['unset', 'ok', 'error']))
    .option('--min-duration <duration>', 'spans that take as long or longer, as 500ms')
    .option('--max-duration <duration>', 'spans that take as long or less')
    .option('--samples <selector>', `only traces with samples of profiles that this selects, as 'cpu | frame "gc"'`)
    .addOption(
      new Option('--function <name>', 'only traces in whose profiles this function was seen').conflicts('samples'),
    )
    .option(
      '--slow-against-fast [split]',
      'instead of a list: what the profiles of slow traces differ in from those of fast ones; --name says by which operation. ' +
        'The split is a duration, as 500ms, or a quantile, which is 0.9 unless given',
    )
    .option('--slow <ids...>', 'the same, with these traces as the slow ones')
    .option('--fast <ids...>', 'and these as the fast ones')
    .option('--profiles <type>', 'for that: which profiles, as cpu')
    .addOption(new Option('--sort <by>', 'what comes first').choices(['time', 'duration']).default('time'))
    .option('-n, --count <n>', `how many (${TRACES} unless given)`, wholeNumber)
  addRemoteOptions(command)
    .option('--json', "for scripts: the server's answer as it is; of a comparison, its functions")
    .addHelpText(
      'after',
      examples(
        ['hearth traces --service checkout --sort duration', 'the slowest requests of the last hour'],
        ['hearth traces --function gc', 'requests in which a function was seen'],
        ["hearth traces --name 'POST /orders' --slow-against-fast", 'why the slowest tenth is slow'],
        [`hearth traces '{user.id="42"}' --status error`, 'what went wrong for somebody'],
      ),
    )
    .action(async (selector: string | undefined, options: TracesOptions) => {
      await listTraces(selector ?? '', options, context)
    })
}

async function listTraces(selector: string, options: TracesOptions, context: Context): Promise<void> {
  const { json, count = TRACES, sort, slowAgainstFast, slow, fast } = options
  const client = await connect(options.server, '--server', options, context)
  const filter = spanFilter(selector, options)
  try {
    if (slowAgainstFast !== undefined || slow !== undefined || fast !== undefined) {
      return await compareTraces(client, filter, options, context)
    }
    const request = { ...filter, limit: count, ...(sort === undefined ? {} : { sort }) }
    const answer = await context.progress.during(`asking ${client.server}`, client.ask('traces', request))
    context.progress.done()
    if (json === true) return await printJson(context.stdout, answer)
    const rows = answer.traces.map(({ traceId, span, start, duration, spans, errors, samples }) => [
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
    const more = answer.next === undefined ? [] : ['There are more; -n shows as many as you like.']
    const none = rows.length === 0 ? ['no traces are selected'] : []
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

/** Of a call tree; what is smaller than the largest of these matters to no sum that is shown. */
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
  const answer = await context.progress.during(`asking ${client.server}`, client.ask('compareTraces', request))
  context.progress.done()
  const changes = remoteChanges(answer.diff, { normalise: true })
  const shown = { sort: 'self', count } as const
  if (json === true) return await printJson(context.stdout, { ...setsOf(answer), ...changesJson(changes, shown) })
  const sets = `before: ${setText(answer.fast, 'fast')}; after: ${setText(answer.slow, 'slow')}${from(answer)}`
  await printLines(context.stdout, [sets, '', ...changeLines(changes, shown, context.width)])
}

function splitOf({ name, slowAgainstFast }: TracesOptions): Pick<CompareTracesRequest, 'threshold' | 'quantile'> {
  if (name === undefined) {
    throw new CliError(2, 'slow and fast by which operation?', "Name one: --name 'POST /orders'.")
  }
  if (slowAgainstFast === undefined || slowAgainstFast === true) return {}
  const quantile = Number(slowAgainstFast)
  return Number.isNaN(quantile) ? { threshold: slowAgainstFast } : { quantile }
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
