// A selector resolved against the stored data: the series, and the remaining conditions on each profile and sample.
//
// A matcher may match the resource, the scope, the profile or the sample. The first two are known per series, so they
// are resolved here. The others become conditions on ids of attribute sets:
//
//   {service.name="checkout", thread.name!="gc"}
//     series  those of resources with service.name="checkout"
//     sample  attributes NOT IN (ids of sets with thread.name="gc") AND sample_set NOT IN (the same)
import { bytesOfHex } from '../../store/hex.ts'
import { canonicalUnit } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import type { SeriesRow } from './series-rows.ts'
import { readSeries } from './read-series.ts'
import { CONTAINER_ATTRIBUTES, SET_ATTRIBUTES, resourceAttributes } from './attribute-columns.ts'
import { attributeCondition, checkRegexes, isNegative, stackCondition, textCondition } from './matcher-sql.ts'
import { mayBeObserved, mayHaveObserved } from './observed.ts'
import { referenceCondition } from './profile-reference.ts'
import { matchCatalog } from '../catalog/match-catalog.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { Matcher, ProfileType } from '../selector/selector.ts'
import { MAX_MATCHERS, MAX_PREDICATES, builtInKey } from '../selector/selector.ts'
import { spansBelow } from './span-tree.ts'
import { MAX_IDS, Values } from '../statement.ts'
import { hasCumulative } from './temporality.ts'
import type { ThreadSets } from './thread-sets.ts'
import { unnamedMatches } from './unnamed-frames.ts'
import { inThreads, threadSets } from './thread-sets.ts'

export interface Selection {
  readonly running: RunningQuery
  /** Series that can contain matching profiles. */
  readonly series: readonly SeriesRow[]
  /** Whether these are all series of the tenant. */
  readonly isOfAll: boolean
  /**
   * Conditions on columns of `profiles`, or of `span_samples` if the selection is by span, for one statement. They
   * select the selection's series, the given ones, or any.
   */
  rowsWhere(values: Values, series?: readonly SeriesRow[] | 'any', from?: bigint): string
  /** Conditions on `stack`, `sample_set`, `series` and `attributes` of a single sample; `1` if there are none. */
  samplesWhere(values: Values): string
  /** Whether single samples are selected, so that totals of whole profiles cannot be used. */
  readonly bySample: boolean
  /**
   * Whether a profile with the attribute set is selected, apart from its series, times and samples. Undefined if that
   * depends on more than the set.
   */
  readonly fitsProfile: ((attributes: bigint) => boolean) | undefined
  /** Whether samples come from `span_samples`. */
  readonly bySpan: boolean
  /** Whether the tenant has cumulative profiles. Without them, queries need not look for any. */
  readonly hasCumulative: boolean
  /**
   * Conditions on `profiles` for those that combine over time, whichever of their samples are selected. For a selection by
   * span, profiles with samples of the traces.
   */
  combinedWhere(values: Values, series?: readonly SeriesRow[], from?: bigint): string
  /** Conditions on the ids of a sample's link as bytes, for a selection by span that reads samples from `profiles`. */
  linksWhere(values: Values, traceId: string, spanId: string): string
}

export async function resolve(running: RunningQuery): Promise<Selection> {
  const { matchers: given, predicates } = running.selector
  // The same limits as for parsed selectors. Each matcher is a bit of a 32-bit mask below.
  if (given.length > MAX_MATCHERS || predicates.length > MAX_PREDICATES) {
    throw new QueryError(
      'argument',
      `more than ${MAX_MATCHERS} matchers or ${MAX_PREDICATES} stack predicates; use fewer`,
    )
  }
  await checkRegexes(running)
  const matchers = running.selector.matchers.filter(matcher => !isIdKey(matcher))
  const [all, { resources, scopes, sets }] = await Promise.all([
    readSeries(running, running.selector.profileType?.type),
    matched(running, matchers),
  ])
  const candidates: SeriesRow[] = []
  const masks: number[] = []
  for (const row of all) {
    if (!isOfType(row, running.selector.profileType) || running.only.series?.has(row.id) === false) continue
    const mask = (resources.get(row.resource) ?? 0) | (scopes.get(row.scope) ?? 0)
    const fits = matchers.every((matcher, m) => {
      const held = (mask & (1 << m)) !== 0
      return isNegative(matcher) ? !held : held || sets[m].kind !== 'none'
    })
    if (!fits) continue
    candidates.push(row)
    masks.push(mask)
  }
  const [spans, threads, cumulative, unnamed] = await Promise.all([
    chosenSpans(running),
    threadSets(running),
    hasCumulative(running),
    unnamedMatches(running, predicates),
  ])
  const isOfAll = candidates.length === all.length
  return new Resolved(running, candidates, masks, matchers, sets, spans, threads, isOfAll, cumulative, unnamed)
}

