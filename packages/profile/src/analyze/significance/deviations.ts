// The significance of a change: whether it may be chance, because the next recording has other samples.

/**
 * The difference of two shares, in standard deviations of the difference that chance alone causes. `between` is how much sides
 * differ beyond sampling without a change, see SideObservations.
 */
export function deviations(before: Share, after: Share, between = 0): number {
  const { of: n1 } = before
  const { of: n2 } = after
  if (n1 === 0 || n2 === 0) return 0
  const pooled = (before.part * n1 + after.part * n2) / (n1 + n2)
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2) + between * pooled ** 2)
  return spread === 0 ? 0 : (after.part - before.part) / spread
}

export interface Share {
  /** 0 to 1. */
  readonly part: number
  /** The number of observations that it is a share of. */
  readonly of: number
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

/** For people: a change is clear, likely, or may be chance. */
export const JUDGEMENTS: Readonly<Record<Judgement, string>> = {
  clear: 'clear',
  likely: 'likely',
  chance: 'may be chance',
}

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

/** The numbers of observations of both sides of a diff. */
export interface SideObservations {
  readonly before: number
  readonly after: number
  /** The variance of the difference between runs, such as instances, relative to the square of a share. See `varianceBetween`. */
  readonly between?: number
}

/** `variation` is the standard deviation between runs, relative to the share of a function. */
export function varianceBetween(variation: number, runs: readonly [before: number, after: number]): number {
  const [before, after] = runs
  return before === 0 || after === 0 ? 0 : variation ** 2 * (1 / before + 1 / after)
}

/**
 * The change of a share that chance alone can cause, from 0 to 1: three deviations of a function with half of all samples, which
 * vary most.
 */
export function noiseOf({ before, after, between = 0 }: SideObservations): number {
  return before <= 0 || after <= 0 ? 0 : Math.min(1, 1.5 * Math.sqrt(1 / before + 1 / after + between))
}

/** Half the width of the 95 % confidence interval of a share, from 0 to 1, by the method of Wilson. */
export function shareMargin({ part, of }: Share): number {
  if (of <= 0) return 1
  const z = 1.96
  return (z * Math.sqrt((part * (1 - part)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of)
}
