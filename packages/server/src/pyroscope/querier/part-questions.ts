// From what a client selects to questions for the query engine. One is enough where all that is stored of the type is stored
// alike; senders that count samples take one for each of their periods, whose answers are added up times the period.
import { parseReference } from '../../query/select/profile-reference.ts'
import { profilesWhere } from '../../query/select/profiles-where.ts'
import type { QueryContext } from '../../query/query-context.ts'
import { QueryError } from '../../query/query-error.ts'
import type { Only, Query, QueryLimits } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { resolve } from '../../query/select/selection.ts'
import type { Matcher, Selector } from '../../query/selector/selector.ts'
import type { SeriesRow } from '../../query/select/series-rows.ts'
import { readSeries } from '../../query/select/series-rows.ts'
import { Values } from '../../query/statement.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { Engine } from '../../store/engine.ts'
import type { CallSite } from '../messages/types-messages.ts'
import { stacksFrom } from './call-site.ts'
import type { LabelSelector } from './labels/label-selector.ts'
import { fittingTypes, readLabelSelector } from './labels/label-selector.ts'
import type { PyroscopeType, TypePart } from './profile-type.ts'
import { isTypeId, parseTypeId, partsOfType } from './profile-type.ts'

/** Who asks, and what with. */
export interface Asker {
  readonly queries: QueryContext
  readonly engine: Engine
  readonly tenant: string
  readonly signal: AbortSignal
  readonly limits: QueryLimits
  /** How many nodes may be asked for. */
  readonly maxNodes: number
}

/** Nanoseconds since 1970: from here on, and before. */
export interface TimeRange {
  readonly from: bigint
  readonly to: bigint
}

export interface Selected extends TimeRange {
  readonly type: PyroscopeType
  readonly selector: string
  /** Any of them; all where there are none. */
  readonly profileIds?: readonly string[]
  readonly traceIds?: readonly string[]
  readonly spanIds?: readonly string[]
  /** Names of functions, root first, that stacks begin with. */
  readonly callSite?: readonly CallSite[]
}

export interface Part {
  readonly question: Query
  /** What its values are to be multiplied by. */
  readonly factor: bigint
}

const NANOS_PER_MILLI = 1_000_000n
const LAST_TIME = 2n ** 63n - 1n
/** Of profiles, traces or spans in one request. */
const MOST_IDS = 1000
const MOST_PERIODS = 16

/** Both ends count. Throws Refusal for a range that ends before it begins. */
export function rangeOfMillis(start: bigint, end: bigint): TimeRange {
  if (start < 0n || end < start)
    throw refused(`a range from ${start} to ${end}: times are milliseconds since 1970, and it ends before it begins`)
  const last = LAST_TIME / NANOS_PER_MILLI - 1n
  if (start > last) throw refused(`a range that begins at ${start}: times are milliseconds since 1970`)
  return { from: start * NANOS_PER_MILLI, to: ((end > last ? last : end) + 1n) * NANOS_PER_MILLI }
}

/** The same where no range at all means everything, as in questions for names. */
export function anyRangeOfMillis(start: bigint, end: bigint): TimeRange {
  return start === 0n && end === 0n ? { from: 0n, to: LAST_TIME } : rangeOfMillis(start, end)
}

/** Nothing where no such type is stored. */
export async function partsFor(asker: Asker, selected: Selected): Promise<Part[]> {
  const question = questionIn(asker, selected)
  const labels = await readLabelSelector(asker.engine, question, selected.selector)
  const only = idsOf(selected, labels)
  if ((await fittingTypes(asker.engine, question, [selected.type], labels.types)).length === 0) return []
  const stacks = await stacksFrom(
    new RunningQuery(asker.engine, { ...question, selector: '' }),
    selected.callSite ?? [],
  )
  const parts: Part[] = []
  for (const part of partsOfType(selected.type, await seriesOf(asker, question))) {
    const asked = await bySpan(asker, {
      ...question,
      selector: selectorOf(labels.selector, part),
      only: { ...only, ...(stacks === undefined ? {} : { stacks }), series: part.series },
    })
    if (!part.byPeriod) parts.push({ question: asked, factor: 1n })
    else parts.push(...(await byPeriod(asker, asked)))
  }
  return parts
}

/** The questions for what a selector finds, of whatever type. */
export async function questionsFor(
  asker: Asker,
  range: TimeRange,
  text: string,
  knownTypes: (question: Query) => Promise<readonly PyroscopeType[]>,
): Promise<Query[]> {
  const question = questionIn(asker, range)
  const labels = await readLabelSelector(asker.engine, question, text)
  const only = idsOf({}, labels)
  if (labels.types.length === 0) return [await bySpan(asker, { ...question, selector: labels.selector, only })]
  const exact = labels.types.find(({ label, operator }) => label === '__profile_type__' && operator === '=')
  // A label that no profile has is no fault here.
  if (exact !== undefined && !isTypeId(exact.value)) return []
  const types = exact === undefined ? await knownTypes(question) : [parseTypeId(exact.value)]
  const series = await seriesOf(asker, question)
  const questions: Query[] = []
  for (const type of await fittingTypes(asker.engine, question, types, labels.types)) {
    for (const part of partsOfType(type, series)) {
      const selector = selectorOf(labels.selector, part)
      questions.push(await bySpan(asker, { ...question, selector, only: { ...only, series: part.series } }))
    }
  }
  return questions
}

