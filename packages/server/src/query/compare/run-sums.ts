// The samples of a query summed by stack and run, with their variance: the data of a comparison with significance. A run is an
// instance in a block of time.
import { canonicalUnit } from '@hearth/profile'
import type { QueryContext } from '../query-context.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { Resident } from '../resident/residents.ts'
import type { Measure } from '../select/measure.ts'
import { measure } from '../select/measure.ts'
import { combinationOf } from '../select/profile-rows.ts'
import { samplesFrom } from '../select/samples-sql.ts'
import { resolve } from '../select/selection.ts'
import { Values } from '../statement.ts'
import { int32sOf } from '../../store/native/raw-numbers.ts'
import { NO_WARM_UPS, warmUps } from './instance-starts.ts'

export interface RunSums {
  readonly measure: Measure
  readonly resident: Resident
  /** The resident stack of each row. */
  readonly stacks: Int32Array
  readonly instance: Int32Array
  readonly block: Int32Array
  readonly weight: Float64Array
  /** The sum of the squared weights of the observations. */
  readonly variance: Float64Array
  /** The part of the time of all instances that counts. */
  readonly counted: number
}

export interface RunsChoice {
  /** The length of a block in nanoseconds. */
  readonly block: bigint
  /** Nanoseconds after the start of a process that do not count; none unless given. */
  readonly warmUp?: bigint
}

/** The block of rows that do not count. */
const WARM_UP = 0xffff_ffff

/** Throws QueryError if the values cannot be added up. */
export async function sumRuns(
  context: QueryContext,
  query: Query,
  { block, warmUp = 0n }: RunsChoice,
): Promise<RunSums> {
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const measured = await measure(selection, context.temporalities)
  const resident = context.residents.of(running.tenant)
  const empty = new Int32Array(0)
  const none = new Float64Array(0)
  const nothing = {
    measure: measured,
    resident,
    stacks: empty,
    instance: empty,
    block: empty,
    weight: none,
    variance: none,
    counted: 1,
  }
  if (measured.series.length === 0) return nothing
  const values = new Values()
  const instances = [...new Set(measured.series.map(({ resource }) => resource))]
  const numbers = measured.series.map(({ resource }) => instances.indexOf(resource))
  const instance = `transform(series, ${values.ids(measured.series.map(({ id }) => id))}, ${values.add('Array(UInt32)', numbers)}, toUInt32(0))`
  const from = samplesFrom(selection, values, measured, true, { row: ['period'] })
  const at = 'toUnixTimestamp64Nano(time)'
  // The increase of a cumulative profile has no block of its own, and snapshots of one process repeat what is still there.
  const inRange =
    combinationOf(measured) === 'sum'
      ? `toUInt32(intDiv(${at} - ${values.add('Int64', running.from)}, ${values.add('Int64', block)}))`
      : 'toUInt32(0)'
  const { ends, counted: part } = warmUp === 0n ? NO_WARM_UPS : await warmUps(context, query, warmUp)
  const starting = measured.series.filter(({ resource }) => ends.has(resource))
  const until = (): string =>
    `transform(series, ${values.ids(starting.map(({ id }) => id))}, ` +
    `${values.add(
      'Array(Int64)',
      starting.map(({ resource }) => ends.get(resource)!),
    )}, toInt64(0))`
  const hasWarmUp = starting.length > 0 && combinationOf(measured) !== 'cumulative'
  const number = hasWarmUp ? `if(${at} < ${until()}, toUInt32(${WARM_UP}), ${inRange})` : inRange
  const rows = await running.selectLimited(
    `SELECT stack, ${instance} AS instance, ${number} AS block_number, toFloat64(sum(total)) AS weight, ` +
      `sum(${varianceOf(measured)}) AS variance ${from} GROUP BY stack, instance, block_number`,
    values.all,
    'stacks of runs',
  )
  if (rows.rows === 0) return nothing
  const ids = int32sOf(rows.column('stack').raw)
  await resident.symbols.load(running, ids)
  const blocks = rows.column('block_number')
  const counted = Uint32Array.from({ length: rows.rows }, (_, row) => row).filter(row => blocks.number(row) !== WARM_UP)
  const numbersIn = (name: string): Int32Array => Int32Array.from(counted, row => rows.column(name).number(row))
  const doublesIn = (name: string): Float64Array => Float64Array.from(counted, row => rows.column(name).number(row))
  const stacks = resident.symbols.numbers(ids)
  return {
    measure: measured,
    resident,
    stacks: Int32Array.from(counted, row => stacks[row]),
    instance: numbersIn('instance'),
    block: numbersIn('block_number'),
    weight: doublesIn('weight'),
    variance: doublesIn('variance'),
    counted: part,
  }
}

/** The variance of a sample's total. Like observations.ts of the library, for stored rows. */
function varianceOf({ series: [{ periodUnit }], unit }: Measure): string {
  const size = 'abs(toFloat64(total))'
  const single = `${size} * ${size}`
  const [own, period] = [canonicalUnit(unit), canonicalUnit(periodUnit)]
  // A period of one is that of measured values, see the library.
  const isCount = own === canonicalUnit('count')
  if (own === period) return `if(period > ${isCount ? 0 : 1}, least(${single}, ${size} * toFloat64(period)), ${single})`
  return isCount && period !== canonicalUnit('bytes') ? `least(${single}, ${size})` : single
}
