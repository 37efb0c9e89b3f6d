// Rows of `profiles` in a statement, and how they combine over time.
//
//   sum          every profile counts
//   latest       the last profile of each instance
//   maximum      the profile of each instance with the greatest total
//   average      every profile, divided by the number of profiles of its instance
//   cumulative   the increase: the last profile of each instance and start time, minus the last one before the range
//
// An instance is a series with one set of attributes. In a series chart, all of this applies to each step.
import type { SnapshotMode } from '@hearth/profile'
import type { RunningQuery } from '../query.ts'
import type { Values } from '../statement.ts'
import type { Measure } from './measure.ts'
import { LOOK_BACK } from './observed.ts'

export type Combination = SnapshotMode | 'cumulative'

export function combinationOf(measure: Partial<Pick<Measure, 'temporality' | 'snapshots'>> | undefined): Combination {
  if (measure?.temporality === 'cumulative') return 'cumulative'
  return measure?.snapshots ?? 'sum'
}

export interface ProfileRowsOptions {
  readonly running: RunningQuery
  readonly values: Values
  /** The condition on rows. It begins at the given time instead of the start of the query's range, if there is one. */
  readonly where: (from?: bigint) => string
  readonly measure: Partial<Pick<Measure, 'temporality' | 'snapshots'>> | undefined
  /** An expression for the step of a row, if the result has steps. */
  readonly step: string | undefined
  /** Must contain `series`, `time` and `attributes`. */
  readonly columns: readonly string[]
}

export interface ProfileRowsQuery {
  readonly sql: string
  /** The factor of a row's values: ` * row_sign`. */
  readonly factor: string
  /** Columns that `factor` and `step` need, in addition to those in the options. */
  readonly own: readonly string[]
  /** The column with the step of a row. Undefined if it is the given expression. */
  readonly step: string | undefined
}

const INSTANCE = 'series, attributes'
/** The end of a cumulative profile. Equal ends are decided by the total, which only grows. */
const LATEST_END = 'time_unix_nano + duration_nano DESC, total DESC'

export function profileRows(options: ProfileRowsOptions): ProfileRowsQuery {
  const { measure, step, columns, where } = options
  const combination = combinationOf(measure)
  if (combination === 'cumulative') return cumulativeRows(options)
  const list = [...new Set(columns)].join(', ')
  const rows = `SELECT ${list} FROM profiles WHERE ${where()}`
  const plain = { factor: '', own: [], step: undefined }
  const each = step === undefined ? INSTANCE : `${INSTANCE}, ${step}`
  switch (combination) {
    case 'sum':
      return { sql: rows, ...plain }
    case 'latest':
      return { sql: `${rows} ORDER BY time DESC, total DESC LIMIT 1 BY ${each}`, ...plain }
    case 'maximum':
      return { sql: `${rows} ORDER BY total DESC, time DESC LIMIT 1 BY ${each}`, ...plain }
    case 'average':
      return averageRows(options)
  }
}

function averageRows({ columns, where, step }: ProfileRowsOptions): ProfileRowsQuery {
  const stepOf = `${step ?? 0} AS row_step`
  const names = namesOf(columns)
  return {
    sql:
      `SELECT ${[...names, 'row_step', 'row_snapshots'].join(', ')} ` +
      `FROM (SELECT ${[...new Set(columns)].join(', ')}, ${stepOf} FROM profiles WHERE ${where()}) AS snapshots ` +
      `INNER JOIN (SELECT ${INSTANCE}, ${stepOf}, count() AS row_snapshots FROM profiles WHERE ${where()} ` +
      `GROUP BY ${INSTANCE}, row_step) AS counts USING (${INSTANCE}, row_step)`,
    factor: ' / row_snapshots',
    own: ['row_step', 'row_snapshots'],
    step: 'row_step',
  }
}

/**
 * A profile counts positively in its own step and negatively in the next step in which its instance has a profile with
 * the same start. Profiles before the range have the step -1.
 */
function cumulativeRows({ running, values, columns, where, step }: ProfileRowsOptions): ProfileRowsQuery {
  const { from, exact } = running
  // The range of an exact query applies to timestamps, so no profile precedes it.
  const isEarlier = exact ? '0' : `time < ${values.time(from)}`
  const stepOf = `if(${isEarlier}, toInt64(-1), toInt64(${step ?? 0}))`
  const earliest = from > LOOK_BACK ? from - LOOK_BACK : 0n
  const key = `${INSTANCE}, time_unix_nano`
  const ends = ['time_unix_nano', 'time_unix_nano + duration_nano AS row_end', `${stepOf} AS own_step`]
  const last =
    `SELECT ${[...new Set([...columns, ...ends])].join(', ')} FROM profiles WHERE ${exact ? where() : where(earliest)} ` +
    `ORDER BY ${LATEST_END} LIMIT 1 BY ${key}, own_step`
  const names = namesOf(columns)
  const next =
    'leadInFrame(toNullable(own_step)) OVER ' +
    `(PARTITION BY ${key} ORDER BY row_end, own_step ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`
  const laidOut = `SELECT ${[...names, 'own_step'].join(', ')}, ${next} AS next_step FROM (${last})`
  return {
    sql:
      `SELECT ${[...names, 'each.1 AS row_step', 'each.2 AS row_sign'].join(', ')} FROM (${laidOut}) ` +
      'ARRAY JOIN [(own_step, toInt8(1)), (ifNull(next_step, toInt64(-1)), toInt8(-1))] AS each WHERE each.1 >= 0',
    factor: ' * row_sign',
    own: ['row_step', 'row_sign'],
    step: 'row_step',
  }
}

/** The names of columns, some of which are expressions with an alias. */
function namesOf(columns: readonly string[]): string[] {
  return [...new Set(columns.map(column => column.slice(column.lastIndexOf(' AS ') + 1).replace(/^AS /, '')))]
}
