// Binary search. Readers that search once per sample or line have their own loop, without a call per step.

/** The first index from `from` for which `isBefore` is false, or `to`. It must be true up to there and false from there on. */
export function partitionPoint(from: number, to: number, isBefore: (index: number) => boolean): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
