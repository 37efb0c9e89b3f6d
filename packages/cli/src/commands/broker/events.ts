// `hearth events`: watches the events of a server's Broker, and sends events.
import type { BrokerEvent, ComponentRow, HearthClient, SeenEvent, SendEventRequest } from '@hearth/client'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { readStored } from '../../files/open-input.ts'
import { durationMs, examples, jsonValues, wholeNumber } from '../../options.ts'
import { print, printJson, printLines } from '../../terminal/output.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'

interface WatchOptions extends RemoteOptions {
  readonly server: string
  readonly type?: string
  readonly category?: 'MESSAGE' | 'REQUEST' | 'RESPONSE'
  readonly component?: string
  readonly outcome?: string
  readonly count?: number
  readonly json?: boolean
}

interface SendOptions extends RemoteOptions {
  readonly server: string
  readonly type?: string
  readonly request?: boolean
  readonly target?: string
  readonly environment?: string
  readonly param: Readonly<Record<string, unknown>>
  readonly value: Readonly<Record<string, unknown>>
  readonly content?: string
  readonly contentType?: string
  readonly timeout: number
  readonly json?: boolean
}

const TIMEOUT_MS = 30_000

export function addEvents(program: Command, context: Context): void {
  const command = program
    .command('events')
    .summary('watch the events of a Broker, or send one')
    .description('Shows the events of a Broker until Ctrl-C, with source, target and outcome.')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--type <type>', 'only events whose type equals or ends with this, such as capture')
    .addOption(
      new Option('--category <category>', 'only events of this category').choices(['MESSAGE', 'REQUEST', 'RESPONSE']),
    )
    .option('--component <name>', 'only events to or from this component')
    .option(
      '--outcome <outcome>',
      'only events with this outcome, such as delivered, answered, timeout or component-gone',
    )
    .option('-n, --count <n>', 'stop after this many events', wholeNumber)
  addRemoteOptions(command)
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      examples(
        ['hearth events', 'all events'],
        ['hearth events --type capture --json', 'captures, as JSON'],
        ['hearth events send --type profiling.capture.cancel --target checkout --param capture_id=…', 'send an event'],
      ),
    )
    .action(async (options: WatchOptions) => watch(options, context))
  addSend(command, context)
}

function addSend(events: Command, context: Context): void {
  const command = events
    .command('send')
    .summary('send an event')
    .description('Sends an event through the Broker of a server. With --request, waits for the response and prints it.')
    .option('--type <type>', 'event type, such as profiling.capture (required)')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--request', 'send a REQUEST, which gets a response, instead of a MESSAGE')
    .option(
      '--target <name>',
      'target service, or service and instance, such as checkout/i-1; default: by routing rules',
    )
    .option('--environment <name>', 'only components of this environment')
    .addOption(
      new Option('--param <name=value>', 'parameter for the handler, JSON or text; repeatable')
        .default({}, 'none')
        .argParser(jsonValues),
    )
    .addOption(
      new Option('--value <name=value>', 'value for routing rules: path, method, host, header or queryParam')
        .default({}, 'none')
        .argParser(jsonValues),
    )
    .option('--content <file>', 'file with the content; `-` is standard input')
    .option('--content-type <type>', 'content type, such as application/json')
    .addOption(new Option('--timeout <duration>', 'timeout').default(TIMEOUT_MS, '30s').argParser(durationMs))
  addRemoteOptions(command)
    .option('--json', 'print JSON: the event and its response')
    .addHelpText(
      'after',
      examples(
        ['hearth events send --type shop.reload --target checkout', 'send a message'],
        [
          'hearth events send --request --type shop.price --value path=/price --param id=7',
          'send a request by routing rules',
        ],
      ),
    )
    // Options that both commands have belong to `events`, wherever they are written.
    .action(async (_options: object, self: Command) => send(self.optsWithGlobals<SendOptions>(), context))
}

