// The time axis below a chart.
import type { JSX } from 'preact'
import { clockTicks } from './clock-ticks.ts'
import './clock-axis.css'

export interface ClockAxisProps {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** The width in pixels. */
  readonly width: number
}

/** The minimum distance of two labels, in pixels. A time with seconds fits. */
const LABEL_WIDTH = 90
/** Half the width of a label with seconds. Labels closer to an end would be cut off. */
const EDGE = 28

export function ClockAxis({ from, to, width }: ClockAxisProps): JSX.Element {
  return (
    <div class="clock-axis" aria-hidden="true">
      {clockTicks(from, to, Math.floor(width / LABEL_WIDTH))
        .filter(({ at }) => at * width >= EDGE && (1 - at) * width >= EDGE)
        .map(({ at, text }) => (
          <span key={at} style={{ left: `${100 * at}%` }}>
            {text}
          </span>
        ))}
    </div>
  )
}
