// Checks whether the selected values can be added up, and in which unit, before any sum is computed.
//
//   cpu in ns and cpu in ms        converted to ns
//   cpu in ns and wall in ns       rejected: the sum would have no meaning
//   samples at 10 ms and at 1 ms   added up, with a note: samples represent different times. Measured values (time,
//                                  bytes) do not depend on the period
//   cumulative and delta           added up, with a note; rejected if one series has both, because they may overlap
//   cumulative alone               the increase in the range; see profile-rows.ts
//   inuse_space at several times   combined by the query's mode for snapshots; see profile-rows.ts
import type { SnapshotMode } from '@hearth/profile'
import { canonicalUnit, isGaugeType } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { presentProfiles } from '../catalog/present-profiles.ts'
import { Intervals } from './intervals.ts'
import { saysObserved } from './observed.ts'
import { profilesWhere } from './profiles-where.ts'
import { QueryError } from '../query-error.ts'
import type { Selection } from './selection.ts'
import type { SeriesRow } from './series-rows.ts'
import { Values } from '../statement.ts'
import type { Temporalities } from './temporality.ts'
import type { Temporality } from './temporality-key.ts'
import { TEMPORALITY_KEY } from './temporality-key.ts'

export interface Measure {
  /** Empty if nothing was found. */
  readonly type: string
  readonly unit: string
  /** The result is delta if increases of cumulative profiles were added to deltas. */
  readonly temporality: Temporality
  /** Whether any of the profiles is cumulative. */
  readonly cumulative: boolean
  /** Series with profiles in the range. For a uniform selection all series, if there are any profiles. */
  readonly series: readonly SeriesRow[]
  /** The factors for the values of series with different units; 1 for series that are not listed. */
  readonly factors: ReadonlyMap<bigint, bigint>
  readonly profiles: number
  /** Whether the sum of a profile exceeds 64 bits, so that its stored total may be the limit. */
  readonly overflowed: boolean
  /** Whether samples of spans are stored with the limit of 64 bits as their value, because their own sums exceed it. */
  readonly clamped: boolean
  /** How snapshots are combined. Undefined if the type is not a gauge. */
  readonly snapshots: SnapshotMode | undefined
  /** The different periods of counted samples, as texts; empty if all have one. */
  readonly periods: readonly string[]
}

/** Throws QueryError if the values cannot be added up. */
export async function measure(selection: Selection, temporalities: Temporalities): Promise<Measure> {
  if (selection.bySpan) {
    // Samples of spans have neither timestamps nor a temporality; their profiles do.
    const found =
      selection.running.exact || selection.hasCumulative
        ? foundProfiles(selection, temporalities, 'samples')
        : foundBySpan(selection)
    return checked(selection, await found)
  }
  const looked = () => foundProfiles(selection, temporalities, 'samples')
  try {
    const uniform = isUniform(selection.series) && !selection.hasCumulative
    const found = await (uniform ? foundUniform(selection, temporalities) : foundProfiles(selection, temporalities))
    // Intervals may extend into the range from profiles whose stated time does not.
    const mayReach = selection.running.exact && Intervals.of(selection.series) !== undefined
    return checked(selection, mayReach && (!uniform || found.profiles === 0) ? await looked() : found)
  } catch (error) {
    if (!selection.bySample || !(error instanceof QueryError)) throw error
    // The conflicting values may be in profiles without a selected sample. Looking at samples takes longer, so it is
    // done only now.
    return checked(selection, await looked())
  }
}

function rowsOf(selection: Selection, values: Values): string {
  const { from, to, exact } = selection.running
  // Checking for observations in the range would take as long as everything else.
  return `${selection.rowsWhere(values)}${exact ? ` AND ${saysObserved(values, from, to)}` : ''}`
}

function checked({ running }: Selection, found: Found): Measure {
  const { series } = found
  if (series.length === 0) {
    return { ...found, type: '', unit: '', factors: new Map(), snapshots: undefined }
  }
  const types = new Set(series.map(row => row.type))
  if (types.size > 1) {
    const named = [...new Set(series.map(row => `${row.type}:${row.unit}`))].sort()
    throw new QueryError('mixed-types', `the query selects several profile types (${listed(named)}); select one`)
  }
  const unit = commonUnit(series)
  const factors = new Map<bigint, bigint>()
  for (const row of series) {
    const factor = factorTo(row.unit, unit)
    if (factor !== 1n) factors.set(row.id, factor)
  }
  const [{ type }] = series
  const isGauge = isGaugeType(type) && !found.cumulative
  return { ...found, type, unit, factors, snapshots: isGauge ? running.snapshots : undefined }
}

