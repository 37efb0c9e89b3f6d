// Sums of 64-bit values. Doubles are what flame graphs are drawn and sorted with, and are exact below 2^53; from there on a
// second column keeps the sums modulo 2^64. The two together give the true sum whatever its size, since a double is never
// off by anything near 2^64 (rounding 100,000 values of 2^63 adds up to less than 2^44):
//
//   three samples of 2^62     self       1.3835058055282164e19
//                             selfExact  -4611686018427387904n      3 * 2^62 - 2^64, it left the int64 range
//                             exactSelf  13835058055282163712n      the column, and the 2^64 that the double tells of

const TWO_63 = 2 ** 63
const TWO_64 = 2 ** 64

/**
 * While the magnitudes of values sum up to no more than this, doubles are exact in every order of adding. It is 2^53 - 1,
 * because a sum of 2^53 may be one of 2^53 + 1 that was rounded.
 */
export const EXACT_LIMIT = Number.MAX_SAFE_INTEGER

/** Columns of values, one row per node of a tree or row of a table. */
export interface ValueColumns {
  readonly self: Float64Array
  readonly total: Float64Array
  /**
   * The same as exact sums modulo 2^64; read them by exactSelf and exactTotal. Undefined where doubles are exact anyway:
   * the magnitudes of all values sum up to less than 2^53.
   */
  readonly selfExact: BigInt64Array | undefined
  readonly totalExact: BigInt64Array | undefined
}

export function exactSelf(columns: ValueColumns, i: number): bigint {
  return exactSum(columns.self[i], columns.selfExact?.[i])
}

export function exactTotal(columns: ValueColumns, i: number): bigint {
  return exactSum(columns.total[i], columns.totalExact?.[i])
}

/** The true sum from a double near it and its remainder modulo 2^64; without the latter the double is it, or gets rounded. */
export function exactSum(near: number, remainder: bigint | undefined): bigint {
  // Only values that were scaled (a normalised diff) are not whole.
  if (remainder === undefined) return BigInt(Math.round(near))
  const turns = Math.round((near - Number(remainder)) / TWO_64)
  return turns === 0 ? remainder : remainder + BigInt(turns) * 2n ** 64n
}

/** Whether a sum in the (settled) columns left the range of int64, so that its exact column holds only the remainder. */
export function overflows({ self, total, selfExact, totalExact }: ValueColumns): boolean {
  return leavesInt64(self, selfExact) || leavesInt64(total, totalExact)
}

function leavesInt64(near: Float64Array, remainder: BigInt64Array | undefined): boolean {
  if (remainder === undefined) return false
  for (let i = 0; i < near.length; i++) {
    // Every sum whose nearest double is within is so itself; only at the limits the double does not tell.
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