async function watch(options: WatchOptions, context: Context): Promise<void> {
  const { type, category, component, outcome, count = Infinity, json = false } = options
  const client = await connect(options.server, '--server', options, context)
  const filter = {
    ...(type === undefined ? {} : { type }),
    ...(category === undefined ? {} : { category }),
    ...(component === undefined ? {} : { component }),
    ...(outcome === undefined ? {} : { outcome }),
  }
  const ended = new AbortController()
  const forget = context.onStop(() => ended.abort())
  let seen = 0
  try {
    for await (const next of await client.watchEvents(filter, { signal: ended.signal })) {
      const text = json ? printableJson(JSON.stringify(next)) : lineOf(next)
      await print(context.stdout, `${text}\n`)
      if (++seen >= count) return
    }
    throw new CliError(1, `${client.server}: the server closed the connection`, 'Retry when it is back.')
  } catch (error) {
    if (!ended.signal.aborted) throw aboutServer(error, { option: '--server' })
  } finally {
    forget()
    ended.abort()
  }
}

/** `14:00:00.123 REQUEST profiling.capture hearth → checkout/i-1 delivered` */
function lineOf({ at, outcome, error, missed, event }: SeenEvent): string {
  const parts = [
    at.slice(11, 23),
    event.category.padEnd(8),
    event.type,
    `${nameOf(event.source)} → ${nameOf(event.target)}`,
    outcome,
    ...(error === undefined ? [] : [`(${error})`]),
    ...(event.contentBytes === 0 ? [] : [`${event.contentBytes} bytes`]),
    ...Object.entries(event.params).map(([name, value]) => `${name}=${shortText(value)}`),
  ]
  const lost = missed === 0 ? '' : `${missed} more events were not shown\n`
  return `${lost}${printable(parts.join(' '))}`
}

function nameOf(component: BrokerEvent['source']): string {
  if (component === undefined || component.name === '') return '?'
  return component.id === '' ? component.name : `${component.name}/${component.id}`
}

const MAX_CHARACTERS = 60

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

async function send(options: SendOptions, context: Context): Promise<void> {
  const { type, request = false, target, environment, param, value, content, contentType, timeout, json } = options
  if (type === undefined) throw new CliError(2, '--type is required', 'Add --type TYPE, such as profiling.capture.')
  const bytes = content === undefined ? undefined : await readStored(content, context)
  const client = await connect(options.server, '--server', options, context)
  try {
    const event: SendEventRequest = {
      type,
      category: request ? 'REQUEST' : 'MESSAGE',
      ttlMs: timeout,
      params: param,
      values: value,
      ...(target === undefined ? {} : { target: await targetOf(client, target) }),
      ...(environment === undefined ? {} : { environment }),
      ...(bytes === undefined ? {} : { content: Buffer.from(bytes).toString('base64') }),
      ...(contentType === undefined ? {} : { contentType }),
    }
    const response = await context.progress.during(`waiting for the response`, client.act('sendEvent', event))
    context.progress.done()
    if (json === true) await printJson(context.stdout, response)
    else if (response.response === undefined) await printLines(context.stdout, [printable(`sent ${response.event.id}`)])
    else await printResponse(response.response, context)
  } catch (error) {
    throw aboutServer(error, {
      option: '--server',
      advice: { 'component-gone': '`hearth components` lists the connected services.' },
    })
  }
}

/** Prints the content, or the parameters if there is none. */
async function printResponse({ params, text, content, contentBytes }: BrokerEvent, context: Context): Promise<void> {
  if (contentBytes === 0) return await printJson(context.stdout, params)
  if (text !== undefined) return await printLines(context.stdout, [text])
  await print(context.stdout, Buffer.from(content ?? '', 'base64'))
}

/** The server requires all parts of an instance's identity. */
async function targetOf(client: HearthClient, text: string): Promise<NonNullable<SendEventRequest['target']>> {
  const [service, instance] = split(text)
  const { components } = await client.act('components', { service })
  const fits = (row: ComponentRow): boolean =>
    instance === undefined || row.instance === instance || row.component.id === instance
  const found = components.find(fits)
  if (found === undefined)
    throw new CliError(1, `--target: ${text} is not connected`, '`hearth components` lists the connected services.')
  const { type, name } = found.component
  // The server rejects empty parts.
  const whole = Object.fromEntries(Object.entries(found.component).filter(([, part]) => part !== ''))
  return instance === undefined ? { type, name } : whole
}

function split(text: string): [service: string, instance: string | undefined] {
  const slash = text.indexOf('/')
  return slash === -1 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)]
}
