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
import { wordsOf } from '../trees/stack-sums.ts'

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
}

/** `block` is the length of a block in nanoseconds. Throws QueryError if the values cannot be added up. */
export async function sumRuns(context: QueryContext, query: Query, block: bigint): Promise<RunSums> {
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  const measured = await measure(selection, context.temporalities)
  const resident = context.residents.of(running.tenant)
  const empty = new Int32Array(0)
  if (measured.series.length === 0) {
    const none = new Float64Array(0)
    return { measure: measured, resident, stacks: empty, instance: empty, block: empty, weight: none, variance: none }
  }
  const values = new Values()
  const instances = [...new Set(measured.series.map(({ resource }) => resource))]
  const numbers = measured.series.map(({ resource }) => instances.indexOf(resource))
  const instance = `transform(series, ${values.ids(measured.series.map(({ id }) => id))}, ${values.add('Array(UInt32)', numbers)}, toUInt32(0))`
  const from = samplesFrom(selection, values, measured, true, { row: ['period'] })
  // The increase of a cumulative profile has no block of its own.
  const number =
    combinationOf(measured) === 'cumulative'
      ? 'toUInt32(0)'
      : `toUInt32(intDiv(toUnixTimestamp64Nano(time) - ${values.add('Int64', running.from)}, ${values.add('Int64', block)}))`
  const rows = await running.selectLimited(
    `SELECT stack, ${instance} AS instance, ${number} AS block_number, toFloat64(sum(total)) AS weight, ` +
      `sum(${varianceOf(measured)}) AS variance ${from} GROUP BY stack, instance, block_number`,
    values.all,
    'stacks of runs',
  )
  if (rows.rows === 0) {
    const none = new Float64Array(0)
    return { measure: measured, resident, stacks: empty, instance: empty, block: empty, weight: none, variance: none }
  }
  const ids = wordsOf(rows.column('stack').raw)
  await resident.symbols.load(running, ids)
  const numbersIn = (name: string): Int32Array =>
    Int32Array.from({ length: rows.rows }, (_, row) => rows.column(name).number(row))
  const doublesIn = (name: string): Float64Array =>
    Float64Array.from({ length: rows.rows }, (_, row) => rows.column(name).number(row))
  return {
    measure: measured,
    resident,
    stacks: resident.symbols.numbers(ids),
    instance: numbersIn('instance'),
    block: numbersIn('block_number'),
    weight: doublesIn('weight'),
    variance: doublesIn('variance'),
  }
}

/** The variance of a sample's total. Like observations.ts of the library, for stored rows. */
function varianceOf({ series: [{ periodUnit }], unit }: Measure): string {
  const size = 'abs(toFloat64(total))'
  const single = `${size} * ${size}`
  const [own, period] = [canonicalUnit(unit), canonicalUnit(periodUnit)]
  if (own === period) return `if(period > 0, least(${single}, ${size} * toFloat64(period)), ${single})`
  return own === canonicalUnit('count') && period !== canonicalUnit('bytes') ? `least(${single}, ${size})` : single
}
