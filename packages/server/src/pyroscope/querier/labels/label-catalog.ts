// What there is to choose from: profile types, labels and their values, series, and since when.
import { attributeKeys, attributeValues, profileTypes as storedTypes } from '../../../query/profiles/catalog.ts'
import type { Query } from '../../../query/query.ts'
import { RunningQuery } from '../../../query/query.ts'
import { profilesWhere } from '../../../query/select/profiles-where.ts'
import { printMatcher } from '../../../query/selector/print-selector.ts'
import type { Selection } from '../../../query/select/selection.ts'
import { resolve } from '../../../query/select/selection.ts'
import { Values } from '../../../query/statement.ts'
import { Code, Refusal } from '../../../receive/refusal.ts'
import type {
  ProfileTypesRequest,
  ProfileTypesResponse,
  SeriesRequest,
  SeriesResponse,
} from '../../messages/querier-messages.ts'
import { PYROSCOPE_ATTRIBUTES } from '../../series-labels.ts'
import type {
  GetProfileStatsResponse,
  LabelNamesRequest,
  LabelNamesResponse,
  LabelValuesRequest,
  LabelValuesResponse,
} from '../../messages/types-messages.ts'
import { pairsOf } from '../exemplars.ts'
import { TYPE_LABELS, isTypeLabel, labelName, originalsOf } from './label-names.ts'
import { labelsKey } from './label-groups.ts'
import type { Asker, TimeRange } from '../part-questions.ts'
import { anyRangeOfMillis, questionIn, questionsFor, seriesOf } from '../part-questions.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { countedByPeriod, typeId, typeLabel, typeOfSeries } from '../profile-type.ts'
import type { Labels } from './stored-labels.ts'
import { NO_LABELS, labelsIn, labelsOfSeries } from './stored-labels.ts'

const MOST_LISTED = 100_000
const MOST_MATCHERS = 64
const LAST_TIME = 2n ** 63n - 1n
const NANOS_PER_MILLI = 1_000_000n

export async function profileTypes(asker: Asker, { start, end }: ProfileTypesRequest): Promise<ProfileTypesResponse> {
  const types = await typesIn(asker, questionIn(asker, anyRangeOfMillis(start, end)))
  return { profileTypes: types.map(type => ({ ID: typeId(type), ...type })) }
}

/** By their ids. */
async function typesIn(asker: Asker, question: Query): Promise<readonly PyroscopeType[]> {
  const found = new Map<string, PyroscopeType>()
  for (const { type } of await typedSeries(asker, question)) found.set(typeId(type), type)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type)
}

interface TypedSeries {
  readonly series: bigint
  readonly type: PyroscopeType
}

/** The series of which profiles are in the range, with what those are called. */
async function typedSeries(asker: Asker, question: Query): Promise<TypedSeries[]> {
  const selection = await resolve(new RunningQuery(asker.engine, question))
  if (selection.series.length === 0) return []
  const values = new Values()
  const key = values.text(PYROSCOPE_ATTRIBUTES.name)
  const block = await selection.running.selectLimited(
    'SELECT series, name FROM ' +
      `(SELECT DISTINCT series, attributes FROM profiles WHERE ${profilesWhere(selection, values)}) AS p GLOBAL ANY LEFT JOIN ` +
      `(SELECT id, values[indexOf(keys, ${key})] AS name FROM attribute_sets WHERE tenant = ${values.text(question.tenant)} ` +
      `AND has(keys, ${key})) AS s ON p.attributes = s.id GROUP BY series, name`,
    values.all,
    'series',
  )
  const all = await seriesOf(asker, question)
  const rows = new Map(all.map(row => [row.id, row]))
  const counted = countedByPeriod(all)
  return Array.from({ length: block.rows }, (_, r) => {
    const series = block.column('series').bigint(r)
    const name = block.column('name').text(r)
    return { series, type: typeOfSeries(rows.get(series)!, name === '' ? undefined : name, counted.has(series)) }
  })
}

export async function labelNames(asker: Asker, request: LabelNamesRequest): Promise<LabelNamesResponse> {
  const range = anyRangeOfMillis(request.start, request.end)
  const names = new Set<string>()
  for (const question of await questionsOf(asker, range, request.matchers)) {
    const { rows } = await attributeKeys(asker.queries, question, { limit: MOST_LISTED })
    for (const { key } of rows) {
      const name = labelName(key)
      if (name !== undefined) names.add(name)
    }
  }
  if (names.size > 0) for (const label of TYPE_LABELS) names.add(label)
  return { names: [...names].sort() }
}

export async function labelValues(asker: Asker, request: LabelValuesRequest): Promise<LabelValuesResponse> {
  const { name } = request
  if (name === '') throw new Refusal(400, Code.invalidArgument, 'query', 'name: which label?')
  const range = anyRangeOfMillis(request.start, request.end)
  const found = new Set<string>()
  for (const question of await questionsOf(asker, range, request.matchers)) {
    if (isTypeLabel(name)) {
      for (const { type } of await typedSeries(asker, question)) found.add(typeLabel(type, name))
      continue
    }
    for (const key of (await originalsOf(asker.engine, question, [name])).get(name) ?? []) {
      const spelled = printMatcher({ kind: 'presence', present: true, level: undefined, key, position: 0 })
      const { rows } = await attributeValues(asker.queries, question, spelled, { limit: MOST_LISTED })
      for (const { text } of rows) found.add(text)
    }
  }
  return { names: [...found].filter(text => text !== '').sort() }
}

