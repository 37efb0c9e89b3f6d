/** The integer nearest to a / b for b > 0, half up. */
export function dividedToNearest(a: bigint, b: bigint): bigint {
  const twice = 2n * a + b
  const quotient = twice / (2n * b)
  return twice < 0n && quotient * 2n * b !== twice ? quotient - 1n : quotient
}
