// Aligned text tables:
//
//      SELF   SHARE  NAME
//    1.53 s   76.5%  gc
//    470 ms   23.5%  run
import { cells, clipped, clippedStart } from './printable.ts'

export interface Column {
  readonly title: string
  /** Numbers are aligned right. Default left. */
  readonly align?: 'left' | 'right'
  /** The end of a long text that is truncated. Default 'end'. */
  readonly cut?: 'start' | 'end'
  /** Shrinks if the table is too wide. At most one or two columns should have it. */
  readonly flexible?: boolean
}

/** The minimum width of a flexible column, even if lines become longer than the terminal. */
const MIN_FLEXIBLE = 12
/** In lines of any length, a flexible column is padded to this width at most: a C++ name can have 500 characters. */
const MAX_PADDED = 60
const GAP = '  '

/**
 * Returns lines without line ends. `width` is the maximum width, or undefined for lines of any length, where every cell is complete
 * and a very long one moves the rest of its own line only. Cells must be printable. Empty columns are omitted. Without rows, the
 * result is empty.
 */
export function table(all: readonly Column[], allRows: readonly (readonly string[])[], width?: number): string[] {
  const used = all.map((_, c) => c).filter(c => allRows.some(row => row[c] !== ''))
  const columns = used.map(c => all[c])
  const rows = allRows.map(row => used.map(c => row[c]))
  const widths = columnWidths(columns, rows, width)
  if (rows.length === 0) return []
  const titles = columns.map(column => column.title)
  return [titles, ...rows].map(row => line(columns, row, widths, width !== undefined))
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): number[] {
  const widths = columns.map((column, c) =>
    rows.reduce((most, row) => Math.max(most, cells(row[c])), cells(column.title)),
  )
  if (width === undefined) return widths.map((w, c) => (columns[c].flexible ? Math.min(w, MAX_PADDED) : w))
  let over = widths.reduce((sum, w) => sum + w, 0) + GAP.length * (columns.length - 1) - width
  // The widest flexible column shrinks first, then the next, so that they end up as equal as possible.
  while (over > 0) {
    const widest = widestFlexible(columns, widths)
    if (widest === -1) break
    const others = columns.map((column, c) => (column.flexible && c !== widest ? widths[c] : 0))
    const step = Math.max(1, Math.min(over, widths[widest] - Math.max(MIN_FLEXIBLE, ...others)))
    widths[widest] -= step
    over -= step
  }
  return widths
}

function widestFlexible(columns: readonly Column[], widths: readonly number[]): number {
  let widest = -1
  for (let c = 0; c < columns.length; c++) {
    if (!columns[c].flexible || widths[c] <= MIN_FLEXIBLE) continue
    if (widest === -1 || widths[c] > widths[widest]) widest = c
  }
  return widest
}

function line(columns: readonly Column[], row: readonly string[], widths: readonly number[], clips: boolean): string {
  const parts = columns.map((column, c) => {
    const clip = column.cut === 'start' ? clippedStart : clipped
    const text = clips ? clip(row[c], widths[c]) : row[c]
    const fill = ' '.repeat(Math.max(0, widths[c] - cells(text)))
    return column.align === 'right' ? fill + text : text + fill
  })
  return parts.join(GAP).trimEnd()
}
