// What profiles saw in the spans of a trace: samples that are linked to a span, and, apart from them, samples without any
// link that were taken on a span's thread in its time.
import { attributeKey } from '../attribute-key.ts'
import { ValuePool, setValues } from '../attribute-values.ts'
import { LOOK_BACK, TIMES, VALUES } from '../observations-sql.ts'
import type { Asking } from '../question.ts'
import type { SeriesRow } from '../series-rows.ts'
import { readSeries } from '../series-rows.ts'
import { MOST_IDS, Values } from '../statement.ts'
import { kinOf } from './kin.ts'
import type { TraceTree } from './trace-tree.ts'

export interface ProfiledType {
  readonly type: string
  readonly unit: string
}

/** Of one type, in a span and in it with all below. */
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

/** Sums by span and type. */
export class SpanSums {
  readonly #rows: (Map<number, Open> | undefined)[]

  constructor(spans: number) {
    this.#rows = Array.from({ length: spans }, () => undefined)
  }

  add(row: number, { type, samples, value }: Sum): void {
    const sum = this.#at(row, type)
    sum.samples += samples
    sum.value += value
    sum.subtreeSamples += samples
    sum.subtreeValue += value
  }

  /** Adds what is below to what is above; once. */
  below({ order, parent }: TraceTree): this {
    for (let i = order.length - 1; i >= 0; i--) {
      const above = parent[order[i]]
      if (above === -1) continue
      for (const [type, sum] of this.#rows[order[i]] ?? []) {
        const outer = this.#at(above, type)
        outer.subtreeSamples += sum.subtreeSamples
        outer.subtreeValue += sum.subtreeValue
      }
    }
    return this
  }

  of(row: number): readonly SpanProfiles[] {
    return Array.from(this.#rows[row] ?? [], ([type, sum]) => ({ type, ...sum })).sort((a, b) => a.type - b.type)
  }

  #at(row: number, type: number): Open {
    const types = (this.#rows[row] ??= new Map<number, Open>())
    let sum = types.get(type)
    if (sum === undefined) types.set(type, (sum = { samples: 0, value: 0n, subtreeSamples: 0, subtreeValue: 0n }))
    return sum
  }
}

/** Types in the order in which they are met. */
class Types {
  readonly all: ProfiledType[]
  readonly #series: ReadonlyMap<bigint, SeriesRow>

  constructor(series: readonly SeriesRow[], known: readonly ProfiledType[] = []) {
    this.all = [...known]
    this.#series = new Map(series.map(row => [row.id, row]))
  }

