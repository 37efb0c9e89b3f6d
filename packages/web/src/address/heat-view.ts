// The view state of a heat map, with the selected ranges, as addresses keep it.
import type { Field, Fields } from './route-fields.ts'
import { choice, flag, nested, readFields, text } from './route-fields.ts'
import type { TimeSpan } from './time-span.ts'
import { spanField } from './time-span.ts'

export type HeatRange = TimeSpan

export const HEAT_COLUMNS = ['100ms', '1s', '10s', '1m', '10m', '1h'] as const
export type HeatColumn = (typeof HEAT_COLUMNS)[number]

/** 49 and 99 rows do not show beating with samples at 50 or 100 Hz. */
export const ROW_CHOICES = [10, 25, 49, 50, 99, 100] as const

export const HEAT_PARTS = ['both', 'flame', 'table', 'sandwich', 'lines'] as const
export const HEAT_DIFFS = ['diff', 'side', 'table', 'lines'] as const
/** Sort orders of the table of a comparison. */
export const DIFF_SORTS = ['change', 'before', 'after'] as const
export type DiffSort = (typeof DIFF_SORTS)[number]

export interface HeatView {
  readonly column: HeatColumn
  readonly rows: number
  /** Whether colours show the total of values instead of the number of samples. */
  readonly sums: boolean
  /** Whether rare cells stand out as much as busy ones. */
  readonly enhanced: boolean
  /** Whether stacks of idle processors and threads are skipped. */
  readonly busy: boolean
  /** The selected range and the ranges to compare. */
  readonly range: HeatRange | undefined
  readonly before: HeatRange | undefined
  readonly after: HeatRange | undefined
  /** The view of the selected range. */
  readonly part: (typeof HEAT_PARTS)[number]
  /** The view of the comparison. */
  readonly diff: (typeof HEAT_DIFFS)[number]
  readonly absolute: boolean
  readonly filter: string
  readonly order: DiffSort
}

const rows: Field<number> = {
  read: values => ROW_CHOICES.find(each => String(each) === values[0]) ?? 50,
  write: value => (value === 50 ? [] : [String(value)]),
}

const fields: Fields<HeatView> = {
  column: ['column', choice(HEAT_COLUMNS, '1s')],
  rows: ['rows', rows],
  sums: ['sums', flag()],
  enhanced: ['enhanced', flag()],
  busy: ['busy', flag()],
  range: ['range', spanField],
  before: ['a', spanField],
  after: ['b', spanField],
  part: ['part', choice(HEAT_PARTS, 'both')],
  diff: ['diff', choice(HEAT_DIFFS, 'diff')],
  absolute: ['absolute', flag()],
  filter: ['filter', text()],
  order: ['order', choice(DIFF_SORTS, 'change')],
}

export const DEFAULT_HEAT: HeatView = readFields(fields, new URLSearchParams())

export const heatField: Field<HeatView> = nested(fields)
