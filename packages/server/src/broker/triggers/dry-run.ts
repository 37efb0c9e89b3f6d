// A dry run of a trigger: evaluates its rule on stored telemetry and simulates the guards with the items' own times.
import type { Span } from '@hearth/signals'
import { compareLongs } from '@hearth/profile'
import type { Query } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { Containers } from '../../query/signals/containers-of.ts'
import { Values } from '../../query/statement.ts'
import { readBlockAttributes } from '../../store/attribute-text.ts'
import type { Engine } from '../../store/engine.ts'
import type { Block } from '../../store/native/block.ts'
import { idOrNone, readLogRecord } from '../../store/signals/read-items.ts'
import { readMetric } from '../../store/signals/read-metrics.ts'
import { EMPTY_SPAN } from '../telemetry/event-spans.ts'
import type { CompiledTriggerRule } from './compile-rule.ts'
import type { Guard } from './guards.ts'
import { Guards } from './guards.ts'
import type { ItemKind, Origin, TelemetryItem } from './telemetry-item.ts'
import { TELEMETRY_ITEM_KINDS, describeItem, originOf, pointsOf, spanOf } from './telemetry-item.ts'
import type { Trigger } from './trigger.ts'
import { isOfCaptures } from './trigger-watch.ts'

interface DryRunExample {
  readonly kind: ItemKind
  readonly description: string
  readonly time: bigint
  readonly service: string
  readonly instance: string
  readonly traceId: string
  readonly spanId: string
  /** The guard that would have blocked the capture, if any. */
  readonly heldBack: Guard | undefined
}

export interface DryRun {
  /** Number of evaluated items by kind. Undefined for kinds that the rule cannot match. */
  readonly examined: Readonly<Partial<Record<ItemKind, number>>>
  readonly matched: number
  /** Captures that would have been started. */
  readonly fired: number
  readonly heldBack: ReadonlyMap<Guard, number>
  /** Number of instances that matched. */
  readonly instances: number
  /** Whether there were too many items. Then only the latest were evaluated. */
  readonly truncated: boolean
  /** Matches that would have fired are preferred. Latest first. */
  readonly examples: readonly DryRunExample[]
}

/** Limit per kind, a few seconds of work. */
const MAX_ITEMS = 100_000
const MAX_EXAMPLES = 50

export interface Guarding extends Pick<Trigger, 'percentage' | 'coolDownMs' | 'budgetPerHour'> {
  /** The tenant's budget, assuming that no other trigger uses it. */
  readonly budgetPerMinute: number
}

export async function dryRun(
  engine: Engine,
  query: Query,
  rule: CompiledTriggerRule,
  guarding: Guarding,
  random?: () => number,
): Promise<DryRun> {
  const running = new RunningQuery(engine, query)
  const examined: Partial<Record<ItemKind, number>> = {}
  const matches: Timed[] = []
  let truncated = false
  for (const kind of TELEMETRY_ITEM_KINDS) {
    if (!rule.kinds.has(kind)) continue
    const found = await readItems(running, kind)
    truncated ||= found.truncated
    examined[kind] = found.items.length
    for (const timed of found.items) if (rule.matches(timed.item) && !isOfCaptures(timed.item)) matches.push(timed)
  }
  matches.sort((a, b) => compareLongs(a.time, b.time))
  return { examined, truncated, ...guarded(running.tenant, matches, guarding, random) }
}

interface Timed {
  readonly time: bigint
  readonly item: TelemetryItem
}

