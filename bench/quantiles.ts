// The median and the 99th percentile of many times.

export function quantilesOf(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = Float64Array.from(times).sort()
  return { p50: sorted[Math.floor(sorted.length * 0.5)], p99: sorted[Math.floor(sorted.length * 0.99)] }
}
