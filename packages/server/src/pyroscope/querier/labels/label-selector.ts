// Converts a selector of Pyroscope's clients, such as `{service_name="shop", region=~"eu.*"}`, to a selector of the
// query engine. It has the meaning of PromQL: an absent label has the empty value. So `region=""` and `region=~".*"`
// match profiles without a region, and `region!=""` matches profiles with one. Hearth's own selectors work too, with
// their predicates.
import { anchored, checkRegexes } from '../../../query/select/matcher-sql.ts'
import { QueryError } from '../../../query/query-error.ts'
import type { Query } from '../../../query/query.ts'
import { RunningQuery } from '../../../query/query.ts'
import { parseSelector } from '../../../query/selector/parse-selector.ts'
import { MAX_MATCHERS } from '../../../query/selector/selector.ts'
import type { Matcher, ProfileType, Selector, ValueMatcher } from '../../../query/selector/selector.ts'
import type { ReadEngine } from '../../../store/engine.ts'
import type { Originals, TypeLabel } from './label-names.ts'
import { isTypeLabel, originalsOf } from './label-names.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { typeLabel } from '../profile-type.ts'

/** Three matchers are reserved for the name of the type, a trace and a span. */
const MAX_LABEL_MATCHERS = MAX_MATCHERS - 3

