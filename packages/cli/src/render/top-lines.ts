// Frames by value, as a table:
//
//   SELF  SELF%   TOTAL  TOTAL%  NAME  FILE
//   3 s   46.2%   3 s    46.2%   gc    src/heap.ts
import { formatShare, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

export interface TopRow {
  readonly self: bigint
  readonly total: bigint
  readonly name: string
  /** A file and line, or a mapping. */
  readonly place: string
}

export interface TopSums {
  readonly sum: bigint
  readonly unit: string
  /** The total number of rows. */
  readonly all: number
}

/** The default number of rows. */
export const TOP_ROWS = 30

export function topLines(rows: readonly TopRow[], { sum, unit, all }: TopSums, width: number | undefined): string[] {
  const shown = rows.map(({ self, total, name, place }) => [
    formatValue(self, unit),
    formatShare(self, sum),
    formatValue(total, unit),
    formatShare(total, sum),
    printable(name),
    printable(place),
  ])
  const columns = [
    { title: 'SELF', align: 'right' },
    { title: 'SELF%', align: 'right' },
    { title: 'TOTAL', align: 'right' },
    { title: 'TOTAL%', align: 'right' },
    { title: 'NAME', flexible: true },
    { title: 'FILE', flexible: true, cut: 'start' },
  ] as const
  const left = all - rows.length
  const more = left > 0 ? [`and ${countOf(left, 'row')} more (-n ${all} shows all)`] : []
  return [...table(columns, shown, width), ...more]
}
