// The ticks of a time ruler: at round numbers, as many as fit, with enough digits to distinguish them.

export interface Tick {
  /** A fraction of the window's width, 0 to 1. */
  readonly at: number
  readonly text: string
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const

/** Returns at most `max` ticks for a window in nanoseconds. */
export function timeTicks(from: number, until: number, max: number): Tick[] {
  const length = until - from
  if (!(length > 0) || max < 1) return []
  const step = roundStep(length / max)
  // The end of the window has the max digits, so its unit is used for all ticks.
  const [unit, scale] = UNITS.find(([, nanos]) => until >= nanos) ?? UNITS[3]
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale) - 1e-9)))
  const ticks: Tick[] = []
  for (let i = Math.ceil(from / step); i * step <= until; i++) {
    ticks.push({ at: (i * step - from) / length, text: `${((i * step) / scale).toFixed(digits)} ${unit}` })
  }
  return ticks
}

/** 1, 2 or 5 times a power of ten, at least `min` and at least a nanosecond. */
function roundStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, min)))
  const factor = [1, 2, 5, 10].find(each => each * power >= min) ?? 10
  return factor * power
}
