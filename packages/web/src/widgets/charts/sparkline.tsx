// A small line without axes, for rows of tables.
import type { JSX } from 'preact'
import { sparklinePath } from './sparkline-path.ts'
import './sparkline.css'

export interface SparklineProps {
  readonly values: readonly (number | undefined)[]
  readonly label: string
  readonly width?: number
  readonly height?: number
  /** The value at the top; the largest one unless given. */
  readonly max?: number
}

export function Sparkline({ values, label, width = 88, height = 20, max }: SparklineProps): JSX.Element {
  const { line, area } = sparklinePath(values, width, height, max)
  return (
    <svg
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="sparkline-area" d={area} />
      <path class="sparkline-line" d={line} />
    </svg>
  )
}
