// Checks whether the selected values can be added up, and in which unit, before any sum is computed.
//
//   cpu in ns and cpu in ms        converted to ns
//   cpu in ns and wall in ns       rejected: the sum would have no meaning
//   samples at 10 ms and at 1 ms   added up, with a note: samples represent different times. Measured values (time,
//                                  bytes) do not depend on the period
//   cumulative and delta           rejected: the former contain the sum of the latter
//   cumulative alone               the increase in the range; see profile-rows.ts
//   inuse_space at several times   combined by the query's mode for snapshots; see profile-rows.ts
import type { SnapshotMode } from '@hearth/profile'
import { ATTRIBUTES, canonicalUnit, isGaugeType } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import { Intervals } from './intervals.ts'
import { saysObserved } from './observed.ts'
import { profilesWhere } from './profiles-where.ts'
import { QueryError } from '../query-error.ts'
import type { Selection } from './selection.ts'
import type { SeriesRow } from './series-rows.ts'
import { MAX_IDS, Values } from '../statement.ts'

export type Temporality = 'delta' | 'cumulative' | 'unspecified'

export interface Measure {
  /** Empty if nothing was found. */
  readonly type: string
  readonly unit: string
  readonly temporality: Temporality
  /** Series with profiles in the range. For a uniform selection all series, if there are any profiles. */
  readonly series: readonly SeriesRow[]
  /** The factors for the values of series with different units; 1 for series that are not listed. */
  readonly factors: ReadonlyMap<bigint, bigint>
  readonly profiles: number
  /** Whether the sum of a profile exceeds 64 bits, so that its stored total may be the limit. */
  readonly overflowed: boolean
  /** Whether samples of spans are stored with the limit of 64 bits as their value, because their own sums exceed it. */
  readonly clamped: boolean
  /** How snapshots are combined. Undefined if the type is not a gauge, and for samples of spans or of exact ranges. */
  readonly snapshots: SnapshotMode | undefined
  /** The different periods of counted samples, as texts; empty if all have one. */
  readonly periods: readonly string[]
}

const TEMPORALITY_KEY = ATTRIBUTES.aggregationTemporality
/** The maximum number of sets: 8 MB. */
const REMEMBERED_SETS = 100_000

/** The temporalities of attribute sets. Sets are identified by their content, so a known temporality stays valid. */
export class Temporalities {
  readonly #known = new Map<string, Map<bigint, Temporality>>()
  readonly #cumulative = new Set<string>()

  /** Whether a cumulative profile of the tenant was found. Its queries may need another form. */
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
    // If every profile has attributes of its own, sets with the key are fewer than sets without.
    if (wanted.length > MAX_IDS) return await allWithTemporality(selection)
    for (let from = 0; from < wanted.length; from += MAX_IDS) {
      const ids = wanted.slice(from, from + MAX_IDS)
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

/** Throws QueryError if the values cannot be added up. */
export async function measure(selection: Selection, temporalities: Temporalities): Promise<Measure> {
  if (selection.bySpan) {
    // Samples of spans have no timestamps; their profiles do.
    const found = selection.running.exact
      ? foundProfiles(selection, temporalities, values => profilesWhere(selection, values))
      : foundBySpan(selection)
    return checked(selection, await found)
  }
  const looked = () => foundProfiles(selection, temporalities, values => profilesWhere(selection, values))
  try {
    const uniform = isUniform(selection.series)
    const found = await (uniform ? foundUniform : foundProfiles)(selection, temporalities, values =>
      rowsOf(selection, values),
    )
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

function checked({ running, bySpan }: Selection, found: Found): Measure {
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
  const isGauge = isGaugeType(type) && found.temporality !== 'cumulative' && !bySpan && !running.exact
  return { ...found, type, unit, factors, snapshots: isGauge ? running.snapshots : undefined }
}

type Found = Pick<Measure, 'series' | 'temporality' | 'profiles' | 'overflowed' | 'clamped' | 'periods'>

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
  return { series, temporality: 'unspecified', profiles, overflowed: false, clamped, periods: [] }
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
  return { series, temporality, profiles, overflowed, clamped: false, periods: mixedPeriods(series, periods) }
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

/** The columns for uniform profiles, by `attributes`. */
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

/** Reads the result of a statement with UNIFORM_COLUMNS. */
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
  const first = series.slice(0, 1)
  const mixed = mixedPeriods(first, new Map(first.map(row => [row.id, periods])))
  return { series, temporality, profiles, overflowed, clamped: false, periods: mixed }
}

/** The measure of a uniform selection whose statement also computed other columns. */
export async function measureUniform(
  selection: Selection,
  temporalities: Temporalities,
  block: Block,
): Promise<Measure> {
  return checked(selection, await uniformIn(selection, temporalities, block))
}

function commonTemporality(found: ReadonlySet<Temporality>): Temporality {
  if (!found.has('cumulative')) return found.has('delta') ? 'delta' : 'unspecified'
  if (found.size > 1) {
    throw new QueryError(
      'mixed-temporality',
      'cumulative profiles cannot be added to others, whose sum they may contain; ' +
        `select ${TEMPORALITY_KEY}="cumulative" or !="cumulative"`,
    )
  }
  return 'cumulative'
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
function countsSamples({ type, unit }: SeriesRow): boolean {
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
