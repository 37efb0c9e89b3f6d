// The values of an attribute as bars. A click filters, two clicks with Shift compare.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Divisors } from '../../address/divisor.ts'
import { unitPer } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { Breakdown, BreakdownRow } from './breakdown-rows.ts'
import './breakdown.css'

export interface BreakdownBarsProps {
  readonly breakdown: Breakdown
  readonly attribute: string
  readonly per: Normalisation
  readonly divisors: Divisors
  readonly onFilter: (row: BreakdownRow) => void
  readonly onCompare: (before: BreakdownRow, after: BreakdownRow) => void
}

const MAX_BARS = 200

export function BreakdownBars(props: BreakdownBarsProps): JSX.Element {
  const { breakdown, attribute, per, divisors, onFilter, onCompare } = props
  const { rows, sum, unit } = breakdown
  const [marked, setMarked] = useState<string | undefined>(undefined)
  const most = rows.reduce((max, each) => (each.sum > max ? each.sum : max), 1n)
  const shownUnit = unitPer(unit, per, { ...divisors, total: Number(sum) })
  const choose = (row: BreakdownRow, isShift: boolean): void => {
    if (!isShift) return onFilter(row)
    const before = rows.find(each => each.text === marked)
    if (before === undefined || before === row) setMarked(row.text)
    else onCompare(before, row)
    return undefined
  }
  return (
    <div class="breakdown-bars">
      <p class="muted" role="status">
        {marked === undefined
          ? 'Click to filter, Shift-click two values to compare'
          : `${marked === '' ? '(none)' : marked} is the baseline. Shift-click another value to compare`}
      </p>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{attribute}</th>
            <th scope="col" class="number">
              Value
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_BARS).map(row => (
            <tr key={`${row.isAbsent} ${row.text}`} class={row.text === marked ? 'marked' : undefined}>
              <td class="breakdown-bar" style={{ '--share': `${(Number(row.sum) / Number(most)) * 100}%` }}>
                <button type="button" class="plain" onClick={event => choose(row, event.shiftKey)}>
                  {row.isAbsent ? <span class="muted">(none)</span> : row.text}
                </button>
              </td>
              <td class="number">{formatValue(row.sum, shownUnit)}</td>
              <td class="number">{formatShare(row.sum, sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_BARS && <p class="muted">{rows.length - MAX_BARS} more values</p>}
    </div>
  )
}