export function questionIn({ tenant, signal, limits }: Asker, { from, to }: TimeRange): Query {
  return { tenant, from, to, signal, limits }
}

export async function seriesOf({ engine }: Asker, question: Query): Promise<readonly SeriesRow[]> {
  return await readSeries(new RunningQuery(engine, { ...question, selector: '' }), undefined)
}

function selectorOf({ matchers, predicates }: Selector, { matcher }: TypePart): Selector {
  const all = matcher === undefined ? matchers : [...matchers, matcher]
  return { profileType: undefined, matchers: all, predicates }
}

function idsOf({ profileIds = [], traceIds = [], spanIds = [] }: Partial<Selected>, labels: LabelSelector): Only {
  for (const list of [profileIds, traceIds, spanIds])
    if (list.length > MOST_IDS) throw refused(`${list.length} ids in one request; at most ${MOST_IDS} are taken`)
  const traces = bothOf(
    traceIds.map(id => hexId(id, 16, 'trace')),
    labels.traceIds,
  )
  const spans = bothOf(
    spanIds.map(id => hexId(id, 8, 'span')),
    labels.spanIds,
  )
  const references = profileIds.filter(isReference)
  const ids = profileIds.filter(id => !isReference(id)).map(profileIdBytes)
  return {
    ...(traces === undefined ? {} : { traceIds: traces.map(bytesOf) }),
    ...(spans === undefined ? {} : { spanIds: spans.map(bytesOf) }),
    ...(profileIds.length === 0 ? {} : { profileIds: ids, profiles: references.map(parseReference) }),
  }
}

function bothOf(given: readonly string[], inLabels: readonly string[] | undefined): readonly string[] | undefined {
  if (given.length === 0) return inLabels
  return inLabels === undefined ? given : given.filter(id => inLabels.includes(id))
}

function hexId(text: string, bytes: number, what: string): string {
  if (text.length === 2 * bytes && /^[0-9a-fA-F]+$/.test(text)) return text.toLowerCase()
  throw refused(`the id of a ${what} is ${2 * bytes} hex digits, not ${JSON.stringify(text.slice(0, 100))}`)
}

/** What exemplars name profiles by that were sent without an id. */
function isReference(id: string): boolean {
  return /^[0-9a-f]{16}-[0-9a-f]{32}-/.test(id)
}

function profileIdBytes(text: string): Uint8Array {
  const digits = text.replaceAll('-', '')
  if (digits.length === 32 && /^[0-9a-fA-F]+$/.test(digits)) return bytesOf(digits)
  throw refused(`the id of a profile is a UUID, not ${JSON.stringify(text.slice(0, 100))}`)
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

function refused(message: string): Refusal {
  return new Refusal(400, Code.invalidArgument, 'query', message)
}

/**
 * Samples know their spans by links, or, of profilers that know no trace, by an attribute with the span's id: where no link
 * leads to a span, it is looked for in there.
 */
async function bySpan({ engine }: Asker, question: Query): Promise<Query> {
  const { traceIds, spanIds, ...others } = question.only ?? {}
  if (traceIds === undefined && spanIds === undefined) return question
  const selection = await resolve(new RunningQuery(engine, question))
  const values = new Values()
  const block = await selection.running.select(
    `SELECT 1 FROM span_samples WHERE ${selection.rowsWhere(values)} LIMIT 1`,
    values.all,
  )
  if (block.rows > 0) return question
  const { matchers, predicates } = question.selector as Selector
  const ofIds = [attributeOf('trace_id', traceIds), attributeOf('span_id', spanIds)].filter(each => each !== undefined)
  return {
    ...question,
    only: others,
    selector: { profileType: undefined, matchers: [...matchers, ...ofIds], predicates },
  }
}

function attributeOf(key: string, ids: readonly Uint8Array[] | undefined): Matcher | undefined {
  if (ids === undefined) return undefined
  const value = `(?i:${ids.map(id => Buffer.from(id).toString('hex')).join('|')})`
  return { kind: 'value', level: 'sample', key, operator: '=~', value, position: 0, valuePosition: 0 }
}

async function byPeriod({ engine }: Asker, question: Query): Promise<Part[]> {
  const selection = await resolve(new RunningQuery(engine, question))
  if (selection.series.length === 0) return []
  const values = new Values()
  const block = await selection.running.select(
    `SELECT DISTINCT period FROM profiles WHERE ${profilesWhere(selection, values)} ORDER BY period LIMIT ${MOST_PERIODS + 1}`,
    values.all,
  )
  const periods = Array.from({ length: block.rows }, (_, row) => block.column('period').bigint(row))
  if (periods.length > MOST_PERIODS)
    throw new QueryError('mixed-periods', `samples of more than ${MOST_PERIODS} periods`)
  if (periods.some(period => period <= 0n))
    throw new QueryError('mixed-periods', 'samples that were counted without a period are no time; choose others')
  return periods.map(period => ({ question: { ...question, only: { ...question.only, period } }, factor: period }))
}
