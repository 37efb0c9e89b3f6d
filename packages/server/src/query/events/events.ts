// Single observations of a range, by thread, for timelines. Each has a time, a value, a stack, a thread state, a CPU
// and a span. A query can select several profile types, to show what a thread did and what it waited for in one
// timeline.
import type { FrameTable, LaneKind } from '@hearth/profile'
import { FrameTrie, StackPaths } from '@hearth/profile'
import { IdIndex } from '../../store/symbols/id-index.ts'
import type { EventKind, EventResource } from './event-kinds.ts'
import { Kinds, resourcesOf, scopeNamesOf } from './event-kinds.ts'
import type { EventLink } from './event-links.ts'
import { EventLinks } from './event-links.ts'
import type { EventRows, RowsChoice, Statement } from './event-rows.ts'
import { allRows, arriveAsLists, isOutside, laidOutRows, rowColumns, statementOf } from './event-rows.ts'
import type { Thread } from './event-places.ts'
import { EventPlaces, readSets } from './event-places.ts'
import { timeOrder } from './time-order.ts'
import type { FrameChoice } from '../trees/flame-graph.ts'
import { groupingOf } from '../trees/flame-graph.ts'
import { Intervals, LONGEST_VALUE } from '../select/intervals.ts'
import { profilesWhere } from '../select/profiles-where.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import type { Selection } from '../select/selection.ts'
import { isOfType, resolve } from '../select/selection.ts'
import { parseSelector } from '../selector/parse-selector.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import { readSeries } from '../select/read-series.ts'
import type { StackSums } from '../trees/stack-sums.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { Missing } from '../trees/summed-stacks.ts'
import { NOTHING_MISSING, missingOf } from '../trees/summed-stacks.ts'

export interface EventsChoice extends FrameChoice {
  /** For example `cpu:ns`, instead of the selector's type; any type unless given. */
  readonly types?: readonly string[]
  /** Above this number, events are sampled. If undefined, the query fails above maxRows. */
  readonly limit?: number
  /** Whether to include intervals that begin before the range and extend into it. */
  readonly reaching?: boolean
  /** The kind of the response's threads; 'thread' unless given. */
  readonly lanes?: LaneKind
  /** Whether to read `profiles`, `untimed` and `outside`; true unless given. Otherwise they are 0. */
  readonly summary?: boolean
}

export interface Events {
  /** The range in nanoseconds since 1970. */
  readonly from: bigint
  readonly to: bigint
  /** The number of profiles that begin in the range. */
  readonly profiles: number
  /** The number of these profiles whose samples have no timestamps. They have no events. */
  readonly untimed: number
  readonly kinds: readonly EventKind[]
  readonly resources: readonly EventResource[]
  /** Threads, or goroutines or processors if the query asks for them. */
  readonly threads: readonly Thread[]
  /** The kinds of lanes that events name. */
  readonly lanes: readonly LaneKind[]
  /** thread.state. The first is empty, for events without a state. */
  readonly states: readonly string[]
  /** The first is empty, for events without a span. */
  readonly links: readonly EventLink[]
  /** The number of events in the range. */
  readonly events: number
  /** One in this many events is returned; 1 for all. */
  readonly every: number
  /**
   * Nanoseconds. Intervals of at least this length are always returned, regardless of `every`; 0 if no type is a time.
   */
  readonly longest: bigint
  /** The number of threads that were dropped with their events because they have the fewest. */
  readonly hiddenThreads: number
  /** Events outside of the time range that their profile states. */
  readonly outside: Outside
  readonly length: number
  /** Row in `threads`. Events are sorted by thread and time. */
  readonly thread: Uint32Array
  /** Row in `kinds`. */
  readonly kind: Uint32Array
  /** Nanoseconds since 1970. */
  readonly time: BigInt64Array
  readonly value: BigInt64Array
  /** The node at which the event's stack ends. */
  readonly node: Int32Array
  /** Row in `states`. */
  readonly state: Uint8Array
  /** -1 if unknown. */
  readonly cpu: Int32Array
  /** Row in `links`. */
  readonly link: Uint32Array
  /** Row in `threads`: the thread that had the lock for which the event waited; -1 if unknown. */
  readonly holder: Int32Array
  /** Nodes of the stacks, root first: the parent of each (-1 for roots), and its row in `frames`. */
  readonly parent: Int32Array
  readonly frame: Uint32Array
  readonly frames: FrameTable
  readonly missing: Missing
}

