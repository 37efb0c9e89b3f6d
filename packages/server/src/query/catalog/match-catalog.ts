// Resolves the matchers of a selector against the catalog.
import { ValueKind } from '@hearth/profile'
import type { RunningQuery } from '../query.ts'
import { anchored } from '../select/matcher-sql.ts'
import type { Matcher } from '../selector/selector.ts'
import { builtInKey } from '../selector/selector.ts'
import type { HeldAttributes, RegexResult } from './held-attributes.ts'
import { byteText, holdsFor, holdsForText, isRegex } from './held-attributes.ts'
import type { TenantCatalog } from './tenant-catalog.ts'

/** A bit for every matcher that a resource or scope matches, and the attribute sets that each matcher matches. */
export interface CatalogMatches {
  readonly resources: ReadonlyMap<bigint, number>
  readonly scopes: ReadonlyMap<bigint, number>
  readonly sets: readonly (readonly bigint[])[]
}

/** Undefined if the engine must resolve the matchers. */
export async function matchCatalog(
  running: RunningQuery,
  catalog: TenantCatalog,
  matchers: readonly Matcher[],
): Promise<CatalogMatches | undefined> {
  if (!catalog.hasSampleSets && matchers.some(matcher => builtInKey(matcher) === undefined)) return undefined
  const regex = await regexResults(running, catalog, matchers)
  if (regex === undefined) return undefined
  const [resources, scopes] = [new Map<bigint, number>(), new Map<bigint, number>()]
  const sets = matchers.map((matcher, m) => {
    const bit = 1 << m
    const mark = (masks: Map<bigint, number>, id: bigint): void => void masks.set(id, (masks.get(id) ?? 0) | bit)
    const isAt = (level: Matcher['level']): boolean => matcher.level === undefined || matcher.level === level
    const key = builtInKey(matcher)
    if (key !== undefined) {
      for (const [id, { name, version }] of catalog.scopes)
        if (holdsForText(key === 'scope.name' ? name : version, matcher, regex)) mark(scopes, id)
      return []
    }
    if (isAt('resource'))
      for (const [id, attributes] of catalog.resources) if (holdsFor(attributes, matcher, regex)) mark(resources, id)
    if (isAt('scope'))
      for (const [id, attributes] of catalog.scopes) if (holdsFor(attributes, matcher, regex)) mark(scopes, id)
    if (!isAt('profile') && !isAt('sample')) return []
    const sets = [...catalog.setsWith(keysOf(matcher))]
    return sets.filter(([, attributes]) => holdsFor(attributes, matcher, regex)).map(([id]) => id)
  })
  return { resources, scopes, sets }
}

/** The maximum number of values that one statement compares with a regular expression. */
const MAX_VALUES = 10_000
/** Results of the last regular expressions, by value. */
const known = new Map<string, Map<string, boolean>>()
const MAX_KNOWN = 100

/** Lets the engine compare all values of the matchers' keys that it has not compared before. */
async function regexResults(
  running: RunningQuery,
  catalog: TenantCatalog,
  matchers: readonly Matcher[],
): Promise<RegexResult | undefined> {
  const used = new Map<string, Map<string, boolean>>()
  for (const matcher of matchers.filter(isRegex)) {
    const results = used.get(matcher.value) ?? known.get(matcher.value) ?? new Map<string, boolean>()
    used.set(matcher.value, results)
    known.delete(matcher.value)
    known.set(matcher.value, results)
    const values = [...valuesOf(catalog, matcher)].filter(value => !results.has(value))
    if (values.length > MAX_VALUES || results.size > MAX_VALUES) {
      known.delete(matcher.value)
      return undefined
    }
    if (values.length === 0) continue
    const block = await running.select(
      'SELECT arrayMap(t -> match(t, {regex:String}), {texts:Array(String)}) AS fits',
      {
        regex: anchored(matcher.value),
        texts: values.map(value => Buffer.from(value, 'latin1')),
      },
    )
    const fits = block.column('fits').values
    for (const [v, value] of values.entries()) results.set(value, fits.number(v) !== 0)
  }
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break
    known.delete(oldest)
  }
  return (regex, bytes) => used.get(regex)?.get(bytes) === true
}

function valuesOf(catalog: TenantCatalog, matcher: Matcher): Set<string> {
  const found = new Set<string>()
  const key = builtInKey(matcher)
  if (key !== undefined) {
    for (const { name, version } of catalog.scopes.values())
      found.add(byteText(Buffer.from(key === 'scope.name' ? name : version)))
    return found
  }
  const keys = keysOf(matcher)
  const add = (all: Iterable<HeldAttributes>): void => {
    for (const { keys: names, kinds, values } of all)
      for (let k = 0; k < names.length; k++)
        if (keys.has(names[k]) && kinds[k] !== ValueKind.bytes) found.add(byteText(values[k]))
  }
  add(catalog.resources.values())
  add(catalog.scopes.values())
  add(catalog.setsWith(keys).values())
  return found
}

function keysOf({ key, otherKeys = [] }: Matcher): ReadonlySet<string> {
  return new Set([key, ...otherKeys])
}
