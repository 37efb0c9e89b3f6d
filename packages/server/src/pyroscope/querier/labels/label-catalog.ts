// The catalogue for selecting data: profile types, labels and their values, series, and the time of the first profile.
import { attributeKeys, attributeValues, profileTypes as storedTypes } from '../../../query/profiles/catalog.ts'
import { textOfKey } from '../../../query/catalog/held-attributes.ts'
import { presentProfiles } from '../../../query/catalog/present-profiles.ts'
import type { Query } from '../../../query/query.ts'
import { RunningQuery } from '../../../query/query.ts'
import { profilesWhere } from '../../../query/select/profiles-where.ts'
import { printKey } from '../../../query/selector/print-key.ts'
import type { Selection } from '../../../query/select/selection.ts'
import { resolve } from '../../../query/select/selection.ts'
import { Values } from '../../../query/statement.ts'
import { Code, Refusal } from '../../../receive/refusal.ts'
import type {
  AnalyzeQueryRequest,
  AnalyzeQueryResponse,
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
import { labelPairs } from '../exemplars.ts'
import { TYPE_LABELS, isTypeLabel, labelName, originalsOf } from './label-names.ts'
import { labelsKey } from './label-groups.ts'
import type { QuerierContext, TimeRange } from '../part-queries.ts'
import { anyRangeOfMillis, queryIn, queriesFor, seriesOf } from '../part-queries.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { countedByPeriod, typeId, typeLabel, typeOfSeries } from '../profile-type.ts'
import type { LabelMap } from './stored-labels.ts'
import { NO_LABELS, labelsIn, labelsOfAttributes, labelsOfSeries } from './stored-labels.ts'

const MAX_LISTED = 100_000
/** Labels with a different value for each span or profile. They can be selected, but lists of labels omit them. */
const ID_LABELS: ReadonlySet<string> = new Set(['span_id', 'profile_id'])
const MAX_SELECTORS = 64
/** The id of a sample's stack and its value. */
const BYTES_PER_SAMPLE = 16n
const LAST_TIME = 2n ** 63n - 1n
const NANOS_PER_MILLI = 1_000_000n

export async function profileTypes(
  context: QuerierContext,
  { start, end }: ProfileTypesRequest,
): Promise<ProfileTypesResponse> {
  const types = await typesIn(context, queryIn(context, anyRangeOfMillis(start, end)))
  return { profileTypes: types.map(type => ({ ID: typeId(type), ...type })) }
}

/** Profile types by id. */
async function typesIn(context: QuerierContext, query: Query): Promise<readonly PyroscopeType[]> {
  const found = new Map<string, PyroscopeType>()
  for (const { type } of await typedSeries(context, query)) found.set(typeId(type), type)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type)
}

interface TypedSeries {
  readonly series: bigint
  readonly type: PyroscopeType
}

/** The series with profiles in the range, and the names of those profiles. */
async function typedSeries(context: QuerierContext, query: Query): Promise<TypedSeries[]> {
  const selection = await resolve(new RunningQuery(context.engine, query))
  if (selection.series.length === 0) return []
  const all = await seriesOf(context, query)
  const rows = new Map(all.map(row => [row.id, row]))
  const counted = countedByPeriod(all)
  return (await namedSeries(selection)).map(({ series, name }) => ({
    series,
    type: typeOfSeries(rows.get(series)!, name === '' ? undefined : name, counted.has(series)),
  }))
}

interface NamedSeries {
  readonly series: bigint
  /** Empty if the profiles have none. */
  readonly name: string
}

async function namedSeries(selection: Selection): Promise<NamedSeries[]> {
  const held = await namedInCatalog(selection)
  if (held !== undefined) return held
  const values = new Values()
  const key = values.text(PYROSCOPE_ATTRIBUTES.name)
  const block = await selection.running.selectLimited(
    'SELECT series, name FROM ' +
      `(SELECT DISTINCT series, attributes FROM profiles WHERE ${profilesWhere(selection, values)}) AS p GLOBAL ANY LEFT JOIN ` +
      `(SELECT id, values[indexOf(keys, ${key})] AS name FROM attribute_sets WHERE tenant = ${values.text(selection.running.tenant)} ` +
      `AND has(keys, ${key})) AS s ON p.attributes = s.id GROUP BY series, name`,
    values.all,
    'series',
  )
  return Array.from({ length: block.rows }, (_, r) => ({
    series: block.column('series').bigint(r),
    name: block.column('name').text(r),
  }))
}