interface Outside {
  /** The number among the returned events. */
  readonly given: number
  /** The number in profiles of the range that are outside of the range, with their first and last times. */
  readonly elsewhere: number
  readonly first: bigint
  readonly last: bigint
}

const MAX_EVENTS = 10_000_000
const MAX_TYPES = 100
const MAX_THREADS = 10_000
/** Intervals of this part of the range are always returned: a pixel of a large screen. */
const PIXELS = 2000n

/** Throws QueryError if there are more than the query's maxRows events and no limit is given. */
export async function events(context: QueryContext, query: Query, choice: EventsChoice = {}): Promise<Events> {
  const { types, limit, reaching = false, summary = true } = choice
  if (limit !== undefined) checkCount('limit', limit, MAX_EVENTS)
  const chosen = await ofTypes(context, query, types)
  const running = new RunningQuery(context.engine, { ...chosen, exact: true })
  const [selection, begun] = await Promise.all([
    resolve(running),
    summary ? resolve(new RunningQuery(context.engine, { ...chosen, exact: false })) : undefined,
  ])
  const links = new EventLinks()
  const [found, overview, periods] = await Promise.all([
    limit === undefined
      ? allEvents(selection, links, { reaching, countOutside: summary })
      : limitedEvents(selection, statementOf(selection, reaching), links, Math.min(limit, running.maxRows)),
    begun === undefined ? NO_OVERVIEW : overviewOf(begun),
    limit === undefined && arriveAsLists(selection) ? NO_PERIODS : periodsOf(selection),
  ])
  return await eventsResponse(context, selection, links, found, overview, found.rows.periods ?? periods, choice)
}

async function ofTypes(context: QueryContext, query: Query, types?: readonly string[]): Promise<Query> {
  if (types === undefined) return query
  if (types.length > MAX_TYPES) throw new QueryError('argument', `more than ${MAX_TYPES} types`)
  const { selector = '', only } = query
  const parsed = typeof selector === 'string' ? parseSelector(selector) : selector
  const wanted = types.map(type => parseSelector(type).profileType)
  const rows = await readSeries(new RunningQuery(context.engine, query), undefined)
  const fits = (row: SeriesRow) => wanted.some(type => type !== undefined && isOfType(row, type))
  const series = rows.filter(row => fits(row) && only?.series?.has(row.id) !== false)
  return {
    ...query,
    selector: { ...parsed, profileType: undefined },
    only: { ...only, series: new Set(series.map(({ id }) => id)) },
  }
}

interface Found {
  readonly rows: EventRows
  readonly events: number
  readonly every: number
  readonly longest: bigint
}

/** Above the limit: a random sample of about `limit` events, and all intervals that are long enough to be visible. */
async function limitedEvents(
  selection: Selection,
  statement: Statement,
  links: EventLinks,
  limit: number,
): Promise<Found> {
  const { running } = selection
  const values = new Values()
  const sql = `${statement(values, rowColumns(selection, values))} ORDER BY time LIMIT ${limit + 1}`
  const block = await running.select(sql, values.all)
  if (block.rows <= limit) return { rows: laidOutRows(block, links), events: block.rows, every: 1, longest: 0n }
  let longest = (running.to - running.from) / PIXELS
  const counting = new Values()
  const counts = await running.select(
    statement(counting, `count() AS n, countIf(${isLong(selection, counting, longest)}) AS long`),
    counting.all,
  )
  const count = Number(counts.column('n').bigint(0))
  let long = Number(counts.column('long').bigint(0))
  if (2 * long > limit) [long, longest] = [0, 0n]
  const every = Math.max(2, Math.ceil((count - long) / (limit - long)))
  const sampled = new Values()
  // A hash instead of a counter makes the sample independent of the row order.
  const isGiven = ` AND (cityHash64(series, sample_set, stack, at) % ${every} = 0 OR ${isLong(selection, sampled, longest)})`
  const part = await running.select(
    // A random sample may have a few more.
    `${statement(sampled, rowColumns(selection, sampled), isGiven)} ORDER BY time LIMIT ${Math.ceil(limit * 1.25)}`,
    sampled.all,
  )
  return { rows: laidOutRows(part, links), events: count, every, longest }
}