interface Matched {
  /** A bit for each matcher that the resource or scope matches. */
  readonly resources: ReadonlyMap<bigint, number>
  readonly scopes: ReadonlyMap<bigint, number>
  readonly sets: readonly FittingSets[]
}

async function matched(running: RunningQuery, matchers: readonly Matcher[]): Promise<Matched> {
  const catalog = await running.catalog()
  const found = catalog && (await matchCatalog(running, catalog, matchers))
  if (found !== undefined) return { ...found, sets: found.sets.map(fittingIds) }
  const [resources, scopes, sets] = await Promise.all([
    resourceMasks(running, matchers),
    scopeMasks(running, matchers),
    fittingSets(running, matchers),
  ])
  return { resources, scopes, sets }
}

function isIdKey(matcher: Matcher): boolean {
  const key = builtInKey(matcher)
  return key === 'trace.id' || key === 'span.id' || key === 'profile.id'
}

export function isOfType(row: SeriesRow, type: ProfileType | undefined): boolean {
  if (type === undefined) return true
  const fits = (wanted: string | undefined, unit: string) =>
    wanted === undefined || wanted === '' || canonicalUnit(wanted) === canonicalUnit(unit)
  if (row.type !== type.type || !fits(type.unit, row.unit)) return false
  if (type.periodType === undefined) return true
  return row.periodType === type.periodType && canonicalUnit(type.periodUnit ?? '') === canonicalUnit(row.periodUnit)
}

/** A bit for every matcher that the id matches, for each id of the table. */
async function masksOf(
  running: RunningQuery,
  table: string,
  conditions: readonly string[],
  values: Values,
): Promise<Block> {
  const mask = conditions.map((condition, bit) => `bitShiftLeft(toUInt32(${condition}), ${bit})`).join(' + ')
  const block = await running.selectSymbols(
    table,
    `SELECT id, toUInt32(${mask}) AS mask FROM ${table} WHERE tenant = ${values.text(running.tenant)} AND mask != 0 ` +
      `LIMIT ${running.maxRows + 1}`,
    values.all,
  )
  if (block.rows > running.maxRows)
    throw new QueryError('too-many-rows', `more than ${running.maxRows} ${table}; use a narrower selector`)
  return block
}

function maskMap(block: Block): Map<bigint, number> {
  const masks = new Map<bigint, number>()
  if (block.rows === 0) return masks
  const ids = block.column('id')
  const found = block.column('mask')
  for (let row = 0; row < block.rows; row++) masks.set(ids.bigint(row), found.number(row))
  return masks
}

async function resourceMasks(running: RunningQuery, matchers: readonly Matcher[]): Promise<Map<bigint, number>> {
  const looked = (matcher: Matcher) =>
    builtInKey(matcher) === undefined && (matcher.level === undefined || matcher.level === 'resource')
  if (!matchers.some(looked)) return new Map()
  const values = new Values()
  const conditions = matchers.map(matcher =>
    looked(matcher) ? attributeCondition(values, matcher, resourceAttributes(matcher)) : '0',
  )
  return maskMap(await masksOf(running, 'resources', conditions, values))
}

async function scopeMasks(running: RunningQuery, matchers: readonly Matcher[]): Promise<Map<bigint, number>> {
  const looked = (matcher: Matcher) => matcher.level === undefined || matcher.level === 'scope'
  if (!matchers.some(looked)) return new Map()
  const values = new Values()
  const conditions = matchers.map(matcher => {
    const key = builtInKey(matcher)
    if (key !== undefined) return textCondition(values, matcher, key === 'scope.name' ? 'name' : 'version')
    return looked(matcher) ? attributeCondition(values, matcher, CONTAINER_ATTRIBUTES) : '0'
  })
  return maskMap(await masksOf(running, 'scopes', conditions, values))
}

