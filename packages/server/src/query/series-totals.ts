// Totals over time: one line of points for each group of series, or of attributes that samples have.
//
// Where only series are told apart, the stored totals of profiles are summed and no sample is read. A group's value is taken
// from what is nearest to the sample: its own attributes, then its profile's, the scope's, the resource's.
import type { AnyValue } from '@hearth/profile'
import type { AttributeKey } from './attribute-key.ts'
import { attributeKey, looksAt } from './attribute-key.ts'
import type { KnownValue, ValuesById } from './attribute-values.ts'
import { ValuePool, resourceValues, scopeValues, setValues } from './attribute-values.ts'
import type { Measure } from './measure.ts'
import { measure } from './measure.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from './profile-reference.ts'
import { QueryError } from './query-error.ts'
import type { Question } from './question.ts'
import { Asking, checkCount } from './question.ts'
import { factorOf, profileRows, samplesFrom } from './samples-sql.ts'
import type { Selection } from './selection.ts'
import { resolve } from './selection.ts'
import type { SeriesRow } from './series-rows.ts'
import { Values } from './statement.ts'
import type { Measured, Workshop } from './weights.ts'
import { measuredOf } from './weights.ts'

export type Aggregation = 'sum' | 'rate' | 'average' | 'count'

export interface SeriesChoice {
  /** Nanoseconds; the first step begins where the question's range does. */
  readonly step: bigint
  /** Attributes as selectors name them: `service.name`, `resource:region`. */
  readonly groupBy?: readonly string[]
  /**
   * sum: of all values, the default. rate: the sum by second. average: the sum by profile. count: how many profiles.
   */
  readonly aggregation?: Aggregation
  /** How many profiles each group names, the largest of different steps first; none unless given. */
  readonly exemplars?: number
}

export interface SeriesTotals extends Measured {
  readonly step: bigint
  readonly aggregation: Aggregation
  readonly groupBy: readonly string[]
  /** By their values' texts. */
  readonly groups: readonly SeriesGroup[]
  /** Whether a sum left the range of int64. */
  readonly overflow: boolean
}

export interface SeriesGroup {
  /** One for each of `groupBy`; undefined where there is no such attribute. */
  readonly labels: readonly AnyValue[]
  readonly points: readonly Point[]
  readonly exemplars: readonly Exemplar[]
}

export interface Point {
  /** Where the step begins. Steps with no profiles have no point. */
  readonly time: bigint
  readonly value: number
  /** Exact whatever its size. */
  readonly sum: bigint
  readonly profiles: number
}

export interface Exemplar {
  /** See profile-reference.ts. */
  readonly profile: string
  readonly time: bigint
  readonly sum: bigint
}

/** As in Prometheus. */
const MOST_STEPS = 11_000n
const MOST_GROUP_KEYS = 8

export async function seriesTotals(
  workshop: Workshop,
  question: Question,
  choice: SeriesChoice,
): Promise<SeriesTotals> {
  const { step, aggregation = 'sum', groupBy = [], exemplars = 0 } = choice
  const asking = new Asking(workshop.engine, question)
  if (step < 1n) throw new QueryError('argument', `a step of ${step} ns`)
  if ((asking.to - asking.from + step - 1n) / step > MOST_STEPS) {
    throw new QueryError('argument', `more than ${MOST_STEPS} steps; take longer ones`)
  }
  if (groupBy.length > MOST_GROUP_KEYS) throw new QueryError('argument', `more than ${MOST_GROUP_KEYS} attributes`)
  if (exemplars !== 0) checkCount('exemplars', exemplars, 1000)
  const selection = await resolve(asking)
  const measured = await measure(selection, workshop.temporalities)
  const keys = groupBy.map(attributeKey)
  const grouping = await Grouping.of(asking, keys, measured.series)
  const groups = await readGroups(selection, measured, grouping, step)
  if (exemplars > 0) await addExemplars(selection, measured, grouping, step, groups, exemplars)
  let overflow = false
  for (const group of groups.values()) {
    for (const { sum } of group.points.values()) if (BigInt.asIntN(64, sum) !== sum) overflow = true
  }
  return {
    ...measuredOf(measured),
    step,
    aggregation,
    groupBy: keys.map(key => key.name),
    groups: [...groups.values()]
      .map(group => finished(group, step, asking.from, aggregation))
      .sort((a, b) => compareTexts(a.text, b.text))
      .map(({ text: _, ...group }) => group),
    overflow,
  }
}

