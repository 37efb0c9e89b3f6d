// Totals over time: one list of points for each group of series, or of attributes of samples.
//
// If only series are grouped, the stored totals of profiles are summed and no sample is read. A group's value is the
// one nearest to the sample: its own attribute, then its profile's, the scope's, the resource's.
import type { AnyValue } from '@hearth/profile'
import { compareTexts, isGaugeType } from '@hearth/profile'
import type { AttributeKey } from '../select/attribute-key.ts'
import { attributeKey } from '../select/attribute-key.ts'
import type { ExemplarLink } from './exemplar-links.ts'
import { NO_LINK, exemplarLinks } from './exemplar-links.ts'
import type { Measure } from '../select/measure.ts'
import { UNIFORM_COLUMNS, isUniform, knownMeasure, measure, measureUniform } from '../select/measure.ts'
import type { ProfileReference } from '../select/profile-reference.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from '../select/profile-reference.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { combinationOf, profileRows } from '../select/profile-rows.ts'
import { factorOf, samplesFrom } from '../select/samples-sql.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import type { GroupLabels } from '../select/series-grouping.ts'
import { Grouping, NO_SERIES, labelText } from '../select/series-grouping.ts'
import { int32sOf } from '../../store/native/raw-numbers.ts'
import { sampledTime } from '../select/sampled-time.ts'
import { Values } from '../statement.ts'
import type { StepSum } from '../catalog/profile-runs.ts'
import type { QueryContext } from '../query-context.ts'
import type { Measured } from '../trees/summed-stacks.ts'
import { measuredOf } from '../trees/summed-stacks.ts'

type Aggregation = 'sum' | 'rate' | 'average' | 'count'

export interface SeriesChoice {
  /** Nanoseconds. The first step begins at the start of the range. */
  readonly step: bigint
  /** Attributes in the spelling of selectors: `service.name`, `resource:region`. */
  readonly groupBy?: readonly string[]
  /** sum of all values (the default), rate per second, average per profile, or count of profiles. */
  readonly aggregation?: Aggregation
  /** The number of profiles that each group names, from different steps, largest first; none unless given. */
  readonly exemplars?: number
}

export interface SeriesTotals extends Measured {
  readonly step: bigint
  readonly aggregation: Aggregation
  readonly groupBy: readonly string[]
  /** Sorted by the texts of their values. */
  readonly groups: readonly SeriesGroup[]
  /** Whether a sum exceeds int64. */
  readonly overflow: boolean
}

interface SeriesGroup {
  /** One per entry of `groupBy`; undefined if the attribute is absent. */
  readonly labels: readonly AnyValue[]
  readonly points: readonly Point[]
  readonly exemplars: readonly Exemplar[]
}

interface Point {
  /**
   * The start of the step. Steps without profiles have no point. A profile without samples counts as a profile with the
   * sum 0, unless the query selects or groups samples.
   */
  readonly time: bigint
  readonly value: number
  /** Exact, whatever its size. */
  readonly sum: bigint
  readonly profiles: number
}

export interface Exemplar extends ExemplarLink {
  /** See profile-reference.ts. */
  readonly profile: string
  readonly time: bigint
  readonly sum: bigint
}

/** The limit of Prometheus. */
const MAX_STEPS = 11_000n
const MAX_GROUP_KEYS = 8