/** The attribute sets that match: none, a list, or too many for a list. Then a subquery selects them. */
type FittingSets =
  | { readonly kind: 'none' }
  | { readonly kind: 'many' }
  | { readonly kind: 'some'; readonly ids: readonly bigint[] }

async function fittingSets(running: RunningQuery, matchers: readonly Matcher[]): Promise<FittingSets[]> {
  return await Promise.all(
    matchers.map(async (matcher): Promise<FittingSets> => {
      if (!looksAtSets(matcher)) return { kind: 'none' }
      const values = new Values()
      const block = await running.selectSymbols(
        'attribute_sets',
        `SELECT DISTINCT id FROM attribute_sets WHERE tenant = ${values.text(running.tenant)} AND ` +
          `${attributeCondition(values, matcher, SET_ATTRIBUTES)} LIMIT ${MAX_IDS + 1}`,
        values.all,
      )
      return fittingIds(Array.from({ length: block.rows }, (_, row) => block.column('id').bigint(row)))
    }),
  )
}

function fittingIds(ids: readonly bigint[]): FittingSets {
  if (ids.length === 0) return { kind: 'none' }
  return ids.length > MAX_IDS ? { kind: 'many' } : { kind: 'some', ids }
}

function looksAtSets(matcher: Matcher): boolean {
  if (builtInKey(matcher) !== undefined) return false
  return matcher.level === undefined || matcher.level === 'profile' || matcher.level === 'sample'
}

/** Whether the matcher is a condition on the attributes of the profile alone. */
function isOfProfiles(matcher: Matcher): boolean {
  return matcher.level === 'profile' || (matcher.level === undefined && isNegative(matcher))
}

/** The spans of the selected samples; undefined if any sample qualifies. */
interface Spans {
  readonly traceId: Uint8Array | undefined
  /** Any span if undefined. */
  readonly spanIds: readonly Uint8Array[] | undefined
}

async function chosenSpans(running: RunningQuery): Promise<Spans | undefined> {
  let traceId: Uint8Array | undefined
  let spanIds: readonly Uint8Array[] | undefined
  let any = running.only.traceIds !== undefined || running.only.spanIds !== undefined
  for (const matcher of running.selector.matchers) {
    const key = builtInKey(matcher)
    if (key !== 'trace.id' && key !== 'span.id') continue
    any = true
    if (matcher.kind === 'presence') continue
    const id = bytesOfHex(String(matcher.value))
    if (key === 'trace.id') traceId = traceId === undefined || sameBytes(traceId, id) ? id : NO_SUCH_TRACE
    else spanIds = spanIds === undefined ? [id] : spanIds.filter(other => sameBytes(other, id))
  }
  if (running.span !== undefined) {
    any = true
    const chosen = await spansBelow(running, running.span)
    traceId = traceId === undefined || sameBytes(traceId, chosen.traceId) ? chosen.traceId : NO_SUCH_TRACE
    const { spanIds: below } = chosen
    if (below !== undefined) spanIds = spanIds?.filter(id => below.some(other => sameBytes(id, other))) ?? below
  }
  return any ? { traceId, spanIds } : undefined
}

/** All zero. No sample is stored under it. */
const NO_SUCH_TRACE = new Uint8Array(16)

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

class Resolved implements Selection {
  readonly running: RunningQuery
  readonly series: readonly SeriesRow[]
  readonly bySample: boolean
  readonly bySpan: boolean
  readonly isOfAll: boolean
  readonly hasCumulative: boolean
  readonly #masks: readonly number[]
  readonly #matchers: readonly Matcher[]
  readonly #sets: readonly FittingSets[]
  readonly #spans: Spans | undefined
  readonly #threads: readonly ThreadSets[] | undefined
  /** For each stack predicate, the locations that were sent without the name that it matches. */
  readonly #unnamed: readonly (readonly bigint[])[]

