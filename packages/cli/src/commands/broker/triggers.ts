// `hearth triggers`: manages rules that make a server capture profiles.
import type {
  AddTriggerRequest,
  DryRunResponse,
  DryRunRequest,
  HearthClient,
  HistoryEntry,
  Trigger,
} from '@hearth/client'
import { formatTime } from '@hearth/profile'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { Context } from '../../context.ts'
import { countOf, countText } from '../../terminal/count-text.ts'
import { CliError } from '../../errors.ts'
import { durationMs, examples, percent, wholeNumber } from '../../options.ts'
import { printJson, printLines } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { RemoteOptions } from '../../remote/remote.ts'
import { MAIN_SERVER, aboutServer, addRemoteOptions, connect } from '../../remote/remote.ts'
import { table } from '../../terminal/table.ts'

interface ServerOptions extends RemoteOptions {
  readonly server: string
  readonly json?: boolean
}

interface TriggerOptions extends ServerOptions {
  readonly rule?: string
  readonly type?: string
  readonly duration?: number
  readonly frequency?: number
  readonly lookBack?: boolean
  readonly forward?: boolean
  readonly spanOnly?: boolean
  readonly wholeProcess?: boolean
  readonly coolDown?: number
  readonly percentage?: number
  /** False removes the trigger's own budget. */
  readonly budget?: number | false
  readonly enable?: boolean
  readonly disable?: boolean
  readonly description?: string
}

interface TestOptions extends ServerOptions {
  readonly from?: string
  readonly to?: string
  readonly coolDown?: number
  readonly percentage?: number
  readonly budget?: number
}

const RULES = `
A rule combines these predicates with &&, ||, ! and parentheses. Put texts in backticks or quotes. {…} is a regular expression (RE2)
that must match the whole text:
  Span(name)  SpanSlower(ms)  SpanStatus(ERROR)  SpanKind(SERVER)
  LogSeverity(ERROR)  LogBody({.*refused.*})
  MetricAbove(name, x)  MetricBelow(name, x)
  Attr(key, value)  Source(service)
`

export function addTriggers(program: Command, context: Context): void {
  const triggers = program
    .command('triggers')
    .summary('manage rules that start captures')
    .description(
      'A trigger checks spans, logs and metrics as they arrive. If its rule matches, the server captures a profile of that process: ' +
        'of the time of the span if the process can capture the past, otherwise from now on. A cool-down follows each capture ' +
        'of an instance.',
    )
  const one = (command: Command): Command =>
    addRemoteOptions(command.option('--server <url>', "the server's main address", MAIN_SERVER)).option(
      '--json',
      "print the server's response as JSON",
    )
  one(triggers.command('list').summary('list the triggers').description('Lists the triggers.')).action(
    async (options: ServerOptions) => list(options, context),
  )
  one(
    addTriggerOptions(
      triggers
        .command('add')
        .summary('add a trigger')
        .description('Adds a trigger. It takes effect immediately.')
        .argument('<name>', 'letters, digits, dots, dashes and underscores')
        .argument('<rule>', 'the rule that starts a capture'),
    ),
  )
    .addHelpText(
      'after',
      RULES +
        examples(
          ["hearth triggers add slow-pay 'Span(`POST /pay`) && SpanSlower(800)'", 'profiles of slow payments'],
          [
            "hearth triggers add errors 'Source(`checkout`) && LogSeverity(ERROR)' --cool-down 10m",
            'the time before errors',
          ],
          [
            "hearth triggers add hot 'MetricAbove(`process.cpu.utilization`, 0.9)' --duration 30s",
            '30 seconds under high load',
          ],
        ),
    )
    .action(async (name: string, rule: string, options: TriggerOptions) => add(name, rule, options, context))
  one(
    addTriggerOptions(
      triggers
        .command('edit')
        .summary('change a trigger')
        .description('Changes the given settings of a trigger.')
        .argument('<name>', 'as `hearth triggers list` shows it')
        .option('--rule <rule>', 'the new rule')
        .option('--enable', 'enable it')
        .option('--look-back', 'capture the past of the span again')
        .option('--whole-process', 'capture all samples of the process again'),
      // After --budget: otherwise it would be `true` if neither is given.
    ).option('--no-budget', 'remove its own budget'),
  )
    .addHelpText('after', examples(['hearth triggers edit slow-pay --disable', 'disable a trigger']))
    .action(async (name: string, options: TriggerOptions) => edit(name, options, context))
  one(
    triggers
      .command('remove')
      .summary('remove a trigger')
      .description('Removes a trigger. Its history stays.')
      .argument('<name>', 'as `hearth triggers list` shows it'),
  ).action(async (name: string, options: ServerOptions) => remove(name, options, context))
  one(
    triggers
      .command('test')
      .summary('test a rule on stored data')
      .description(
        'Applies a rule to stored data of the last hour, and shows what would have matched and started a capture.',
      )
      .argument('<rule>', 'a rule, or the name of a trigger')
      .option(
        '--from <time>',
        'start of the range: 2026-11-15T14:00:00Z, a Unix time, or relative to now; default: now-1h',
      )
      .option('--to <time>', 'end of the range; default: now')
      .addOption(new Option('--cool-down <duration>', 'cool-down of the trigger').argParser(durationMs))
      .option('--percentage <p>', 'percentage of the trigger', percent)
      .option('--budget <n>', 'captures per hour of the trigger', wholeNumber),
  )
    .addHelpText('after', RULES + examples(["hearth triggers test 'SpanSlower(800)'", 'slow spans of the last hour']))
    .action(async (rule: string, options: TestOptions) => dryRun(rule, options, context))
  one(
    triggers
      .command('history')
      .summary('show the history of triggers')
      .description(
        'Shows the history of triggers, the latest first: captures with their results, and captures that were suppressed, with the reason.',
      )
      .argument('[name]', 'only this trigger')
      .option('-n, --count <n>', 'number of entries; default: 50', wholeNumber),
  ).action(async (name: string | undefined, options: ServerOptions & { readonly count?: number }) =>
    history(name, options, context),
  )
}