type Found = Omit<Measure, 'type' | 'unit' | 'factors' | 'snapshots'>

/** For profiles without a known temporality. */
const NOT_CUMULATIVE = { temporality: 'unspecified', cumulative: false } as const

async function foundBySpan(selection: Selection): Promise<Found> {
  const values = new Values()
  const rows = selection.rowsWhere(values, selection.isOfAll ? 'any' : selection.series)
  const block = await selection.running.select(
    'SELECT series, uniqExact(request, scope_index, item_index) AS profiles, ' +
      `max(total IN (${2n ** 63n - 1n}, ${-(2n ** 63n)})) AS clamped FROM span_samples WHERE ${rows} GROUP BY series`,
    values.all,
  )
  const present = new Set<bigint>()
  // Series that were added after the query started do not count.
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
  return { series, ...NOT_CUMULATIVE, profiles, overflowed: false, clamped, periods: [] }
}

/** Profiles with the same attributes, and of the same series unless the selection is uniform. */
interface FoundRow {
  readonly series: bigint
  readonly attributes: bigint
  readonly least: bigint
  readonly most: bigint
  readonly overflowed: boolean
  readonly profiles: number
}

/** `by: 'samples'` looks at profiles with a selected sample only. This takes longer. */
async function foundProfiles(selection: Selection, temporalities: Temporalities, by?: 'samples'): Promise<Found> {
  const rows =
    (await rowsInCatalog(selection, by)) ??
    (await selectRows(selection, 'series, attributes', values =>
      by === undefined ? rowsOf(selection, values) : profilesWhere(selection, values),
    ))
  const present = new Map<bigint, Set<bigint>>()
  const periods = new Map<bigint, Set<bigint>>()
  for (const { series, attributes, least, most } of rows) {
    present.set(series, (present.get(series) ?? new Set()).add(attributes))
    periods.set(series, (periods.get(series) ?? new Set()).add(least).add(most))
  }
  const known = await temporalities.of(selection.running, new Set(rows.map(({ attributes }) => attributes)))
  const series = selection.series.filter(row => present.has(row.id))
  const found = commonTemporality(series, present, known)
  return { series, ...found, ...summary(rows), periods: mixedPeriods(series, periods) }
}

function summary(rows: readonly FoundRow[]): Pick<Found, 'profiles' | 'overflowed' | 'clamped'> {
  const profiles = rows.reduce((sum, row) => sum + row.profiles, 0)
  return { profiles, overflowed: rows.some(row => row.overflowed), clamped: false }
}

async function selectRows(selection: Selection, by: string, where: (values: Values) => string): Promise<FoundRow[]> {
  const values = new Values()
  const block = await selection.running.selectLimited(
    `SELECT ${by}, ${PERIOD_COLUMNS} FROM profiles WHERE ${where(values)} GROUP BY ${by}`,
    values.all,
    'sets of profile attributes',
  )
  return rowsIn(block)
}

function rowsIn(block: Block): FoundRow[] {
  const hasSeries = block.names.includes('series')
  return Array.from({ length: block.rows }, (_, row) => ({
    series: hasSeries ? block.column('series').bigint(row) : 0n,
    attributes: block.column('attributes').bigint(row),
    least: block.column('least').bigint(row),
    most: block.column('most').bigint(row),
    overflowed: block.column('over').number(row) !== 0,
    profiles: block.column('profiles').number(row),
  }))
}

/** Undefined if only the store knows it. */
async function rowsInCatalog(selection: Selection, by?: 'samples' | 'uniform'): Promise<FoundRow[] | undefined> {
  const present = await presentProfiles(selection, { ofSamples: by === 'samples' })
  if (present === undefined) return undefined
  const rows = new Map<string, FoundRow>()
  for (const { row, form, profiles } of present) {
    const { attributes, period, overflowed } = form
    const series = by === 'uniform' ? 0n : row.id
    const key = `${series} ${attributes}`
    const known = rows.get(key)
    rows.set(key, {
      series,
      attributes,
      least: known === undefined || period < known.least ? period : known.least,
      most: known === undefined || period > known.most ? period : known.most,
      overflowed: overflowed || known?.overflowed === true,
      profiles: profiles + (known?.profiles ?? 0),
    })
  }
  selection.running.checkRows(rows.size, 'sets of profile attributes')
  return [...rows.values()]
}

/**
 * Whether all series have one type, unit and kind of period. Then the result does not depend on which of them have
 * profiles.
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

const PERIOD_COLUMNS = 'min(period) AS least, max(period) AS most, max(overflowed) AS over, count() AS profiles'

/** The columns for uniform profiles, by `attributes`. */
export const UNIFORM_COLUMNS = `attributes, ${PERIOD_COLUMNS}`

