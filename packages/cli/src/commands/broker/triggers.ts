// `hearth triggers`: rules by which a server asks for profiles by itself.
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
  /** False for none of its own. */
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
A rule is made of these, with && || ! and parentheses; texts are in backticks or quotes, {…} is a regular expression (RE2)
over the whole text:
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
      'A trigger looks at spans, logs and metrics as they arrive. Where its rule fits, the very process is asked for a profile: ' +
        'of what ran in that span where it can look back, else of what runs next. After a capture the instance is left alone ' +
        'for a while.',
    )
  const one = (command: Command): Command =>
    addRemoteOptions(command.option('--server <url>', "the server's main address", MAIN_SERVER)).option(
      '--json',
      "for scripts: the server's answer as it is",
    )
  one(triggers.command('list').summary('what triggers there are').description('Lists the triggers.')).action(
    async (options: ServerOptions) => list(options, context),
  )
  one(
    addTriggerOptions(
      triggers
        .command('add')
        .summary('add a trigger')
        .description('Adds a trigger. It is in force at once.')
        .argument('<name>', 'letters, digits, dots, dashes and underscores')
        .argument('<rule>', 'what it looks for'),
    ),
  )
    .addHelpText(
      'after',
      RULES +
        examples(
          ["hearth triggers add slow-pay 'Span(`POST /pay`) && SpanSlower(800)'", 'what ran in slow payments'],
          ["hearth triggers add errors 'Source(`checkout`) && LogSeverity(ERROR)' --cool-down 10m", 'before errors'],
          ["hearth triggers add hot 'MetricAbove(`process.cpu.utilization`, 0.9)' --duration 30s", 'while it is busy'],
        ),
    )
    .action(async (name: string, rule: string, options: TriggerOptions) => add(name, rule, options, context))
  one(
    addTriggerOptions(
      triggers
        .command('edit')
        .summary('change a trigger')
        .description('Changes what is given of a trigger; the rest stays as it is.')
        .argument('<name>', 'as `hearth triggers list` shows it')
        .option('--rule <rule>', 'another rule')
        .option('--enable', 'switch it on again')
        .option('--look-back', 'ask for what ran in the span again')
        .option('--whole-process', 'ask for all that ran again'),
      // After --budget, or it would be `true` where neither is given.
    ).option('--no-budget', 'only what all triggers share again'),
  )
    .addHelpText('after', examples(['hearth triggers edit slow-pay --disable', 'let it rest']))
    .action(async (name: string, options: TriggerOptions) => edit(name, options, context))
  one(
    triggers
      .command('remove')
      .summary('remove a trigger')
      .description('Removes a trigger; its history stays.')
      .argument('<name>', 'as `hearth triggers list` shows it'),
  ).action(async (name: string, options: ServerOptions) => remove(name, options, context))
  one(
    triggers
      .command('test')
      .summary('see what a rule would have done')
      .description(
        'Holds a rule against what the server keeps of the last hour: what would have fitted, and what fired.',
      )
      .argument('<rule>', 'or the name of a trigger')
      .option(
        '--from <time>',
        'from when on: 2026-11-15T14:00:00Z, a number since 1970, or now-1h, which it is unless given',
      )
      .option('--to <time>', 'until when; now unless given')
      .addOption(new Option('--cool-down <duration>', 'as the trigger would have it').argParser(durationMs))
      .option('--percentage <p>', 'as the trigger would have it', percent)
      .option('--budget <n>', 'captures in an hour, as the trigger would have it', wholeNumber),
  )
    .addHelpText(
      'after',
      RULES + examples(["hearth triggers test 'SpanSlower(800)'", 'what was slow in the last hour']),
    )
    .action(async (rule: string, options: TestOptions) => dryRun(rule, options, context))
  one(
    triggers
      .command('history')
      .summary('what triggers did')
      .description(
        'Shows what triggers did, the latest first: captures and what came of them, and what was held back by what.',
      )
      .argument('[name]', 'of one trigger only')
      .option('-n, --count <n>', 'how many (50 unless given)', wholeNumber),
  ).action(async (name: string | undefined, options: ServerOptions & { readonly count?: number }) =>
    history(name, options, context),
  )
}

