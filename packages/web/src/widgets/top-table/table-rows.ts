// The columns and rows of a table of functions, without the DOM.
import { canonicalUnit, compareTexts, searchFrames } from '@hearth/profile'
import type { TopColumns } from '../../api/profile-source.ts'
import type { Sort } from '../../address/view.ts'
import { sortedDescending } from './sort-descending.ts'

/** Columns after the name, in the order of the table. */
export const TABLE_COLUMNS = ['spark', 'self', 'self-share', 'total', 'total-share', 'file', 'library'] as const
export type TableColumn = (typeof TABLE_COLUMNS)[number]

export const COLUMN_TITLES: Readonly<Record<TableColumn, string>> = {
  spark: 'Over time',
  self: 'Self',
  'self-share': 'Self %',
  total: 'Total',
  'total-share': 'Total %',
  file: 'File',
  library: 'Library',
}

/** CSS pixels. */
export const COLUMN_WIDTHS: Readonly<Record<TableColumn, number>> = {
  spark: 72,
  self: 84,
  'self-share': 58,
  total: 84,
  'total-share': 58,
  file: 180,
  library: 140,
}
/** The minimum width of the name. A narrower table scrolls. */
export const MIN_NAME_WIDTH = 150

export const DEFAULT_TABLE_COLUMNS = 'self,self-share,total,total-share'

/** Reads the kept choice of columns. Unknown names are ignored. */
export function chosenColumns(text: string): readonly TableColumn[] {
  const names = text.split(',')
  return TABLE_COLUMNS.filter(column => names.includes(column))
}

/** The choice with a column added or removed. */
export function toggledColumn(text: string, column: TableColumn): string {
  const chosen = chosenColumns(text)
  return TABLE_COLUMNS.filter(each => chosen.includes(each) !== (each === column)).join(',')
}

export interface RowChoice {
  readonly sort: Sort
  /** Reverses the order, which is largest first or A to Z by default. */
  readonly reverse: boolean
  readonly search: string
  readonly regex: boolean
}

/** The rows that match the search, in order. */
export function rowOrder(top: TopColumns, { sort, reverse, search, regex }: RowChoice): number[] {
  const rows: number[] = []
  const matches =
    search === '' ? undefined : searchFrames(top.frames, { text: search, regularExpression: regex }).matches
  for (const row of sortedRows(top, sort)) if (matches === undefined || matches[top.frame[row]] !== 0) rows.push(row)
  return reverse ? rows.reverse() : rows
}

/** The orders of tables, because sorting the names of half a million functions takes a third of a second. */
const sorted = new WeakMap<TopColumns, Map<Sort, Uint32Array>>()

function sortedRows(top: TopColumns, sort: Sort): Uint32Array {
  const known = sorted.get(top) ?? new Map<Sort, Uint32Array>()
  sorted.set(top, known)
  let rows = known.get(sort)
  if (rows === undefined) known.set(sort, (rows = sortRows(top, sort)))
  return rows
}

function sortRows(top: TopColumns, sort: Sort): Uint32Array {
  const { self, total } = top
  if (sort === 'total') return sortedDescending(sortedRows(top, 'self'), total)
  const rows = new Uint32Array(top.length)
  for (let row = 0; row < rows.length; row++) rows[row] = row
  // Tables usually come in the order of self, total and name.
  if (sort === 'self' && isInOrder(top)) return rows
  const nameOf = (row: number): string => top.frames.name[top.frame[row]]
  const byName = (a: number, b: number): number => compareTexts(nameOf(a), nameOf(b)) || a - b
  return rows.sort(sort === 'name' ? byName : (a, b) => self[b] - self[a] || total[b] - total[a] || byName(a, b))
}

function isInOrder({ length, self, total }: TopColumns): boolean {
  for (let row = 1; row < length; row++) {
    if (self[row] > self[row - 1] || (self[row] === self[row - 1] && total[row] > total[row - 1])) return false
  }
  return true
}

/** The rows as CSV (RFC 4180), with exact numbers. The unit is in the header. */
export function tableCsv(top: TopColumns, rows: readonly number[]): string {
  const unit = canonicalUnit(top.unit)
  const lines = [['function', `self (${unit})`, 'self share', `total (${unit})`, 'total share', 'file', 'library']]
  const share = (value: number): string =>
    top.sum === 0n ? '0' : String(Number((value / Number(top.sum)).toPrecision(6)))
  for (const row of rows) {
    const frame = top.frame[row]
    const { name, file, mapping } = top.frames
    const [self, total] = [top.self[row], top.total[row]]
    lines.push([name[frame], String(self), share(self), String(total), share(total), file[frame], mapping[frame]])
  }
  return `${lines.map(fields => fields.map(csvField).join(',')).join('\r\n')}\r\n`
}

/** A text that starts like a formula would be run by spreadsheets, so it gets an apostrophe. */
function csvField(text: string): string {
  const safe = /^[=+\-@]/.test(text) && !/^-?[\d.]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The points of a sparkline as an SVG path in a box of `width` and `height`. Empty without values. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  const most = Math.max(...values, 0)
  if (values.length < 2 || most === 0) return ''
  const step = width / (values.length - 1)
  return values
    .map(
      (value, i) =>
        `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)} ${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`,
    )
    .join('')
}
