// The significance of a change: whether it may be chance, because the next recording has other samples.

/** The difference of two shares, in standard deviations of the difference that chance alone causes. */
export function deviations(before: Share, after: Share): number {
  const { of: n1 } = before
  const { of: n2 } = after
  if (n1 === 0 || n2 === 0) return 0
  const pooled = (before.part * n1 + after.part * n2) / (n1 + n2)
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
  return spread === 0 ? 0 : (after.part - before.part) / spread
}

export interface Share {
  /** 0 to 1. */
  readonly part: number
  /** The number of observations that it is a share of. */
  readonly of: number
}

export interface Rate {
  /** The number of samples. */
  readonly samples: number
  /** The number of requests in which they were taken. */
  readonly requests: number
}

/** The difference of two rates of samples per request, in standard deviations of the difference that chance alone causes. */
export function rateDeviations(before: Rate, after: Rate): number {
  if (before.requests === 0 || after.requests === 0) return 0
  // Counts of samples have the variance of their mean (Poisson).
  const pooled = (before.samples + after.samples) / (before.requests + after.requests)
  const spread = Math.sqrt(pooled * (1 / before.requests + 1 / after.requests))
  return spread === 0 ? 0 : (after.samples / after.requests - before.samples / before.requests) / spread
}

/** A function or node in the requests of one side. */
export interface RequestValue {
  /** Its value per request, and the sum of all values per request. */
  readonly value: number
  readonly sum: number
  /** The number of samples of these requests. */
  readonly samples: number
  readonly requests: number
}

/**
 * The difference of two values per request, in standard deviations of the difference that chance alone causes. A value is a
 * number of samples, which chance varies, times the average value of a sample of its side. Large samples are few, so they vary more.
 */
export function requestDeviations(before: RequestValue, after: RequestValue): number {
  if (before.requests === 0 || after.requests === 0) return 0
  const pooled =
    (Math.abs(before.value) * before.requests + Math.abs(after.value) * after.requests) /
    (before.requests + after.requests)
  const [first, second] = [perSample(before) ?? perSample(after) ?? 0, perSample(after) ?? perSample(before) ?? 0]
  const spread = Math.sqrt(pooled * (first / before.requests + second / after.requests))
  return spread === 0 ? 0 : (Math.abs(after.value) - Math.abs(before.value)) / spread
}

/** The average value of a sample. Undefined without samples. */
function perSample({ sum, samples, requests }: RequestValue): number | undefined {
  return samples === 0 ? undefined : (Math.abs(sum) * requests) / samples
}

export type Judgement = 'clear' | 'likely' | 'chance'

/** Three deviations happen by chance in one of 370 functions, two in one of 22. */
export function judgeDeviations(size: number): Judgement {
  return Math.abs(size) >= 3 ? 'clear' : Math.abs(size) >= 2 ? 'likely' : 'chance'
}

/** Judges a change by its false discovery rate: of all clear changes, at most one in 100 is chance; of all likely ones, one in 20. */
export function judgeRate(q: number): Judgement {
  return q <= 0.01 ? 'clear' : q <= 0.05 ? 'likely' : 'chance'
}

export function judge(before: Share, after: Share): Judgement {
  return judgeDeviations(deviations(before, after))
}