function addTriggerOptions(command: Command): Command {
  return command
    .option('--type <type>', 'what to capture, as cpu or heap; cpu unless given')
    .addOption(
      new Option('--duration <duration>', 'how long, where it cannot look back; 10s unless given').argParser(
        durationMs,
      ),
    )
    .option(
      '--frequency <hz>',
      'samples a second, where it does not look back; as each process records unless given',
      wholeNumber,
    )
    .option('--forward', 'ask for what runs next, even where it could look back')
    .option('--span-only', 'only samples of the span that fits, instead of all of the process')
    .addOption(
      new Option('--cool-down <duration>', 'how long an instance is left alone; 1m unless given').argParser(durationMs),
    )
    .option('--percentage <p>', 'of what fits, how much leads to a capture; 100 unless given', percent)
    .option(
      '--budget <n>',
      'captures that it may start in an hour; only what all triggers share unless given',
      wholeNumber,
    )
    .option('--disable', 'keep it, but switched off')
    .option('--description <text>', 'for people')
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

/** Runs `ask` with a client; an error that points into a rule points into `rule`. */
async function asking<T>(
  options: ServerOptions,
  rule: string,
  context: Context,
  ask: (client: HearthClient) => Promise<T>,
): Promise<T> {
  const client = await connect(options.server, '--server', options, context)
  try {
    const answer = await context.progress.during(`asking ${client.server}`, ask(client))
    context.progress.done()
    return answer
  } catch (error) {
    const advice = { 'not-found': '`hearth triggers list` shows what there are.' }
    throw aboutServer(error, { option: '--server', selector: rule, advice })
  }
}

async function list(options: ServerOptions, context: Context): Promise<void> {
  const answer = await asking(options, '', context, client => client.act('triggers', {}))
  if (options.json === true) return await printJson(context.stdout, answer)
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
  const rows = answer.triggers.map(trigger => [
    trigger.name,
    printable(trigger.rule),
    printable(actionText(trigger)),
    spanText(trigger.coolDownMs),
    trigger.percentage === 100 ? '' : `${trigger.percentage}%`,
    trigger.budgetPerHour === undefined ? '' : `${trigger.budgetPerHour}/h`,
    trigger.enabled ? '' : 'off',
    printable(trigger.description ?? ''),
  ])
  const lines = rows.length === 0 ? ['there are no triggers'] : table(columns, rows, context.width)
  await printLines(context.stdout, lines)
}

/** `10s of cpu, or the span` */
function actionText({ type, durationMs: ms, lookBack, spanOnly }: Trigger): string {
  const span = lookBack ? `, or ${spanOnly ? 'what ran in the span' : 'the time of the span'}` : ''
  return `${spanText(ms)} of ${type}${span}`
}

function spanText(ms: number): string {
  if (ms % 3_600_000 === 0 && ms > 0) return `${ms / 3_600_000}h`
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

async function add(name: string, rule: string, options: TriggerOptions, context: Context): Promise<void> {
  const request = { name, rule, ...specOf(options) }
  const added = await asking(options, rule, context, client => client.act('addTrigger', request))
  await told(added, options, `${name} is in force${added.enabled ? '' : ', but switched off'}`, context)
}

async function edit(name: string, options: TriggerOptions, context: Context): Promise<void> {
  const spec = { ...(options.rule === undefined ? {} : { rule: options.rule }), ...specOf(options) }
  if (Object.keys(spec).length === 0 && options.budget === undefined)
    throw new CliError(2, 'nothing is to be changed', 'Give --rule or another option.')
  const changed = await asking(options, options.rule ?? '', context, async client => {
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
  await told(changed, options, `${name} is changed${changed.enabled ? '' : ', and switched off'}`, context)
}

function missing(name: string, triggers: readonly Trigger[]): CliError {
  const names = triggers.map(trigger => trigger.name).join(', ')
  return new CliError(1, `there is no trigger ${JSON.stringify(name)}`, names === '' ? '' : `There are ${names}.`)
}

async function remove(name: string, options: ServerOptions, context: Context): Promise<void> {
  const answer = await asking(options, '', context, client => client.act('removeTrigger', {}, { of: name }))
  await told(answer, options, `${name} is removed`, context)
}

async function told(answer: object, { json }: ServerOptions, text: string, context: Context): Promise<void> {
  if (json === true) await printJson(context.stdout, answer)
  else await printLines(context.stdout, [printable(text)])
}

async function dryRun(text: string, options: TestOptions, context: Context): Promise<void> {
  const { from, to, coolDown, percentage, budget } = options
  const answer = await asking(options, text, context, async client => {
    // A rule has parentheses, a name has not.
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
  if (options.json === true) return await printJson(context.stdout, answer)
  await printLines(context.stdout, dryRunLines(answer, context.width))
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

function dryRunLines(answer: DryRunResponse, width: number | undefined): string[] {
  const { examined, matched, fired, heldBack, instances, truncated, examples: shown } = answer
  const looked = PLURALS.flatMap(([kind, noun]) => {
    const count = examined[kind]
    return count === undefined ? [] : [countOf(count, noun)]
  })
  const held = heldBack.map(({ guard, count }) => `${countText(count)} by ${guard}`)
  const lines = [
    `${looked.length === 0 ? 'the rule fits nothing that there is' : `looked at ${looked.join(', ')}`}${truncated ? ', the latest of more' : ''}`,
    `${countText(matched)} fit, of ${countOf(instances, 'instance')}; ${countOf(fired, 'capture')} would have been started` +
      (held.length === 0 ? '' : `, ${held.join(' and ')} held back`),
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
  const answer = await asking(options, '', context, client => client.act('triggerHistory', request))
  if (options.json === true) return await printJson(context.stdout, answer)
  const columns = [
    { title: 'TIME' },
    { title: 'TRIGGER' },
    { title: 'SERVICE', flexible: true },
    { title: 'INSTANCE', flexible: true },
    { title: 'WHAT', flexible: true },
    { title: 'CAME OF IT', flexible: true },
    { title: 'CAPTURE' },
  ] as const
  const rows = answer.entries.map(entry =>
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
  await printLines(
    context.stdout,
    rows.length === 0 ? ['no trigger has done anything'] : table(columns, rows, context.width),
  )
}

function outcomeText({ heldBack, count, state, error, lookBack, profileIds = [] }: HistoryEntry): string {
  if (heldBack !== undefined) return `held back: ${heldBack}${count > 1 ? `, ${countText(count)} times` : ''}`
  if (error !== undefined) return error
  if (state !== 'finished') return state ?? ''
  return `${countOf(profileIds.length, 'profile')}${lookBack === true ? ', looking back' : ''}`
}
