// The reaction to a click on a value of an attribute: it filters. Two clicks with Shift compare, and so do two clicks after the
// button, because fingers have no Shift.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { BreakdownRow } from './breakdown-rows.ts'

export interface ValueChoice {
  /** The text of the value that is the baseline of a comparison. */
  readonly marked: string | undefined
  /** Says what a click does, with the button that starts or ends a comparison. */
  readonly hint: JSX.Element
  readonly choose: (row: BreakdownRow, isShift: boolean) => void
}

export function useValueChoice(
  rows: readonly BreakdownRow[],
  onFilter: (row: BreakdownRow) => void,
  onCompare: (before: BreakdownRow, after: BreakdownRow) => void,
): ValueChoice {
  const [marked, setMarked] = useState<string | undefined>(undefined)
  const [isComparing, setIsComparing] = useState(false)
  const choose = (row: BreakdownRow, isShift: boolean): void => {
    const before = rows.find(each => each.text === marked)
    if (!isShift && !isComparing) onFilter(row)
    else if (before === undefined || before === row) {
      setMarked(row.text)
      setIsComparing(true)
    } else onCompare(before, row)
  }
  const toggle = (): void => {
    setMarked(undefined)
    setIsComparing(!isComparing)
  }
  const hint = (
    <div class="breakdown-hint">
      <span class="muted" role="status">
        {marked !== undefined
          ? `${marked === '' ? '(none)' : marked} is the baseline. Select the value to compare`
          : isComparing
            ? 'Select the baseline'
            : 'Select a value to filter'}
      </span>
      {rows.length > 1 && (
        <button type="button" aria-pressed={isComparing} title="Or click two values with Shift" onClick={toggle}>
          Compare two values
        </button>
      )}
    </div>
  )
  return { marked, hint, choose }
}
