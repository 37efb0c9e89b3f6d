// The samples of a selection summed by stack. The engine sums them in one pass: GROUP BY stack.
//
// Sums have 64 bits. Beside them, the engine sums the magnitudes as doubles. If those show that a sum may exceed 64
// bits, the statement runs again with 128 bits. So the usual query costs no more than necessary.
import type { Measure } from '../select/measure.ts'
import { combinationOf } from '../select/profile-rows.ts'
import type { Block } from '../../store/native/block.ts'
import type { Selection } from '../select/selection.ts'
import type { Grouping } from '../select/series-grouping.ts'
import type { RowRoots } from './stack-roots.ts'
import { rootColumns, rootedFrom, rowRoots } from './stack-roots.ts'
import { doublesOf, int32sOf, longsOf } from '../../store/native/raw-numbers.ts'
import { Values } from '../statement.ts'

export interface StackSums {
  readonly length: number
  /** Two words per id, low word first. */
  readonly ids: Int32Array
  readonly weight: Float64Array
  /** Modulo 2^64. Undefined if doubles are exact: all magnitudes together are below 2^53. */
  readonly exact: BigInt64Array | undefined
  /** The sum of the samples' magnitudes. */
  readonly magnitude: number
  /** The root values of each row. A stack occurs once for each of them. */
  readonly roots: RowRoots | undefined
}

/** Below this, no sum has overflowed 64 bits, whatever the rounding of the magnitude. */
const SURELY_64_BITS = 2 ** 62

/** The required properties of the summed values. */
type Summed = Pick<Measure, 'series' | 'factors' | 'overflowed' | 'cumulative' | 'snapshots'>

/** `grouping` is the grouping of the roots. */
export async function stackSums(selection: Selection, measure: Summed, grouping?: Grouping): Promise<StackSums> {
  if (measure.series.length === 0) return EMPTY
  if (combinationOf(measure) === 'average') return await averages(selection, measure, grouping)
  const wide = measure.overflowed || measure.factors.size > 0 || selection.running.timesPeriod
  return (
    (wide ? undefined : await sums64(selection, measure, grouping)) ?? (await sums128(selection, measure, grouping))
  )
}

const EMPTY: StackSums = {
  length: 0,
  ids: new Int32Array(0),
  weight: new Float64Array(0),
  exact: undefined,
  magnitude: 0,
  roots: undefined,
}

async function selectSums(selection: Selection, measure: Summed, wide: boolean, grouping?: Grouping): Promise<Block> {
  const values = new Values()
  const combination = combinationOf(measure)
  const by = ['stack', ...rootColumns(grouping)].join(', ')
  const isPlain = combination === 'sum' && !wide && !selection.bySample && grouping === undefined
  const from = isPlain ? plainFrom(selection, values, measure) : rootedFrom(selection, values, measure, wide, grouping)
  return await selection.running.selectLimited(
    `SELECT ${by}, sum(total) AS sum, sum(abs(toFloat64(total))) AS size ${from} GROUP BY ${by}` +
      // An increase of zero is not a value; averages are rounded in a fixed order.
      (combination === 'cumulative' ? ' HAVING sum != 0' : combination === 'average' ? ` ORDER BY ${by}` : ''),
    values.all,
    'stacks',
  )
}

/**
 * All samples of profiles. The engine takes longer to analyse a small statement than to run it. So this has no subquery, and no
 * column that the sum does not need. PREWHERE selects profiles before their arrays are joined.
 */
function plainFrom(selection: Selection, values: Values, { series }: Summed): string {
  return (
    'FROM profiles ARRAY JOIN sample_stacks AS stack, totals AS total ' +
    `PREWHERE ${selection.rowsWhere(values, series)}`
  )
}

/** Undefined if 64 bits may be too few. */
async function sums64(
  selection: Selection,
  measure: Summed,
  grouping: Grouping | undefined,
): Promise<StackSums | undefined> {
  const block = await selectSums(selection, measure, false, grouping)
  const { rows } = block
  if (rows === 0) return EMPTY
  const sums = longsOf(block.column('sum').raw)
  const sizes = doublesOf(block.column('size').raw)
  let magnitude = 0
  for (let row = 0; row < rows; row++) {
    if (sizes[row] >= SURELY_64_BITS) return undefined
    magnitude += sizes[row]
  }
  const weight = new Float64Array(rows)
  for (let row = 0; row < rows; row++) weight[row] = Number(sums[row])
  const exact = magnitude > Number.MAX_SAFE_INTEGER ? sums : undefined
  return withoutNothing({ ...stacksIn(block, grouping), weight, exact, magnitude }, sizes)
}

async function sums128(selection: Selection, measure: Summed, grouping: Grouping | undefined): Promise<StackSums> {
  const block = await selectSums(selection, measure, true, grouping)
  const { rows } = block
  if (rows === 0) return EMPTY
  const sums = block.column('sum')
  const sizes = doublesOf(block.column('size').raw)
  const weight = new Float64Array(rows)
  const exact = new BigInt64Array(rows)
  let magnitude = 0
  for (let row = 0; row < rows; row++) {
    const sum = sums.bigint(row)
    weight[row] = Number(sum)
    exact[row] = BigInt.asIntN(64, sum)
    magnitude += sizes[row]
  }
  return withoutNothing({ ...stacksIn(block, grouping), weight, exact, magnitude }, sizes)
}

/**
 * Sums of averages. Each is rounded so that the sum of all is the rounded sum: a series chart of the same range has the
 * same total.
 */
async function averages(selection: Selection, measure: Summed, grouping: Grouping | undefined): Promise<StackSums> {
  const block = await selectSums(selection, measure, true, grouping)
  const { rows } = block
  if (rows === 0) return EMPTY
  const sums = doublesOf(block.column('sum').raw)
  const weight = new Float64Array(rows)
  let exactSum = 0
  let roundedSum = 0
  let magnitude = 0
  for (let row = 0; row < rows; row++) {
    exactSum += sums[row]
    weight[row] = Math.round(exactSum) - roundedSum
    roundedSum += weight[row]
    magnitude += Math.abs(weight[row])
  }
  const exact =
    magnitude > Number.MAX_SAFE_INTEGER
      ? BigInt64Array.from(weight, value => BigInt.asIntN(64, BigInt(value)))
      : undefined
  return withoutNothing({ ...stacksIn(block, grouping), weight, exact, magnitude }, weight)
}

function stacksIn(block: Block, grouping: Grouping | undefined): Pick<StackSums, 'length' | 'ids' | 'roots'> {
  const roots = grouping && rowRoots(block, grouping)
  return { length: block.rows, ids: int32sOf(block.column('stack').raw), roots }
}

/** Drops stacks whose samples are all zero. */
function withoutNothing(sums: StackSums, sizes: Float64Array): StackSums {
  if (!sizes.includes(0)) return sums
  const rows: number[] = []
  for (let row = 0; row < sums.length; row++) if (sizes[row] !== 0) rows.push(row)
  const ids = new Int32Array(2 * rows.length)
  for (const [at, row] of rows.entries()) {
    ids[2 * at] = sums.ids[2 * row]
    ids[2 * at + 1] = sums.ids[2 * row + 1]
  }
  const { exact, roots } = sums
  return {
    length: rows.length,
    ids,
    weight: Float64Array.from(rows, row => sums.weight[row]),
    exact: exact && BigInt64Array.from(rows, row => exact[row]),
    magnitude: sums.magnitude,
    roots: roots && { ...roots, labels: Int32Array.from(rows, row => roots.labels[row]) },
  }
}