/** `matches` must be in chronological order. */
function guarded(tenant: string, matches: readonly Timed[], guarding: Guarding, random?: () => number) {
  let now = 0
  const { budgetPerMinute } = guarding
  const guards = new Guards({ budgetPerMinute, now: () => now, ...(random === undefined ? {} : { random }) })
  const heldBack = new Map<Guard, number>()
  const instances = new Set<string>()
  const examples: DryRunExample[] = []
  let fired = 0
  for (const { time, item } of matches) {
    const { service, instance } = item.origin
    const key = JSON.stringify([service, instance])
    instances.add(key)
    now = Number(time / 1_000_000n)
    const guard = guards.pass({ tenant, trigger: { name: '', ...guarding }, instance: key, isRunning: false })
    if (guard === undefined) fired++
    else heldBack.set(guard, (heldBack.get(guard) ?? 0) + 1)
    const { traceId, spanId } = spanOf(item)
    const ids = { traceId: Buffer.from(traceId).toString('hex'), spanId: Buffer.from(spanId).toString('hex') }
    const { kind } = item
    examples.push({ kind, description: describeItem(item), time, service, instance, ...ids, heldBack: guard })
    // Keep the latest, and prefer those that fire.
    if (examples.length > 2 * MAX_EXAMPLES) examples.splice(0, examples.length, ...pickExamples(examples))
  }
  return {
    matched: matches.length,
    fired,
    heldBack,
    instances: instances.size,
    examples: pickExamples(examples).toReversed(),
  }
}

function pickExamples(examples: readonly DryRunExample[]): DryRunExample[] {
  if (examples.length <= MAX_EXAMPLES) return [...examples]
  const firing = examples.filter(({ heldBack }) => heldBack === undefined).slice(-MAX_EXAMPLES)
  const others = examples.filter(({ heldBack }) => heldBack !== undefined)
  const shown = new Set([...firing, ...others.slice(others.length - (MAX_EXAMPLES - firing.length))])
  return examples.filter(example => shown.has(example))
}

const SPAN_COLUMNS =
  'resource, time, trace_id, span_id, name, kind, start_unix_nano, end_unix_nano, status_code, status_message, ' +
  'attribute_keys, attribute_kinds, attribute_values'

/** Data points need all columns of their kinds. Spans need no events and links. */
const SOURCES: Readonly<Record<ItemKind, { readonly table: string; readonly columns: string }>> = {
  span: { table: 'spans', columns: SPAN_COLUMNS },
  log: { table: 'logs', columns: '*' },
  metric: { table: 'metric_points', columns: '*' },
}

async function readItems(
  running: RunningQuery,
  kind: ItemKind,
): Promise<{ items: readonly Timed[]; truncated: boolean }> {
  const { table, columns } = SOURCES[kind]
  const values = new Values()
  const blocks = await running.selectBlocks(
    `SELECT ${columns} FROM ${table} WHERE tenant = ${values.text(running.tenant)} AND time >= ${values.time(running.from)} ` +
      `AND time < ${values.time(running.to)} ORDER BY time DESC LIMIT ${MAX_ITEMS + 1}`,
    values.all,
  )
  const containers = new Containers(running)
  const rows: (readonly [block: Block, row: number, resource: number])[] = []
  for (const block of blocks) {
    for (let row = 0; row < block.rows; row++)
      rows.push([block, row, containers.resource(block.column('resource'), row)])
  }
  const { resources } = await containers.load()
  const origins = resources.map(({ attributes }) => originOf(attributes))
  const items = rows.slice(0, MAX_ITEMS).flatMap(([block, row, resource]) => {
    const time = block.column('time').bigint(row)
    return itemsAt(kind, block, row, origins[resource]).map(item => ({ time, item }))
  })
  return { items, truncated: rows.length > MAX_ITEMS }
}

function itemsAt(kind: ItemKind, block: Block, row: number, origin: Origin): readonly TelemetryItem[] {
  switch (kind) {
    case 'span':
      return [{ kind, origin, span: readPlainSpan(block, row) }]
    case 'log':
      return [{ kind, origin, record: readLogRecord(block, row) }]
    case 'metric':
      return [...pointsOf(origin, readMetric(block, row, row + 1))]
  }
}

function readPlainSpan(block: Block, row: number): Span {
  return {
    ...EMPTY_SPAN,
    traceId: idOrNone(block.column('trace_id').bytes(row)),
    spanId: idOrNone(block.column('span_id').bytes(row)),
    name: block.column('name').text(row),
    kind: block.column('kind').number(row),
    startTimeUnixNano: block.column('start_unix_nano').bigint(row),
    endTimeUnixNano: block.column('end_unix_nano').bigint(row),
    attributes: readBlockAttributes(block, row),
    status: { code: block.column('status_code').number(row), message: block.column('status_message').text(row) },
  }
}
