// `hearth import pyroscope|parca`: copies the stored profiles of another server.
import { formatBytes, parseDurationMs } from '@hearth/profile'
import type { Command } from 'commander'
import { Argument } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import type { ImportResult } from '../../import/import-profiles.ts'
import { importProfiles } from '../../import/import-profiles.ts'
import { ParcaSource } from '../../import/parca-source.ts'
import { PyroscopeSource } from '../../import/pyroscope-source.ts'
import type { SourceAddress, StoredSource } from '../../import/stored-source.ts'
import { SourceError, requestJson } from '../../import/stored-source.ts'
import { examples } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, addRemoteOptions, checkAddress } from '../../remote/remote.ts'
import { countOf, countText } from '../../terminal/count-text.ts'
import { printJson, printLines } from '../../terminal/output.ts'

interface ImportOptions extends RemoteOptions {
  readonly from: string
  readonly to: string
  readonly since: string
  readonly until?: string
  readonly step: string
  readonly match?: string
  readonly fromToken?: string
  readonly fromTenant?: string
  readonly state: string
  readonly parallel: string
  readonly json?: boolean
}

const SOURCES: Readonly<Record<string, new (address: SourceAddress, matchers: string) => StoredSource>> = {
  pyroscope: PyroscopeSource,
  parca: ParcaSource,
}
const MAX_PARALLEL = 16

export function addImport(program: Command, context: Context): void {
  const command = program
    .command('import')
    .summary('copy the stored profiles of Pyroscope or Parca')
    .description(
      'Copies the stored profiles of another server through its API: one profile per type, set of labels and step. ' +
        'Continues where an interrupted import ended. Sample times within a step, and spans of samples, are not in these APIs.',
    )
    .addArgument(new Argument('<kind>', 'the kind of the other server').choices(Object.keys(SOURCES)))
    .requiredOption('--from <url>', 'the address of the other server, such as http://pyroscope:4040')
    .option('--to <url>', 'the main address of the Hearth server that gets the copies', MAIN_SERVER)
    .option('--since <time>', 'the oldest data: RFC 3339, or a duration before now such as 30d', '7d')
    .option('--until <time>', 'the newest data; default: now')
    .option('--step <duration>', 'the time that one imported profile covers', '1m')
    .option('--match <matchers>', `only these series, such as 'service_name="checkout"'; default: all`)
    .option('--from-token <token>', 'access token of the other server; prefer HEARTH_IMPORT_TOKEN')
    .option('--from-tenant <name>', 'tenant of the other server (X-Scope-OrgID)')
    .option('--state <file>', 'the file that remembers what is done', 'hearth-import.json')
    .option('--parallel <count>', `profiles that are copied at the same time, at most ${MAX_PARALLEL}`, '4')
  addRemoteOptions(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['hearth import pyroscope --from http://pyroscope:4040', 'the last week'],
        ['hearth import parca --from http://parca:7070 --since 30d --step 5m', 'a month, in coarser steps'],
      ),
    )
    .action(async (kind: string, options: ImportOptions) => importFrom(kind, options, context))
}

async function importFrom(kind: string, options: ImportOptions, context: Context): Promise<void> {
  const { from, to, step, match = '', state, fromToken, fromTenant, json } = options
  checkAddress(from, '--from')
  checkAddress(to, '--to')
  const parallel = Number(options.parallel)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MAX_PARALLEL)
    throw new CliError(2, `--parallel: ${JSON.stringify(options.parallel)} is not a number from 1 to ${MAX_PARALLEL}`)
  const stepMs = durationOf(step, '--step')
  if (stepMs < 1000 || stepMs % 1000 !== 0) throw new CliError(2, `--step: ${step} is not a number of whole seconds`)
  const now = Date.now()
  const range = {
    from: stepMs * Math.floor(timeOf(options.since, '--since', now) / stepMs),
    // The current step gets more data later.
    to:
      options.until === undefined
        ? stepMs * Math.floor(now / stepMs)
        : stepMs * Math.ceil(timeOf(options.until, '--until', now) / stepMs),
  }
  if (range.from >= range.to) throw new CliError(2, '--since is not before --until')
  const token = fromToken ?? context.env['HEARTH_IMPORT_TOKEN']
  const source = new SOURCES[kind](
    {
      url: from,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(fromTenant === undefined ? {} : { 'x-scope-orgid': fromTenant }),
      },
    },
    match,
  )
  const stop = new AbortController()
  const forget = context.onStop(() => stop.abort())
  let result: ImportResult
  try {
    result = await importProfiles({
      source,
      about: `${kind} ${from} ${match} in steps of ${stepMs / 1000} s, to ${to}`,
      range,
      stepMs,
      stateFile: state,
      parallel,
      store: storeIn(to, options, context),
      onProgress: ({ done, all, key, at, profiles }) =>
        context.progress.say(
          `series ${done + 1} of ${all}, ${new Date(at).toISOString()}, ${countOf(profiles, 'profile')}: ${key}`,
        ),
      signal: stop.signal,
    })
  } catch (error) {
    context.progress.done()
    const again = `Run the same command again to continue; ${state} says what is done.`
    if (stop.signal.aborted) throw new CliError(1, 'interrupted', again)
    if (error instanceof SourceError) throw new CliError(1, error.message, again, { cause: error })
    throw error
  } finally {
    forget()
  }
  context.progress.done()
  if (json === true) await printJson(context.stdout, result)
  else
    await printLines(context.stdout, [
      `${countOf(result.profiles, 'profile')} of ${countText(result.series)} series, ${formatBytes(BigInt(result.bytes))}`,
    ])
}

/** Stores through Pyroscope's push API, so that types and labels stay what Pyroscope's clients know. */
function storeIn(to: string, { token, tenant }: RemoteOptions, context: Context) {
  const secret = token ?? context.env['HEARTH_TOKEN']
  const address: SourceAddress = {
    url: to,
    headers: {
      ...(secret === undefined || secret === '' ? {} : { authorization: `Bearer ${secret}` }),
      ...(tenant === undefined ? {} : { 'x-scope-orgid': tenant }),
    },
  }
  return async (labels: Readonly<Record<string, string>>, pprof: Uint8Array): Promise<void> => {
    await requestJson(address, '/push.v1.PusherService/Push', {
      series: [
        {
          labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
          samples: [{ rawProfile: Buffer.from(pprof).toString('base64') }],
        },
      ],
    })
  }
}

function durationOf(text: string, option: string): number {
  const milliseconds = parseDurationMs(text)
  if (milliseconds === undefined)
    throw new CliError(2, `${option}: ${JSON.stringify(text)} is not a duration`, 'Use one such as 1m.')
  return milliseconds
}

/** Milliseconds since 1970. */
function timeOf(text: string, option: string, now: number): number {
  const before = parseDurationMs(text)
  if (before !== undefined) return now - before
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw new CliError(
      2,
      `${option}: ${JSON.stringify(text)} is not a time`,
      'Use RFC 3339, or a duration such as 30d.',
    )
  return time
}
