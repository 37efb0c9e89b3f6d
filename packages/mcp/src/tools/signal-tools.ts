// Tools that read findings, alerts, traces, ledgers and logs, and the one that starts captures.
import { formatTime, formatValue } from '@hearth/profile'
import { z } from 'zod'
import { BoundedText, DEFAULT_TOKENS } from '../bounded-text.ts'
import { percent } from '../text-tree.ts'
import type { Tool } from './tool.ts'
import { defineTool, given, maxTokens, range } from './tool.ts'

const service = z.string().optional().describe('Value of service.name. Default: all')
const FEWER = 'Name a service, use a shorter range or more tokens.'

const regressions = defineTool({
  name: 'regressions',
  title: 'Regressions',
  description:
    'Functions that cost significantly more than before, found by the server: cause, change with interval, since when.',
  input: { service, state: z.enum(['open', 'accepted', 'fixed']).optional().describe('Default: open'), maxTokens },
  async run(client, { service: own, state = 'open', maxTokens: tokens }, signal) {
    const { findings, comparisons } = await client.act('findings', { state, ...given({ service: own }) }, { signal })
    const text = new BoundedText(tokens)
    if (findings.length === 0) text.add(`No ${state} findings.`)
    for (const finding of findings) {
      const { cause, change, margin, before, unit, version, previousVersion, since, callers, traces } = finding
      const growth = before > 0 ? ` (+${percent(change, before)})` : ''
      const versions =
        version === '' ? '' : `, version ${version}${previousVersion === '' ? '' : ` after ${previousVersion}`}`
      text.add(
        `${finding.id} ${finding.service} ${finding.type}: ${cause.name} ${cause.file} +${change.toPrecision(3)} ± ${margin.toPrecision(2)} ${unit}${growth}, since ${since}${versions}`,
      )
      if (callers.length > 0) text.add(`  called by ${callers.slice(0, 5).join(', ')}`)
      if (traces.length > 0) text.add(`  example traces: ${traces.join(', ')}`)
      text.add(`  baseline: ${finding.baseline.selector} from ${finding.baseline.from} to ${finding.baseline.to}`)
      text.add(`  current: ${finding.current.selector} from ${finding.current.from} to ${finding.current.to}`)
    }
    for (const each of comparisons)
      text.add(
        `Compared: ${each.service} ${each.type} (${each.comparison}) at ${each.time}, ${each.observations.join(' and ')} samples` +
          (each.detectable === undefined
            ? ''
            : `; changes above ${percent(each.detectable, 1)} of the total are visible`),
      )
    return text.text(FEWER)
  },
})

const traces = defineTool({
  name: 'traces',
  title: 'Traces',
  description: 'Traces of a service, slowest or latest first.',
  input: {
    service,
    ...range,
    sort: z.enum(['time', 'duration']).optional().describe('Default: duration'),
    minDuration: z.string().optional().describe('For example 100ms'),
    status: z.enum(['unset', 'ok', 'error']).optional(),
    maxTokens,
  },
  async run(client, { maxTokens: tokens = DEFAULT_TOKENS, sort = 'duration', ...rest }, signal) {
    const limit = Math.min(200, Math.ceil(tokens / 30))
    const found = await client.query('traces', { sort, limit, ...given(rest) }, { signal })
    const text = new BoundedText(tokens)
    if (found.traces.length === 0) text.add('No traces match in this range.')
    for (const { traceId, root, start, duration, spans, errors, services } of found.traces)
      text.add(
        `${traceId} ${formatTime(BigInt(start))} ${formatValue(Number(duration), 'ns')} ${root.service} ${root.name}, ${spans} spans, ${errors} errors, services ${services.join(', ')}`,
      )
    return text.text(FEWER)
  },
})

const ledger = defineTool({
  name: 'time_ledger',
  title: 'Time ledger of a trace',
  description: 'Where the time of a trace went: own CPU, waiting for locks, I/O, children, unknown.',
  input: {
    traceId: z.string().regex(/^[0-9a-fA-F]{32}$/),
    spanId: z
      .string()
      .regex(/^[0-9a-fA-F]{16}$/)
      .optional()
      .describe('Default: the root span'),
    maxTokens,
  },
  async run(client, { traceId, spanId, maxTokens: tokens }, signal) {
    const found = await client.traceLedger(traceId, given({ spanId }), { signal })
    const whole = Number(found.durationNano)
    const text = new BoundedText(tokens)
    text.add(`${formatValue(whole, 'ns')} in total. ${found.sentence}`)
    for (const { kind, nanos } of found.entries)
      text.add(`${kind}: ${formatValue(Number(nanos), 'ns')} (${percent(Number(nanos), whole)})`)
    return text.text(FEWER)
  },
})

const logs = defineTool({
  name: 'logs',
  title: 'Log records',
  description: 'Log records, latest first.',
  input: {
    service,
    ...range,
    text: z.string().optional().describe('Records that contain this text'),
    severity: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).optional().describe('Minimum severity'),
    traceId: z.string().optional(),
    maxTokens,
  },
  async run(client, { maxTokens: tokens = DEFAULT_TOKENS, ...rest }, signal) {
    const limit = Math.min(500, Math.ceil(tokens / 15))
    const found = await client.query('logs', { limit, ...given(rest) }, { signal })
    const text = new BoundedText(tokens)
    if (found.logs.length === 0) text.add('No log records match in this range.')
    for (const { time, severityText, service: own, body, traceId } of found.logs) {
      const shown = typeof body === 'string' ? body : JSON.stringify(body)
      const trace = traceId === '' ? '' : ` trace ${traceId}`
      text.add(`${formatTime(BigInt(time))} ${severityText} ${own}: ${shown.slice(0, 500)}${trace}`)
    }
    return text.text(FEWER)
  },
})

const alerts = defineTool({
  name: 'alerts',
  title: 'Alerts',
  description: 'Pending, firing and recently resolved alerts.',
  input: { service, maxTokens },
  async run(client, { service: own, maxTokens: tokens }, signal) {
    const found = await client.act('alerts', given({ service: own }), { signal })
    const text = new BoundedText(tokens)
    if (found.alerts.length === 0) text.add('No alerts.')
    for (const { rule, state, summary, since, silenced } of found.alerts)
      text.add(`${state}${silenced ? ' (silenced)' : ''} ${rule} since ${since}: ${summary}`)
    return text.text(FEWER)
  },
})

const capture = defineTool({
  name: 'capture',
  title: 'Capture a profile',
  description:
    'Records a profile of a running instance now. Needs a token with the scope capture. Query it with flame_graph afterwards.',
  acts: true,
  input: {
    service: z.string().min(1).describe('Value of service.name'),
    type: z.string().optional().describe('cpu (the default), wall or heap'),
    durationMs: z.int().min(1).max(60_000).optional().describe('Default: 10000'),
    reason: z.string().optional().describe('The reason, which is shown to people'),
  },
  async run(client, input, signal) {
    const started = await client.act('startCapture', { ...given(input), service: input.service }, { signal })
    let last = started
    for await (const each of client.followCapture(started.id, { signal })) last = each
    const failed = last.instances.find(({ error }) => error !== undefined)?.error?.message
    return `Capture ${last.id} of ${input.service} ended: ${last.state}${failed === undefined ? '' : ` (${failed})`}.`
  },
})

export const signalTools: readonly Tool[] = [regressions, alerts, traces, ledger, logs, capture]