/** Undefined if only the store knows it. */
async function namedInCatalog(selection: Selection): Promise<NamedSeries[] | undefined> {
  const present = await presentProfiles(selection, { ofSamples: true })
  const catalog = present && (await selection.running.catalog())
  if (present === undefined || catalog === undefined) return undefined
  const named = new Map<string, NamedSeries>()
  for (const { row, form } of present) {
    const name = textOfKey(catalog.sets.get(form.attributes), PYROSCOPE_ATTRIBUTES.name)
    named.set(`${row.id} ${name}`, { series: row.id, name })
  }
  return [...named.values()]
}

export async function labelNames(context: QuerierContext, request: LabelNamesRequest): Promise<LabelNamesResponse> {
  const range = anyRangeOfMillis(request.start, request.end)
  const names = new Set<string>()
  for (const query of await queriesOf(context, range, request.matchers)) {
    const { rows } = await attributeKeys(context.queries, query, { limit: MAX_LISTED, scalar: true })
    for (const { key } of rows) {
      const name = labelName(key)
      if (name !== undefined && !ID_LABELS.has(name)) names.add(name)
    }
  }
  if (names.size > 0) for (const label of TYPE_LABELS) names.add(label)
  return { names: [...names].sort() }
}

export async function labelValues(context: QuerierContext, request: LabelValuesRequest): Promise<LabelValuesResponse> {
  const { name } = request
  if (name === '') throw new Refusal(400, Code.invalidArgument, 'query', 'the name of the label is missing')
  const range = anyRangeOfMillis(request.start, request.end)
  const found = new Set<string>()
  for (const query of await queriesOf(context, range, request.matchers)) {
    if (isTypeLabel(name)) {
      for (const { type } of await typedSeries(context, query)) found.add(typeLabel(type, name))
      continue
    }
    for (const key of (await originalsOf(context.engine, query, [name])).get(name) ?? []) {
      const { rows } = await attributeValues(context.queries, query, printKey({ key }), { limit: MAX_LISTED })
      for (const { text } of rows) found.add(text)
    }
  }
  return { names: [...found].filter(text => text !== '').sort() }
}

