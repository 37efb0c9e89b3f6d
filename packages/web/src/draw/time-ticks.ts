// The marks of a ruler over time: at round numbers, as many as there is room for, with as many digits as tell them apart.

export interface Tick {
  /** Part of the window's width, 0 to 1. */
  readonly at: number
  readonly text: string
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const

/** Of a window in nanoseconds; at most so many. */
export function timeTicks(from: number, until: number, most: number): Tick[] {
  const length = until - from
  if (!(length > 0) || most < 1) return []
  const step = roundStep(length / most)
  // The window's end has the most digits, so its unit is that of all.
  const [unit, scale] = UNITS.find(([, nanos]) => until >= nanos) ?? UNITS[3]
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale) - 1e-9)))
  const ticks: Tick[] = []
  for (let i = Math.ceil(from / step); i * step <= until; i++) {
    ticks.push({ at: (i * step - from) / length, text: `${((i * step) / scale).toFixed(digits)} ${unit}` })
  }
  return ticks
}

/** 1, 2 or 5 times a power of ten, not below the given; a nanosecond at least. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  const factor = [1, 2, 5, 10].find(each => each * power >= least) ?? 10
  return factor * power
}
