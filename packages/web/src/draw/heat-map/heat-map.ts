// Cells of a heat map: where they are in time and on the screen. Cells are counted in the order of time: up a column, row 0
// being its first part and lowest, then up the next.
//
//   cell  2 5 8        rows 3, columns 3
//         1 4 7
//         0 3 6

export interface HeatGrid {
  /** Nanoseconds of the clock at which column 0 begins. */
  readonly origin: bigint
  /** Nanoseconds. */
  readonly column: bigint
  readonly rows: number
  readonly columns: number
}

/** When the cell begins: the first whole nanosecond of its part of the column, also where rows do not divide it. */
export function cellStart({ origin, column, rows }: HeatGrid, cell: number): bigint {
  const row = BigInt(cell % rows)
  const count = BigInt(rows)
  return origin + BigInt(Math.floor(cell / rows)) * column + (row * column + count - 1n) / count
}

/** The cell of a time, which may be outside of the grid. */
export function cellAt({ origin, column, rows }: HeatGrid, time: bigint): number {
  const after = time - origin
  // Divisions of bigints go towards zero.
  const whole = after >= 0n ? after / column : (after - column + 1n) / column
  return Number(whole) * rows + Number(((after - whole * column) * BigInt(rows)) / column)
}

/** The cell of a time; undefined outside of the grid. */
export function cellWithin(grid: HeatGrid, time: bigint): number | undefined {
  const cell = cellAt(grid, time)
  return cell < 0 || cell >= grid.columns * grid.rows ? undefined : cell
}

/** From the first of two cells to the end of the last, whichever was chosen first. */
export function rangeOf(grid: HeatGrid, a: number, b: number): { readonly from: bigint; readonly until: bigint } {
  return { from: cellStart(grid, Math.min(a, b)), until: cellStart(grid, Math.max(a, b) + 1) }
}

/** The first and last cell of a range, kept to the grid; undefined where nothing of it is there. */
export function cellsIn(
  grid: HeatGrid,
  { from, until }: { readonly from: bigint; readonly until: bigint },
): readonly [first: number, last: number] | undefined {
  const first = Math.max(0, cellAt(grid, from))
  const last = Math.min(grid.columns * grid.rows - 1, cellAt(grid, until - 1n))
  return first > last ? undefined : [first, last]
}

/** In pixels of the page. */
export interface CellSize {
  readonly width: number
  readonly height: number
}

const NARROWEST = 3
const WIDEST = 18
const TALLEST = 14
/** What all rows together are high, about. */
const HEIGHT = 224

/** As wide as they fit, whole pixels, so that all look alike; where there are too many, the rest is scrolled to. */
export function cellSize({ rows, columns }: Pick<HeatGrid, 'rows' | 'columns'>, width: number): CellSize {
  const fitting = Math.floor(width / Math.max(1, columns))
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, fitting)),
    height: Math.min(TALLEST, Math.max(NARROWEST, Math.round(HEIGHT / rows))),
  }
}

/** The cell at a place of the whole map, whether it is all in sight or not; undefined beside it. */
export function cellOn({ rows, columns }: HeatGrid, size: CellSize, x: number, y: number): number | undefined {
  const column = Math.floor(x / size.width)
  const row = rows - 1 - Math.floor(y / size.height)
  if (column < 0 || column >= columns || row < 0 || row >= rows) return undefined
  return column * rows + row
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A run of cells in the order of time as boxes: the rest of its first column, whole columns, the beginning of its last. */
export function boxesOf({ rows }: HeatGrid, size: CellSize, first: number, last: number): Box[] {
  const [from, to] = [Math.floor(first / rows), Math.floor(last / rows)]
  const box = (column: number, columns: number, low: number, high: number): Box => ({
    x: column * size.width,
    y: (rows - 1 - high) * size.height,
    width: columns * size.width,
    height: (high - low + 1) * size.height,
  })
  if (from === to) return [box(from, 1, first % rows, last % rows)]
  const boxes = [box(from, 1, first % rows, rows - 1)]
  if (to - from > 1) boxes.push(box(from + 1, to - from - 1, 0, rows - 1))
  boxes.push(box(to, 1, 0, last % rows))
  return boxes
}

/** Where a key leads from a cell; undefined for other keys. */
export function walk({ rows, columns }: HeatGrid, cell: number, key: string, far: boolean): number | undefined {
  const last = columns * rows - 1
  const step = far ? 10 : 1
  const to: Readonly<Record<string, number>> = {
    ArrowLeft: cell - step * rows,
    ArrowRight: cell + step * rows,
    ArrowUp: cell + step,
    ArrowDown: cell - step,
    Home: cell % rows,
    End: (columns - 1) * rows + (cell % rows),
    PageUp: cell - (cell % rows) + rows - 1,
    PageDown: cell - (cell % rows),
  }
  const found = to[key]
  if (found === undefined) return undefined
  return Math.min(last, Math.max(0, found))
}
