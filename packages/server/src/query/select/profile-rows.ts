// Rows of profiles in a statement, and how they combine over time.
//
//   sum          every profile counts
//   latest       the last profile of each instance
//   maximum      the profile of each instance with the greatest total
//   average      every profile, divided by the number of profiles of its instance, by the share of its presence
//   cumulative   the increase: the last profile of each instance and start time, minus the last one before the range
//
// An instance is a series with one set of attributes. In a series chart, all of this applies to each step.
//
// A subquery chooses the profiles by their small columns, so that samples are read only of profiles that count.
import type { SnapshotMode } from '@hearth/profile'
import type { RunningQuery } from '../query.ts'
import type { Values } from '../statement.ts'
import type { Measure } from './measure.ts'
import { LOOK_BACK, startOf } from './observed.ts'
import { cumulativeSets } from './temporality.ts'

export type Combination = SnapshotMode | 'cumulative'

export type Combined = Partial<Pick<Measure, 'cumulative' | 'snapshots'>>

export function combinationOf(measure: Combined | undefined): Combination {
  if (measure?.cumulative === true) return 'cumulative'
  return measure?.snapshots ?? 'sum'
}

export interface ProfileRowsOptions {
  readonly running: RunningQuery
  readonly values: Values
  /** `profiles` unless given. */
  readonly table?: 'span_samples'
  /** The condition on rows of the table. It begins at the given time instead of the start of the query's range. */
  readonly where: (from?: bigint) => string
  /** The condition on the profiles that combine, if it is not `where`. */
  readonly profiles?: (from?: bigint) => string
  readonly measure: Combined | undefined
  /** An expression for the step of a profile, if the result has steps. */
  readonly step: string | undefined
  readonly columns: readonly string[]
}

export interface ProfileRowsQuery {
  readonly sql: string
  /** The factor of a row's values: ` * row_sign`. */
  readonly factor: string
  /** Columns that the factor needs, and `row_step`, in addition to those in the options. */
  readonly own: readonly string[]
}

const INSTANCE = 'series, attributes'
const PROFILE = ['request', 'received', 'scope_index', 'item_index'] as const
const PROFILE_LIST = PROFILE.join(', ')
/** The end of a cumulative profile. Equal ends are decided by the total, which only grows. */
const LATEST_END = 'time_unix_nano + duration_nano DESC, total DESC'

export function profileRows(options: ProfileRowsOptions): ProfileRowsQuery {
  const { running, table, columns, where, profiles = where } = options
  if (!running.timesPeriod) return combinedRows(options)
  const isOfProfiles = table === undefined
  const own = isOfProfiles ? ['period AS row_period'] : PROFILE
  const rows = combinedRows({ ...options, columns: [...columns, ...own] })
  const given = { factor: ` * row_period${rows.factor}`, own: [...rows.own, 'row_period'] }
  if (isOfProfiles) return { ...given, sql: rows.sql }
  // Samples of spans have no period; their profiles do.
  const periods = `SELECT ${PROFILE_LIST}, period AS row_period FROM profiles WHERE ${profiles(0n)}`
  const names = listed([...namesOf(columns), ...given.own])
  const sql = `SELECT ${names} FROM (${rows.sql}) AS row_samples INNER JOIN (${periods}) AS row_periods USING (${PROFILE_LIST})`
  return { ...given, sql }
}

function combinedRows(options: ProfileRowsOptions): ProfileRowsQuery {
  const { table = 'profiles', columns, where } = options
  const combination = combinationOf(options.measure)
  if (combination === 'sum') {
    return { sql: `SELECT ${listed(columns)} FROM ${table} WHERE ${where()}`, factor: '', own: [] }
  }
  const { chosen, factor, own, from, since = '' } = chosenProfiles(options, combination)
  return {
    sql:
      `SELECT ${listed([...namesOf(columns), ...own])} FROM (SELECT ${listed([...columns, ...PROFILE])} FROM ${table} ` +
      `WHERE ${where(from)}${since} AND (${PROFILE_LIST}) GLOBAL IN (SELECT ${PROFILE_LIST} FROM (${chosen}))) AS row_source ` +
      `INNER JOIN (${chosen}) AS row_chosen USING (${PROFILE_LIST})`,
    factor,
    own,
  }
}

function listed(columns: readonly string[]): string {
  return [...new Set(columns)].join(', ')
}

interface Chosen extends Omit<ProfileRowsQuery, 'sql'> {
  /** A statement with the profiles that count and the columns of `own`. */
  readonly chosen: string
  /** The start of the rows that are read, and a condition on it; the start of the range unless given. */
  readonly from?: bigint
  readonly since?: string
}

function chosenProfiles(options: ProfileRowsOptions, combination: Exclude<Combination, 'sum'>): Chosen {
  const { where, profiles = where, step = '0' } = options
  const rows = `SELECT ${PROFILE_LIST}, toInt64(${step}) AS row_step FROM profiles WHERE ${profiles()}`
  const oneOf = (order: string): Chosen => ({
    chosen: `${rows} ORDER BY ${order} LIMIT 1 BY ${INSTANCE}, row_step`,
    factor: '',
    own: ['row_step'],
  })
  switch (combination) {
    case 'latest':
      return oneOf('time DESC, total DESC')
    case 'maximum':
      return oneOf('total DESC, time DESC')
    case 'average':
      return averagedProfiles(profiles(), step)
    case 'cumulative':
      return increases(options)
  }
}

