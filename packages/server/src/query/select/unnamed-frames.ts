// Conditions on the names of frames that were sent without one. The engine does not know their names: a debug file has them,
// or the frame is shown as its library or address. So they are compared here, and the engine gets the ids of the locations.
import type { Dictionary, LocationIndex } from '@hearth/profile'
import { addressName, unnamedName } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { ResidentSymbols } from '../resident/resident-symbols.ts'
import { residentsOf } from '../resident/residents.ts'
import type { StackPredicate } from '../selector/selector.ts'
import { Values } from '../statement.ts'
import { anchored } from './matcher-sql.ts'

/** Ids in one statement: 200,000 are 3 MB of text. */
const MAX_IDS = 200_000

/** Texts that one statement compares with a regular expression. */
const TEXTS_AT_ONCE = 10_000

/** For each predicate the locations without a sent name that it matches. */
export async function unnamedMatches(
  running: RunningQuery,
  predicates: readonly StackPredicate[],
): Promise<readonly (readonly bigint[])[]> {
  const isLooked = ({ field }: StackPredicate): boolean => field !== 'mapping' && field !== 'type'
  const residents = residentsOf(running.engine)
  if (residents === undefined || !predicates.some(isLooked)) return predicates.map(() => [])
  const ids = await unnamedLocations(running)
  if (ids.length === 0) return predicates.map(() => [])
  const { symbols } = residents.of(running.tenant)
  const rows = await symbols.locations(running, new Int32Array(ids.buffer))
  const found: bigint[][] = []
  for (const predicate of predicates) {
    const texts = isLooked(predicate) ? Array.from(rows, row => textsOf(symbols, row, predicate)) : []
    const matching = await matchingTexts(running, predicate, new Set(texts.flat()))
    const matches = Array.from(ids).filter((_, k) => texts[k]?.some(text => matching.has(text)))
    if (matches.length > MAX_IDS)
      throw new QueryError(
        'too-many-rows',
        `more than ${MAX_IDS} addresses match "${predicate.value}"; use a narrower name`,
      )
    found.push(matches)
  }
  return found
}

async function unnamedLocations(running: RunningQuery): Promise<BigUint64Array> {
  const values = new Values()
  const tenant = values.text(running.tenant)
  const nameless = `SELECT id FROM functions WHERE tenant = ${tenant} AND name = '' AND system_name = ''`
  const sql =
    `SELECT DISTINCT id FROM locations WHERE tenant = ${tenant} AND ` +
    `(empty(line_functions) OR has(line_functions, 0) OR arrayExists(f -> f GLOBAL IN (${nameless}), line_functions)) ` +
    `LIMIT ${running.maxRows + 1}`
  const block = await running.selectSymbols('locations', sql, values.all)
  running.checkRows(block.rows, 'frames without a name')
  return BigUint64Array.from({ length: block.rows }, (_, row) => block.column('id').bigint(row))
}

/** The texts of a location that the predicate looks at. */
function textsOf({ dictionary }: ResidentSymbols, row: number, { field, place }: StackPredicate): string[] {
  const location = row as LocationIndex
  const { locations } = dictionary
  const [from, to] = [locations.linesFrom(location), locations.linesTo(location)]
  if (from === to) return field === 'name' ? shownNames(dictionary, location) : []
  // The first of several lines is the innermost call, the last one the outermost.
  const first = place === 'from' ? to - 1 : from
  const last = place === 'leaf' ? from + 1 : to
  const texts: string[] = []
  for (let k = first; k < last; k++) texts.push(...lineTexts(dictionary, location, k, field))
  return texts
}

function lineTexts(
  dictionary: Dictionary,
  location: LocationIndex,
  k: number,
  field: StackPredicate['field'],
): string[] {
  const { locations, functions, strings } = dictionary
  const row = locations.lines.function(k)
  const text = (string: number): string[] => [strings.text(string as never)].filter(each => each !== '')
  if (field === 'file') return text(functions.filename(row))
  if (field === 'system_name') return text(functions.systemName(row))
  const [name = ''] = [...text(functions.name(row)), ...text(functions.systemName(row))]
  return name === '' ? shownNames(dictionary, location) : [name]
}

/** The names of a frame without a name, with and without its address. */
function shownNames(dictionary: Dictionary, location: LocationIndex): string[] {
  return [unnamedName(dictionary, location), addressName(dictionary, location)]
}

async function matchingTexts(
  running: RunningQuery,
  { regex, value }: StackPredicate,
  texts: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (!regex) return new Set(texts.has(value) ? [value] : [])
  const all = [...texts]
  const matching = new Set<string>()
  for (let from = 0; from < all.length; from += TEXTS_AT_ONCE) {
    const part = all.slice(from, from + TEXTS_AT_ONCE)
    const block = await running.select(
      'SELECT arrayMap(t -> match(t, {regex:String}), {texts:Array(String)}) AS fits',
      { regex: anchored(value), texts: part.map(text => Buffer.from(text)) },
    )
    const fits = block.column('fits').values
    for (const [k, text] of part.entries()) if (fits.number(k) !== 0) matching.add(text)
  }
  return matching
}
