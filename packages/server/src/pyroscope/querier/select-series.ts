// SelectSeries: sums or averages by step, for each group of labels, with the largest profile or span of each point.
import { seriesTotals } from '../../query/series/series-totals.ts'
import { QueryError } from '../../query/query-error.ts'
import type { Query } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { samplesFrom } from '../../query/select/samples-sql.ts'
import { resolve } from '../../query/select/selection.ts'
import type { Matcher, Selector } from '../../query/selector/selector.ts'
import { Values } from '../../query/statement.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { SelectSeriesRequest, SelectSeriesResponse } from '../messages/querier-messages.ts'
import type { ExemplarMessage, Series } from '../messages/types-messages.ts'
import { AGGREGATION, EXEMPLAR_TYPE } from '../messages/types-messages.ts'
import { exemplarOf, labelPairs, profilesNamed } from './exemplars.ts'
import { LabelGroups, labelsKey } from './labels/label-groups.ts'
import type { QuerierContext, Selected } from './part-queries.ts'
import { partsFor, queryIn } from './part-queries.ts'
import { parseTypeId } from './profile-type.ts'
import { callSiteOf } from './select-stacks.ts'
import type { LabelMap } from './labels/stored-labels.ts'
import { NO_LABELS, labelsOfSeries } from './labels/stored-labels.ts'
import type { TimeSteps } from './time-steps.ts'
import { millisOfStep, timeSteps } from './time-steps.ts'

const Aggregation = AGGREGATION.values
const ExemplarType = EXEMPLAR_TYPE.values
/** The maximum for a group. Each step has one exemplar. */
const MAX_EXEMPLARS = 1000

interface SummedPoint {
  sum: bigint
  profiles: number
  readonly exemplars: ExemplarMessage[]
}

export interface SummedGroup {
  readonly labels: LabelMap
  /** By the point's time in milliseconds. */
  readonly points: Map<bigint, SummedPoint>
}

export async function selectSeries(
  context: QuerierContext,
  request: SelectSeriesRequest,
): Promise<SelectSeriesResponse> {
  const steps = timeSteps(request.start, request.end, request.step)
  const type = parseTypeId(request.profileTypeID)
  const callSite = callSiteOf(request.stackTraceSelector)
  const selected: Selected = { type, selector: request.labelSelector, from: steps.from, to: steps.to, callSite }
  const average = request.aggregation === Aggregation.TIME_SERIES_AGGREGATION_TYPE_AVERAGE
  const { exemplarType } = request
  if (exemplarType > ExemplarType.EXEMPLAR_TYPE_SPAN)
    throw new Refusal(400, Code.invalidArgument, 'query', `unknown exemplar_type ${exemplarType}`)
  const groups = await summedGroups(context, selected, steps, request.groupBy, exemplarType)
  const list = limited([...groups.values()], request.limit)
  return { series: list.map(group => seriesOf(group, average)) }
}

export async function summedGroups(
  context: QuerierContext,
  selected: Selected,
  steps: TimeSteps,
  groupBy: readonly string[],
  exemplarType: number = ExemplarType.EXEMPLAR_TYPE_NONE,
): Promise<Map<string, SummedGroup>> {
  const named = await LabelGroups.of(context.engine, queryIn(context, selected), selected.type, groupBy)
  const groups = new Map<string, SummedGroup>()
  const withProfiles = exemplarType === ExemplarType.EXEMPLAR_TYPE_INDIVIDUAL
  for (const query of await partsFor(context, selected)) {
    await addTotals(context, query, steps, named, groups, withProfiles)
    if (exemplarType === ExemplarType.EXEMPLAR_TYPE_SPAN) await addSpans(context, query, steps, named, groups)
  }
  return groups
}

async function addTotals(
  context: QuerierContext,
  query: Query,
  steps: TimeSteps,
  named: LabelGroups,
  groups: Map<string, SummedGroup>,
  withProfiles: boolean,
): Promise<void> {
  const choice = { step: steps.step, groupBy: named.keys, exemplars: withProfiles ? MAX_EXEMPLARS : 0 }
  const totals = await seriesTotals(context.queries, query, choice)
  const references = totals.groups.flatMap(({ exemplars }) => exemplars.map(({ profile }) => profile))
  const known = await profilesNamed(context.engine, query, references)
  const grouped = new Set(named.labels)
  for (const { labels, points, exemplars } of totals.groups) {
    const group = groupFor(groups, named.named(labels))
    for (const { time, sum, profiles } of points) {
      const point = pointFor(group, millisOfStep(time, steps))
      point.sum += sum
      point.profiles += profiles
    }
    for (const { time, ...each } of exemplars) {
      const exemplar = exemplarOf(each, known, grouped)
      if (exemplar !== undefined) pointFor(group, millisOfStep(time, steps)).exemplars.push(exemplar)
    }
  }
}

