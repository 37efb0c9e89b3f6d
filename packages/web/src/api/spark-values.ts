// The points of a series as equal steps of a time range, for a small chart.

interface SeriesPoint {
  /** Nanoseconds since 1970. */
  readonly time: string
  readonly value: number
}

/** Sums points in `steps` equal parts of a range that starts at `from` and is `length` long, both in milliseconds. */
export function sparkValues(points: readonly SeriesPoint[], from: number, length: number, steps: number): number[] {
  const values = new Array<number>(steps).fill(0)
  for (const { time, value } of points) {
    const part = (Number(BigInt(time) / 1_000_000n) - from) / length
    values[Math.max(0, Math.min(steps - 1, Math.floor(part * steps)))] += value
  }
  return values
}