/** On `series` and `value`. */
function isLong({ series }: Selection, values: Values, longest: bigint): string {
  if (longest === 0n) return '0'
  return Intervals.of(series)?.takes(values, 'value', values.add('Int64', longest)) ?? '0'
}

async function allEvents(selection: Selection, links: EventLinks, choice: RowsChoice): Promise<Found> {
  const rows = await allRows(selection, links, choice)
  return { rows, events: rows.times.length, every: 1, longest: 0n }
}

interface Overview {
  readonly profiles: number
  readonly untimed: number
  readonly elsewhere: number
  readonly first: bigint
  readonly last: bigint
}

const NO_OVERVIEW: Overview = { profiles: 0, untimed: 0, elsewhere: 0, first: 0n, last: 0n }

/** About the profiles that begin in the range. */
async function overviewOf(selection: Selection): Promise<Overview> {
  const { running } = selection
  const values = new Values()
  const [from, to] = [values.add('UInt64', running.from), values.add('UInt64', running.to)]
  // Treats each event as if it had the maximum length, so that no returned event counts as outside.
  const isStray = `(at < ${from} OR at >= ${to}) AND ${isOutside(selection, values, 'longest')}`
  const columns = 'series, time_unix_nano, duration_nano, timestamps, timestamp_counts'
  const rows = `SELECT ${columns}, ${LONGEST_VALUE} AS longest FROM profiles WHERE ${profilesWhere(selection, values)}`
  const block = await running.select(
    'SELECT count() AS profiles, countIf(empty(timestamp_counts)) AS untimed, sum(length(strays)) AS elsewhere, ' +
      'minIf(arrayMin(strays), notEmpty(strays)) AS first, maxIf(arrayMax(strays), notEmpty(strays)) AS last ' +
      `FROM (SELECT timestamp_counts, arrayFilter(at -> ${isStray}, timestamps) AS strays FROM (${rows}))`,
    values.all,
  )
  const number = (name: string) => Number(block.column(name).bigint(0))
  const times = { first: block.column('first').bigint(0), last: block.column('last').bigint(0) }
  return { profiles: number('profiles'), untimed: number('untimed'), elsewhere: number('elsewhere'), ...times }
}

const NO_PERIODS: ReadonlyMap<bigint, bigint> = new Map()

/** By series. */
async function periodsOf(selection: Selection): Promise<ReadonlyMap<bigint, bigint>> {
  const values = new Values()
  const block = await selection.running.select(
    `SELECT series, max(period) AS longest FROM profiles WHERE ${profilesWhere(selection, values)} GROUP BY series`,
    values.all,
  )
  const found = new Map<bigint, bigint>()
  for (let row = 0; row < block.rows; row++) {
    found.set(block.column('series').bigint(row), block.column('longest').bigint(row))
  }
  return found
}