export async function seriesTotals(context: QueryContext, query: Query, choice: SeriesChoice): Promise<SeriesTotals> {
  const { step, aggregation = 'sum', groupBy = [], exemplars = 0 } = choice
  const time = query.asTime === true ? await sampledTime(context.engine, query) : undefined
  const running = new RunningQuery(context.engine, time === undefined ? query : { ...query, timesPeriod: true })
  if (step < 1n) throw new QueryError('argument', `the step is ${step} ns; it must be positive`)
  if ((running.to - running.from + step - 1n) / step > MAX_STEPS) {
    throw new QueryError('argument', `more than ${MAX_STEPS} steps; use longer ones`)
  }
  if (groupBy.length > MAX_GROUP_KEYS)
    throw new QueryError('argument', `more than ${MAX_GROUP_KEYS} attributes in groupBy; use fewer`)
  if (exemplars !== 0) checkCount('exemplars', exemplars, 1000)
  const selection = await resolve(running)
  const keys = groupBy.map(attributeKey)
  // An average per profile and a count of profiles do not depend on how snapshots are combined.
  const combines = aggregation === 'sum' || aggregation === 'rate'
  const { measured, grouping, groups } = await readTotals(context, selection, keys, step, combines)
  if (exemplars > 0) {
    await addExemplars(selection, { ...measured, snapshots: undefined }, grouping, step, groups, exemplars)
  }
  let overflow = false
  for (const group of groups.values()) {
    for (const { sum } of group.points.values()) if (BigInt.asIntN(64, sum) !== sum) overflow = true
  }
  return {
    ...measuredOf(running, measured),
    ...time,
    step,
    aggregation,
    groupBy: keys.map(key => key.name),
    groups: [...groups.values()]
      .map(group => finished(group, step, running.from, aggregation))
      .sort((a, b) => compareTexts(a.text, b.text))
      .map(({ text: _, ...group }) => group),
    overflow,
  }
}

interface OpenGroup {
  readonly labels: GroupLabels
  /** By step. */
  readonly points: Map<number, { sum: bigint; profiles: number }>
  exemplars: Exemplar[]
}

interface Totals {
  readonly measured: Measure
  readonly grouping: Grouping
  readonly groups: Map<string, OpenGroup>
}

async function readTotals(
  context: QueryContext,
  selection: Selection,
  keys: readonly AttributeKey[],
  step: bigint,
  combines: boolean,
): Promise<Totals> {
  const { temporalities } = context
  const { series, running, hasCumulative } = selection
  const isSum = isUniform(series) && !(combines && isGaugeType(series[0].type) && running.snapshots !== 'sum')
  if (isSum && !selection.bySample && !hasCumulative && !running.timesPeriod) {
    const grouping = await Grouping.of(running, keys, series)
    const found = grouping.bySet ? undefined : await readTogether(context, selection, grouping, step)
    if (found !== undefined)
      return combines ? found : { ...found, measured: { ...found.measured, snapshots: undefined } }
  }
  const found = await measure(selection, temporalities)
  const measured = combines ? found : { ...found, snapshots: undefined }
  const grouping = await Grouping.of(selection.running, keys, measured.series)
  return { measured, grouping, groups: await readGroups(selection, measured, grouping, step) }
}

/**
 * Checks whether the values can be added up, and sums them, in one pass over the profiles. For a day with 3 million
 * profiles this takes half the time of two passes. Undefined if the sums must be computed differently.
 */
async function readTogether(
  context: QueryContext,
  selection: Selection,
  grouping: Grouping,
  step: bigint,
): Promise<Totals | undefined> {
  const { running } = selection
  const values = new Values()
  const number = `intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', running.from)}, ${values.add('Int64', step)})`
  // The catalog may know whether the values can be added up.
  const known = await knownMeasure(selection, context.temporalities)
  if (known !== undefined && (known.overflowed || known.cumulative)) return undefined
  if (known?.profiles === 0) return { measured: known, grouping, groups: new Map() }
  const held = known && (await totalsInCatalog(selection, grouping, step))
  if (known !== undefined && held !== undefined) return { measured: known, grouping, groups: held }
  const own = grouping.isSingle ? '0' : grouping.own(values)
  // Series outside of the selection have no number. If all series are selected, no condition is needed.
  const isAny = selection.isOfAll && !grouping.isSingle
  const rows = selection.rowsWhere(values, isAny ? 'any' : selection.series)
  const block = await running.select(
    `WITH ${own} AS own SELECT toUInt64(${number}) * 4294967296 + own AS point, sum(toInt128(total)) AS sum, ` +
      `${known === undefined ? UNIFORM_COLUMNS : 'count() AS profiles'} ` +
      `FROM profiles WHERE ${rows}${isAny ? ` AND own != ${NO_SERIES}` : ''} ` +
      `GROUP BY point${known === undefined ? ', attributes' : ''} LIMIT ${running.maxRows + 1}`,
    values.all,
  )
  if (block.rows > running.maxRows) return undefined
  const measured = known ?? (await measureUniform(selection, context.temporalities, block))
  if (measured.overflowed || measured.cumulative) return undefined
  const groups = new Map<string, OpenGroup>()
  if (block.rows === 0) return { measured, grouping, groups }
  const [sums, counts, places] = [block.column('sum'), block.column('profiles'), int32sOf(block.column('point').raw)]
  for (let row = 0; row < block.rows; row++) {
    const group = groupFor(groups, grouping.labels(places[2 * row], []))
    addPoint(group, places[2 * row + 1], sums.bigint(row), counts.number(row))
  }
  return { measured, grouping, groups }
}

