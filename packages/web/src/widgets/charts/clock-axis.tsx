// Times of day below a chart.
import type { JSX } from 'preact'
import { clockTicks } from './clock-ticks.ts'
import './clock-axis.css'

export interface ClockAxisProps {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** In pixels. */
  readonly width: number
}

/** Room for a time with seconds, and some around it. */
const ROOM = 90
/** Half a time without seconds: closer to an end it would be cut off. */
const EDGE = 16

export function ClockAxis({ from, to, width }: ClockAxisProps): JSX.Element {
  return (
    <div class="clock-axis" aria-hidden="true">
      {clockTicks(from, to, Math.floor(width / ROOM))
        .filter(({ at }) => at * width >= EDGE && (1 - at) * width >= EDGE)
        .map(({ at, text }) => (
          <span key={at} style={{ left: `${100 * at}%` }}>
            {text}
          </span>
        ))}
    </div>
  )
}
