// The significance of a change of a function's share. Samples are random, so small changes may be noise.

/** The difference of two shares in standard deviations, by the two-proportion z-test. */
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
  /** The number of observations. */
  readonly of: number
}

export type Judgement = 'clear' | 'likely' | 'chance'

/** Noise alone exceeds three deviations in 1 of 370 functions and two in 1 of 22. */
export function judge(before: Share, after: Share): Judgement {
  const size = Math.abs(deviations(before, after))
  return size >= 3 ? 'clear' : size >= 2 ? 'likely' : 'chance'
}
