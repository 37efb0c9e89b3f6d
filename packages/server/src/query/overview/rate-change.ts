// The change between two rates, with an interval from the variation between steps.

/** Both are 0 for no change, 0.5 for half more. */
export interface RateChange {
  readonly ratio: number
  /** The 95 % interval of the ratio; missing if there are too few steps. */
  readonly low?: number
  readonly high?: number
}

/** Fewer steps say nothing about their variation. */
const MIN_STEPS = 4
const Z_95 = 1.96

/** Rates by step. Returns undefined if there is no baseline. */
export function rateChange(before: readonly number[], after: readonly number[]): RateChange | undefined {
  const [a, b] = [momentsOf(before), momentsOf(after)]
  if (before.length === 0 || after.length === 0 || a.mean <= 0) return undefined
  const quotient = b.mean / a.mean
  const ratio = quotient - 1
  if (before.length < MIN_STEPS || after.length < MIN_STEPS || b.mean <= 0) return { ratio }
  // The relative variances of independent means add up.
  const relative = a.variance / (before.length * a.mean ** 2) + b.variance / (after.length * b.mean ** 2)
  const error = Z_95 * quotient * Math.sqrt(relative)
  return { ratio, low: ratio - error, high: ratio + error }
}

/** Drops the first and the last step, which profiles may cover in part, if a step remains. */
export function wholeSteps(rates: readonly number[]): readonly number[] {
  return rates.length >= 3 ? rates.slice(1, -1) : rates
}

function momentsOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length)
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return { mean, variance: squares / Math.max(1, values.length - 1) }
}