/** Steps of more nanoseconds are not exact as numbers. */
const MAX_EXACT_RANGE = 2n ** 52n

/** The sums of whole profiles from the catalog. Undefined if only the store has them. */
async function totalsInCatalog(
  { running, series, fitsProfile }: Selection,
  grouping: Grouping,
  step: bigint,
): Promise<Map<string, OpenGroup> | undefined> {
  const catalog = await running.catalog()
  if (catalog === undefined || fitsProfile === undefined || running.to - running.from > MAX_EXACT_RANGE)
    return undefined
  const width = Number(step > MAX_EXACT_RANGE ? MAX_EXACT_RANGE : step)
  const byOwn = new Map<number, Map<number, StepSum>>()
  for (const row of series) {
    const own = grouping.ownOf(row.id)
    const sums = byOwn.get(own) ?? new Map<number, StepSum>()
    byOwn.set(own, sums)
    if (!catalog.addTotals(row, running, width, ({ attributes }) => fitsProfile(attributes), sums)) return undefined
  }
  const groups = new Map<string, OpenGroup>()
  for (const [own, sums] of byOwn) {
    if (sums.size === 0) continue
    const group = groupFor(groups, grouping.labels(own, []))
    for (const [number, { low, high, profiles }] of sums)
      addPoint(group, number, (BigInt(high) << 32n) + BigInt(low), profiles)
  }
  return groups
}

function addPoint({ points }: OpenGroup, step: number, sum: bigint, profiles: number): void {
  const point = points.get(step) ?? { sum: 0n, profiles: 0 }
  point.sum += sum
  point.profiles += profiles
  points.set(step, point)
}

/** `FROM …` with `own`, `step_number`, `total`, and g0, g1, … . */
function source(selection: Selection, measured: Measure, grouping: Grouping, step: bigint, values: Values): string {
  const number = `intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', selection.running.from)}, ${values.add('Int64', step)})`
  const groups = grouping.columns(values, selection.bySpan)
  const references = REFERENCE_COLUMNS.filter(name => name !== 'series')
  const own = `${grouping.own(values)} AS own`
  const combination = combinationOf(measured)
  const ownStep = combination === 'sum' ? number : 'row_step'
  // A cumulative profile also counts negatively, in the step of the next one.
  const counts = combination === 'cumulative' ? 'row_sign > 0' : '1'
  const kept = ['series', own, `toUInt32(${ownStep}) AS step_number`, `${counts} AS counts`, ...references, ...groups]
  if (selection.bySample || grouping.bySet || measured.overflowed) {
    const columns = { row: references, sets: grouping.bySet, step: number }
    return `FROM (SELECT ${kept.join(', ')}, total ${samplesFrom(selection, values, measured, true, columns)})`
  }
  const rows = profileRows({
    running: selection.running,
    values,
    where: from => selection.combinedWhere(values, measured.series, from),
    measure: measured,
    step: number,
    columns: ['series', 'time', 'attributes', ...references, 'total AS stored_total'],
  })
  const total = `toInt128(stored_total)${factorOf(measured, values)}${rows.factor} AS total`
  return `FROM (SELECT ${kept.join(', ')}, ${total} FROM (${rows.sql}))`
}

