// `hearth events`: watches what passes a server's Broker, and sends events through it.
import type { BrokerEvent, ComponentRow, HearthClient, SeenEvent, SendEventRequest } from '@hearth/client'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { readStored } from '../../files/input.ts'
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
    .description(
      'Shows events as they pass the Broker of a server, until Ctrl-C: who sends what to whom, and what becomes of it.',
    )
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--type <type>', 'only events of this type, or of one that ends like it, as capture')
    .addOption(new Option('--category <category>', 'only these').choices(['MESSAGE', 'REQUEST', 'RESPONSE']))
    .option('--component <name>', 'only to or from components of this name')
    .option('--outcome <outcome>', 'only what ended so: delivered, answered, timeout, component-gone and so on')
    .option('-n, --count <n>', 'end after so many', wholeNumber)
  addRemoteOptions(command)
    .option('--json', 'for scripts: one JSON object a line, with everything in it')
    .addHelpText(
      'after',
      examples(
        ['hearth events', 'everything'],
        ['hearth events --type capture --json', 'captures, for a script'],
        ['hearth events send --type profiling.capture.cancel --target checkout --param capture_id=…', 'send one'],
      ),
    )
    .action(async (options: WatchOptions) => watch(options, context))
  addSend(command, context)
}

function addSend(events: Command, context: Context): void {
  const command = events
    .command('send')
    .summary('send an event')
    .description('Sends an event through the Broker of a server. With --request it waits for the answer and prints it.')
    .option('--type <type>', 'as profiling.capture; needed')
    .option('--server <url>', "the server's main address", MAIN_SERVER)
    .option('--request', 'a REQUEST, which is answered, instead of a MESSAGE')
    .option(
      '--target <name>',
      'for whom: a service, or a service and an instance, as checkout/i-1; by rules unless given',
    )
    .option('--environment <name>', 'only components of this environment')
    .addOption(
      new Option('--param <name=value>', 'for whoever handles it; JSON, or else text. May be given several times')
        .default({}, 'none')
        .argParser(jsonValues),
    )
    .addOption(
      new Option('--value <name=value>', 'what rules look at: path, method, host, header, queryParam')
        .default({}, 'none')
        .argParser(jsonValues),
    )
    .option('--content <file>', 'what it holds; `-` is standard input')
    .option('--content-type <type>', 'what that is, as application/json')
    .addOption(
      new Option('--timeout <duration>', 'how long it may take').default(TIMEOUT_MS, '30s').argParser(durationMs),
    )
  addRemoteOptions(command)
    .option('--json', 'for scripts: the event as it was sent, and its answer')
    .addHelpText(
      'after',
      examples(
        ['hearth events send --type shop.reload --target checkout', 'a message'],
        ['hearth events send --request --type shop.price --value path=/price --param id=7', 'a question, by rules'],
      ),
    )
    // Options that both have are taken by `events`, wherever they stand.
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
    throw new CliError(1, `${client.server}: the server has ended`, 'Ask again when it is back.')
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
  const lost = missed === 0 ? '' : `${missed} more passed unseen\n`
  return `${lost}${printable(parts.join(' '))}`
}

function nameOf(component: BrokerEvent['source']): string {
  if (component === undefined || component.name === '') return '?'
  return component.id === '' ? component.name : `${component.name}/${component.id}`
}

const LONGEST = 60

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

async function send(options: SendOptions, context: Context): Promise<void> {
  const { type, request = false, target, environment, param, value, content, contentType, timeout, json } = options
  if (type === undefined) throw new CliError(2, 'an event has a type', 'Give --type, as profiling.capture.')
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
    const answer = await context.progress.during(`waiting for an answer`, client.act('sendEvent', event))
    context.progress.done()
    if (json === true) await printJson(context.stdout, answer)
    else if (answer.response === undefined) await printLines(context.stdout, [printable(`sent ${answer.event.id}`)])
    else await printResponse(answer.response, context)
  } catch (error) {
    throw aboutServer(error, {
      option: '--server',
      advice: { 'component-gone': '`hearth components` lists who is there.' },
    })
  }
}

/** The content, as it is; what has none is told by its params. */
async function printResponse({ params, text, content, contentBytes }: BrokerEvent, context: Context): Promise<void> {
  if (contentBytes === 0) return await printJson(context.stdout, params)
  if (text !== undefined) return await printLines(context.stdout, [text])
  await print(context.stdout, Buffer.from(content ?? '', 'base64'))
}

/** An instance is only known with all that belongs to it. */
async function targetOf(client: HearthClient, text: string): Promise<NonNullable<SendEventRequest['target']>> {
  const [service, instance] = split(text)
  const { components } = await client.act('components', { service })
  const fits = (row: ComponentRow): boolean =>
    instance === undefined || row.instance === instance || row.component.id === instance
  const found = components.find(fits)
  if (found === undefined)
    throw new CliError(1, `--target: ${text} is not subscribed`, '`hearth components` lists who is there.')
  const { type, name } = found.component
  // Empty parts say nothing, and are not taken.
  const whole = Object.fromEntries(Object.entries(found.component).filter(([, part]) => part !== ''))
  return instance === undefined ? { type, name } : whole
}

function split(text: string): [service: string, instance: string | undefined] {
  const slash = text.indexOf('/')
  return slash === -1 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)]
}
