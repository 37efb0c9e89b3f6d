// Deployments and notes as lines over a chart that is no line chart.
import type { JSX } from 'preact'
import { formatMoment } from '../format-time.ts'
import { markLabel } from './marks.ts'
import { useMarks } from './use-marks.ts'
import './time-marks.css'

export interface TimeMarksProps {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/** Fills its parent, which must be positioned and as wide as the range. */
export function TimeMarks({ from, to }: TimeMarksProps): JSX.Element {
  const marks = useMarks(from, to)
  return (
    <>
      {marks.map(mark => (
        <div
          key={`${mark.time} ${mark.text}`}
          class={mark.isDeploy ? 'time-mark deploy' : 'time-mark'}
          style={{ left: `${((mark.time - from) / (to - from)) * 100}%` }}
          title={`${formatMoment(mark.time)}: ${mark.text}`}
        >
          {markLabel(mark)}
        </div>
      ))}
    </>
  )
}