async function readGroups(
  selection: Selection,
  measured: Measure,
  grouping: Grouping,
  step: bigint,
): Promise<Map<string, OpenGroup>> {
  const groups = new Map<string, OpenGroup>()
  if (measured.series.length === 0) return groups
  const values = new Values()
  const names = ['step_number', 'own', ...grouping.keys.map((_, k) => `g${k}`)].join(', ')
  const from = source(selection, measured, grouping, step, values)
  const isAverage = combinationOf(measured) === 'average'
  // A row is a profile, or one of many samples of a profile.
  const profiles =
    selection.bySample || grouping.bySet || measured.overflowed
      ? 'uniqExactIf((request, received, scope_index, item_index), counts)'
      : 'countIf(counts)'
  const block = await selection.running.selectLimited(
    `SELECT ${names}, sum(total) AS sum, ${profiles} AS profiles ${from} GROUP BY ${names}`,
    values.all,
    'points',
  )
  for (let row = 0; row < block.rows; row++) {
    const numbers = grouping.keys.map((_, k) => block.column(`g${k}`).number(row))
    const group = groupFor(groups, grouping.labels(block.column('own').number(row), numbers))
    const number = (name: string): number => block.column(name).number(row)
    const sum = isAverage ? BigInt(Math.round(number('sum'))) : block.column('sum').bigint(row)
    addPoint(group, number('step_number'), sum, number('profiles'))
  }
  return groups
}

function groupFor(groups: Map<string, OpenGroup>, labels: GroupLabels): OpenGroup {
  const key = labelText(labels)
  let group = groups.get(key)
  if (group === undefined) groups.set(key, (group = { labels, points: new Map(), exemplars: [] }))
  return group
}

async function addExemplars(
  selection: Selection,
  measured: Measure,
  grouping: Grouping,
  step: bigint,
  groups: Map<string, OpenGroup>,
  most: number,
): Promise<void> {
  if (measured.series.length === 0) return
  const values = new Values()
  const names = ['step_number', 'own', ...grouping.keys.map((_, k) => `g${k}`)].join(', ')
  const references = REFERENCE_COLUMNS.join(', ')
  const from = source(selection, measured, grouping, step, values)
  const block = await selection.running.selectLimited(
    `SELECT ${names}, ${references}, sum(total) AS sum ${from} GROUP BY ${names}, ${references} ` +
      `ORDER BY sum DESC LIMIT 1 BY ${names}`,
    values.all,
    'exemplars',
  )
  const named: ProfileReference[] = []
  for (let row = 0; row < block.rows; row++) {
    const numbers = grouping.keys.map((_, k) => block.column(`g${k}`).number(row))
    const group = groupFor(groups, grouping.labels(block.column('own').number(row), numbers))
    const time = selection.running.from + BigInt(block.column('step_number').number(row)) * step
    // Rows are sorted by size, so the skipped ones are smaller.
    if (group.exemplars.length >= most) continue
    const reference = referenceAt(block, row)
    named.push(reference)
    const sum = block.column('sum').bigint(row)
    group.exemplars.push({ ...NO_LINK, profile: printReference(reference), time, sum })
  }
  const links = await exemplarLinks(selection, named)
  for (const group of groups.values()) {
    group.exemplars = group.exemplars.map(exemplar => ({ ...exemplar, ...links.get(exemplar.profile) }))
  }
}

function finished(
  { labels, points, exemplars }: OpenGroup,
  step: bigint,
  from: bigint,
  aggregation: Aggregation,
): SeriesGroup & { readonly text: string } {
  const list = [...points].sort(([a], [b]) => a - b)
  return {
    text: labelText(labels),
    labels: labels.map(value => value?.value),
    points: list.map(([number, { sum, profiles }]) => ({
      time: from + BigInt(number) * step,
      value: aggregated(sum, profiles, step, aggregation),
      sum,
      profiles,
    })),
    exemplars,
  }
}

function aggregated(sum: bigint, profiles: number, step: bigint, aggregation: Aggregation): number {
  switch (aggregation) {
    case 'sum':
      return Number(sum)
    case 'rate':
      return (Number(sum) * 1e9) / Number(step)
    case 'average':
      return Number(sum) / profiles
    case 'count':
      return profiles
  }
}
