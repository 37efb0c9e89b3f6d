// All traces of a search as cells of time and duration, behind the dots of one page.
import type { DotScale } from './duration-dots.ts'
import { placeOfDot } from './duration-dots.ts'

export interface Density {
  /** Milliseconds. */
  readonly stepMs: number
  readonly rowsPerDecade: number
  /** The number of all traces. */
  readonly traces: number
  readonly cells: readonly DensityCell[]
}

export interface DensityCell {
  readonly column: number
  readonly row: number
  readonly traces: number
  readonly errors: number
}

export interface CellBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** From 0 to 1, by the logarithm of the number of traces, so that single traces stay visible. */
  readonly strength: number
  readonly hasErrors: boolean
}

/** The shortest and the longest duration of the cells, in nanoseconds, as dots for the scale. */
export function densityEnds({
  cells,
  rowsPerDecade,
}: Density): readonly { readonly time: number; readonly duration: number }[] {
  if (cells.length === 0) return []
  const rows = cells.map(({ row }) => row)
  const at = (row: number): { time: number; duration: number } => ({ time: 0, duration: 10 ** (row / rowsPerDecade) })
  return [at(Math.min(...rows)), at(Math.max(...rows) + 1)]
}

export function cellBoxes(scale: DotScale, { cells, stepMs, rowsPerDecade }: Density): readonly CellBox[] {
  const most = cells.reduce((max, { traces }) => Math.max(max, traces), 1)
  return cells.map(({ column, row, traces, errors }) => {
    const start = scale.from + column * stepMs
    const low = placeOfDot(scale, { time: start, duration: 10 ** (row / rowsPerDecade) })
    const high = placeOfDot(scale, { time: start + stepMs, duration: 10 ** ((row + 1) / rowsPerDecade) })
    const strength = most === 1 ? 1 : Math.log(1 + traces) / Math.log(1 + most)
    return { x: low.x, y: high.y, width: high.x - low.x, height: low.y - high.y, strength, hasErrors: errors > 0 }
  })
}

/** The cell at a position; undefined if there is none. */
export function cellAt(
  scale: DotScale,
  density: Density,
  x: number,
  y: number,
): (DensityCell & { readonly box: CellBox }) | undefined {
  const boxes = cellBoxes(scale, density)
  const at = boxes.findIndex(box => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height)
  return at < 0 ? undefined : { ...density.cells[at], box: boxes[at] }
}