interface OpenGroup {
  readonly labels: readonly (KnownValue | undefined)[]
  /** By step. */
  readonly points: Map<number, { sum: bigint; profiles: number }>
  readonly exemplars: Exemplar[]
}

/** What tells groups apart: per series, and per attribute set where samples or profiles have the attribute. */
class Grouping {
  readonly keys: readonly AttributeKey[]
  readonly #bySeries: ReadonlyMap<bigint, readonly (KnownValue | undefined)[]>
  readonly #sets: readonly ValuesById[]
  /** Values that sets have, numbered from 1 for the engine. */
  readonly #numbers = new Map<KnownValue, number>()
  readonly #values: (KnownValue | undefined)[] = [undefined]

  static async of(asking: Asking, keys: readonly AttributeKey[], series: readonly SeriesRow[]): Promise<Grouping> {
    const pool = new ValuePool()
    const found: { readonly resources: ValuesById; readonly scopes: ValuesById; readonly sets: ValuesById }[] = []
    for (const key of keys) {
      const [resources, scopes, sets] = await Promise.all([
        resourceValues(asking, key, series, pool),
        scopeValues(asking, key, series, pool),
        setValues(asking, key, pool),
      ])
      found.push({ resources, scopes, sets })
    }
    const bySeries = new Map<bigint, readonly (KnownValue | undefined)[]>()
    for (const row of series) {
      bySeries.set(
        row.id,
        found.map(({ resources, scopes }) => scopes.get(row.scope) ?? resources.get(row.resource)),
      )
    }
    const sets = found.map(each => each.sets)
    return new Grouping(keys, bySeries, sets)
  }

