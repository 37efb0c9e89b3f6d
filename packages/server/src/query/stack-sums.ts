// How much each stack of a selection weighs, summed by the engine: one pass over the samples, GROUP BY stack.
//
// Sums are of 64 bits and, beside them, the magnitude of what went in as a double. Where that shows that some sum may have
// left 64 bits, everything is asked for once more in 128: so the usual question costs no more than it has to.
import type { Measure } from './measure.ts'
import { samplesFrom } from './samples-sql.ts'
import type { Selection } from './selection.ts'
import { Values } from './statement.ts'

export interface StackSums {
  readonly length: number
  /** Two words an id, low first. */
  readonly ids: Int32Array
  readonly weight: Float64Array
  /** Modulo 2^64; undefined where doubles are exact, that is where all magnitudes sum up to less than 2^53. */
  readonly exact: BigInt64Array | undefined
  /** The sum of the samples' magnitudes. */
  readonly magnitude: number
}

/** Below it no sum of 64 bits has turned round, whatever the rounding of the magnitude. */
const SURELY_64_BITS = 2 ** 62

/** What has to be known of what is summed. */
type Summed = Pick<Measure, 'series' | 'factors' | 'overflowed' | 'temporality'>

export async function stackSums(selection: Selection, measure: Summed): Promise<StackSums> {
  if (measure.series.length === 0) return EMPTY
  const wide = measure.overflowed || measure.factors.size > 0
  return (wide ? undefined : await sums64(selection, measure)) ?? (await sums128(selection, measure))
}

const EMPTY: StackSums = {
  length: 0,
  ids: new Int32Array(0),
  weight: new Float64Array(0),
  exact: undefined,
  magnitude: 0,
}

const STACKS = 'stacks'

/** Undefined where 64 bits may not have been enough. */
async function sums64(selection: Selection, measure: Summed): Promise<StackSums | undefined> {
  const values = new Values()
  const block = await selection.asking.selectLimited(
    'SELECT stack, sum(total) AS sum, sum(abs(toFloat64(total))) AS size ' +
      `${samplesFrom(selection, values, measure, false)} GROUP BY stack`,
    values.all,
    STACKS,
  )
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
  return withoutNothing({ length: rows, ids: wordsOf(block.column('stack').raw), weight, exact, magnitude }, sizes)
}

async function sums128(selection: Selection, measure: Summed): Promise<StackSums> {
  const values = new Values()
  const block = await selection.asking.selectLimited(
    'SELECT stack, sum(total) AS sum, sum(abs(toFloat64(total))) AS size ' +
      `${samplesFrom(selection, values, measure, true)} GROUP BY stack`,
    values.all,
    STACKS,
  )
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
  return withoutNothing({ length: rows, ids: wordsOf(block.column('stack').raw), weight, exact, magnitude }, sizes)
}

/** Leaves out stacks that have nothing but zeros. */
function withoutNothing(sums: StackSums, sizes: Float64Array): StackSums {
  if (!sizes.includes(0)) return sums
  const rows: number[] = []
  for (let row = 0; row < sums.length; row++) if (sizes[row] !== 0) rows.push(row)
  const ids = new Int32Array(2 * rows.length)
  for (const [at, row] of rows.entries()) {
    ids[2 * at] = sums.ids[2 * row]
    ids[2 * at + 1] = sums.ids[2 * row + 1]
  }
  const { exact } = sums
  return {
    length: rows.length,
    ids,
    weight: Float64Array.from(rows, row => sums.weight[row]),
    exact: exact && BigInt64Array.from(rows, row => exact[row]),
    magnitude: sums.magnitude,
  }
}

/** The bytes of a column, where its numbers can be read: at a multiple of their width. */
function aligned(raw: Uint8Array, width: number): Uint8Array {
  return raw.byteOffset % width === 0 ? raw : new Uint8Array(raw)
}

export function wordsOf(raw: Uint8Array): Int32Array {
  const bytes = aligned(raw, 4)
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

export function longsOf(raw: Uint8Array): BigInt64Array {
  const bytes = aligned(raw, 8)
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
}

export function doublesOf(raw: Uint8Array): Float64Array {
  const bytes = aligned(raw, 8)
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
}
