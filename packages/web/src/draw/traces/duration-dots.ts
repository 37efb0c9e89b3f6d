// Traces as dots: start time against duration, on a logarithmic scale, because durations span many powers of ten.

export interface Dot {
  /** Milliseconds since 1970. */
  readonly time: number
  /** Nanoseconds. */
  readonly duration: number
}

export interface DotScale {
  readonly from: number
  readonly to: number
  /** Powers of ten around all durations. */
  readonly min: number
  readonly max: number
  readonly width: number
  readonly height: number
}

/** A range without dots still has a scale. */
export function dotScale(
  dots: readonly Dot[],
  range: { readonly from: number; readonly to: number },
  width: number,
  height: number,
): DotScale {
  let [min, max] = [Number.POSITIVE_INFINITY, 0]
  for (const { duration } of dots) {
    min = Math.min(min, Math.max(1, duration))
    max = Math.max(max, duration)
  }
  if (max === 0) [min, max] = [1e6, 1e9]
  min = 10 ** Math.floor(Math.log10(min))
  max = 10 ** Math.ceil(Math.log10(Math.max(max, min * 1.0001)))
  return { ...range, min, max, width, height }
}

export function placeOfDot(
  { from, to, min, max, width, height }: DotScale,
  { time, duration }: Dot,
): { readonly x: number; readonly y: number } {
  const x = ((time - from) / (to - from || 1)) * width
  const share = Math.log(Math.max(min, duration) / min) / Math.log(max / min)
  return { x, y: height - share * height }
}

/** The time and duration at a position. */
export function dotAt(scale: DotScale, x: number, y: number): Dot {
  const { from, to, min, max, width, height } = scale
  return {
    time: from + (x / (width || 1)) * (to - from),
    duration: min * (max / min) ** ((height - y) / (height || 1)),
  }
}

/** The nearest dot within reach; -1 if there is none. */
export function nearestDot(scale: DotScale, dots: readonly Dot[], x: number, y: number, reach: number): number {
  let best = -1
  let nearest = reach
  for (const [i, dot] of dots.entries()) {
    const place = placeOfDot(scale, dot)
    const distance = Math.hypot(place.x - x, place.y - y)
    if (distance > nearest) continue
    nearest = distance
    best = i
  }
  return best
}

/** Powers of ten from `min` to `max`, at most `limit`. */
export function durationTicks({ min, max }: DotScale, limit: number): number[] {
  const powers = Math.round(Math.log10(max / min))
  const step = Math.max(1, Math.ceil((powers + 1) / Math.max(1, limit)))
  const ticks: number[] = []
  for (let power = 0; power <= powers; power += step) ticks.push(min * 10 ** power)
  return ticks
}
