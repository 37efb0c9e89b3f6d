// Profile data of the spans of a trace: samples that are linked to a span and, separately, samples without a link that
// were taken on a span's thread during the span.
import { compareLongs, compareTexts, isGaugeType, partitionPoint } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { attributeKey } from '../select/attribute-key.ts'
import { ValuePool, setValues } from '../select/attribute-values.ts'
import { EACH_VALUE, eachOf } from '../select/observations-sql.ts'
import { isBetween, mayHaveObserved } from '../select/observed.ts'
import type { Combined } from '../select/profile-rows.ts'
import { profileRows } from '../select/profile-rows.ts'
import { hasCumulative } from '../select/temporality.ts'
import type { RunningQuery } from '../query.ts'
import { tenantWhere } from '../query.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import { readSeries } from '../select/read-series.ts'
import { MAX_IDS, Values } from '../statement.ts'
import { resourcesOfProcesses } from './same-process.ts'
import type { TraceTree } from './trace-tree.ts'

export interface ProfiledType {
  readonly type: string
  readonly unit: string
}

/** The values of one type in a span, and including its children. */
export interface SpanProfiles {
  /** Row in the trace's types. */
  readonly type: number
  readonly samples: number
  readonly value: bigint
  readonly subtreeSamples: number
  readonly subtreeValue: bigint
}

interface Sum {
  readonly type: number
  readonly samples: number
  readonly value: bigint
}

interface Open {
  samples: number
  value: bigint
  subtreeSamples: number
  subtreeValue: bigint
}

const NOTHING: readonly SpanProfiles[] = []

/** Sums by span and type. Most spans of a large trace have none. */
export class SpanSums {
  readonly #rows = new Map<number, Map<number, Open>>()

  add(row: number, { type, samples, value }: Sum): void {
    const sum = this.#at(row, type)
    sum.samples += samples
    sum.value += value
    sum.subtreeSamples += samples
    sum.subtreeValue += value
  }

  /** Adds the sums of children to their ancestors. To be called once. */
  below({ order, parent }: TraceTree): this {
    for (let i = order.length - 1; i >= 0 && this.#rows.size > 0; i--) {
      const above = parent[order[i]]
      const own = above === -1 ? undefined : this.#rows.get(order[i])
      if (own === undefined) continue
      for (const [type, sum] of own) {
        const outer = this.#at(above, type)
        outer.subtreeSamples += sum.subtreeSamples
        outer.subtreeValue += sum.subtreeValue
      }
    }
    return this
  }

  of(row: number): readonly SpanProfiles[] {
    const own = this.#rows.get(row)
    if (own === undefined) return NOTHING
    return Array.from(own, ([type, sum]) => ({ type, ...sum })).sort((a, b) => a.type - b.type)
  }

  #at(row: number, type: number): Open {
    let types = this.#rows.get(row)
    if (types === undefined) this.#rows.set(row, (types = new Map<number, Open>()))
    let sum = types.get(type)
    if (sum === undefined) types.set(type, (sum = { samples: 0, value: 0n, subtreeSamples: 0, subtreeValue: 0n }))
    return sum
  }
}

/** Types in the order of their first use. */
class Types {
  readonly all: ProfiledType[]
  readonly #series: ReadonlyMap<bigint, SeriesRow>

  constructor(series: readonly SeriesRow[], known: readonly ProfiledType[] = []) {
    this.all = [...known]
    this.#series = new Map(series.map(row => [row.id, row]))
  }

  /** Returns -1 for a series that is not known: its samples became visible after the series were read, and the next query has both. */
  of(series: bigint): number {
    const row = this.#series.get(series)
    if (row === undefined) return -1
    const { type, unit } = row
    const known = this.all.findIndex(each => each.type === type && each.unit === unit)
    return known === -1 ? this.all.push({ type, unit }) - 1 : known
  }
}

export interface LinkedSamples {
  readonly types: readonly ProfiledType[]
  readonly rows: readonly (Sum & { readonly spanId: string })[]
}

