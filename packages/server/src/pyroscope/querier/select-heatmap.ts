// SelectHeatmap: the number of profiles or spans by size in each step. The sizes are divided into rows of equal height
// from the smallest to the largest.
import type { Query } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { measure } from '../../query/select/measure.ts'
import { Temporalities } from '../../query/select/temporality.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from '../../query/select/profile-reference.ts'
import { samplesFrom } from '../../query/select/samples-sql.ts'
import type { Selection } from '../../query/select/selection.ts'
import { resolve } from '../../query/select/selection.ts'
import type { Selector } from '../../query/selector/selector.ts'
import { Values } from '../../query/statement.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { SelectHeatmapRequest, SelectHeatmapResponse } from '../messages/querier-messages.ts'
import { HEATMAP_QUERY_TYPE } from '../messages/querier-messages.ts'
import type { ExemplarMessage, HeatmapSeries } from '../messages/types-messages.ts'
import { EXEMPLAR_TYPE } from '../messages/types-messages.ts'
import { exemplarOf, labelPairs, profilesNamed } from './exemplars.ts'
import { LabelGroups, labelsKey } from './labels/label-groups.ts'
import type { QuerierContext } from './part-queries.ts'
import { partsFor, queryIn } from './part-queries.ts'
import { parseTypeId } from './profile-type.ts'
import { sorted } from './select-series.ts'
import type { LabelMap } from './labels/stored-labels.ts'
import { NO_LABELS, labelsOfSeries } from './labels/stored-labels.ts'
import type { TimeSteps } from './time-steps.ts'
import { millisOfStep, timeSteps } from './time-steps.ts'

const QueryType = HEATMAP_QUERY_TYPE.values
/** The number of rows. */
const ROWS = 20

interface Slot {
  readonly counts: number[]
  readonly exemplars: ExemplarMessage[]
}

interface Group {
  readonly labels: LabelMap
  /** By the step's time in milliseconds. */
  readonly slots: Map<bigint, Slot>
  count: number
}

export async function selectHeatmap(
  context: QuerierContext,
  request: SelectHeatmapRequest,
): Promise<SelectHeatmapResponse> {
  const steps = timeSteps(request.start, request.end, request.step)
  const type = parseTypeId(request.profileTypeID)
  const { queryType, exemplarType } = request
  if (queryType > QueryType.HEATMAP_QUERY_TYPE_SPAN)
    throw new Refusal(400, Code.invalidArgument, 'query', `unknown query_type ${queryType}`)
  const spans = queryType === QueryType.HEATMAP_QUERY_TYPE_SPAN
  const selected = { type, selector: request.labelSelector, from: steps.from, to: steps.to }
  const named = await LabelGroups.of(context.engine, queryIn(context, selected), type, request.groupBy)
  const parts: Sized[] = []
  for (const query of await partsFor(context, selected)) {
    const sized = await Sized.of(context, query, spans)
    if (sized !== undefined) parts.push(sized)
  }
  let [least, most] = [Infinity, -Infinity]
  for (const sized of parts) {
    const found = await sized.range()
    if (found !== undefined) [least, most] = [Math.min(least, found[0]), Math.max(most, found[1])]
  }
  if (least > most) return { series: [] }
  const height = Math.max((most - least) / ROWS, 1)
  const groups = new Map<string, Group>()
  const withExemplars =
    exemplarType === EXEMPLAR_TYPE.values.EXEMPLAR_TYPE_INDIVIDUAL ||
    exemplarType === EXEMPLAR_TYPE.values.EXEMPLAR_TYPE_SPAN
  for (const sized of parts) await sized.count(steps, least, height, named, groups, withExemplars)
  const yMin = Array.from({ length: ROWS }, (_, row) => least + row * height)
  return { series: limited([...groups.values()], request.limit).map(group => seriesOf(group, yMin)) }
}

/** Single profiles or spans with their values, as a statement. */
class Sized {
  readonly #context: QuerierContext
  readonly #query: Query
  readonly #selection: Selection
  readonly #spans: boolean
  /** `SELECT series, time, size, …` of each profile or span. */
  readonly #rows: (values: Values) => string

  static async of(context: QuerierContext, given: Query, spans: boolean): Promise<Sized | undefined> {
    const query = spans ? ofSpans(given) : given
    const selection = await resolve(new RunningQuery(context.engine, query))
    if (selection.series.length === 0) return undefined
    // Rejects values that cannot be compared.
    await measure(selection, new Temporalities())
    return new Sized(context, given, selection, spans)
  }