  of(series: bigint): number {
    const { type = '', unit = '' } = this.#series.get(series) ?? {}
    const known = this.all.findIndex(each => each.type === type && each.unit === unit)
    return known === -1 ? this.all.push({ type, unit }) - 1 : known
  }
}

export interface LinkedSamples {
  readonly types: readonly ProfiledType[]
  readonly rows: readonly (Sum & { readonly spanId: string })[]
}

export async function linkedSamples(asking: Asking, traceId: Uint8Array): Promise<LinkedSamples> {
  const values = new Values()
  const [series, block] = await Promise.all([
    readSeries(asking, undefined),
    asking.selectLimited(
      'SELECT lower(hex(span_id)) AS span, series, count() AS samples, toString(sum(toInt128(total))) AS value ' +
        `FROM span_samples WHERE tenant = ${values.text(asking.tenant)} AND ` +
        `trace_id = ${values.add('FixedString(16)', traceId)} GROUP BY span_id, series ORDER BY span, series`,
      values.all,
      'spans with samples',
    ),
  ])
  const types = new Types([...series].sort(byType))
  const rows = Array.from({ length: block.rows }, (_, row) => ({
    spanId: block.column('span').text(row),
    type: types.of(block.column('series').bigint(row)),
    samples: Number(block.column('samples').bigint(row)),
    value: BigInt(block.column('value').text(row)),
  }))
  return { types: types.all, rows }
}

function byType(a: SeriesRow, b: SeriesRow): number {
  return a.type < b.type ? -1 : a.type > b.type ? 1 : 0
}

/** A span that says which thread it ran on. */
export interface ThreadSpan {
  readonly row: number
  readonly thread: string
  readonly resource: bigint
  readonly start: bigint
  readonly end: bigint
}

/** As many observations as are looked at one by one. */
const MOST_OBSERVATIONS = 1_000_000

/**
 * Observations without a link in the time of spans, on their threads, in processes of their kin. Each goes to the shortest
 * span that it fits, as a link would name the innermost.
 */
export async function unlinkedSamples(
  asking: Asking,
  spans: readonly ThreadSpan[],
  known: readonly ProfiledType[],
): Promise<{ readonly types: readonly ProfiledType[]; readonly rows: readonly (Sum & { readonly row: number })[] }> {
  const nothing = { types: known, rows: [] }
  if (spans.length === 0) return nothing
  const wanted = new Set(spans.map(({ thread }) => thread))
  const [all, kin, threads] = await Promise.all([
    readSeries(asking, undefined),
    kinOf(asking, [...new Set(spans.map(({ resource }) => resource))]),
    setValues(asking, attributeKey('thread.id'), new ValuePool()),
  ])
  const sets = Array.from(threads).filter(([, { text }]) => wanted.has(text))
  const near = new Set([...kin.values()].flat())
  const series = all.filter(({ resource }) => near.has(resource))
  if (series.length === 0 || sets.length === 0) return nothing
  // Where there are more, the engine gives all, and what fits is told here.
  const few = sets.length <= MOST_IDS ? sets.map(([id]) => id) : undefined
  const from = spans.reduce((least, { start }) => (start < least ? start : least), spans[0].start)
  const to = spans.reduce((most, { end }) => (end > most ? end : most), spans[0].end)
  const values = new Values()
  const block = await asking.selectLimited(
    `SELECT series, sample_set, pair.1 AS at, pair.2 AS value FROM (SELECT series, sample_set, ` +
      'arrayJoin(arrayZip(times, arrayResize(each_values, length(times), toInt64(0)))) AS pair FROM ' +
      `(SELECT series, sample_attributes, if(empty(sample_links), arrayResize([toUInt32(0)], length(totals), toUInt32(0)), ` +
      `sample_links) AS links, ${TIMES} AS all_times, ${VALUES} AS all_values FROM profiles ` +
      `WHERE tenant = ${values.text(asking.tenant)} AND series IN ${values.ids(series.map(({ id }) => id))} ` +
      `AND time >= ${values.time(from > LOOK_BACK ? from - LOOK_BACK : 0n)} AND time < ${values.time(to)} ` +
      'AND notEmpty(timestamp_counts)) ' +
      'ARRAY JOIN sample_attributes AS sample_set, links AS link, all_times AS times, all_values AS each_values ' +
      `WHERE link = 0 AND notEmpty(times)${few === undefined ? '' : ` AND sample_set IN ${values.ids(few)}`}) ` +
      `WHERE at >= ${values.add('UInt64', from)} AND at < ${values.add('UInt64', to)} ORDER BY at`,
    values.all,
    'samples without a link in the time of the trace',
    Math.min(MOST_OBSERVATIONS, asking.maxRows),
  )
  const types = new Types(series, known)
  const place = new SpanPlaces(spans, kin)
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
  /** By their start. */
  readonly spans: ThreadSpan[]
  /** Those that have begun, the shortest first; ended ones are taken out as they are met. */
  readonly open: ThreadSpan[]
  next: number
}

/** Spans by thread and process, swept in the order of time: a trace may have 100,000 spans on one thread. */
class SpanPlaces {
  readonly #lanes = new Map<string, Lane>()

  constructor(spans: readonly ThreadSpan[], kin: ReadonlyMap<bigint, readonly bigint[]>) {
    for (const span of [...spans].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))) {
      for (const resource of kin.get(span.resource) ?? []) {
        const key = `${resource} ${span.thread}`
        const lane = this.#lanes.get(key)
        if (lane === undefined) this.#lanes.set(key, { spans: [span], open: [], next: 0 })
        else lane.spans.push(span)
      }
    }
  }

  /** Never asked for an earlier time than before. -1 where no span fits. */
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
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle].end - list[middle].start < length) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, span)
}
