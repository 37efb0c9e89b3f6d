// The path of a sparkline. A missing value interrupts the line.

export interface SparklinePath {
  readonly line: string
  readonly area: string
}

/** The scale starts at 0. A single value between missing ones is a short dash. */
export function sparklinePath(
  values: readonly (number | undefined)[],
  width: number,
  height: number,
  max?: number,
): SparklinePath {
  const most = max ?? (values.reduce<number>((high, each) => Math.max(high, each ?? 0), 0) || 1)
  const step = width / Math.max(1, values.length - 1)
  const at = (i: number): string => (i * step).toFixed(1)
  const level = (value: number): string => (height - 1 - (value / most) * (height - 2)).toFixed(1)
  let [line, area] = ['', '']
  for (let i = 0; i < values.length; i++) {
    if (values[i] === undefined) continue
    const start = i
    while (i + 1 < values.length && values[i + 1] !== undefined) i++
    const points = values.slice(start, i + 1).map((value, k) => `${at(start + k)} ${level(value!)}`)
    const run = points.length === 1 ? [points[0], `${(start * step + 1).toFixed(1)} ${level(values[start]!)}`] : points
    line += `M${run.join('L')}`
    area += `M${at(start)} ${height}L${run.join('L')}L${at(i)} ${height}Z`
  }
  return { line, area }
}