  constructor(context: QuerierContext, query: Query, selection: Selection, spans: boolean) {
    this.#context = context
    this.#query = query
    this.#selection = selection
    this.#spans = spans
    const one = spans ? ['trace_id', 'span_id'] : REFERENCE_COLUMNS.filter(name => name !== 'series')
    const by = ['series', ...one].join(', ')
    this.#rows = values => {
      if (!selection.bySample)
        return `SELECT ${by}, time, toFloat64(total)${query.timesPeriod === true ? ' * period' : ''} AS size FROM profiles WHERE ${selection.rowsWhere(values)}`
      const all = { factors: new Map<bigint, bigint>() }
      const samples = samplesFrom(selection, values, all, true, { row: one })
      return `SELECT ${by}, min(time) AS first_time, toFloat64(sum(total)) AS size ${samples} GROUP BY ${by}`
    }
  }

  get #time(): string {
    return this.#selection.bySample ? 'first_time' : 'time'
  }

  /** The smallest and the largest size. */
  async range(): Promise<readonly [least: number, most: number] | undefined> {
    const values = new Values()
    const block = await this.#selection.running.select(
      `SELECT count() AS n, min(size) AS least, max(size) AS most FROM (${this.#rows(values)})`,
      values.all,
    )
    if (block.rows === 0 || block.column('n').number(0) === 0) return undefined
    return [block.column('least').number(0), block.column('most').number(0)]
  }

  async count(
    steps: TimeSteps,
    least: number,
    height: number,
    named: LabelGroups,
    groups: Map<string, Group>,
    withExemplars: boolean,
  ): Promise<void> {
    const { running } = this.#selection
    const values = new Values()
    const ofStep = `intDiv(toUnixTimestamp64Nano(${this.#time}) - ${values.add('Int64', steps.from)}, ${values.add('Int64', steps.step)})`
    const size = `(size - ${values.add('Float64', least)})`
    const row = `toUInt32(least(${ROWS - 1}, greatest(0, floor(${size} / ${values.add('Float64', height)}))))`
    const names = this.#spans ? ['trace_id', 'span_id'] : REFERENCE_COLUMNS.filter(name => name !== 'series')
    const largest = names.map(name => `argMax(${name}, size) AS ${name}_of`)
    const block = await running.selectLimited(
      `SELECT toUInt32(${ofStep}) AS step_number, series AS of_series, ${row} AS row, count() AS n, max(size) AS largest, ` +
        `${largest.join(', ')}, argMax(${this.#time}, size) AS at FROM (${this.#rows(values)}) ` +
        'GROUP BY step_number, of_series, row ORDER BY step_number, of_series, row',
      values.all,
      'cells',
    )
    const labels = await labelsOfSeries(running, this.#selection.series)
    const renamed = { rows: block.rows, names: block.names, column: (name: string) => block.column(columnOf(name)) }
    // The largest of each slot is enough. Rows are sorted by size.
    const isLargest = (r: number) =>
      r + 1 === block.rows ||
      ['step_number', 'of_series'].some(name => block.column(name).bigint(r) !== block.column(name).bigint(r + 1))
    const known =
      withExemplars && !this.#spans
        ? await profilesNamed(
            this.#context.engine,
            this.#query,
            rowsOf(block)
              .filter(isLargest)
              .map(r => printReference(referenceAt(renamed, r))),
          )
        : new Map<string, never>()
    const grouped = new Set(named.labels)
    for (const r of rowsOf(block)) {
      const own = labels.get(block.column('of_series').bigint(r)) ?? NO_LABELS
      const step = steps.from + BigInt(block.column('step_number').number(r)) * steps.step
      const group = groupFor(groups, named.chosen(own))
      const slot = slotFor(group, millisOfStep(step, steps))
      const n = block.column('n').number(r)
      slot.counts[block.column('row').number(r)] += n
      group.count += n
      if (!withExemplars || !isLargest(r)) continue
      const sum = BigInt(Math.round(block.column('largest').number(r)))
      const exemplar = this.#spans
        ? {
            timestamp: block.column('at').bigint(r) / 1_000_000n,
            profileId: '',
            spanId: Buffer.from(block.column('span_id_of').bytes(r)).toString('hex'),
            traceId: Buffer.from(block.column('trace_id_of').bytes(r)).toString('hex'),
            value: BigInt.asIntN(64, sum),
            labels: labelPairs(own, grouped),
          }
        : exemplarOf({ profile: printReference(referenceAt(renamed, r)), sum }, known, grouped)
      if (exemplar !== undefined) slot.exemplars.push(exemplar)
    }
  }
}

function rowsOf({ rows }: { readonly rows: number }): number[] {
  return Array.from({ length: rows }, (_, row) => row)
}

function columnOf(name: string): string {
  return name === 'series' ? 'of_series' : `${name}_of`
}

function ofSpans(query: Query): Query {
  const { matchers, predicates } = query.selector as Selector
  const any = { kind: 'presence', level: undefined, key: 'span.id', present: true, position: 0 } as const
  return { ...query, selector: { profileType: undefined, matchers: [...matchers, any], predicates } }
}

function groupFor(groups: Map<string, Group>, labels: LabelMap): Group {
  const key = labelsKey(labels)
  let group = groups.get(key)
  if (group === undefined) groups.set(key, (group = { labels, slots: new Map(), count: 0 }))
  return group
}

function slotFor({ slots }: Group, at: bigint): Slot {
  let slot = slots.get(at)
  if (slot === undefined) slots.set(at, (slot = { counts: Array.from({ length: ROWS }, () => 0), exemplars: [] }))
  return slot
}

function limited(groups: readonly Group[], limit: bigint | undefined): readonly Group[] {
  const byLabels = groups.toSorted((a, b) => (labelsKey(a.labels) < labelsKey(b.labels) ? -1 : 1))
  if (limit === undefined || limit <= 0n || limit >= BigInt(groups.length)) return byLabels
  return byLabels.toSorted((a, b) => b.count - a.count).slice(0, Number(limit))
}

function seriesOf({ labels, slots }: Group, yMin: readonly number[]): HeatmapSeries {
  return {
    labels: labelPairs(labels),
    slots: sorted(slots).map(([timestamp, { counts, exemplars }]) => ({ timestamp, yMin, counts, exemplars })),
  }
}
