// Tools that read findings, alerts, traces, ledgers and logs, and the one that starts captures.
import type { Finding, TraceLedgerResponse } from '@hearth/client'
import type { EntryKind } from '@hearth/profile'
import { ENTRY_TITLES, JUDGEMENTS, formatAmount, formatTime, formatValue, judgeDeviations } from '@hearth/profile'
import { z } from 'zod'
import { BoundedText, DEFAULT_TOKENS } from '../bounded-text.ts'
import { percent } from '../text-tree.ts'
import type { Tool } from './tool.ts'
import { defineTool, given, maxTokens, range } from './tool.ts'

const service = z.string().optional().describe('Value of service.name. Default: all')
const attributes = z
  .string()
  .optional()
  .describe('Matchers on attributes, for example {http.request.method="GET", region=~"eu.*"}')
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
        `${finding.id} ${nameOf(finding)} ${finding.type}: ${cause.name} ${cause.file} +${formatAmount(change, unit)} ± ${formatAmount(margin, unit)}${growth}, since ${since}${versions}`,
      )
      if (callers.length > 0) text.add(`  called by ${callers.slice(0, 5).join(', ')}`)
      if (traces.length > 0) text.add(`  example traces: ${traces.join(', ')}`)
      text.add(`  baseline: ${finding.baseline.selector} from ${finding.baseline.from} to ${finding.baseline.to}`)
      text.add(`  current: ${finding.current.selector} from ${finding.current.from} to ${finding.current.to}`)
    }
    for (const each of comparisons)
      text.add(
        `Compared: ${nameOf(each)} ${each.type} (${each.comparison}) at ${each.time}, ${each.observations.join(' and ')} samples` +
          (each.detectable === undefined
            ? ''
            : `; changes above ${percent(each.detectable, 1)} of the total are visible`),
      )
    return text.text(FEWER)
  },
})

function nameOf({ service: name, environment }: Pick<Finding, 'service' | 'environment'>): string {
  return environment === undefined ? name : `${name} in ${environment.value}`
}

const traces = defineTool({
  name: 'traces',
  title: 'Traces',
  description: 'Traces of a service, slowest or latest first.',
  input: {
    service,
    operation: z.string().optional().describe('Name of the spans, for example GET /search'),
    selector: attributes,
    ...range,
    sort: z.enum(['time', 'duration']).optional().describe('Default: duration'),
    minDuration: z.string().optional().describe('For example 100ms'),
    status: z.enum(['unset', 'ok', 'error']).optional(),
    maxTokens,
  },
  async run(client, { maxTokens: tokens = DEFAULT_TOKENS, sort = 'duration', operation: name, ...rest }, signal) {
    const limit = Math.min(200, Math.ceil(tokens / 30))
    const found = await client.query('traces', { sort, limit, ...given({ ...rest, name }) }, { signal })
    const text = new BoundedText(tokens)
    if (found.traces.length === 0) text.add('No traces match in this range.')
    for (const { traceId, root, start, duration, spans, errors, services } of found.traces)
      text.add(
        `${traceId} ${formatTime(BigInt(start))} ${formatValue(Number(duration), 'ns')} ${root.service} ${root.name}, ${spans} spans, ${errors} errors, services ${services.join(', ')}`,
      )
    return text.text(FEWER, found.traces.length === limit)
  },
})

const ledger = defineTool({
  name: 'time_ledger',
  title: 'Time ledger of a trace or an operation',
  description:
    'Where the time of a request went: own CPU, other requests on its thread, collections, locks, I/O, unknown. ' +
    'For a trace, or as the average of an operation with percentiles, and what slow requests have in common.',
  input: {
    traceId: z
      .string()
      .regex(/^[0-9a-fA-F]{32}$/)
      .optional()
      .describe('Either this or operation'),
    spanId: z
      .string()
      .regex(/^[0-9a-fA-F]{16}$/)
      .optional()
      .describe('Default: the root span'),
    operation: z.string().min(1).optional().describe('Name of the spans, for example GET /search'),
    service,
    selector: attributes,
    ...range,
    maxTokens,
  },
  async run(client, { traceId, spanId, operation, maxTokens: tokens, ...rest }, signal) {
    const text = new BoundedText(tokens)
    if ((traceId === undefined) === (operation === undefined))
      return 'Either traceId or operation is required. The tool traces lists both.'
    if (traceId !== undefined) {
      const found = await client.traceLedger(traceId, given({ spanId }), { signal })
      text.add(`${formatValue(Number(found.durationNano), 'ns')} in total. ${found.sentence}`)
      text.addAll(entryLines(found.critical, found.durationNano))
      return text.text(FEWER)
    }
    const found = await client.query('ledger', { ...given({ operation }), ...given(rest) }, { signal })
    text.add(
      `${found.requests} of ${found.found} requests, ${formatValue(Number(found.durationNano), 'ns')} on average. ${found.sentence}`,
    )
    text.addAll(entryLines(found.entries, found.durationNano))
    for (const { name, durationNano, entries } of found.percentiles)
      text.add(`${name}: ${formatValue(Number(durationNano), 'ns')}, ${partsOf(entries, durationNano)}`)
    const { comparison } = found
    if (comparison === undefined) return text.text(FEWER)
    text.add(`Slow requests take at least ${formatValue(Number(comparison.threshold), 'ns')}. Slow minus fast, ± 95 %:`)
    for (const { kind, nanos, error, deviations } of comparison.differences)
      text.add(
        `  ${ENTRY_TITLES[kind]}: ${formatValue(Number(nanos), 'ns')} ± ${formatValue(Number(error), 'ns')} per request, ${JUDGEMENTS[judgeDeviations(deviations)]}`,
      )
    for (const { key, comparison: operator, value, slow, fast } of comparison.attributes)
      text.add(`  ${key} ${operator} ${value}: ${percent(slow, 1)} of slow and ${percent(fast, 1)} of fast requests`)
    return text.text(FEWER)
  },
})

const DETAILS = 3

/** One line for each entry, with the largest of its details below. */
function* entryLines(entries: TraceLedgerResponse['critical'], duration: string): Generator<string> {
  for (const { kind, nanos, error, details } of entries) {
    const margin = error === '0' ? '' : ` ± ${formatValue(Number(error), 'ns')}`
    yield `${ENTRY_TITLES[kind]}: ${formatValue(Number(nanos), 'ns')}${margin} (${percent(Number(nanos), Number(duration))})`
    for (const { name, nanos: own, count, mostly, spans } of details.slice(0, DETAILS)) {
      const code = mostly === '' || mostly === name ? '' : `, mostly in ${mostly}`
      const traces = [...new Set(spans.map(({ traceId }) => traceId))].slice(0, DETAILS)
      const links = kind !== 'others' || traces.length === 0 ? '' : `, traces ${traces.join(', ')}`
      yield `  ${formatValue(Number(own), 'ns')} ${name}, ${count} times${code}${links}`
    }
  }
}

function partsOf(entries: readonly { readonly kind: EntryKind; readonly nanos: string }[], duration: string): string {
  return entries
    .map(({ kind, nanos }) => `${ENTRY_TITLES[kind]} ${percent(Number(nanos), Number(duration))}`)
    .join(', ')
}

const logs = defineTool({
  name: 'logs',
  title: 'Log records',
  description: 'Log records, latest first.',
  input: {
    service,
    selector: attributes,
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
    return text.text(FEWER, found.logs.length === limit)
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
