// The table of functions by how much their share changed, with the significance of the change.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DiffRow, DiffRows, FrameName } from '../../api/profile-source.ts'
import type { DiffSort } from '../../address/heat-view.ts'
import { Icon } from '../controls/icon.tsx'
import { FrameLabel } from '../frame-label.tsx'
import { signed } from '../signed.ts'
import type { Judgement } from '@hearth/profile'
import { judge, judgeDeviations, judgeRate, requestDeviations } from '@hearth/profile'
import '../top-table/top-table.css'

export interface DiffTableProps {
  readonly rows: DiffRows
  /** Whether to show changes in the unit instead of in percentage points. */
  readonly absolute: boolean
  readonly search: string
  readonly sort: DiffSort
  readonly onSort: (sort: DiffSort) => void
  /** Opens the page of a function. Undefined without a query. */
  readonly onFunction?: ((of: FrameName) => void) | undefined
}

const MAX_ROWS = 500

const SIGNIFICANCE: Readonly<Record<Judgement, readonly [word: string, title: string]>> = {
  clear: ['High', 'At most 1 in 100 of such changes is noise'],
  likely: ['Medium', 'At most 1 in 20 of such changes is noise'],
  chance: ['Low', 'May be noise'],
}

export function DiffTable({ rows, absolute, search, sort, onSort, onFunction }: DiffTableProps): JSX.Element {
  const shown = useMemo(() => ordered(rows, absolute, search, sort), [rows, absolute, search, sort])
  const rates = useMemo(() => new Map(rows.rows.map((row, i) => [row, rows.rates?.[i]])), [rows])
  const largest = Math.max(1e-12, ...shown.slice(0, 1).map(row => Math.abs(changeOf(row, rows, absolute))))
  const heading = (of: DiffSort, title: string): JSX.Element => (
    <th scope="col" class="number" aria-sort={sort === of ? 'descending' : undefined}>
      <button type="button" class="plain" onClick={() => onSort(of)}>
        {title}
        {sort === of && <Icon name="down" size={12} />}
      </button>
    </th>
  )
  return (
    <div class="scrolls diff-table" tabIndex={0} role="region" aria-label="Changed functions">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Function</th>
            {heading('before', 'Baseline self')}
            {heading('after', 'Comparison self')}
            {heading('change', 'Change')}
            <th scope="col" class="diff-bar-head">
              <span class="visually-hidden">Change as a bar</span>
            </th>
            <th scope="col">Significance</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MAX_ROWS).map(row => {
            const change = changeOf(row, rows, absolute)
            const judged = judgementOf(row, rows, rates.get(row))
            return (
              <tr key={`${row.name}\n${row.file}`}>
                <td
                  class="code diff-name"
                  aria-label={`${row.name} ${presenceOf(row) ?? ''}`.trim()}
                  title={row.file === '' ? row.name : `${row.name}\n${row.file}`}
                >
                  {onFunction === undefined ? (
                    <FrameLabel name={row.name} />
                  ) : (
                    <button
                      type="button"
                      class="plain diff-open"
                      aria-label={`Open the page of ${row.name}`}
                      onClick={() => onFunction(row)}
                    >
                      <FrameLabel name={row.name} />
                    </button>
                  )}{' '}
                  {presenceOf(row) !== undefined && <span class="diff-tag">{presenceOf(row)}</span>}
                </td>
                <td class="number">{side(row.beforeSelf, rows.beforeSum, rows.unit, absolute)}</td>
                <td class="number">{side(row.afterSelf, rows.afterSum, rows.unit, absolute)}</td>
                <td class={`number ${change > 0 ? 'detail-more' : change < 0 ? 'detail-less' : ''}`}>
                  {changeText(change, rows.unit, absolute)}
                </td>
                <td>
                  <ChangeBar part={change / largest} />
                </td>
                <td class="muted" title={judged && SIGNIFICANCE[judged][1]}>
                  {judged === undefined ? '' : SIGNIFICANCE[judged][0]}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {shown.length > MAX_ROWS && (
        <p class="top-nothing muted">{(shown.length - MAX_ROWS).toLocaleString('en')} more functions</p>
      )}
      {shown.length === 0 && <p class="top-nothing muted">No results</p>}
    </div>
  )
}

/** A bar from the middle to the left for a decrease or to the right for an increase. */
function ChangeBar({ part }: { readonly part: number }): JSX.Element {
  const width = `${Math.min(50, Math.abs(part) * 50)}%`
  return (
    <span class="diff-bar">
      <span class={part < 0 ? 'less' : 'more'} style={part < 0 ? { right: '50%', width } : { left: '50%', width }} />
    </span>
  )
}

function side(value: number, sum: number, unit: string, absolute: boolean): string {
  return absolute ? formatValue(value, unit) : formatShare(value, sum)
}

function changeText(change: number, unit: string, absolute: boolean): string {
  return absolute ? signed(change, formatValue(change, unit)) : `${signed(change, (100 * change).toFixed(2))} pt`
}

function shareOf(value: number, sum: number): number {
  return sum === 0 ? 0 : value / sum
}

function changeOf(row: DiffRow, { beforeSum, afterSum }: DiffRows, absolute: boolean): number {
  if (absolute) return row.afterSelf - row.beforeSelf
  return shareOf(row.afterSelf, afterSum) - shareOf(row.beforeSelf, beforeSum)
}

/** `rate` is the false discovery rate, if it is known. */
function judgementOf(row: DiffRow, rows: DiffRows, rate: number | undefined): Judgement | undefined {
  const { beforeObservations, afterObservations, beforeSum, afterSum, requests } = rows
  if (row.beforeSelf === 0 && row.afterSelf === 0) return undefined
  if (rate !== undefined) return judgeRate(rate)
  if (beforeObservations === undefined || afterObservations === undefined) return undefined
  if (requests === undefined) {
    return judge(
      { part: shareOf(row.beforeSelf, beforeSum), of: beforeObservations },
      { part: shareOf(row.afterSelf, afterSum), of: afterObservations },
    )
  }
  // Per request, a function can cost more although its share stays the same.
  return judgeDeviations(
    requestDeviations(
      { value: row.beforeSelf, sum: beforeSum, samples: beforeObservations, requests: requests.before },
      { value: row.afterSelf, sum: afterSum, samples: afterObservations, requests: requests.after },
    ),
  )
}

export function presenceOf({ beforeTotal, afterTotal }: DiffRow): 'new' | 'removed' | undefined {
  if (beforeTotal === 0 && afterTotal !== 0) return 'new'
  return afterTotal === 0 && beforeTotal !== 0 ? 'removed' : undefined
}

function ordered(rows: DiffRows, absolute: boolean, search: string, sort: DiffSort): DiffRow[] {
  const wanted = search.toLowerCase()
  const size = (row: DiffRow): number => {
    if (sort === 'change') return Math.abs(changeOf(row, rows, absolute))
    return sort === 'before' ? row.beforeSelf : row.afterSelf
  }
  return rows.rows.filter(({ name }) => name.toLowerCase().includes(wanted)).sort((a, b) => size(b) - size(a))
}
