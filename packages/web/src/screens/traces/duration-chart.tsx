// All traces as a density by time and duration, and those of one page as dots. A click opens a trace. A drag selects a range
// of times and durations.
import type { TraceRow } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { dotAt, dotScale, durationTicks, nearestDot, placeOfDot } from '../../draw/traces/duration-dots.ts'
import type { Density } from '../../draw/traces/density-cells.ts'
import { cellAt, cellBoxes, densityEnds } from '../../draw/traces/density-cells.ts'
import { theme } from '../../state/theme.ts'
import { ClockAxis } from '../../widgets/charts/clock-axis.tsx'
import { TimeMarks } from '../../widgets/charts/time-marks.tsx'
import { counted } from '../../widgets/counted.ts'
import { formatMoment } from '../../widgets/format-time.ts'
import { DragBox } from '../../widgets/charts/drag-box.tsx'
import { PlotCanvas } from '../../widgets/charts/plot-canvas.tsx'
import type { Drag, DragPlace } from '../../widgets/charts/use-drag.ts'
import { useDrag } from '../../widgets/charts/use-drag.ts'
import { useWidth } from '../../widgets/use-width.ts'

export interface DurationChartProps {
  readonly traces: readonly TraceRow[]
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** All traces of the search; undefined until they are counted, or if the dots are all of them. */
  readonly density: Density | undefined
  readonly onTrace: (trace: TraceRow) => void
  readonly onRange: (range: DotRange) => void
}

export interface DotRange {
  readonly from: number
  readonly to: number
  /** Nanoseconds. */
  readonly min: number
  readonly max: number
}

const HEIGHT = 160
const PADDING = 6
const RADIUS = 3.5
/** With the density of all traces behind them, dots must not hide it. */
const SMALL_RADIUS = 2
const REACH = 9

export function DurationChart(props: DurationChartProps): JSX.Element {
  const { traces, from, to, density, onTrace, onRange } = props
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const [pointed, setPointed] = useState(-1)
  const [place, setPlace] = useState<DragPlace | undefined>(undefined)
  const dots = useMemo(
    () => traces.map(({ span }) => ({ time: Number(BigInt(span.start)) / 1e6, duration: Number(span.duration) })),
    [traces],
  )
  const scale = useMemo(
    () =>
      dotScale(
        [...dots, ...(density === undefined ? [] : densityEnds(density))],
        { from, to },
        width,
        HEIGHT - 2 * PADDING,
      ),
    [dots, density, from, to, width],
  )
  const shade = theme.value
  const paint = (pen: CanvasRenderingContext2D, ratio: number): void => {
    const style = getComputedStyle(pen.canvas)
    const [plain, failed] = ['--accent-mark', '--danger'].map(name => style.getPropertyValue(name))
    pen.scale(ratio, ratio)
    for (const box of density === undefined ? [] : cellBoxes(scale, density)) {
      pen.fillStyle = box.hasErrors ? failed : plain
      pen.globalAlpha = 0.15 + 0.55 * box.strength
      pen.fillRect(box.x, box.y + PADDING, Math.max(1, box.width - 0.5), Math.max(1, box.height - 0.5))
    }
    pen.lineWidth = density === undefined ? 1.5 : 1
    for (const [i, dot] of dots.entries()) {
      const { x, y } = placeOfDot(scale, dot)
      pen.beginPath()
      const radius = density === undefined ? RADIUS : SMALL_RADIUS
      pen.arc(x, y + PADDING, i === pointed ? RADIUS + 2 : radius, 0, 2 * Math.PI)
      pen.fillStyle = pen.strokeStyle = traces[i].errors > 0 ? failed : plain
      pen.globalAlpha = density === undefined ? 0.85 : 0.6
      // Dots of traces with profile data are filled.
      if (traces[i].samples > 0) pen.fill()
      else pen.stroke()
    }
  }

  const nearest = ({ x, y }: DragPlace): number => nearestDot(scale, dots, x, y - PADDING, REACH)
  const choose = (chosen: Drag): void => {
    const [first, last] = [chosen.from, chosen.to].map(({ x, y }) => dotAt(scale, x, y - PADDING))
    onRange({
      from: Math.min(first.time, last.time),
      to: Math.max(first.time, last.time),
      min: Math.min(first.duration, last.duration),
      max: Math.max(first.duration, last.duration),
    })
  }
  const { drag, handlers } = useDrag(host, {
    onDrag: choose,
    onClick: place => {
      const dot = nearest(place)
      if (dot !== -1) onTrace(traces[dot])
    },
    onHover: to => {
      setPointed(nearest(to))
      setPlace(to)
    },
  })
  const near = pointed === -1 || pointed >= traces.length ? undefined : traces[pointed]
  const cell =
    near !== undefined || place === undefined || density === undefined
      ? undefined
      : cellAt(scale, density, place.x, place.y - PADDING)
  return (
    <figure class="duration-chart" aria-label="Durations over time">
      <div class="duration-axis" aria-hidden="true">
        {durationTicks(scale, 4).map(tick => (
          <span key={tick} style={{ top: `${placeOfDot(scale, { time: from, duration: tick }).y + PADDING}px` }}>
            {powerText(tick)}
          </span>
        ))}
      </div>
      <div
        class={near === undefined ? 'duration-plot' : 'duration-plot pointed'}
        ref={host}
        {...handlers}
        onPointerLeave={() => {
          setPointed(-1)
          setPlace(undefined)
        }}
      >
        <PlotCanvas width={width} height={HEIGHT} inputs={[dots, scale, shade, pointed, density]} paint={paint} />
        <DragBox drag={drag} selects="times and values" />
        {near !== undefined && drag === undefined && (
          <DotText trace={near} {...placeOfDot(scale, dots[pointed])} width={width} />
        )}
        {cell !== undefined && drag === undefined && (
          <p class="duration-text" style={{ ...besides(cell.box.x, width), top: `${Math.max(0, cell.box.y - 8)}px` }}>
            <strong>{counted(cell.traces, 'trace')}</strong>
            {cell.errors > 0 ? `, ${counted(cell.errors, 'error')}` : ''}
          </p>
        )}
        <TimeMarks from={from} to={to} />
        <ClockAxis from={from} to={to} width={width} />
      </div>
    </figure>
  )
}

/** `100 s`, `10 ms`: powers of ten are easiest to read in one unit. */
function powerText(nanos: number): string {
  return nanos >= 1e9 ? `${nanos / 1e9} s` : formatDuration(nanos).replace(/\.0+(?= )/, '')
}

function DotText({
  trace,
  x,
  y,
  width,
}: DragPlace & { readonly trace: TraceRow; readonly width: number }): JSX.Element {
  const { span } = trace
  return (
    <p class="duration-text" style={{ ...besides(x, width), top: `${Math.max(0, y - 8)}px` }}>
      <strong>{formatDuration(BigInt(span.duration))}</strong> {span.service}: {span.name}
      <br />
      <span class="muted">
        {formatMoment(Number(BigInt(span.start) / 1_000_000n))} · {counted(trace.spans, 'span')}
        {trace.errors > 0 ? ` · ${counted(trace.errors, 'error')}` : ''}
      </span>
    </p>
  )
}

/** The side of a position with more space. */
function besides(x: number, width: number): { readonly left?: string; readonly right?: string } {
  return x > width / 2 ? { right: `${width - x + 10}px` } : { left: `${x + 10}px` }
}