function groupFor(groups: Map<string, SummedGroup>, labels: LabelMap): SummedGroup {
  const key = labelsKey(labels)
  let group = groups.get(key)
  if (group === undefined) groups.set(key, (group = { labels, points: new Map() }))
  return group
}

function pointFor({ points }: SummedGroup, at: bigint): SummedPoint {
  let point = points.get(at)
  if (point === undefined) points.set(at, (point = { sum: 0n, profiles: 0, exemplars: [] }))
  return point
}

/** A matcher for samples of any span. */
const OF_A_SPAN: Matcher = { kind: 'presence', level: undefined, key: 'span.id', present: true, position: 0 }

/** The largest span of each step and series. Groups by attributes of single samples have none. */
async function addSpans(
  { engine }: QuerierContext,
  query: Query,
  steps: TimeSteps,
  named: LabelGroups,
  groups: Map<string, SummedGroup>,
): Promise<void> {
  const { matchers, predicates } = query.selector as Selector
  const selector = { profileType: undefined, matchers: [...matchers, OF_A_SPAN], predicates }
  const selection = await resolve(new RunningQuery(engine, { ...query, selector }))
  if (selection.series.length === 0) return
  const values = new Values()
  const ofStep = `intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', steps.from)}, ${values.add('Int64', steps.step)})`
  const row = ['trace_id', 'span_id']
  const samples = samplesFrom(selection, values, { factors: new Map() }, true, { row })
  const block = await selection.running.selectLimited(
    `SELECT toUInt32(${ofStep}) AS step_number, series, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ` +
      `sum(total) AS sum, max(time) AS at ${samples} GROUP BY step_number, series, trace, span ` +
      'ORDER BY sum DESC, trace, span LIMIT 1 BY step_number, series',
    values.all,
    'spans',
  )
  const labels = await labelsOfSeries(selection.running, selection.series)
  const grouped = new Set(named.labels)
  for (let r = 0; r < block.rows; r++) {
    const own = labels.get(block.column('series').bigint(r)) ?? NO_LABELS
    const group = groups.get(labelsKey(named.chosen(own)))
    const step = steps.from + BigInt(block.column('step_number').number(r)) * steps.step
    const point = group?.points.get(millisOfStep(step, steps))
    point?.exemplars.push({
      timestamp: block.column('at').bigint(r) / 1_000_000n,
      profileId: '',
      spanId: block.column('span').text(r),
      traceId: block.column('trace').text(r),
      value: BigInt.asIntN(64, block.column('sum').bigint(r)),
      labels: labelPairs(own, grouped),
    })
  }
}

/** Sorted by labels. With a limit: the largest groups, sorted by size. */
function limited(groups: readonly SummedGroup[], limit: bigint | undefined): readonly SummedGroup[] {
  if (limit === undefined || limit <= 0n)
    return groups.toSorted((a, b) => (labelsKey(a.labels) < labelsKey(b.labels) ? -1 : 1))
  const sum = ({ points }: SummedGroup) => [...points.values()].reduce((all, point) => all + Number(point.sum), 0)
  const most = limit > BigInt(groups.length) ? groups.length : Number(limit)
  return groups
    .toSorted((a, b) => sum(b) - sum(a) || (labelsKey(a.labels) < labelsKey(b.labels) ? -1 : 1))
    .slice(0, most)
}

function seriesOf({ labels, points }: SummedGroup, average: boolean): Series {
  return {
    labels: labelPairs(labels),
    points: sorted(points).map(([timestamp, { sum, profiles, exemplars }]) => ({
      timestamp,
      value: average ? Number(sum) / Math.max(profiles, 1) : Number(sum),
      exemplars,
    })),
  }
}

export function sorted<T>(points: ReadonlyMap<bigint, T>): [bigint, T][] {
  return [...points].sort(([a], [b]) => (a < b ? -1 : 1))
}

export function checkAggregation(text: string): boolean {
  if (text !== '' && text !== 'sum' && text !== 'average' && text !== 'avg')
    throw new QueryError('argument', `unknown aggregation ${JSON.stringify(text.slice(0, 40))}; use sum or average`)
  return text === 'average' || text === 'avg'
}