/** Labels of single samples are included only if the request names them. */
export async function series(context: QuerierContext, request: SeriesRequest): Promise<SeriesResponse> {
  const range = anyRangeOfMillis(request.start, request.end)
  const wanted = [...new Set(request.labelNames)]
  const found = new Map<string, LabelMap>()
  for (const query of await queriesOf(context, range, request.matchers)) {
    const onlyTypes = wanted.length > 0 && wanted.every(isTypeLabel)
    const sets = onlyTypes ? undefined : await setsOfSeries(context, query, wanted)
    for (const { series: id, type } of await typedSeries(context, query)) {
      for (const labels of sets?.get(id) ?? [NO_LABELS]) {
        const all = new Map([...labels, ...TYPE_LABELS.map(label => [label, typeLabel(type, label)] as const)])
        const chosen = wanted.length === 0 ? all : new Map(wanted.flatMap(name => pairIn(all, name)))
        if (chosen.size > 0) found.set(labelsKey(chosen), chosen)
      }
    }
    if (found.size > MAX_LISTED)
      throw new Refusal(422, Code.resourceExhausted, 'query', `more than ${MAX_LISTED} series; name fewer labels`)
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return { labelsSet: sorted.map(([, labels]) => ({ labels: labelPairs(labels) })) }
}

function pairIn(labels: LabelMap, name: string): [string, string][] {
  const value = labels.get(name)
  return value === undefined || value === '' ? [] : [[name, value]]
}

/** The label sets that the profiles of each series have. */
async function setsOfSeries(
  context: QuerierContext,
  query: Query,
  wanted: readonly string[],
): Promise<ReadonlyMap<bigint, readonly LabelMap[]>> {
  const selection = await resolve(new RunningQuery(context.engine, query))
  const own = await labelsOfSeries(selection.running, selection.series)
  const lists = new Map<bigint, LabelMap[]>()
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
  readonly profile: LabelMap
  readonly sample: LabelMap
}

async function attributeSets(
  selection: Selection,
  wanted: readonly string[],
  own: ReadonlyMap<bigint, LabelMap>,
): Promise<SetsOfProfiles[]> {
  const { running } = selection
  if (selection.series.length === 0) return []
  // Labels of whole series need not be looked up in samples.
  const inSamples = wanted.some(
    name => !isTypeLabel(name) && !selection.series.every(row => own.get(row.id)?.has(name) === true),
  )
  const held = await setsInCatalog(selection, inSamples)
  if (held !== undefined) return held
  const values = new Values()
  const sample = inSamples ? 'arrayJoin(arrayConcat(arrayDistinct(sample_attributes), [toUInt64(0)]))' : 'toUInt64(0)'
  const block = await running.selectLimited(
    `SELECT DISTINCT series, attributes, ${sample} AS sample_set FROM profiles WHERE ${profilesWhere(selection, values)}`,
    values.all,
    'sets of attributes',
    MAX_LISTED,
  )
  const ids = (name: string) => Array.from({ length: block.rows }, (_, row) => block.column(name).bigint(row))
  const labels = await labelsIn(running, 'attribute_sets', [...ids('attributes'), ...ids('sample_set')])
  const [seriesIds, profileSets, sampleSets] = [ids('series'), ids('attributes'), ids('sample_set')]
  return seriesIds.map((id, row) => ({
    id,
    profile: labels.get(profileSets[row]) ?? NO_LABELS,
    sample: labels.get(sampleSets[row]) ?? NO_LABELS,
  }))
}

/** Undefined if only the store knows it. */
async function setsInCatalog(selection: Selection, inSamples: boolean): Promise<SetsOfProfiles[] | undefined> {
  const present = await presentProfiles(selection, { ofSamples: true })
  const catalog = present && (await selection.running.catalog())
  if (present === undefined || catalog === undefined || !catalog.hasSampleSets) return undefined
  const labels = new Map<bigint, LabelMap>()
  const labelsOf = (id: bigint): LabelMap => {
    const known = labels.get(id) ?? labelsOfAttributes(catalog.sets.get(id))
    labels.set(id, known)
    return known
  }
  const found = new Map<string, SetsOfProfiles>()
  for (const { row, form } of present) {
    for (const set of inSamples ? [0n, ...(form.sampleSets ?? [])] : [0n])
      found.set(`${row.id} ${form.attributes} ${set}`, {
        id: row.id,
        profile: labelsOf(form.attributes),
        sample: labelsOf(set),
      })
  }
  selection.running.checkRows(found.size, 'sets of attributes', MAX_LISTED)
  return [...found.values()]
}

/** Returns queries that together find what any of the selectors finds. Without selectors they find everything. */
async function queriesOf(context: QuerierContext, range: TimeRange, matchers: readonly string[]): Promise<Query[]> {
  if (matchers.length > MAX_SELECTORS)
    throw new Refusal(400, Code.invalidArgument, 'query', `${matchers.length} selectors; at most ${MAX_SELECTORS}`)
  const texts = matchers.length === 0 ? ['{}'] : [...new Set(matchers)]
  const queries: Query[] = []
  for (const text of texts) queries.push(...(await queriesFor(context, range, text, query => typesIn(context, query))))
  return queries
}

export async function getProfileStats(context: QuerierContext): Promise<GetProfileStatsResponse> {
  const types = await storedTypes(context.queries, queryIn(context, { from: 0n, to: LAST_TIME }))
  if (types.length === 0) return { dataIngested: false, oldestProfileTime: 0n, newestProfileTime: 0n }
  const oldest = types.map(({ first }) => first).reduce((a, b) => (a < b ? a : b))
  const newest = types.map(({ last }) => last).reduce((a, b) => (a > b ? a : b))
  return {
    dataIngested: true,
    oldestProfileTime: oldest / NANOS_PER_MILLI,
    newestProfileTime: newest / NANOS_PER_MILLI,
  }
}

/** The amount of data that a query reads. Bytes are those of the stacks and values of samples, before compression. */
export async function analyzeQuery(
  context: QuerierContext,
  { start, end, query: text }: AnalyzeQueryRequest,
): Promise<AnalyzeQueryResponse> {
  const [series, scope] = [new Set<bigint>(), { profileCount: 0n, sampleCount: 0n }]
  for (const query of await queriesOf(context, anyRangeOfMillis(start, end), text === '' ? [] : [text])) {
    const selection = await resolve(new RunningQuery(context.engine, query))
    if (selection.series.length === 0) continue
    const values = new Values()
    const block = await selection.running.selectLimited(
      'SELECT series, count() AS profiles, sum(toUInt64(samples)) AS samples_sum ' +
        `FROM profiles WHERE ${profilesWhere(selection, values)} GROUP BY series`,
      values.all,
      'series',
    )
    for (let row = 0; row < block.rows; row++) {
      series.add(block.column('series').bigint(row))
      scope.profileCount += block.column('profiles').bigint(row)
      scope.sampleCount += block.column('samples_sum').bigint(row)
    }
  }
  const seriesCount = BigInt(series.size)
  const profileBytes = scope.sampleCount * BYTES_PER_SAMPLE
  return {
    queryScopes: [
      {
        componentType: 'store',
        componentCount: 1n,
        blockCount: 1n,
        seriesCount,
        ...scope,
        indexBytes: 0n,
        profileBytes,
        symbolBytes: 0n,
      },
    ],
    queryImpact: { totalBytesInTimeRange: profileBytes, totalQueriedSeries: seriesCount, deduplicationNeeded: false },
  }
}
