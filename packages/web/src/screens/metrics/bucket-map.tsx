// A distribution over time as a heat map: the number of values in each bucket and step. A drag selects a time range.
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { PAPER, paintCells, rampPixels } from '../../draw/heat-map/heat-map-colours.ts'
import { theme } from '../../state/theme.ts'
import { DragBox } from '../../widgets/charts/drag-box.tsx'
import { TimeMarks } from '../../widgets/charts/time-marks.tsx'
import { PlotCanvas } from '../../widgets/charts/plot-canvas.tsx'
import { useDrag } from '../../widgets/charts/use-drag.ts'
import { useWidth } from '../../widgets/use-width.ts'
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

const HEIGHT = 238
const TICKS = 6

export function BucketMap({ grid, unit, label, from, to, onRange }: BucketMapProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const [at, setAt] = useState<{ readonly column: number; readonly row: number } | undefined>(undefined)
  const shade = theme.value
  const timeAt = (x: number): number => from + (x / (width || 1)) * (to - from)
  const { drag, handlers } = useDrag(host, {
    onDrag: chosen => {
      const [first, last] = [chosen.from.x, chosen.to.x].map(timeAt).sort((a, b) => a - b)
      onRange(Math.round(first), Math.round(last))
    },
    onHover: ({ x, y }) => {
      const column = Math.floor((timeAt(x) - grid.from) / grid.stepMs)
      const row = grid.rows - 1 - Math.floor((y / host.current!.clientHeight) * grid.rows)
      setAt(column >= 0 && column < grid.columns && row >= 0 && row < grid.rows ? { column, row } : undefined)
    },
  })
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
      <div
        class="bucket-cells"
        role="img"
        aria-label={describe(grid, unit)}
        ref={host}
        {...handlers}
        onPointerLeave={() => setAt(undefined)}
      >
        <PlotCanvas
          width={width}
          height={HEIGHT}
          inputs={[grid, from, to, shade]}
          paint={pen => paintGrid(pen, grid, { from, to }, shade)}
        />
        <TimeMarks from={from} to={to} />
        <DragBox drag={drag} selects="times" />
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
  pen: CanvasRenderingContext2D,
  grid: BucketGrid,
  { from, to }: { readonly from: number; readonly to: number },
  shown: 'light' | 'dark',
): void {
  const { canvas } = pen
  const cells = new OffscreenCanvas(grid.columns, grid.rows)
  const image = new ImageData(grid.columns, grid.rows)
  paintCells(new Uint32Array(image.data.buffer), grid, grid.counts, true, rampPixels(shown))
  cells.getContext('2d')?.putImageData(image, 0, 0)
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
