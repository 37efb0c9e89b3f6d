// Whether what was selected can be added up, and in which unit: before any sum is made, so that none is wrong.
//
//   cpu in ns and cpu in ms        converted to ns
//   cpu in ns and wall in ns       refused: what would the sum be of?
//   samples at 10 ms and at 1 ms   refused: a sample stands for ten times as much in the one as in the other. Values that are
//                                  measured (time, bytes) do not depend on the period
//   cumulative and delta           refused: the one holds the sum of the others already
//   cumulative alone               of each series the last profile of the range, which holds all that came before
import { canonicalUnit } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { Intervals } from './intervals.ts'
import { saysObserved } from './observed.ts'
import { profilesWhere } from './profiles-where.ts'
import { QueryError } from '../query-error.ts'
import type { Selection } from './selection.ts'
import type { SeriesRow } from './series-rows.ts'
import { MOST_IDS, Values } from '../statement.ts'

export type Temporality = 'delta' | 'cumulative' | 'unspecified'

export interface Measure {
  /** Empty where nothing was found. */
  readonly type: string
  readonly unit: string
  readonly temporality: Temporality
  /** Series of which profiles are in the range. Of a uniform selection all, where there are any profiles. */
  readonly series: readonly SeriesRow[]
  /** What values of a series are multiplied by, where units differ; 1 for those that are not named. */
  readonly factors: ReadonlyMap<bigint, bigint>
  readonly profiles: number
  /** Whether some profile's own sum left 64 bits, so that its stored totals may be held at the limit. */
  readonly overflowed: boolean
  /** Whether samples of spans are among them that are stored at the limit of 64 bits, since their own sums left it. */
  readonly clamped: boolean
}

/** The attribute by which formats with a field for it keep it. */
const TEMPORALITY_KEY = 'hearth.profile.aggregation_temporality'
/** Of sets; 8 MB at the most. */
const REMEMBERED_SETS = 100_000

/** What attribute sets say of temporality. They are known by their content, so what is read once stays true. */
export class Temporalities {
  readonly #known = new Map<string, Map<bigint, Temporality>>()
  readonly #cumulative = new Set<string>()

  /** Whether a cumulative profile of the tenant has been met: then what is asked of them may have to be asked otherwise. */
  haveCumulative(tenant: string): boolean {
    return this.#cumulative.has(tenant)
  }

  async of(selection: Selection, sets: ReadonlySet<bigint>): Promise<ReadonlyMap<bigint, Temporality>> {
    const { running } = selection
    let known = this.#known.get(running.tenant)
    if (known === undefined || known.size > REMEMBERED_SETS) {
      known = new Map<bigint, Temporality>()
      this.#known.set(running.tenant, known)
    }
    const wanted = [...sets].filter(id => id !== 0n && !known.has(id))
    // Where every profile has attributes of its own, those with the key are fewer than those without.
    if (wanted.length > MOST_IDS) return await allWithTemporality(selection)
    for (let from = 0; from < wanted.length; from += MOST_IDS) {
      const ids = wanted.slice(from, from + MOST_IDS)
      const values = new Values()
      const block = await running.select(
        `SELECT id, values[indexOf(keys, ${values.text(TEMPORALITY_KEY)})] AS temporality FROM attribute_sets ` +
          `WHERE tenant = ${values.text(running.tenant)} AND id IN ${values.ids(ids)}`,
        values.all,
      )
      for (const id of ids) known.set(id, 'unspecified')
      for (let row = 0; row < block.rows; row++) {
        const text = block.column('temporality').text(row)
        if (text === 'delta' || text === 'cumulative') known.set(block.column('id').bigint(row), text)
        if (text === 'cumulative') this.#cumulative.add(running.tenant)
      }
    }
    return known
  }
}

async function allWithTemporality({ running }: Selection): Promise<ReadonlyMap<bigint, Temporality>> {
  const values = new Values()
  const key = values.text(TEMPORALITY_KEY)
  const block = await running.selectLimited(
    `SELECT id, values[indexOf(keys, ${key})] AS temporality FROM attribute_sets ` +
      `WHERE tenant = ${values.text(running.tenant)} AND has(keys, ${key})`,
    values.all,
    'sets of profile attributes',
  )
  const found = new Map<bigint, Temporality>()
  for (let row = 0; row < block.rows; row++) {
    const text = block.column('temporality').text(row)
    if (text === 'delta' || text === 'cumulative') found.set(block.column('id').bigint(row), text)
  }
  return found
}