/** Labels of single samples are there only where they are named. */
export async function series(asker: Asker, request: SeriesRequest): Promise<SeriesResponse> {
  const range = anyRangeOfMillis(request.start, request.end)
  const wanted = [...new Set(request.labelNames)]
  const found = new Map<string, Labels>()
  for (const question of await questionsOf(asker, range, request.matchers)) {
    const onlyTypes = wanted.length > 0 && wanted.every(isTypeLabel)
    const sets = onlyTypes ? undefined : await setsOfSeries(asker, question, wanted)
    for (const { series: id, type } of await typedSeries(asker, question)) {
      for (const labels of sets?.get(id) ?? [NO_LABELS]) {
        const all = new Map([...labels, ...TYPE_LABELS.map(label => [label, typeLabel(type, label)] as const)])
        const chosen = wanted.length === 0 ? all : new Map(wanted.flatMap(name => pairIn(all, name)))
        if (chosen.size > 0) found.set(labelsKey(chosen), chosen)
      }
    }
    if (found.size > MOST_LISTED)
      throw new Refusal(422, Code.resourceExhausted, 'query', `more than ${MOST_LISTED} series; name fewer labels`)
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return { labelsSet: sorted.map(([, labels]) => ({ labels: pairsOf(labels) })) }
}

function pairIn(labels: Labels, name: string): [string, string][] {
  const value = labels.get(name)
  return value === undefined || value === '' ? [] : [[name, value]]
}

/** For each series the sets of labels that its profiles have. */
async function setsOfSeries(
  asker: Asker,
  question: Query,
  wanted: readonly string[],
): Promise<ReadonlyMap<bigint, readonly Labels[]>> {
  const selection = await resolve(new RunningQuery(asker.engine, question))
  const own = await labelsOfSeries(selection.running, selection.series)
  const lists = new Map<bigint, Labels[]>()
  for (const { id, profile, sample } of await attributeSets(selection, wanted, own)) {
    const labels = new Map([...(own.get(id) ?? NO_LABELS), ...profile, ...sample])
    const list = lists.get(id)
    if (list === undefined) lists.set(id, [labels])
    else list.push(labels)
  }
  return lists
}

interface SetsOfProfiles {
  readonly id: bigint
  readonly profile: Labels
  readonly sample: Labels
}

async function attributeSets(
  selection: Selection,
  wanted: readonly string[],
  own: ReadonlyMap<bigint, Labels>,
): Promise<SetsOfProfiles[]> {
  const { running: asking } = selection
  if (selection.series.length === 0) return []
  // What all series have by themselves need not be looked for in samples.
  const inSamples = wanted.some(
    name => !isTypeLabel(name) && !selection.series.every(row => own.get(row.id)?.has(name) === true),
  )
  const values = new Values()
  const sample = inSamples ? 'arrayJoin(arrayConcat(arrayDistinct(sample_attributes), [toUInt64(0)]))' : 'toUInt64(0)'
  const block = await asking.selectLimited(
    `SELECT DISTINCT series, attributes, ${sample} AS sample_set FROM profiles WHERE ${profilesWhere(selection, values)}`,
    values.all,
    'sets of attributes',
    MOST_LISTED,
  )
  const ids = (name: string) => Array.from({ length: block.rows }, (_, row) => block.column(name).bigint(row))
  const labels = await labelsIn(asking, 'attribute_sets', [...ids('attributes'), ...ids('sample_set')])
  const [seriesIds, profileSets, sampleSets] = [ids('series'), ids('attributes'), ids('sample_set')]
  return seriesIds.map((id, row) => ({
    id,
    profile: labels.get(profileSets[row]) ?? NO_LABELS,
    sample: labels.get(sampleSets[row]) ?? NO_LABELS,
  }))
}

/** Whatever any of the selectors finds; everything where there is none. */
async function questionsOf(asker: Asker, range: TimeRange, matchers: readonly string[]): Promise<Query[]> {
  if (matchers.length > MOST_MATCHERS)
    throw new Refusal(400, Code.invalidArgument, 'query', `${matchers.length} matchers; at most ${MOST_MATCHERS}`)
  const texts = matchers.length === 0 ? ['{}'] : [...new Set(matchers)]
  const questions: Query[] = []
  for (const text of texts)
    questions.push(...(await questionsFor(asker, range, text, question => typesIn(asker, question))))
  return questions
}

export async function getProfileStats(asker: Asker): Promise<GetProfileStatsResponse> {
  const types = await storedTypes(asker.queries, questionIn(asker, { from: 0n, to: LAST_TIME }))
  if (types.length === 0) return { dataIngested: false, oldestProfileTime: 0n, newestProfileTime: 0n }
  const oldest = types.map(({ first }) => first).reduce((a, b) => (a < b ? a : b))
  const newest = types.map(({ last }) => last).reduce((a, b) => (a > b ? a : b))
  return {
    dataIngested: true,
    oldestProfileTime: oldest / NANOS_PER_MILLI,
    newestProfileTime: newest / NANOS_PER_MILLI,
  }
}