async function eventsResponse(
  context: QueryContext,
  { running, series }: Selection,
  links: EventLinks,
  { rows, events: all, every, longest }: Found,
  { profiles, untimed, ...elsewhere }: Overview,
  periods: ReadonlyMap<bigint, bigint>,
  choice: EventsChoice,
): Promise<Events> {
  const kinds = new Kinds(series, periods, await scopeNamesOf(running, series))
  const index = new IdIndex()
  const sets = new Int32Array(rows.times.length)
  for (let row = 0; row < sets.length; row++) sets[row] = index.add(rows.sets[2 * row], rows.sets[2 * row + 1])
  const places = new EventPlaces(await readSets(running, index), choice.lanes ?? 'thread')
  const columns = {
    thread: new Uint32Array(sets.length),
    kind: new Uint32Array(sets.length),
    state: new Uint8Array(sets.length),
    cpu: new Int32Array(sets.length),
    holder: new Int32Array(sets.length),
  }
  const byTime = timeOrder(rows.times)
  for (const row of byTime) {
    const kind = kinds.of(rows.series[2 * row], rows.series[2 * row + 1])
    const place = places.of(kind.resource, kind.resourceId, sets[row])
    columns.thread[row] = place.thread
    columns.kind[row] = kind.number
    columns.state[row] = place.state
    columns.cpu[row] = place.cpu
    columns.holder[row] = place.holder
  }
  const lanes = places.joined()
  for (let row = 0; row < sets.length; row++) columns.thread[row] = lanes.rows[columns.thread[row]]
  const { order, threads, hiddenThreads } = byThread(columns.thread, byTime, lanes.threads)
  const { length } = order
  running.checkSignal()

  const resident = context.residents.of(running.tenant)
  await resident.symbols.load(running, rows.stacks)
  const frames = resident.frames(groupingOf(choice)).current
  const numbers = resident.symbols.numbers(rows.stacks)
  const paths = new StackPaths(frames, numbers)
  const trie = new FrameTrie()
  const nodes = new Map<number, number>()
  const node = new Int32Array(length)
  for (let i = 0; i < length; i++) {
    const stack = numbers[order[i]]
    let found = nodes.get(stack)
    if (found === undefined) nodes.set(stack, (found = paths.insert(trie, order[i], 'root-first')))
    node[i] = found
  }
  const missing =
    resident.symbols.isWhole && !resident.symbols.native.hasUnnamed
      ? NOTHING_MISSING
      : missingOf(resident, weightsOf(rows.stacks, rows.values))
  context.residents.trim()
  const place = new Int32Array(lanes.threads.length).fill(-1)
  threads.forEach(({ row }, at) => (place[row] = at))
  return {
    from: running.from,
    to: running.to,
    profiles,
    untimed,
    kinds: kinds.all,
    resources: await resourcesOf(running, kinds.resources, series),
    threads: threads.map(({ row, events }) => ({ ...lanes.threads[row], events })),
    lanes: places.kinds,
    states: places.states,
    links: links.all,
    events: all,
    every,
    longest,
    hiddenThreads,
    outside: { given: rows.outside, ...elsewhere },
    length,
    thread: picked(columns.thread, order, new Uint32Array(length)).map(row => place[row]),
    kind: picked(columns.kind, order, new Uint32Array(length)),
    time: pickedLongs(rows.times, order),
    value: pickedLongs(rows.values, order),
    node,
    state: picked(columns.state, order, new Uint8Array(length)),
    cpu: picked(columns.cpu, order, new Int32Array(length)),
    link: picked(rows.links, order, new Uint32Array(length)),
    holder: picked(columns.holder, order, new Int32Array(length)).map(of => {
      const holder = of === -1 ? -1 : lanes.holders[of]
      return holder === -1 ? -1 : place[holder]
    }),
    parent: trie.parents.view().slice(),
    ...frames.pick(Uint32Array.from(trie.frames.view())),
    missing,
  }
}

/** Rows by thread and time, without the threads with the fewest events. */
function byThread(
  thread: Uint32Array,
  byTime: Int32Array,
  all: readonly unknown[],
): {
  readonly order: Int32Array
  readonly threads: readonly { readonly row: number; readonly events: number }[]
  readonly hiddenThreads: number
} {
  const counts = new Uint32Array(all.length)
  for (const each of thread) counts[each]++
  let threads = Array.from(counts, (events, row) => ({ row, events }))
  if (threads.length > MAX_THREADS) {
    const kept = threads.toSorted((a, b) => b.events - a.events).slice(0, MAX_THREADS)
    threads = kept.sort((a, b) => a.row - b.row)
  }
  const next = new Int32Array(all.length).fill(-1)
  let length = 0
  for (const { row, events } of threads) {
    next[row] = length
    length += events
  }
  const order = new Int32Array(length)
  for (const row of byTime) if (next[thread[row]] >= 0) order[next[thread[row]]++] = row
  return { order, threads, hiddenThreads: all.length - threads.length }
}

/** The rows of a column in this order. `from` with a function takes ten times as long. */
function picked<Column extends Int32Array | Uint32Array | Uint8Array>(
  column: Column,
  order: Int32Array,
  into: Column,
): Column {
  for (let i = 0; i < order.length; i++) into[i] = column[order[i]]
  return into
}

/** The same by halves, because each long would be a BigInt. */
function pickedLongs({ buffer, byteOffset, length }: BigInt64Array, order: Int32Array): BigInt64Array {
  const words = new Int32Array(buffer, byteOffset, 2 * length)
  const into = new Int32Array(2 * order.length)
  for (let i = 0; i < order.length; i++) {
    into[2 * i] = words[2 * order[i]]
    into[2 * i + 1] = words[2 * order[i] + 1]
  }
  return new BigInt64Array(into.buffer)
}

function weightsOf(ids: Int32Array, exact: BigInt64Array): Pick<StackSums, 'ids' | 'weight' | 'exact'> {
  return { ids, weight: Float64Array.from(exact, Number), exact }
}
