// `hearth logs`: shows log records, and follows new ones.
import { setTimeout as pause } from 'node:timers/promises'
import type { AttributeValue, HearthClient, LogRow, LogsRequest } from '@hearth/client'
import { formatTime } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { durationMs, examples, wholeNumber } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'

const SEVERITIES = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

interface LogOptions extends RemoteOptions {
  readonly server: string
  readonly from?: string
  readonly to?: string
  readonly text?: string
  readonly regex?: string
  readonly ignoreCase?: boolean
  readonly severity?: (typeof SEVERITIES)[number]
  readonly service?: string
  readonly trace?: string
  readonly span?: string
  readonly profile?: string
  readonly process?: string
  readonly thread?: string
  readonly count?: number
  readonly follow?: boolean
  readonly every: number
  readonly json?: boolean
}

const LINES = 50
const EVERY_MS = 2000

export function addLogs(program: Command, context: Context): void {
  const command = program
    .command('logs')
    .summary('show log records')
    .description('Shows the last matching log records of a server, the newest last. With --follow, shows new ones too.')
    .argument('[selector]', `attributes of resource, scope and record, such as '{region="eu"}'`)
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option(
      '--from <time>',
      'start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now; default: now-1h',
    )
    .option('--to <time>', 'end of the range; default: now')
    .option('--text <text>', 'only records whose body contains this text')
    .option('--regex <expression>', 'only records whose body matches this regular expression (RE2)')
    .option('-i, --ignore-case', 'ignore case in --text and --regex')
    .addOption(new Option('--severity <severity>', 'minimum severity').choices(SEVERITIES))
    .option('--service <name>', 'only records of this service')
    .option('--trace <id>', 'only records of this trace')
    .option('--span <id>', 'only records of this span')
    .option('--profile <id>', 'only records that refer to this profile')
    .option('--process <id>', 'only records of this resource, by the id that --json shows')
    .option('--thread <id>', 'only records with this thread.id')
    .option('-n, --count <n>', `number of records; default: ${LINES}`, wholeNumber)
    .option('-f, --follow', 'show new records until Ctrl-C')
    .addOption(
      new Option('--every <duration>', 'for --follow: refresh interval').default(EVERY_MS, '2s').argParser(durationMs),
    )
  addRemoteOptions(command)
    .option('--json', "print the server's response as JSON")
    .addHelpText(
      'after',
      examples(
        ['hearth logs --severity error', 'errors of the last hour'],
        ['hearth logs --service checkout --text refused -i -f', 'follow new records'],
        ['hearth logs --trace 0af7651916cd43dd8448eb211c80319c', 'records of one request'],
      ),
    )
    .action(async (selector: string | undefined, options: LogOptions) => {
      await showLogs(selector ?? '', options, context)
    })
}

async function showLogs(selector: string, options: LogOptions, context: Context): Promise<void> {
  const { follow = false, json = false, count = LINES } = options
  if (follow && (json || options.to !== undefined)) {
    throw new CliError(2, '--follow excludes --to and --json', 'Remove one of them.')
  }
  const client = await connect(options.server, '--server', options, context)
  const request = requestOf(selector, options)
  try {
    const loading = client.query('logs', { ...request, limit: count })
    const response = await context.progress.during(`querying ${client.server}`, loading)
    context.progress.done()
    if (json) return await printJson(context.stdout, response)
    const lines = response.logs.toReversed().map(lineOf)
    if (lines.length === 0 && !follow) lines.push('no log records match')
    await printLines(context.stdout, lines)
    if (follow) await followLogs(client, request, response.logs, options.every, context)
  } catch (error) {
    throw aboutServer(error, { option: '--server', selector })
  }
}

function requestOf(selector: string, options: LogOptions): LogsRequest {
  const { from, to, text, regex, ignoreCase, severity, service, trace, span, profile, process, thread } = options
  return {
    ...(selector === '' ? {} : { selector }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(text === undefined ? {} : { text }),
    ...(regex === undefined ? {} : { regex }),
    ...(ignoreCase === undefined ? {} : { ignoreCase }),
    ...(severity === undefined ? {} : { severity }),
    ...(service === undefined ? {} : { service }),
    ...(trace === undefined ? {} : { traceId: trace }),
    ...(span === undefined ? {} : { spanId: span }),
    ...(profile === undefined ? {} : { profileId: profile }),
    ...(process === undefined ? {} : { resource: process }),
    ...(thread === undefined ? {} : { thread }),
  }
}

/** A record may become visible after one that the server received later, by at most this time. */
const OVERLAP_NANO = 10_000_000_000n

/** Shows records in the order in which the server receives them, so that late records with an earlier time are shown too. */
async function followLogs(
  client: HearthClient,
  request: LogsRequest,
  shown: readonly LogRow[],
  everyMs: number,
  context: Context,
): Promise<void> {
  const ended = new AbortController()
  const forget = context.onStop(() => ended.abort())
  const seen = new Map<string, bigint>()
  let latest = shown.reduce((max, { received }) => (BigInt(received) > max ? BigInt(received) : max), 0n)
  const received = (): AsyncGenerator<LogRow> => {
    const after = latest > OVERLAP_NANO ? latest - OVERLAP_NANO : 0n
    return client.everyLog({ ...request, order: 'oldest', receivedAfter: String(after) }, { signal: ended.signal })
  }
  try {
    // Records that the server had before the first response are not new, whether that response shows them or not.
    const before = latest
    if (before > 0n)
      for await (const log of received()) if (BigInt(log.received) <= before) seen.set(log.cursor, BigInt(log.received))
    while (!ended.signal.aborted) {
      await pause(everyMs, undefined, { signal: ended.signal }).catch(() => undefined)
      if (ended.signal.aborted) return
      const lines: string[] = []
      for await (const log of received()) {
        if (!seen.has(log.cursor)) lines.push(lineOf(log))
        seen.set(log.cursor, BigInt(log.received))
      }
      for (const at of seen.values()) if (at > latest) latest = at
      for (const [cursor, at] of seen) if (at <= latest - OVERLAP_NANO) seen.delete(cursor)
      await printLines(context.stdout, lines)
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error
  } finally {
    forget()
  }
}

/** `2026-11-15 14:00:00.123 ERROR checkout: payment refused  trace=…` */
function lineOf(log: LogRow): string {
  const severity = log.severityText === '' ? severityName(log.severity) : log.severityText
  const body = bodyText(log.body)
  const parts = [
    formatTime(BigInt(log.time)),
    ...(severity === '' ? [] : [severity.toUpperCase().padEnd(5)]),
    `${log.service === '' ? '' : `${log.service}: `}${log.eventName === undefined || body !== '' ? body : log.eventName}`,
  ]
  const links = [
    ...(log.traceId === '' ? [] : [`trace=${log.traceId}`]),
    ...(log.profileId === '' ? [] : [`profile=${log.profileId}`]),
  ]
  return printable([...parts, ...links].join(' '))
}

/** OTLP has four numbers for each severity. */
function severityName(number: number): string {
  return number < 1 || number > 24 ? '' : SEVERITIES[Math.floor((number - 1) / 4)]
}

function bodyText(value: AttributeValue): string {
  const { stringValue, boolValue, intValue, doubleValue } = value
  const simple = stringValue ?? boolValue ?? intValue ?? doubleValue
  return simple === undefined ? (Object.keys(value).length === 0 ? '' : JSON.stringify(value)) : String(simple)
}