/** Snapshots are averaged, and of cumulative profiles with the same start the last one counts. */
export async function linkedSamples(running: RunningQuery, traceId: Uint8Array): Promise<LinkedSamples> {
  const [series, cumulative] = await Promise.all([readSeries(running, undefined), hasCumulative(running)])
  const gauges = series.filter(({ type }) => isGaugeType(type))
  const blocks = await Promise.all([
    sumsBySpan(running, traceId, { cumulative }, { series: gauges, isExcluded: true }),
    ...(gauges.length === 0 ? [] : [sumsBySpan(running, traceId, { snapshots: 'average' }, { series: gauges })]),
  ])
  const types = new Types([...series].sort((a, b) => compareTexts(a.type, b.type)))
  const rows = blocks.flatMap(block =>
    Array.from({ length: block.rows }, (_, row) => ({
      spanId: block.column('span').text(row),
      type: types.of(block.column('series').bigint(row)),
      samples: Number(block.column('samples').bigint(row)),
      value: BigInt(block.column('value').text(row)),
    })),
  )
  return { types: types.all, rows: rows.filter(({ type }) => type !== -1) }
}

async function sumsBySpan(
  running: RunningQuery,
  traceId: Uint8Array,
  measure: Combined,
  { series, isExcluded = false }: { readonly series: readonly SeriesRow[]; readonly isExcluded?: boolean },
): Promise<Block> {
  const values = new Values()
  const tenant = tenantWhere(running, values)
  const ofTrace = `${tenant} AND trace_id = ${values.add('FixedString(16)', traceId)}`
  const isOfSeries = `series ${isExcluded ? 'NOT ' : ''}IN ${values.ids(series.map(({ id }) => id))}`
  const profile = 'request, received, scope_index, item_index'
  const { sql, factor } = profileRows({
    running,
    values,
    table: 'span_samples',
    where: () => `${ofTrace} AND ${isOfSeries}`,
    profiles: () =>
      `${tenant} AND ${isOfSeries} AND (${profile}) GLOBAL IN (SELECT ${profile} FROM span_samples WHERE ${ofTrace})`,
    measure,
    step: undefined,
    columns: ['span_id', 'series', 'total AS one_total'],
  })
  const sum = `sum(toInt128(one_total)${factor})`
  return await running.selectLimited(
    'SELECT lower(hex(span_id)) AS span, series, count() AS samples, ' +
      `toString(${measure.snapshots === undefined ? sum : `toInt128(round(${sum}))`}) AS value ` +
      `FROM (${sql}) GROUP BY span_id, series ORDER BY span, series`,
    values.all,
    'spans with samples',
  )
}

/** A span with a known thread. */
export interface ThreadSpan {
  readonly row: number
  readonly thread: string
  readonly resource: bigint
  readonly start: bigint
  readonly end: bigint
}

/** The maximum number of observations that are read one by one. */
const MAX_OBSERVATIONS = 1_000_000

/**
 * Observations without a link that were taken during spans, on their threads, in their processes. Each goes to
 * the shortest matching span, as a link would name the innermost.
 */