/** Throws QueryError where it cannot be added up. */
export async function measure(selection: Selection, temporalities: Temporalities): Promise<Measure> {
  if (selection.bySpan) {
    // Samples of spans do not say when they were observed; their profiles do.
    const found = selection.running.exact
      ? foundProfiles(selection, temporalities, values => profilesWhere(selection, values))
      : foundBySpan(selection)
    return checked(await found)
  }
  const looked = () => foundProfiles(selection, temporalities, values => profilesWhere(selection, values))
  try {
    const uniform = isUniform(selection.series)
    const found = await (uniform ? foundUniform : foundProfiles)(selection, temporalities, values =>
      rowsOf(selection, values),
    )
    // Intervals may reach into the range out of profiles that say nothing of it.
    const mayReach = selection.running.exact && Intervals.of(selection.series) !== undefined
    return checked(mayReach && (!uniform || found.profiles === 0) ? await looked() : found)
  } catch (error) {
    if (!selection.bySample || !(error instanceof QueryError)) throw error
    // What does not go together may be in profiles none of whose samples is selected. Looking at samples takes longer, so
    // that it is done only now.
    return checked(await looked())
  }
}

function rowsOf(selection: Selection, values: Values): string {
  const { from, to, exact } = selection.running
  // Whether they have observations there would take as long to see as all else.
  return `${selection.rowsWhere(values)}${exact ? ` AND ${saysObserved(values, from, to)}` : ''}`
}

function checked(found: Found): Measure {
  const { series } = found
  if (series.length === 0) {
    return { ...found, type: '', unit: '', factors: new Map() }
  }
  const types = new Set(series.map(row => row.type))
  if (types.size > 1) {
    const named = [...new Set(series.map(row => `${row.type}:${row.unit}`))].sort()
    throw new QueryError('mixed-types', `profiles of several types are no one sum: ${listed(named)}; name one`)
  }
  const unit = commonUnit(series)
  const factors = new Map<bigint, bigint>()
  for (const row of series) {
    const factor = factorTo(row.unit, unit)
    if (factor !== 1n) factors.set(row.id, factor)
  }
  return { ...found, type: series[0].type, unit, factors }
}

type Found = Pick<Measure, 'series' | 'temporality' | 'profiles' | 'overflowed' | 'clamped'>

async function foundBySpan(selection: Selection): Promise<Found> {
  const values = new Values()
  const rows = selection.rowsWhere(values, selection.isOfAll ? 'any' : selection.series)
  const block = await selection.running.select(
    'SELECT series, uniqExact(request, scope_index, item_index) AS profiles, ' +
      `max(total IN (${2n ** 63n - 1n}, ${-(2n ** 63n)})) AS clamped FROM span_samples WHERE ${rows} GROUP BY series`,
    values.all,
  )
  const present = new Set<bigint>()
  // What came in since series were read is none of the query's.
  const known = new Set(selection.series.map(row => row.id))
  let profiles = 0
  let clamped = false
  for (let row = 0; row < block.rows; row++) {
    const id = block.column('series').bigint(row)
    if (!known.has(id)) continue
    present.add(id)
    profiles += block.column('profiles').number(row)
    if (block.column('clamped').number(row) !== 0) clamped = true
  }
  const series = selection.series.filter(row => present.has(row.id))
  return { series, temporality: 'unspecified', profiles, overflowed: false, clamped }
}

async function foundProfiles(
  selection: Selection,
  temporalities: Temporalities,
  where: (values: Values) => string,
): Promise<Found> {
  const values = new Values()
  const rows = where(values)
  const block = await selection.running.selectLimited(
    'SELECT series, attributes, min(period) AS least, max(period) AS most, max(overflowed) AS over, count() AS profiles ' +
      `FROM profiles WHERE ${rows} GROUP BY series, attributes`,
    values.all,
    'sets of profile attributes',
  )
  const present = new Set<bigint>()
  const sets = new Set<bigint>()
  const periods = new Map<bigint, Set<bigint>>()
  let profiles = 0
  let overflowed = false
  for (let row = 0; row < block.rows; row++) {
    const series = block.column('series').bigint(row)
    present.add(series)
    sets.add(block.column('attributes').bigint(row))
    const seen = periods.get(series) ?? new Set()
    periods.set(series, seen.add(block.column('least').bigint(row)).add(block.column('most').bigint(row)))
    profiles += block.column('profiles').number(row)
    if (block.column('over').number(row) !== 0) overflowed = true
  }
  const known = await temporalities.of(selection, sets)
  const temporality = commonTemporality(new Set(Array.from(sets, id => known.get(id) ?? 'unspecified')))
  const series = selection.series.filter(row => present.has(row.id))
  checkPeriods(series, periods)
  return { series, temporality, profiles, overflowed, clamped: false }
}

/**
 * Whether all series are of one type, unit and kind of period: then nothing depends on which of them have profiles, and that
 * need not be asked.
 */
export function isUniform(series: readonly SeriesRow[]): boolean {
  if (series.length === 0) return false
  const [first] = series
  return series.every(
    row =>
      row.type === first.type &&
      row.unit === first.unit &&
      row.periodType === first.periodType &&
      row.periodUnit === first.periodUnit,
  )
}

/** What is asked of uniform profiles, by `attributes`. */
export const UNIFORM_COLUMNS =
  'attributes, min(period) AS least, max(period) AS most, max(overflowed) AS over, count() AS profiles'