export interface TypeMatcher {
  readonly label: TypeLabel
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

export interface LabelSelector {
  /** Only matchers of attributes and frames. */
  readonly selector: Selector
  readonly types: readonly TypeMatcher[]
  /** Hex ids from the labels in which profilers keep span ids. */
  readonly traceIds: readonly string[] | undefined
  readonly spanIds: readonly string[] | undefined
}

/** Throws QueryError with the position in the text. */
export async function readLabelSelector(engine: ReadEngine, query: Query, text: string): Promise<LabelSelector> {
  const read = parseSelector(text)
  const running = new RunningQuery(engine, { ...query, selector: read })
  await checkRegexes(running)
  const types: TypeMatcher[] = read.profileType === undefined ? [] : [typeMatcherFor(read.profileType)]
  const ids: { traceIds?: readonly string[]; spanIds?: readonly string[] } = {}
  const labels: Matcher[] = []
  for (const matcher of read.matchers) {
    const { level, key } = matcher
    const traceId = idIn(matcher, 'trace_id', 32)
    const spanId = idIn(matcher, 'span_id', 16)
    if (level === undefined && isTypeLabel(key)) types.push(typeMatcher(matcher, key))
    else if (traceId !== undefined) ids.traceIds = alsoOf(ids.traceIds, traceId)
    else if (spanId !== undefined) ids.spanIds = alsoOf(ids.spanIds, spanId)
    else labels.push(matcher)
  }
  const isLabel = ({ level, key }: Matcher) => level === undefined && /^[A-Za-z_]\w*$/.test(key)
  const originals = await originalsOf(
    engine,
    query,
    labels.filter(isLabel).map(({ key }) => key),
  )
  const empties = await matchesEmpty(running, labels)
  const matchers = labels.flatMap(matcher =>
    isLabel(matcher) ? asPromQl(matcher, empties).map(each => withOriginals(each, originals)) : [matcher],
  )
  if (matchers.length > MAX_LABEL_MATCHERS) throw new QueryError('argument', `more than ${MAX_LABEL_MATCHERS} matchers`)
  const selector = { profileType: undefined, matchers, predicates: read.predicates }
  return { selector, types, traceIds: ids.traceIds, spanIds: ids.spanIds }
}

/** The metric's name in PromQL. For profiles it is the whole type, or its first part. */
function typeMatcherFor({ name, type, unit, periodType, periodUnit }: ProfileType): TypeMatcher {
  if (name === undefined && unit === undefined) return { label: '__name__', operator: '=', value: type }
  const parts = [name ?? '', type, unit ?? '', periodType ?? '', periodUnit ?? '']
  return { label: '__profile_type__', operator: '=', value: parts.join(':') }
}

function typeMatcher(matcher: Matcher, label: TypeLabel): TypeMatcher {
  if (matcher.kind === 'presence') return { label, operator: matcher.present ? '!=' : '=', value: '' }
  const { operator, value } = matcher
  const known = operator === '=' || operator === '!=' || operator === '=~' || operator === '!~' ? operator : '='
  const text = String(value)
  // PromQL stores the name of the metric in this label. A profile's name is its type.
  const isWhole = label === '__name__' && text.split(':').length === 5
  return { label: isWhole ? '__profile_type__' : label, operator: known, value: text }
}

/** The id that a label must have. */
function idIn(matcher: Matcher, label: string, digits: number): string | undefined {
  const { level, key } = matcher
  if (level !== undefined || key !== label || matcher.kind !== 'value' || matcher.operator !== '=') return undefined
  const { value } = matcher
  return typeof value === 'string' && value.length === digits && /^[0-9a-fA-F]+$/.test(value) ? value : undefined
}

/** A span has only one id, so two different ids match nothing. */
function alsoOf(ids: readonly string[] | undefined, id: string): readonly string[] {
  return ids === undefined ? [id.toLowerCase()] : ids.filter(each => each === id.toLowerCase())
}

function withOriginals(matcher: Matcher, originals: Originals): Matcher {
  const [key, ...otherKeys] = originals.get(matcher.key) ?? [matcher.key]
  return { ...matcher, key, otherKeys }
}

type Empties = ReadonlySet<string>

/** The regular expressions that match a label without a value. Only the engine can decide this. */
async function matchesEmpty(running: RunningQuery, matchers: readonly Matcher[]): Promise<Empties> {
  const regexes = [...new Set(matchers.filter(isRegex).map(({ value }) => String(value)))]
  const found = regexes.filter(regex => knownEmpties.get(regex) === true)
  const unknown = regexes.filter(regex => !knownEmpties.has(regex))
  if (unknown.length > 0) {
    const parameters = Object.fromEntries(unknown.map((regex, r) => [`r${r}`, anchored(regex)]))
    const block = await running.select(
      `SELECT ${unknown.map((_, r) => `match('', {r${r}:String}) AS r${r}`).join(', ')}`,
      parameters,
    )
    if (knownEmpties.size + unknown.length > MAX_KNOWN_EMPTIES) knownEmpties.clear()
    for (const [r, regex] of unknown.entries()) {
      const isEmpty = block.column(`r${r}`).number(0) !== 0
      knownEmpties.set(regex, isEmpty)
      if (isEmpty) found.push(regex)
    }
  }
  return new Set(found)
}

/** Whether a regular expression matches the empty text. The same for all tenants. */
const knownEmpties = new Map<string, boolean>()
const MAX_KNOWN_EMPTIES = 1000

function isRegex(matcher: Matcher): matcher is ValueMatcher {
  return matcher.kind === 'value' && (matcher.operator === '=~' || matcher.operator === '!~')
}

/** The engine's matchers look only at existing attributes. This translates PromQL's rules for absent ones. */
function asPromQl(matcher: Matcher, empties: Empties): Matcher[] {
  if (matcher.kind === 'presence' || typeof matcher.value !== 'string') return [matcher]
  const { value } = matcher
  if (!(isRegex(matcher) ? empties.has(value) : value === '')) return [matcher]
  const { operator } = matcher
  switch (operator) {
    // No attribute has another value.
    case '=':
      return [{ ...matcher, operator: '!=', inverted: true }]
    case '=~':
      return [{ ...matcher, operator: '!~', inverted: true }]
    case '!=':
      return [{ ...matcher, operator: '=', inverted: true }]
    case '!~':
      return [matcher, { ...matcher, operator: '=', value: '', inverted: true }]
    case '<':
    case '<=':
    case '>':
    case '>=':
      return [matcher]
  }
}

/** The types for which all matchers hold. */
export async function matchingTypes(
  engine: ReadEngine,
  query: Query,
  types: readonly PyroscopeType[],
  matchers: readonly TypeMatcher[],
): Promise<readonly PyroscopeType[]> {
  let matching = types
  for (const { label, operator, value } of matchers) {
    const texts = matching.map(type => typeLabel(type, label))
    const isPositive = operator === '=' || operator === '=~'
    const holds =
      operator === '=' || operator === '!='
        ? texts.map(text => text === value)
        : await matched(new RunningQuery(engine, { ...query, selector: '' }), texts, value)
    matching = matching.filter((_, t) => holds[t] === isPositive)
  }
  return matching
}

async function matched(running: RunningQuery, texts: readonly string[], regex: string): Promise<boolean[]> {
  if (texts.length === 0) return []
  const block = await running.select('SELECT arrayMap(t -> match(t, {regex:String}), {texts:Array(String)}) AS fits', {
    regex: anchored(regex),
    texts,
  })
  const { values } = block.column('fits')
  return texts.map((_, t) => values.number(t) !== 0)
}