/**
 * Each instance counts by the share of time in which it is present. Otherwise, ten instances that replace ten others in the
 * range would double the result. An instance is present from its first to its last snapshot and one interval longer. It is
 * present from the start if its first snapshot is less than an interval later than that of the others.
 *
 *   first  S     ●   ●   ●                      S and E: the first and the last snapshot of all instances
 *   other  ·     ·   ·   · ●   ●   ●  E         presence: 4 and 3 of 7 intervals
 *
 * An instance with a single snapshot has the interval of its series, or else the longest of the others. If all have a single
 * one, all are present.
 */
function averagedProfiles(where: string, step: string): Chosen {
  const rows =
    `SELECT ${INSTANCE}, ${PROFILE_LIST}, toInt64(${step}) AS row_step, toUnixTimestamp64Nano(time) AS row_time ` +
    `FROM profiles WHERE ${where}`
  const over = (by: string): string => `OVER (PARTITION BY ${by})`
  const [ofInstance, ofSeries, ofStep] = [over(`${INSTANCE}, row_step`), over('series, row_step'), over('row_step')]
  const extent = (name: string, window: string): string =>
    `min(row_time) ${window} AS ${name}_first, max(row_time) ${window} AS ${name}_last`
  const interval = (name: string): string => `(${name}_last - ${name}_first) / (${name}_times - 1)`
  // The number of different times: profiles of one request can have the same.
  const counted =
    `SELECT *, count() ${ofInstance} AS row_snapshots, ${extent('own', ofInstance)}, ${extent('series', ofSeries)}, ` +
    `${extent('all', ofStep)}, uniqExact(row_time) ${ofInstance} AS own_times, uniqExact(row_time) ${ofSeries} AS series_times ` +
    `FROM (${rows})`
  const longest = `SELECT *, max(if(own_times > 1, ${interval('own')}, 0)) ${ofStep} AS longest_interval FROM (${counted})`
  const ownInterval =
    `multiIf(own_times > 1, ${interval('own')}, series_times > 1, ${interval('series')}, ` +
    'longest_interval > 0, longest_interval, all_last - all_first + 1.)'
  const presence =
    'least(toFloat64(all_last), own_last + row_interval) - if(own_first - all_first < row_interval, all_first, own_first)'
  return {
    chosen:
      `SELECT ${PROFILE_LIST}, row_step, row_snapshots, ` +
      `if(all_last = all_first, 1., (${presence}) / (all_last - all_first)) AS row_share ` +
      `FROM (SELECT *, ${ownInterval} AS row_interval FROM (${longest}))`,
    factor: ' / row_snapshots * row_share',
    own: ['row_step', 'row_snapshots', 'row_share'],
  }
}

/**
 * A cumulative profile counts positively in its own step and negatively in the next step in which its instance has a profile
 * with the same start. Profiles before the range have the step -1. Delta profiles count in their own step.
 */
function increases(options: ProfileRowsOptions): Chosen {
  const { running, values, where, profiles = where, step = '0' } = options
  const { from, exact } = running
  const isCumulative = `attributes GLOBAL IN (${cumulativeSets(running.tenant, values)})`
  // The range of an exact query applies to timestamps. The last profile has all of them, and no profile precedes it.
  const isEarlier = exact ? '0' : `time < ${values.time(from)}`
  const stepOf = `if(${isEarlier}, toInt64(-1), toInt64(${step}))`
  const none = PROFILE.map(name => `defaultValueOfArgumentType(${name})`).join(', ')
  const key = `${INSTANCE}, time_unix_nano, row_single`
  const single = `if(${isCumulative}, (${none}), (${PROFILE_LIST})) AS row_single`
  // A profile before the range matters if it has the start of one in the range.
  const earliest = values.time(from > LOOK_BACK ? from - LOOK_BACK : 0n)
  const since =
    ` AND time >= (SELECT least(${earliest}, fromUnixTimestamp64Nano(min(${startOf()}))) ` +
    `FROM profiles WHERE ${profiles()} AND ${isCumulative})`
  const rows = exact ? profiles() : `${profiles(0n)}${since}`
  const last =
    `SELECT ${PROFILE_LIST}, ${key.replace('row_single', single)}, time_unix_nano + duration_nano AS row_end, ${stepOf} AS own_step ` +
    `FROM profiles WHERE ${rows} ORDER BY ${LATEST_END} LIMIT 1 BY ${key}, own_step`
  const next =
    'leadInFrame(toNullable(own_step)) OVER ' +
    `(PARTITION BY ${key} ORDER BY row_end, own_step ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`
  return {
    chosen:
      `SELECT ${PROFILE_LIST}, each.1 AS row_step, each.2 AS row_sign FROM (SELECT *, ${next} AS next_step FROM (${last})) ` +
      'ARRAY JOIN [(own_step, toInt8(1)), (ifNull(next_step, toInt64(-1)), toInt8(-1))] AS each WHERE each.1 >= 0',
    factor: ' * row_sign',
    own: ['row_step', 'row_sign'],
    ...(exact ? {} : { from: 0n, since }),
  }
}

/** The names of columns, some of which are expressions with an alias. */
function namesOf(columns: readonly string[]): string[] {
  return columns.map(column => column.slice(column.lastIndexOf(' AS ') + 1).replace(/^AS /, ''))
}