function addTriggerOptions(command: Command): Command {
  return command
    .option('--type <type>', 'profile type to capture; default: cpu')
    .addOption(
      new Option('--duration <duration>', 'how long to record, if the past is not captured; default: 10s').argParser(
        durationMs,
      ),
    )
    .option(
      '--frequency <hz>',
      'samples per second, if the past is not captured; default: the rate of each process',
      wholeNumber,
    )
    .option('--forward', 'always record from now on, instead of the past')
    .option('--span-only', 'only samples of the matching span, instead of the whole process')
    .addOption(
      new Option('--cool-down <duration>', 'minimum time between captures of an instance; default: 1m').argParser(
        durationMs,
      ),
    )
    .option('--percentage <p>', 'percentage of matches that start a capture; default: 100', percent)
    .option('--budget <n>', 'maximum captures per hour; default: only the budget of all triggers applies', wholeNumber)
    .option('--disable', 'add or keep it disabled')
    .option('--description <text>', 'description for people')
}

type Spec = Omit<AddTriggerRequest, 'name' | 'rule'>

function specOf(options: TriggerOptions): Spec {
  const { type, duration, frequency, lookBack, forward, spanOnly, wholeProcess, coolDown, percentage, description } =
    options
  if (options.enable === true && options.disable === true)
    throw new CliError(2, '--enable and --disable exclude each other', 'Give one of them.')
  return {
    ...(type === undefined ? {} : { type }),
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(frequency === undefined ? {} : { frequencyHz: frequency }),
    ...(forward === true ? { lookBack: false } : lookBack === true ? { lookBack: true } : {}),
    ...(spanOnly === true ? { spanOnly: true } : wholeProcess === true ? { spanOnly: false } : {}),
    ...(coolDown === undefined ? {} : { coolDownMs: coolDown }),
    ...(percentage === undefined ? {} : { percentage }),
    ...(typeof options.budget === 'number' ? { budgetPerHour: options.budget } : {}),
    ...(options.disable === true ? { enabled: false } : options.enable === true ? { enabled: true } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

/** Runs `request` with a client. An error that points into a rule points into `rule`. */
async function withServer<T>(
  options: ServerOptions,
  rule: string,
  context: Context,
  request: (client: HearthClient) => Promise<T>,
): Promise<T> {
  const client = await connect(options.server, '--server', options, context)
  try {
    const response = await context.progress.during(`querying ${client.server}`, request(client))
    context.progress.done()
    return response
  } catch (error) {
    const advice = { 'not-found': '`hearth triggers list` lists the triggers.' }
    throw aboutServer(error, { option: '--server', selector: rule, advice })
  }
}

async function list(options: ServerOptions, context: Context): Promise<void> {
  const response = await withServer(options, '', context, client => client.act('triggers', {}))
  if (options.json === true) return await printJson(context.stdout, response)
  const columns = [
    { title: 'NAME' },
    { title: 'RULE', flexible: true },
    { title: 'CAPTURES' },
    { title: 'COOL-DOWN', align: 'right' },
    { title: 'SHARE', align: 'right' },
    { title: 'BUDGET', align: 'right' },
    { title: '' },
    { title: 'DESCRIPTION', flexible: true },
  ] as const
  const rows = response.triggers.map(trigger => [
    trigger.name,
    printable(trigger.rule),
    printable(actionText(trigger)),
    spanText(trigger.coolDownMs),
    trigger.percentage === 100 ? '' : `${trigger.percentage}%`,
    trigger.budgetPerHour === undefined ? '' : `${trigger.budgetPerHour}/h`,
    trigger.enabled ? '' : 'off',
    printable(trigger.description ?? ''),
  ])
  const lines = rows.length === 0 ? ['no triggers'] : table(columns, rows, context.width)
  await printLines(context.stdout, lines)
}

/** `10s of cpu, or the span` */
function actionText({ type, durationMs: ms, lookBack, spanOnly }: Trigger): string {
  const span = lookBack ? `, or ${spanOnly ? 'samples of the span' : 'the time of the span'}` : ''
  return `${spanText(ms)} of ${type}${span}`
}

function spanText(ms: number): string {
  if (ms % 3_600_000 === 0 && ms > 0) return `${ms / 3_600_000}h`
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

async function add(name: string, rule: string, options: TriggerOptions, context: Context): Promise<void> {
  const request = { name, rule, ...specOf(options) }
  const added = await withServer(options, rule, context, client => client.act('addTrigger', request))
  await printResult(added, options, `added ${name}${added.enabled ? '' : ' (disabled)'}`, context)
}

async function edit(name: string, options: TriggerOptions, context: Context): Promise<void> {
  const spec = { ...(options.rule === undefined ? {} : { rule: options.rule }), ...specOf(options) }
  if (Object.keys(spec).length === 0 && options.budget === undefined)
    throw new CliError(2, 'nothing to change', 'Add --rule or another option.')
  const changed = await withServer(options, options.rule ?? '', context, async client => {
    const { triggers } = await client.act('triggers', {})
    const old = triggers.find(trigger => trigger.name === name)
    if (old === undefined) throw missing(name, triggers)
    const {
      rule,
      type,
      durationMs: ms,
      frequencyHz,
      lookBack,
      spanOnly,
      coolDownMs,
      percentage,
      budgetPerHour,
      enabled,
      description,
    } = old
    const before = { rule, type, durationMs: ms, lookBack, spanOnly, coolDownMs, percentage, enabled }
    const given = {
      ...(frequencyHz === undefined ? {} : { frequencyHz }),
      ...(budgetPerHour === undefined || options.budget === false ? {} : { budgetPerHour }),
      ...(description === undefined ? {} : { description }),
    }
    return await client.act('changeTrigger', { ...before, ...given, ...spec }, { of: name })
  })
  await printResult(changed, options, `changed ${name}${changed.enabled ? '' : ' (disabled)'}`, context)
}

function missing(name: string, triggers: readonly Trigger[]): CliError {
  const names = triggers.map(trigger => trigger.name).join(', ')
  return new CliError(1, `unknown trigger ${JSON.stringify(name)}`, names === '' ? '' : `Triggers: ${names}.`)
}

async function remove(name: string, options: ServerOptions, context: Context): Promise<void> {
  const response = await withServer(options, '', context, client => client.act('removeTrigger', {}, { of: name }))
  await printResult(response, options, `removed ${name}`, context)
}

async function printResult(response: object, { json }: ServerOptions, text: string, context: Context): Promise<void> {
  if (json === true) await printJson(context.stdout, response)
  else await printLines(context.stdout, [printable(text)])
}

async function dryRun(text: string, options: TestOptions, context: Context): Promise<void> {
  const { from, to, coolDown, percentage, budget } = options
  const response = await withServer(options, text, context, async client => {
    // A rule contains parentheses, a name does not.
    const named = text.includes('(') ? undefined : await triggerNamed(client, text)
    return await client.act('dryRun', {
      rule: named?.rule ?? text,
      ...(named === undefined ? {} : guardingOf(named)),
      ...(coolDown === undefined ? {} : { coolDownMs: coolDown }),
      ...(percentage === undefined ? {} : { percentage }),
      ...(budget === undefined ? {} : { budgetPerHour: budget }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    })
  })
  if (options.json === true) return await printJson(context.stdout, response)
  await printLines(context.stdout, dryRunLines(response, context.width))
}

function guardingOf({ coolDownMs, percentage, budgetPerHour }: Trigger): Partial<DryRunRequest> {
  return { coolDownMs, percentage, ...(budgetPerHour === undefined ? {} : { budgetPerHour }) }
}

async function triggerNamed(client: HearthClient, name: string): Promise<Trigger> {
  const { triggers } = await client.act('triggers', {})
  const found = triggers.find(trigger => trigger.name === name)
  if (found === undefined) throw missing(name, triggers)
  return found
}

const PLURALS: readonly (readonly [kind: 'span' | 'log' | 'metric', noun: string])[] = [
  ['span', 'span'],
  ['log', 'log record'],
  ['metric', 'data point'],
]

function dryRunLines(response: DryRunResponse, width: number | undefined): string[] {
  const { examined, matched, fired, heldBack, instances, truncated, examples: shown } = response
  const looked = PLURALS.flatMap(([kind, noun]) => {
    const count = examined[kind]
    return count === undefined ? [] : [countOf(count, noun)]
  })
  const held = heldBack.map(({ guard, count }) => `${countText(count)} by ${guard}`)
  const lines = [
    `${looked.length === 0 ? 'no stored data to test' : `tested ${looked.join(', ')}`}${truncated ? ', the latest ones' : ''}`,
    `${countText(matched)} matched, from ${countOf(instances, 'instance')}; ${countOf(fired, 'capture')} would have started` +
      (held.length === 0 ? '' : `, ${held.join(' and ')} suppressed`),
  ]
  const columns = [
    { title: 'TIME' },
    { title: 'SERVICE', flexible: true },
    { title: 'INSTANCE', flexible: true },
    { title: 'WHAT', flexible: true },
    { title: '' },
    { title: 'TRACE' },
  ] as const
  const rows = shown.map(({ time, service, instance, description, traceId = '', heldBack: guard }) =>
    [formatTime(BigInt(time)), service, instance, description, guard ?? 'fires', traceId].map(printable),
  )
  return rows.length === 0 ? lines : [...lines, '', ...table(columns, rows, width)]
}

async function history(
  name: string | undefined,
  options: ServerOptions & { readonly count?: number },
  context: Context,
): Promise<void> {
  const request = { limit: options.count ?? 50, ...(name === undefined ? {} : { trigger: name }) }
  const response = await withServer(options, '', context, client => client.act('triggerHistory', request))
  if (options.json === true) return await printJson(context.stdout, response)
  const columns = [
    { title: 'TIME' },
    { title: 'TRIGGER' },
    { title: 'SERVICE', flexible: true },
    { title: 'INSTANCE', flexible: true },
    { title: 'WHAT', flexible: true },
    { title: 'RESULT', flexible: true },
    { title: 'CAPTURE' },
  ] as const
  const rows = response.entries.map(entry =>
    [
      formatTime(BigInt(entry.last)),
      entry.trigger,
      entry.service,
      entry.instance,
      entry.item.description,
      outcomeText(entry),
      entry.capture ?? '',
    ].map(printable),
  )
  await printLines(context.stdout, rows.length === 0 ? ['no history'] : table(columns, rows, context.width))
}

function outcomeText({ heldBack, count, state, error, lookBack, profileIds = [] }: HistoryEntry): string {
  if (heldBack !== undefined) return `suppressed: ${heldBack}${count > 1 ? `, ${countText(count)} times` : ''}`
  if (error !== undefined) return error
  if (state !== 'finished') return state ?? ''
  return `${countOf(profileIds.length, 'profile')}${lookBack === true ? ', of the past' : ''}`
}
