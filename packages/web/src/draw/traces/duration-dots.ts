// Traces as dots: when they began against how long they took, on a scale of powers of ten, as durations span many of them.

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
  readonly least: number
  readonly most: number
  readonly width: number
  readonly height: number
}

/** A range that has nothing in it still has a scale. */
export function dotScale(
  dots: readonly Dot[],
  range: { readonly from: number; readonly to: number },
  width: number,
  height: number,
): DotScale {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const { duration } of dots) {
    least = Math.min(least, Math.max(1, duration))
    most = Math.max(most, duration)
  }
  if (most === 0) [least, most] = [1e6, 1e9]
  least = 10 ** Math.floor(Math.log10(least))
  most = 10 ** Math.ceil(Math.log10(Math.max(most, least * 1.0001)))
  return { ...range, least, most, width, height }
}

export function placeOfDot(
  { from, to, least, most, width, height }: DotScale,
  { time, duration }: Dot,
): { readonly x: number; readonly y: number } {
  const x = ((time - from) / (to - from || 1)) * width
  const share = Math.log(Math.max(least, duration) / least) / Math.log(most / least)
  return { x, y: height - share * height }
}

/** What a place stands for. */
export function dotAt(scale: DotScale, x: number, y: number): Dot {
  const { from, to, least, most, width, height } = scale
  return {
    time: from + (x / (width || 1)) * (to - from),
    duration: least * (most / least) ** ((height - y) / (height || 1)),
  }
}

/** The nearest within reach; -1 where none is. */
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

/** Powers of ten from the least to the most, at most so many. */
export function durationTicks({ least, most }: DotScale, limit: number): number[] {
  const powers = Math.round(Math.log10(most / least))
  const step = Math.max(1, Math.ceil((powers + 1) / Math.max(1, limit)))
  const ticks: number[] = []
  for (let power = 0; power <= powers; power += step) ticks.push(least * 10 ** power)
  return ticks
}