async function foundUniform(selection: Selection, temporalities: Temporalities): Promise<Found> {
  const rows =
    (await rowsInCatalog(selection, 'uniform')) ??
    (await selectRows(selection, 'attributes', values => rowsOf(selection, values)))
  return await uniformIn(selection, temporalities, rows)
}

async function uniformIn(
  selection: Selection,
  temporalities: Temporalities,
  rows: readonly FoundRow[],
): Promise<Found> {
  const sets = new Set(rows.map(({ attributes }) => attributes))
  const periods = new Set(rows.flatMap(({ least, most }) => [least, most]))
  const series = rows.length === 0 ? [] : selection.series
  const known = await temporalities.of(selection.running, sets)
  const first = series.slice(0, 1)
  const ofFirst = <Value>(value: Value) => new Map(first.map(row => [row.id, value]))
  const found = commonTemporality(first, ofFirst(sets), known)
  return { series, ...found, ...summary(rows), periods: mixedPeriods(first, ofFirst(periods)) }
}

/** The measure of a uniform selection without a statement. Undefined if only the store knows it. */
export async function knownMeasure(selection: Selection, temporalities: Temporalities): Promise<Measure | undefined> {
  const rows = await rowsInCatalog(selection, 'uniform')
  return rows && checked(selection, await uniformIn(selection, temporalities, rows))
}

/** The measure of a uniform selection whose statement also computed other columns besides UNIFORM_COLUMNS. */
export async function measureUniform(
  selection: Selection,
  temporalities: Temporalities,
  block: Block,
): Promise<Measure> {
  return checked(selection, await uniformIn(selection, temporalities, rowsIn(block)))
}

/** `sets` are the attribute sets of each series. Throws QueryError if one series has cumulative and other profiles. */
function commonTemporality(
  series: readonly SeriesRow[],
  sets: ReadonlyMap<bigint, ReadonlySet<bigint>>,
  known: ReadonlyMap<bigint, Temporality>,
): Pick<Found, 'temporality' | 'cumulative'> {
  const all = new Set<Temporality>()
  for (const { id, type, unit } of series) {
    const own = new Set<Temporality>()
    for (const set of sets.get(id) ?? []) {
      const temporality = known.get(set) ?? 'unspecified'
      own.add(temporality)
      all.add(temporality)
    }
    if (own.has('cumulative') && own.size > 1) throw mixedTemporality(`a series of ${type}:${unit}`)
  }
  if (!all.has('cumulative')) return { ...NOT_CUMULATIVE, temporality: all.has('delta') ? 'delta' : 'unspecified' }
  if (all.size > 1 && isGaugeType(series[0].type)) throw mixedTemporality(`${series[0].type}:${series[0].unit}`)
  return { temporality: all.size > 1 ? 'delta' : 'cumulative', cumulative: true }
}

function mixedTemporality(what: string): QueryError {
  return new QueryError(
    'mixed-temporality',
    `${what} has both delta and cumulative profiles, which cannot be added up; ` +
      `select ${TEMPORALITY_KEY}="cumulative" or !="cumulative"`,
  )
}

/** The periods of counted samples, if there are several. */
function mixedPeriods(
  series: readonly SeriesRow[],
  periods: ReadonlyMap<bigint, ReadonlySet<bigint>>,
): readonly string[] {
  const found = new Set<string>()
  for (const row of series) {
    if (!countsSamples(row)) continue
    for (const period of periods.get(row.id) ?? []) {
      found.add(period === 0n ? 'unknown' : `${period} ${row.periodUnit} ${row.periodType}`.trim())
    }
  }
  return found.size < 2 ? [] : [...found].sort()
}

/** Only the meaning of a count of samples depends on the period. */
export function countsSamples({ type, unit }: SeriesRow): boolean {
  return type === 'samples' || type === 'sample' || canonicalUnit(unit) === '{samples}'
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

/** The size of each unit in the smallest unit of its kind. */
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

/** The smallest of the units, to which all others convert exactly, in the spelling of the first series that has it. */
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
  throw new QueryError('mixed-units', `values in ${listed(named)} do not convert to each other; select one unit`)
}

function factorTo(from: string, to: string): bigint {
  return ratio(canonicalUnit(from), canonicalUnit(to)) ?? 1n
}

/** The number of `to` in one `from`; undefined if that is not an integer, or if they measure different things. */
export function ratio(from: string, to: string): bigint | undefined {
  if (from === to) return 1n
  const a = SCALES.get(from)
  const b = SCALES.get(to)
  if (a === undefined || b === undefined || a[0] !== b[0] || a[1] % b[1] !== 0n) return undefined
  return a[1] / b[1]
}
