// The reaction to a click on a value of an attribute: it filters. Two clicks with Shift compare.
import { useState } from 'preact/hooks'
import type { BreakdownRow } from './breakdown-rows.ts'

export interface ValueChoice {
  /** The text of the value that is the baseline of a comparison. */
  readonly marked: string | undefined
  /** Says what a click does. */
  readonly hint: string
  readonly choose: (row: BreakdownRow, isShift: boolean) => void
}

export function useValueChoice(
  rows: readonly BreakdownRow[],
  onFilter: (row: BreakdownRow) => void,
  onCompare: (before: BreakdownRow, after: BreakdownRow) => void,
): ValueChoice {
  const [marked, setMarked] = useState<string | undefined>(undefined)
  const choose = (row: BreakdownRow, isShift: boolean): void => {
    const before = rows.find(each => each.text === marked)
    if (!isShift) onFilter(row)
    else if (before === undefined || before === row) setMarked(row.text)
    else onCompare(before, row)
  }
  const hint =
    marked === undefined
      ? 'Click to filter, Shift-click two values to compare'
      : `${marked === '' ? '(none)' : marked} is the baseline. Shift-click another value to compare`
  return { marked, hint, choose }
}