export async function unlinkedSamples(
  running: RunningQuery,
  spans: readonly ThreadSpan[],
  known: readonly ProfiledType[],
): Promise<{ readonly types: readonly ProfiledType[]; readonly rows: readonly (Sum & { readonly row: number })[] }> {
  const nothing = { types: known, rows: [] }
  if (spans.length === 0) return nothing
  const wanted = new Set(spans.map(({ thread }) => thread))
  const [all, cumulative, sameProcess, threads] = await Promise.all([
    readSeries(running, undefined),
    hasCumulative(running),
    resourcesOfProcesses(running, [...new Set(spans.map(({ resource }) => resource))]),
    setValues(running, attributeKey('thread.id'), new ValuePool()),
  ])
  const sets = Array.from(threads).filter(([, { text }]) => wanted.has(text))
  const near = new Set([...sameProcess.values()].flat())
  const series = all.filter(({ resource }) => near.has(resource))
  if (series.length === 0 || sets.length === 0) return nothing
  // With more ids, the engine returns all observations, and this function selects among them.
  const few = sets.length <= MAX_IDS ? sets.map(([id]) => id) : undefined
  const from = spans.reduce((least, { start }) => (start < least ? start : least), spans[0].start)
  const to = spans.reduce((most, { end }) => (end > most ? end : most), spans[0].end)
  const values = new Values()
  const where =
    `${tenantWhere(running, values)} AND series IN ${values.ids(series.map(({ id }) => id))} AND ` +
    mayHaveObserved(values, { from, to, hasCumulative: cumulative }).join(' AND ')
  const { sql } = profileRows({
    running,
    values,
    where: () => where,
    measure: { cumulative },
    step: undefined,
    columns: [
      'series',
      'timestamps',
      `${eachOf('sample_attributes')} AS sets`,
      `${eachOf('arrayResize(sample_links, length(totals))')} AS links`,
      `${EACH_VALUE} AS each_value`,
    ],
  })
  const block = await running.selectLimited(
    `SELECT series, sample_set, at, value FROM (${sql}) ARRAY JOIN timestamps AS at, sets AS sample_set, links AS link, each_value AS value ` +
      `WHERE link = 0 AND ${isBetween(values, from, to)}` +
      `${few === undefined ? '' : ` AND sample_set IN ${values.ids(few)}`} ORDER BY at`,
    values.all,
    'samples without a link during the trace',
    Math.min(MAX_OBSERVATIONS, running.maxRows),
  )
  const types = new Types(series, known)
  const place = new SpanPlaces(spans, sameProcess)
  const resourceOf = new Map(series.map(({ id, resource }) => [id, resource]))
  const rows: (Sum & { readonly row: number })[] = []
  for (let row = 0; row < block.rows; row++) {
    const of = block.column('series').bigint(row)
    const thread = threads.get(block.column('sample_set').bigint(row))?.text ?? ''
    const span = place.innermost(resourceOf.get(of) ?? 0n, thread, block.column('at').bigint(row))
    if (span === -1) continue
    rows.push({ row: span, type: types.of(of), samples: 1, value: block.column('value').bigint(row) })
  }
  return { types: types.all, rows }
}

interface Lane {
  /** Sorted by their start. */
  readonly spans: ThreadSpan[]
  /** Spans that have begun, shortest first. Ended spans are removed lazily. */
  readonly open: ThreadSpan[]
  next: number
}

/** Spans by thread and process, swept in order of time. A trace can have 100,000 spans on one thread. */
class SpanPlaces {
  readonly #lanes = new Map<string, Lane>()

  constructor(spans: readonly ThreadSpan[], sameProcess: ReadonlyMap<bigint, readonly bigint[]>) {
    for (const span of [...spans].sort((a, b) => compareLongs(a.start, b.start))) {
      for (const resource of sameProcess.get(span.resource) ?? []) {
        const key = `${resource} ${span.thread}`
        const lane = this.#lanes.get(key)
        if (lane === undefined) this.#lanes.set(key, { spans: [span], open: [], next: 0 })
        else lane.spans.push(span)
      }
    }
  }

  /** Times must not decrease between calls. Returns -1 if no span matches. */
  innermost(resource: bigint, thread: string, at: bigint): number {
    const lane = this.#lanes.get(`${resource} ${thread}`)
    if (lane === undefined) return -1
    const { spans, open } = lane
    while (lane.next < spans.length && spans[lane.next].start <= at) insertByLength(open, spans[lane.next++])
    while (open.length > 0 && open[0].end <= at) open.shift()
    return open[0]?.row ?? -1
  }
}

function insertByLength(list: ThreadSpan[], span: ThreadSpan): void {
  const length = span.end - span.start
  const at = partitionPoint(0, list.length, i => list[i].end - list[i].start < length)
  list.splice(at, 0, span)
}