async function foundUniform(
  selection: Selection,
  temporalities: Temporalities,
  where: (values: Values) => string,
): Promise<Found> {
  const values = new Values()
  const block = await selection.running.selectLimited(
    `SELECT ${UNIFORM_COLUMNS} FROM profiles WHERE ${where(values)} GROUP BY attributes`,
    values.all,
    'sets of profile attributes',
  )
  return await uniformIn(selection, temporalities, block)
}

/** Out of an answer with the columns of UNIFORM_COLUMNS. */
async function uniformIn(selection: Selection, temporalities: Temporalities, block: Block): Promise<Found> {
  const sets = new Set<bigint>()
  const periods = new Set<bigint>()
  let profiles = 0
  let overflowed = false
  for (let row = 0; row < block.rows; row++) {
    sets.add(block.column('attributes').bigint(row))
    periods.add(block.column('least').bigint(row)).add(block.column('most').bigint(row))
    profiles += block.column('profiles').number(row)
    if (block.column('over').number(row) !== 0) overflowed = true
  }
  const series = profiles === 0 ? [] : selection.series
  const known = await temporalities.of(selection, sets)
  const temporality = commonTemporality(new Set(Array.from(sets, id => known.get(id) ?? 'unspecified')))
  checkPeriods(series.slice(0, 1), new Map(series.slice(0, 1).map(row => [row.id, periods])))
  return { series, temporality, profiles, overflowed, clamped: false }
}

/** The measure of a uniform selection whose profiles were asked for together with something else. */
export async function measureUniform(
  selection: Selection,
  temporalities: Temporalities,
  block: Block,
): Promise<Measure> {
  return checked(await uniformIn(selection, temporalities, block))
}

function commonTemporality(found: ReadonlySet<Temporality>): Temporality {
  if (!found.has('cumulative')) return found.has('delta') ? 'delta' : 'unspecified'
  if (found.size > 1) {
    throw new QueryError(
      'mixed-temporality',
      'cumulative profiles cannot be added to others, of which they may hold the sum; ' +
        `choose by ${TEMPORALITY_KEY}="cumulative" or !="cumulative"`,
    )
  }
  return 'cumulative'
}

function checkPeriods(series: readonly SeriesRow[], periods: ReadonlyMap<bigint, ReadonlySet<bigint>>): void {
  const found = new Set<string>()
  for (const row of series) {
    if (!countsSamples(row)) continue
    for (const period of periods.get(row.id) ?? []) {
      found.add(`${period} ${canonicalUnit(row.periodUnit)} of ${row.periodType === '' ? 'nothing' : row.periodType}`)
    }
  }
  if (found.size < 2) return
  throw new QueryError(
    'mixed-periods',
    `samples that were taken at different periods do not weigh the same: every ${listed([...found].sort())}`,
  )
}

/** Only a count of samples leaves it to the period what each of them stands for. */
function countsSamples({ type, unit }: SeriesRow): boolean {
  return type === 'samples' || type === 'sample' || canonicalUnit(unit) === '{samples}'
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

/** One of these is so many of the first of its line. */
const SCALES: ReadonlyMap<string, readonly [base: string, size: bigint]> = new Map([
  ['ns', ['ns', 1n]],
  ['us', ['ns', 1000n]],
  ['ms', ['ns', 1_000_000n]],
  ['s', ['ns', 1_000_000_000n]],
  ['min', ['ns', 60_000_000_000n]],
  ['h', ['ns', 3_600_000_000_000n]],
  ['By', ['By', 1n]],
  ['kBy', ['By', 1000n]],
  ['MBy', ['By', 1_000_000n]],
  ['GBy', ['By', 1_000_000_000n]],
  ['KiBy', ['By', 2n ** 10n]],
  ['MiBy', ['By', 2n ** 20n]],
  ['GiBy', ['By', 2n ** 30n]],
])

/** The finest of the units, to which all others convert without a rest; as the first series that has it spells it. */
function commonUnit(series: readonly SeriesRow[]): string {
  const units = new Map<string, string>()
  for (const { unit } of series) {
    const canonical = canonicalUnit(unit)
    if (!units.has(canonical)) units.set(canonical, unit)
  }
  const canonical = [...units.keys()]
  const finest = canonical.find(unit => canonical.every(other => ratio(other, unit) !== undefined))
  if (finest !== undefined) return units.get(finest)!
  const named = [...units.values()].sort()
  throw new QueryError('mixed-units', `values in ${listed(named)} do not convert to each other; name one unit`)
}

function factorTo(from: string, to: string): bigint {
  return ratio(canonicalUnit(from), canonicalUnit(to)) ?? 1n
}

/** How many of `to` one of `from` is; undefined where that is not a whole number, or they do not measure the same. */
export function ratio(from: string, to: string): bigint | undefined {
  if (from === to) return 1n
  const a = SCALES.get(from)
  const b = SCALES.get(to)
  if (a === undefined || b === undefined || a[0] !== b[0] || a[1] % b[1] !== 0n) return undefined
  return a[1] / b[1]
}
