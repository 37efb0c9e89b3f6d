// A distribution over time as a heat map: the number of values in each bucket and step. A drag selects a time range.
import { formatValue } from '@hearth/profile'
import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { PAPER, paintCells, rampPixels } from '../../draw/heat-map/heat-map-colours.ts'
import { theme } from '../../state/theme.ts'
import { formatClock, formatMoment } from '../../widgets/format-time.ts'
import type { BucketGrid } from './bucket-grid.ts'

export interface BucketMapProps {
  readonly grid: BucketGrid
  readonly unit: string
  readonly label: string
  /** The range of the chart, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly onRange: (from: number, to: number) => void
}

/** Shorter drags, in pixels, are ignored as accidental. */
const SLACK = 3
const TICKS = 6

export function BucketMap({ grid, unit, label, from, to, onRange }: BucketMapProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<{ readonly column: number; readonly row: number } | undefined>(undefined)
  const [drag, setDrag] = useState<readonly [from: number, to: number] | undefined>(undefined)
  const paint = (shown: 'light' | 'dark'): void => {
    const element = canvas.current
    if (element !== null) paintGrid(element, grid, { from, to }, shown)
  }
  useSignalEffect(() => paint(theme.value))
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => paint(theme.peek()))
    observer.observe(canvas.current!)
    return () => observer.disconnect()
  }, [grid, from, to])
  const shareOf = (event: PointerEvent): number => {
    const { left, width } = canvas.current!.getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - left) / width))
  }
  const onMove = (event: PointerEvent): void => {
    const { top, height } = canvas.current!.getBoundingClientRect()
    const ms = from + shareOf(event) * (to - from)
    const column = Math.floor((ms - grid.from) / grid.stepMs)
    const row = grid.rows - 1 - Math.floor(((event.clientY - top) / height) * grid.rows)
    setAt(column >= 0 && column < grid.columns && row >= 0 && row < grid.rows ? { column, row } : undefined)
    if (drag !== undefined) setDrag([drag[0], shareOf(event)])
  }
  const onUp = (): void => {
    if (drag === undefined) return
    const [a, b] = [Math.min(...drag), Math.max(...drag)]
    setDrag(undefined)
    if ((b - a) * canvas.current!.clientWidth <= SLACK) return
    onRange(Math.round(from + a * (to - from)), Math.round(from + b * (to - from)))
  }
  const ticks = Array.from({ length: TICKS }, (_, i) => i / (TICKS - 1))
  return (
    <figure class="bucket-map" aria-label={label}>
      <div class="bucket-edges" aria-hidden="true">
        {edgesOf(grid, unit).map(({ share, text }) => (
          <span key={share} style={{ bottom: `${100 * share}%` }}>
            {text}
          </span>
        ))}
      </div>
      <div class="bucket-cells">
        <canvas
          ref={canvas}
          role="img"
          aria-label={describe(grid, unit)}
          onPointerMove={onMove}
          onPointerLeave={() => setAt(undefined)}
          onPointerDown={event => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setDrag([shareOf(event), shareOf(event)])
          }}
          onPointerUp={onUp}
        />
        {drag !== undefined && (
          <span
            class="bucket-drag"
            style={{ left: `${100 * Math.min(...drag)}%`, width: `${100 * Math.abs(drag[1] - drag[0])}%` }}
          />
        )}
      </div>
      <div class="bucket-times" aria-hidden="true">
        {ticks.map(share => (
          <span key={share} style={{ left: `${100 * share}%` }}>
            {formatClock(from + share * (to - from), to - from < 600_000)}
          </span>
        ))}
      </div>
      <figcaption class="series-hint">{at === undefined ? 'Drag to zoom' : cellText(grid, unit, at)}</figcaption>
    </figure>
  )
}

function paintGrid(
  canvas: HTMLCanvasElement,
  grid: BucketGrid,
  { from, to }: { readonly from: number; readonly to: number },
  shown: 'light' | 'dark',
): void {
  const pen = canvas.getContext('2d', { alpha: false })
  const cells = new OffscreenCanvas(grid.columns, grid.rows)
  const cellPen = cells.getContext('2d')
  if (pen === null || cellPen === null) return
  const image = new ImageData(grid.columns, grid.rows)
  paintCells(new Uint32Array(image.data.buffer), grid, grid.counts, true, rampPixels(shown))
  cellPen.putImageData(image, 0, 0)
  canvas.width = Math.round(canvas.clientWidth * devicePixelRatio)
  canvas.height = Math.round(canvas.clientHeight * devicePixelRatio)
  pen.fillStyle = PAPER[shown]
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.imageSmoothingEnabled = false
  const x = ((grid.from - from) / (to - from)) * canvas.width
  const width = ((grid.columns * grid.stepMs) / (to - from)) * canvas.width
  pen.drawImage(cells, x, 0, width, canvas.height)
}

/** The labels of the value axis, at the lower bounds of rows. */
function edgesOf({ rows, lower }: BucketGrid, unit: string): { readonly share: number; readonly text: string }[] {
  const every = Math.max(1, Math.ceil(rows / 10))
  return lower.flatMap((edge, row) =>
    row % every === 0 && Number.isFinite(edge) ? [{ share: row / rows, text: formatValue(edge, unit) }] : [],
  )
}

function edgeText(edge: number, unit: string): string {
  return Number.isFinite(edge) ? formatValue(edge, unit) : edge < 0 ? '−∞' : '∞'
}

function cellText(
  { rows, counts, lower, upper, from, stepMs }: BucketGrid,
  unit: string,
  { column, row }: { readonly column: number; readonly row: number },
): string {
  const count = counts[column * rows + row]
  const range = `${edgeText(lower[row], unit)} – ${edgeText(upper[row], unit)}`
  return `${formatMoment(from + column * stepMs)} · ${range}: ${count.toLocaleString('en', { maximumFractionDigits: 1 })}`
}

function describe({ rows, counts, lower, upper }: BucketGrid, unit: string): string {
  const sums = Array.from({ length: rows }, (_, row) => {
    let sum = 0
    for (let cell = row; cell < counts.length; cell += rows) sum += counts[cell]
    return sum
  })
  const largest = sums.indexOf(Math.max(...sums))
  return `Heat map of buckets. The largest bucket is ${edgeText(lower[largest], unit)} to ${edgeText(upper[largest], unit)}`
}
