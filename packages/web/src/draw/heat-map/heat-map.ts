// Cells of a heat map, their times and positions. Cells are numbered in time order: up a column, with row 0 as its
// first and lowest part, then up the next column.
//
//   cell  2 5 8        rows 3, columns 3
//         1 4 7
//         0 3 6

export interface HeatGrid {
  /** The start of column 0 in nanoseconds since 1970. */
  readonly origin: bigint
  /** The width of a column in nanoseconds. */
  readonly column: bigint
  readonly rows: number
  readonly columns: number
}

/** The start of a cell: its first whole nanosecond, also if the rows do not divide the column evenly. */
export function cellStart({ origin, column, rows }: HeatGrid, cell: number): bigint {
  const row = BigInt(cell % rows)
  const count = BigInt(rows)
  return origin + BigInt(Math.floor(cell / rows)) * column + (row * column + count - 1n) / count
}

/** The cell of a time. It can be outside of the grid. */
export function cellAt({ origin, column, rows }: HeatGrid, time: bigint): number {
  const after = time - origin
  // Division of bigints rounds towards zero.
  const whole = after >= 0n ? after / column : (after - column + 1n) / column
  return Number(whole) * rows + Number(((after - whole * column) * BigInt(rows)) / column)
}

/** The cell of a time; undefined outside of the grid. */
export function cellWithin(grid: HeatGrid, time: bigint): number | undefined {
  const cell = cellAt(grid, time)
  return cell < 0 || cell >= grid.columns * grid.rows ? undefined : cell
}

/** The range from the start of the earlier cell to the end of the later one. */
export function rangeOf(grid: HeatGrid, a: number, b: number): { readonly from: bigint; readonly until: bigint } {
  return { from: cellStart(grid, Math.min(a, b)), until: cellStart(grid, Math.max(a, b) + 1) }
}

/** The first and last cell of a range, limited to the grid; undefined if the range is outside. */
export function cellsIn(
  grid: HeatGrid,
  { from, until }: { readonly from: bigint; readonly until: bigint },
): readonly [first: number, last: number] | undefined {
  const first = Math.max(0, cellAt(grid, from))
  const last = Math.min(grid.columns * grid.rows - 1, cellAt(grid, until - 1n))
  return first > last ? undefined : [first, last]
}

/** In CSS pixels. */
export interface CellSize {
  readonly width: number
  readonly height: number
}

const MIN_SIZE = 3
const MAX_WIDTH = 18
const MAX_HEIGHT = 14
/** The approximate height of all rows together. */
const HEIGHT = 150

/** Cells of whole pixels, as wide as fits. If there are too many columns, the map scrolls. */
export function cellSize({ rows, columns }: Pick<HeatGrid, 'rows' | 'columns'>, width: number): CellSize {
  const available = Math.floor(width / Math.max(1, columns))
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_SIZE, available)),
    height: Math.min(MAX_HEIGHT, Math.max(MIN_SIZE, Math.round(HEIGHT / rows))),
  }
}

/** The cell at a position of the whole map, including parts out of sight; undefined outside of the map. */
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

/** A run of cells in time order as boxes: the end of the first column, whole columns, the start of the last. */
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

/** The cell that a key moves to; undefined for other keys. */
export function cellAfterKey({ rows, columns }: HeatGrid, cell: number, key: string, far: boolean): number | undefined {
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
