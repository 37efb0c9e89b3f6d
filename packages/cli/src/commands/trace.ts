// `hearth trace ID` and `hearth traces`: one trace as a waterfall, and which there are.
import type { TracesRequest } from '@hearth/client'
import { formatDuration, formatTime } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import { examples, wholeNumber } from '../options.ts'
import { printJson, printLines } from '../output.ts'
import { printable } from '../printable.ts'
import type { RemoteOptions } from '../remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect, isNotFound } from '../remote.ts'
import { table } from '../table.ts'
import { waterfallLines } from '../waterfall.ts'

interface TraceOptions extends RemoteOptions {
  readonly server: string
  readonly span?: string
  readonly count?: number
  readonly unlinked?: boolean
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
  const { span, unlinked, count = SPANS, json, server } = options
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
    else await printLines(context.stdout, waterfallLines(answer, context.width))
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
  readonly status?: TracesRequest['status'] & string
  readonly minDuration?: string
  readonly maxDuration?: string
  readonly samples?: string
  readonly sort?: TracesRequest['sort'] & string
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
    .addOption(new Option('--status <status>', 'spans that ended so').choices(['unset', 'ok', 'error']))
    .option('--min-duration <duration>', 'spans that take as long or longer, as 500ms')
    .option('--max-duration <duration>', 'spans that take as long or less')
    .option('--samples <selector>', `only traces with samples of profiles that this selects, as 'cpu | frame "gc"'`)
    .addOption(new Option('--sort <by>', 'what comes first').choices(['time', 'duration']).default('time'))
    .option('-n, --count <n>', `how many (${TRACES} unless given)`, wholeNumber)
  addRemoteOptions(command)
    .option('--json', "for scripts: the server's answer as it is")
    .addHelpText(
      'after',
      examples(
        ['hearth traces --service checkout --sort duration', 'the slowest requests of the last hour'],
        [`hearth traces --samples 'cpu | frame "gc"'`, 'requests in which a function was seen'],
        [`hearth traces '{user.id="42"}' --status error`, 'what went wrong for somebody'],
      ),
    )
    .action(async (selector: string | undefined, options: TracesOptions) => {
      await listTraces(selector ?? '', options, context)
    })
}

async function listTraces(selector: string, options: TracesOptions, context: Context): Promise<void> {
  const { json, count = TRACES, from, to, service, name, status, minDuration, maxDuration, samples, sort } = options
  const client = await connect(options.server, '--server', options, context)
  const request: TracesRequest = {
    limit: count,
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(service === undefined ? {} : { service }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(minDuration === undefined ? {} : { minDuration }),
    ...(maxDuration === undefined ? {} : { maxDuration }),
    ...(samples === undefined ? {} : { samples }),
    ...(sort === undefined ? {} : { sort }),
  }
  try {
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
