// The values of an attribute as bars.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Divisors } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { Breakdown, BreakdownRow, RowRequests } from './breakdown-rows.ts'
import { unitOfRow } from './breakdown-rows.ts'
import { useValueChoice } from './use-value-choice.tsx'
import './breakdown.css'

export interface BreakdownBarsProps {
  readonly breakdown: Breakdown
  readonly attribute: string
  readonly per: Normalisation
  readonly divisors: Divisors
  /** The requests of each value, if values are divided by them. */
  readonly requests: RowRequests | undefined
  readonly onFilter: (row: BreakdownRow) => void
  readonly onCompare: (before: BreakdownRow, after: BreakdownRow) => void
}

const MAX_BARS = 200

export function BreakdownBars(props: BreakdownBarsProps): JSX.Element {
  const { breakdown, attribute, per, divisors, requests, onFilter, onCompare } = props
  const { rows, sum } = breakdown
  const { marked, hint, choose } = useValueChoice(rows, onFilter, onCompare)
  const most = rows.reduce((max, each) => (each.sum > max ? each.sum : max), 1n)
  const valueOf = (row: BreakdownRow): string => {
    const unit = unitOfRow(row, breakdown, per, divisors, requests)
    return unit === undefined ? '–' : formatValue(row.sum, unit)
  }
  return (
    <div class="breakdown-bars">
      {hint}
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{attribute}</th>
            <th scope="col" class="number">
              {requests === undefined ? 'Value' : 'Per own request'}
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
              <td class="number">{valueOf(row)}</td>
              <td class="number">{formatShare(row.sum, sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_BARS && <p class="muted">{rows.length - MAX_BARS} more values</p>}
    </div>
  )
}
