// The ruler above a flame chart or waterfall, with the times of the visible range.
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { TickClock } from '../../draw/time-ticks.ts'
import { timeTicks } from '../../draw/time-ticks.ts'
import { useWidth } from '../use-width.ts'

export interface RulerProps {
  readonly of: Signal<{ readonly left: number; readonly right: number }>
  /** Nanoseconds. */
  readonly whole: number
  /** Shows times of day. */
  readonly clock?: TickClock | undefined
}

/** The minimum distance of two ticks, in pixels. A time with all its digits fits. */
const TICK = 110

export function Ruler({ of, whole, clock }: RulerProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const { left, right } = of.value
  return (
    <div class="time-ruler" ref={host} aria-hidden="true">
      {timeTicks(left * whole, right * whole, Math.floor(width / TICK), clock).map(({ at, text }) => (
        <span key={text} style={{ left: `${(100 * at).toFixed(3)}%` }}>
          {text}
        </span>
      ))}
    </div>
  )
}