  constructor(
    running: RunningQuery,
    series: readonly SeriesRow[],
    masks: readonly number[],
    matchers: readonly Matcher[],
    sets: readonly FittingSets[],
    spans: Spans | undefined,
    threads: readonly ThreadSets[] | undefined,
    isOfAll: boolean,
    cumulative: boolean,
    unnamed: readonly (readonly bigint[])[],
  ) {
    this.#unnamed = unnamed
    this.isOfAll = isOfAll
    this.hasCumulative = cumulative
    this.running = running
    this.series = series
    this.#masks = masks
    this.#matchers = matchers
    this.#sets = sets
    this.#spans = spans
    this.#threads = threads
    this.bySpan = spans !== undefined
    this.bySample = this.bySpan || running.exact || this.#sampleConditions(new Values()).length > 0
  }

  rowsWhere(values: Values, series: readonly SeriesRow[] | 'any' = this.series, from = this.running.from): string {
    return [...this.#conditions(values, series, from, !this.bySpan), ...this.#spanConditions(values)].join(' AND ')
  }

  combinedWhere(values: Values, series = this.series, from = this.running.from): string {
    const conditions = this.#conditions(values, series, from, true)
    if (this.bySpan) conditions.push(this.#ofTraces(values, from))
    return conditions.join(' AND ')
  }

  #conditions(values: Values, series: readonly SeriesRow[] | 'any', from: bigint, ofProfiles: boolean): string[] {
    const tenant = values.text(this.running.tenant)
    return [
      `tenant = ${tenant}`,
      ...(series === 'any' ? [] : this.#inSeries(values, series)),
      ...this.#timeConditions(values, from, ofProfiles),
      ...this.running.receivedWhere(values),
      ...this.#profileConditions(values, tenant),
    ]
  }

  #timeConditions(values: Values, from: bigint, ofProfiles: boolean): string[] {
    const { hasCumulative, running } = this
    const { to, exact } = running
    if (!exact) return [`time >= ${values.time(from)}`, `time < ${values.time(to)}`]
    // Samples of spans have no timestamps. profiles-where.ts checks those of their profiles.
    const range = { from, to, hasCumulative }
    return ofProfiles ? mayHaveObserved(values, range) : mayBeObserved(values, range)
  }

  /** Profiles with samples of the traces, or of the spans if no trace is given. */
  #ofTraces(values: Values, from: bigint): string {
    const ofTrace = [...this.#timeConditions(values, from, false), ...this.#spanConditions(values, { isWhole: true })]
    const where = [`tenant = ${values.text(this.running.tenant)}`, ...ofTrace].join(' AND ')
    return (
      '(request, received, scope_index, item_index) GLOBAL IN ' +
      `(SELECT request, received, scope_index, item_index FROM span_samples WHERE ${where})`
    )
  }

  samplesWhere(values: Values): string {
    const conditions = this.#sampleConditions(values)
    return conditions.length === 0 ? '1' : conditions.join(' AND ')
  }

  #inSeries(values: Values, series: readonly SeriesRow[]): string[] {
    return [`series IN ${values.ids(series.map(row => row.id))}`]
  }

