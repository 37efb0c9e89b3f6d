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

/** Shows times of day instead of times since the start. */
export interface TickClock {
  /** The time of day of the start, in nanoseconds since 1970. */
  readonly origin: bigint
  /** Formats milliseconds since 1970, to the second. */
  readonly format: (ms: number) => string
}

/** Returns at most `max` ticks for a window in nanoseconds. */
export function timeTicks(from: number, until: number, max: number, clock?: TickClock): Tick[] {
  const length = until - from
  if (!(length > 0) || max < 1) return []
  if (clock !== undefined) return clockTimes(from, until, max, clock)
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

const SECOND = 1e9
/** Seconds of clocks are counted in other steps than those of durations. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400]
const DAY = 86_400n * 1_000_000_000n

function clockTimes(from: number, until: number, max: number, { origin, format }: TickClock): Tick[] {
  const length = until - from
  const min = length / max
  const step =
    min <= SECOND
      ? roundStep(min)
      : SECOND * (CLOCK_STEPS.find(each => each * SECOND >= min) ?? Math.ceil(min / SECOND))
  // Since midnight, a double is exact to the nanosecond.
  const since = Number(origin % DAY)
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / SECOND) - 1e-9)))
  const midnight = Number((origin - (origin % DAY)) / 1_000_000n)
  const ticks: Tick[] = []
  for (let i = Math.ceil((since + from) / step); i * step <= since + until; i++) {
    const nanos = i * step
    const rest = Math.round((nanos % SECOND) / 10 ** (9 - digits))
    const fraction = digits === 0 ? '' : `.${String(rest).padStart(digits, '0')}`
    ticks.push({
      at: (nanos - since - from) / length,
      text: format(midnight + Math.floor(nanos / SECOND) * 1000) + fraction,
    })
  }
  return ticks
}
