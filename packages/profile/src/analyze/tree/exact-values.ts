// Sums of 64-bit values. Flame graphs are drawn and sorted by doubles, which are exact below 2^53. Above that, a second
// column keeps the sums modulo 2^64. Both together give the true sum, whatever its size, because a double is never off by
// anything near 2^64 (rounding 100,000 values of 2^63 adds up to less than 2^44):
//
//   three samples of 2^62     self       1.3835058055282164e19
//                             selfExact  -4611686018427387904n      3 * 2^62 - 2^64: it left the int64 range
//                             exactSelf  13835058055282163712n      the remainder plus the 2^64 that the double implies

const TWO_63 = 2 ** 63
const TWO_64 = 2 ** 64

/**
 * While the magnitudes of values sum up to at most this, doubles are exact in every order of adding. It is 2^53 - 1,
 * because a sum of 2^53 may be a rounded 2^53 + 1.
 */
export const EXACT_LIMIT = Number.MAX_SAFE_INTEGER

/** Columns of values, one row per node of a tree or row of a table. */
export interface ValueColumns {
  readonly self: Float64Array
  readonly total: Float64Array
  /**
   * The same sums modulo 2^64; read them with exactSelf and exactTotal. Undefined where doubles are exact: the magnitudes
   * of all values sum up to less than 2^53.
   */
  readonly selfExact: BigInt64Array | undefined
  readonly totalExact: BigInt64Array | undefined
}

/** One column of values: doubles, and the exact sums modulo 2^64 unless the doubles are exact. */
export interface Weights {
  readonly weight: Float64Array
  readonly exact: BigInt64Array | undefined
}

export function exactSelf(columns: ValueColumns, i: number): bigint {
  return exactSum(columns.self[i], columns.selfExact?.[i])
}

export function exactTotal(columns: ValueColumns, i: number): bigint {
  return exactSum(columns.total[i], columns.totalExact?.[i])
}

/** The true sum from a nearby double and the remainder modulo 2^64. Without a remainder, the double rounded to an integer. */
export function exactSum(near: number, remainder: bigint | undefined): bigint {
  // Only scaled values (a normalised diff) are not integers.
  if (remainder === undefined) return BigInt(Math.round(near))
  const turns = Math.round((near - Number(remainder)) / TWO_64)
  return turns === 0 ? remainder : remainder + BigInt(turns) * 2n ** 64n
}

/** The sum of all weights, exact whatever its size. */
export function sumOf({ weight, exact }: Weights): bigint {
  let near = 0
  for (let s = 0; s < weight.length; s++) near += weight[s]
  if (exact === undefined) return exactSum(near, undefined)
  let remainder = 0n
  for (let s = 0; s < exact.length; s++) remainder = BigInt.asIntN(64, remainder + exact[s])
  return exactSum(near, remainder)
}

/** Whether a sum in the (settled) columns left the range of int64, so that its exact column holds only the remainder. */
export function overflows({ self, total, selfExact, totalExact }: ValueColumns): boolean {
  return leavesInt64(self, selfExact) || leavesInt64(total, totalExact)
}

function leavesInt64(near: Float64Array, remainder: BigInt64Array | undefined): boolean {
  if (remainder === undefined) return false
  for (let i = 0; i < near.length; i++) {
    // A sum whose nearest double is within the range is within it too. Only doubles at the limits are ambiguous.
    if (Math.abs(near[i]) >= TWO_63 && exactSum(near[i], remainder[i]) !== remainder[i]) return true
  }
  return false
}

/** Replaces doubles that carry rounding errors of their additions by the doubles nearest to the exact sums. */
export function settle(near: Float64Array, remainder: BigInt64Array | undefined): void {
  if (remainder === undefined) return
  for (let i = 0; i < near.length; i++) near[i] = Number(exactSum(near[i], remainder[i]))
}

/** Orders rows a and b of a settled column, greater first. */
export function descending(near: Float64Array, remainder: BigInt64Array | undefined, a: number, b: number): number {
  const difference = near[b] - near[a]
  if (difference !== 0 || remainder === undefined) return difference
  // Sums with the same nearest double are close, so their true difference is the one modulo 2^64.
  return Number(BigInt.asIntN(64, remainder[b] - remainder[a]))
}

/** The rows of the columns in the given order. */
export function pickRows(columns: ValueColumns, rows: Int32Array | Uint32Array): ValueColumns {
  const { self, total, selfExact, totalExact } = columns
  return {
    self: pickDoubles(self, rows),
    total: pickDoubles(total, rows),
    selfExact: selfExact && pickLongs(selfExact, rows),
    totalExact: totalExact && pickLongs(totalExact, rows),
  }
}

export function pickDoubles(column: Float64Array, rows: Int32Array | Uint32Array): Float64Array {
  const picked = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]]
  return picked
}

export function pickLongs(column: BigInt64Array, rows: Int32Array | Uint32Array): BigInt64Array {
  const picked = new BigInt64Array(rows.length)
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]]
  return picked
}

/** after - before, row by row. */
export function differences(before: ValueColumns, after: ValueColumns): ValueColumns {
  const self = difference(before.self, before.selfExact, after.self, after.selfExact)
  const total = difference(before.total, before.totalExact, after.total, after.totalExact)
  return { self: self.weight, total: total.weight, selfExact: self.exact, totalExact: total.exact }
}

function difference(
  before: Float64Array,
  beforeExact: BigInt64Array | undefined,
  after: Float64Array,
  afterExact: BigInt64Array | undefined,
): Weights {
  const weight = after.map((value, i) => value - before[i])
  if (beforeExact === undefined || afterExact === undefined) return { weight, exact: undefined }
  const exact = new BigInt64Array(weight.length)
  for (let i = 0; i < weight.length; i++) {
    exact[i] = BigInt.asIntN(64, afterExact[i] - beforeExact[i])
    weight[i] = Number(exactSum(weight[i], exact[i]))
  }
  return { weight, exact }
}

/** All values multiplied by a factor. Scaled values need not be integers, so they have no exact column. */
export function scaled(columns: ValueColumns, scale: number): ValueColumns {
  if (scale === 1) return columns
  return {
    self: columns.self.map(value => value * scale),
    total: columns.total.map(value => value * scale),
    selfExact: undefined,
    totalExact: undefined,
  }
}

/** The factor that makes `before` as large as `after`. It is 1 for zero sums and sums of different signs. */
export function scaleFor(before: bigint, after: bigint): number {
  return before * after > 0n ? Number(after) / Number(before) : 1
}