  constructor(
    keys: readonly AttributeKey[],
    bySeries: ReadonlyMap<bigint, readonly (KnownValue | undefined)[]>,
    sets: readonly ValuesById[],
  ) {
    this.keys = keys
    this.#bySeries = bySeries
    this.#sets = sets
    for (const values of sets) {
      for (const value of values.values()) {
        if (!this.#numbers.has(value)) this.#numbers.set(value, this.#values.push(value) - 1)
      }
    }
  }

  get bySet(): boolean {
    return this.#sets.some(values => values.size > 0)
  }

  /** Columns g0, g1, … with the number of the value that a sample or its profile has; 0 where neither has one. */
  columns(values: Values, bySpan: boolean): string[] {
    return this.keys.map((key, k) => {
      const sets = this.#sets[k]
      if (sets.size === 0) return `toUInt32(0) AS g${k}`
      const ids = values.ids(sets.keys())
      const numbers = values.add(
        'Array(UInt32)',
        Array.from(sets.values(), value => this.#numbers.get(value)!),
      )
      const of = (column: string) => `transform(${column}, ${ids}, ${numbers}, toUInt32(0))`
      const own = looksAt(key, 'sample') ? of('sample_set') : 'toUInt32(0)'
      const profiles = looksAt(key, 'profile') && !bySpan ? of('attributes') : 'toUInt32(0)'
      return `if(${own} != 0, ${own}, ${profiles}) AS g${k}`
    })
  }

  labels(series: bigint, numbers: readonly number[]): readonly (KnownValue | undefined)[] {
    const own = this.#bySeries.get(series)
    return this.keys.map((_, k) => this.#values[numbers[k]] ?? own?.[k])
  }
}

/** `FROM …` with `series`, `step_number`, `total`, and g0, g1, … . */
function source(selection: Selection, measured: Measure, grouping: Grouping, step: bigint, values: Values): string {
  const number = `intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', selection.asking.from)}, ${values.add('Int64', step)})`
  const groups = grouping.columns(values, selection.bySpan)
  const references = REFERENCE_COLUMNS.filter(name => name !== 'series')
  const kept = ['series', `toUInt32(${number}) AS step_number`, ...references, ...groups]
  if (selection.bySample || grouping.bySet || measured.overflowed) {
    const columns = { row: references, sets: grouping.bySet, lastBy: number }
    return `FROM (SELECT ${kept.join(', ')}, total ${samplesFrom(selection, values, measured, true, columns)})`
  }
  const rows = profileRows(selection.rowsWhere(values), measured, number, [
    'series',
    'time',
    'attributes',
    ...references,
    'total AS stored_total',
  ])
  return `FROM (SELECT ${kept.join(', ')}, toInt128(stored_total)${factorOf(measured, values)} AS total FROM (${rows}))`
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
  const names = ['step_number', 'series', ...grouping.keys.map((_, k) => `g${k}`)].join(', ')
  const from = source(selection, measured, grouping, step, values)
  // A row is a profile, or a sample of which a profile has many.
  const profiles =
    selection.bySample || grouping.bySet || measured.overflowed
      ? 'uniqExact(request, received, scope_index, item_index)'
      : 'count()'
  const block = await selection.asking.selectLimited(
    `SELECT ${names}, sum(total) AS sum, ${profiles} AS profiles ${from} GROUP BY ${names}`,
    values.all,
    'points',
  )
  for (let row = 0; row < block.rows; row++) {
    const numbers = grouping.keys.map((_, k) => block.column(`g${k}`).number(row))
    const { points } = groupFor(groups, grouping.labels(block.column('series').bigint(row), numbers))
    const number = block.column('step_number').number(row)
    const point = points.get(number) ?? { sum: 0n, profiles: 0 }
    point.sum += block.column('sum').bigint(row)
    point.profiles += block.column('profiles').number(row)
    points.set(number, point)
  }
  return groups
}

function groupFor(groups: Map<string, OpenGroup>, labels: readonly (KnownValue | undefined)[]): OpenGroup {
  const key = textOf(labels)
  let group = groups.get(key)
  if (group === undefined) groups.set(key, (group = { labels, points: new Map(), exemplars: [] }))
  return group
}

function textOf(labels: readonly (KnownValue | undefined)[]): string {
  return JSON.stringify(labels.map(value => (value === undefined ? '' : `${value.text} ${value.kind}`)))
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
  const names = ['step_number', 'series', ...grouping.keys.map((_, k) => `g${k}`)].join(', ')
  const references = REFERENCE_COLUMNS.filter(name => name !== 'series').join(', ')
  const from = source(selection, measured, grouping, step, values)
  const block = await selection.asking.selectLimited(
    `SELECT ${names}, ${references}, sum(total) AS sum ${from} GROUP BY ${names}, ${references} ` +
      `ORDER BY sum DESC LIMIT 1 BY ${names}`,
    values.all,
    'exemplars',
  )
  for (let row = 0; row < block.rows; row++) {
    const numbers = grouping.keys.map((_, k) => block.column(`g${k}`).number(row))
    const group = groupFor(groups, grouping.labels(block.column('series').bigint(row), numbers))
    const time = selection.asking.from + BigInt(block.column('step_number').number(row)) * step
    // Rows come with the largest first, so what is left out is smaller.
    if (group.exemplars.length >= most) continue
    group.exemplars.push({
      profile: printReference(referenceAt(block, row)),
      time,
      sum: block.column('sum').bigint(row),
    })
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
    text: textOf(labels),
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

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