  linksWhere(values: Values, traceId: string, spanId: string): string {
    // Ids of another length are not in `span_samples` either.
    return [`length(${traceId}) = 16`, ...this.#spanConditions(values, { trace: traceId, span: spanId })].join(' AND ')
  }

  /** `isWhole` selects whole traces. */
  #spanConditions(values: Values, { trace = 'trace_id', span = 'span_id', isWhole = false } = {}): string[] {
    if (this.#spans === undefined) return []
    const { only } = this.running
    const { traceId } = this.#spans
    const isOfTrace = traceId !== undefined || only.traceIds !== undefined
    const { spanIds } = isWhole && isOfTrace ? {} : this.#spans
    const conditions: string[] = []
    if (only.traceIds !== undefined)
      conditions.push(`${trace} IN ${values.add('Array(FixedString(16))', only.traceIds)}`)
    if (only.spanIds !== undefined && !(isWhole && isOfTrace))
      conditions.push(`${span} IN ${values.add('Array(FixedString(8))', only.spanIds)}`)
    if (traceId !== undefined) conditions.push(`${trace} = ${values.add('FixedString(16)', traceId)}`)
    if (spanIds !== undefined) {
      const hex = spanIds.map(id => Buffer.from(id).toString('hex'))
      conditions.push(`lower(hex(${span})) IN ${values.add('Array(String)', hex)}`)
    }
    return conditions
  }

  get fitsProfile(): ((attributes: bigint) => boolean) | undefined {
    const { only, selector, exact } = this.running
    const isById = only.profileIds !== undefined || only.profiles !== undefined
    if (exact || this.bySpan || isById || selector.matchers.some(matcher => builtInKey(matcher) === 'profile.id'))
      return undefined
    const conditions: { readonly ids: ReadonlySet<bigint>; readonly isNegative: boolean }[] = []
    for (const [m, matcher] of this.#matchers.entries()) {
      const sets = this.#sets[m]
      if (sets.kind === 'none' || !isOfProfiles(matcher)) continue
      if (sets.kind === 'many') return undefined
      conditions.push({ ids: new Set(sets.ids), isNegative: isNegative(matcher) })
    }
    return attributes => conditions.every(each => each.ids.has(attributes) !== each.isNegative)
  }

  /** Conditions on the profile as a whole. */
  #profileConditions(values: Values, tenant: string): string[] {
    const { profileIds, profiles } = this.running.only
    const conditions: string[] = []
    if (profileIds !== undefined || profiles !== undefined) {
      const either = (profiles ?? []).map(profile => `(${referenceCondition(values, profile)})`)
      either.push(`profile_id IN ${values.add('Array(String)', profileIds ?? [])}`)
      conditions.push(this.#ofProfile(values, `(${either.join(' OR ')})`))
    }
    for (const matcher of this.running.selector.matchers) {
      if (builtInKey(matcher) !== 'profile.id' || matcher.kind !== 'value') continue
      conditions.push(
        this.#ofProfile(values, `profile_id = ${values.add('String', bytesOfHex(String(matcher.value)))}`),
      )
    }
    for (const [m, matcher] of this.#matchers.entries()) {
      if (this.#sets[m].kind === 'none' || !isOfProfiles(matcher)) continue
      const fits = this.#ofProfile(values, this.#inSets(values, tenant, m, 'attributes'))
      conditions.push(isNegative(matcher) ? `NOT ${fits}` : fits)
    }
    return conditions
  }

  #sampleConditions(values: Values): string[] {
    const conditions: string[] = []
    const tenant = values.text(this.running.tenant)
    for (const [m, matcher] of this.#matchers.entries()) {
      if (this.#sets[m].kind === 'none' || matcher.level === 'profile') continue
      const fits = this.#inSets(values, tenant, m, 'sample_set')
      if (matcher.level === 'sample') conditions.push(isNegative(matcher) ? `NOT ${fits}` : fits)
      else if (isNegative(matcher)) conditions.push(`NOT ${fits}`)
      else {
        const held = this.series.filter((_, s) => (this.#masks[s] & (1 << m)) !== 0)
        if (held.length === this.series.length) continue
        const either = [fits, this.#ofProfile(values, this.#inSets(values, tenant, m, 'attributes'))]
        if (held.length > 0) either.push(...this.#inSeries(values, held))
        conditions.push(`(${either.join(' OR ')})`)
      }
    }
    for (const [p, predicate] of this.running.selector.predicates.entries())
      conditions.push(stackCondition(values, tenant, predicate, this.#unnamed[p]))
    if (this.#threads !== undefined) conditions.push(inThreads(this.#threads, values, this.series))
    const { stacks } = this.running.only
    if (stacks !== undefined) conditions.push(`stack IN ${values.ids(stacks)}`)
    return conditions
  }

  #inSets(values: Values, tenant: string, m: number, column: string): string {
    const sets = this.#sets[m]
    if (sets.kind === 'some') return `(${column} IN ${values.ids(sets.ids)})`
    const fits = attributeCondition(values, this.#matchers[m], SET_ATTRIBUTES)
    return `(${column} GLOBAL IN (SELECT id FROM attribute_sets WHERE tenant = ${tenant} AND ${fits}))`
  }

  /** A condition on a profile's own columns. If the rows are samples of spans, a subquery checks the profile. */
  #ofProfile(values: Values, condition: string): string {
    if (!this.bySpan) return `(${condition})`
    const tenant = values.text(this.running.tenant)
    return (
      '((request, scope_index, item_index) GLOBAL IN (SELECT request, scope_index, item_index FROM profiles ' +
      `WHERE tenant = ${tenant} AND ${this.#inSeries(values, this.series).join()} AND ${condition}))`
    )
  }
}
