// Functions by how much their share changed, and whether that may be chance.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DiffRow, DiffRows } from '../../api/profile-source.ts'
import type { DiffSort } from '../../address/heat-view.ts'
import { Icon } from '../controls/icon.tsx'
import type { Judgement } from './significance.ts'
import { judge } from './significance.ts'

export interface DiffTableProps {
  readonly rows: DiffRows
  /** Changes in the unit instead of in points of the share. */
  readonly absolute: boolean
  readonly search: string
  readonly sort: DiffSort
  readonly onSort: (sort: DiffSort) => void
}

const MOST_ROWS = 500

const JUDGEMENTS: Readonly<Record<Judgement, readonly [word: string, title: string]>> = {
  clear: ['clear', 'More than three standard deviations: chance does this once in 370 functions'],
  likely: ['likely', 'More than two standard deviations: chance does this once in 22 functions'],
  chance: ['may be chance', 'Fewer than two standard deviations: the number of samples does not tell'],
}

export function DiffTable({ rows, absolute, search, sort, onSort }: DiffTableProps): JSX.Element {
  const shown = useMemo(() => ordered(rows, absolute, search, sort), [rows, absolute, search, sort])
  const most = Math.max(1e-12, ...shown.slice(0, 1).map(row => Math.abs(changeOf(row, rows, absolute))))
  const heading = (of: DiffSort, title: string): JSX.Element => (
    <th scope="col" class="number" aria-sort={sort === of ? 'descending' : undefined}>
      <button type="button" class="plain" onClick={() => onSort(of)}>
        {title}
        {sort === of && <Icon name="down" size={12} />}
      </button>
    </th>
  )
  return (
    <div class="scrolls diff-table" tabIndex={0} role="region" aria-label="Functions that changed">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Function, by itself</th>
            {heading('before', 'Before')}
            {heading('after', 'After')}
            {heading('change', 'Change')}
            <th scope="col" class="diff-bar-head">
              <span class="visually-hidden">As a bar</span>
            </th>
            <th scope="col">Is it real?</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, MOST_ROWS).map(row => {
            const change = changeOf(row, rows, absolute)
            const judged = judgementOf(row, rows)
            return (
              <tr key={`${row.name}\n${row.file}`}>
                <td class="code diff-name" title={row.file === '' ? row.name : `${row.name}\n${row.file}`}>
                  {row.name} {presenceOf(row) !== undefined && <span class="diff-tag">{presenceOf(row)}</span>}
                </td>
                <td class="number">{side(row.beforeSelf, rows.beforeSum, rows.unit, absolute)}</td>
                <td class="number">{side(row.afterSelf, rows.afterSum, rows.unit, absolute)}</td>
                <td class={`number ${change > 0 ? 'detail-more' : change < 0 ? 'detail-less' : ''}`}>
                  {changeText(change, rows.unit, absolute)}
                </td>
                <td>
                  <ChangeBar part={change / most} />
                </td>
                <td class="muted" title={judged && JUDGEMENTS[judged][1]}>
                  {judged === undefined ? '' : JUDGEMENTS[judged][0]}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {shown.length > MOST_ROWS && (
        <p class="top-nothing muted">{(shown.length - MOST_ROWS).toLocaleString('en')} more changed less</p>
      )}
      {shown.length === 0 && <p class="top-nothing muted">No function fits the search</p>}
    </div>
  )
}

/** From the middle to the left or to the right. */
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
  const sign = change > 0 ? '+' : ''
  return absolute ? `${sign}${formatValue(change, unit)}` : `${sign}${(100 * change).toFixed(2)} pt`
}

function shareOf(value: number, sum: number): number {
  return sum === 0 ? 0 : value / sum
}

function changeOf(row: DiffRow, { beforeSum, afterSum }: DiffRows, absolute: boolean): number {
  if (absolute) return row.afterSelf - row.beforeSelf
  return shareOf(row.afterSelf, afterSum) - shareOf(row.beforeSelf, beforeSum)
}

function judgementOf(row: DiffRow, rows: DiffRows): Judgement | undefined {
  const { beforeObservations, afterObservations, beforeSum, afterSum } = rows
  if (beforeObservations === undefined || afterObservations === undefined) return undefined
  if (row.beforeSelf === 0 && row.afterSelf === 0) return undefined
  return judge(
    { part: shareOf(row.beforeSelf, beforeSum), of: beforeObservations },
    { part: shareOf(row.afterSelf, afterSum), of: afterObservations },
  )
}

export function presenceOf({ beforeTotal, afterTotal }: DiffRow): 'new' | 'gone' | undefined {
  if (beforeTotal === 0 && afterTotal !== 0) return 'new'
  return afterTotal === 0 && beforeTotal !== 0 ? 'gone' : undefined
}

function ordered(rows: DiffRows, absolute: boolean, search: string, sort: DiffSort): DiffRow[] {
  const wanted = search.toLowerCase()
  const size = (row: DiffRow): number => {
    if (sort === 'change') return Math.abs(changeOf(row, rows, absolute))
    return sort === 'before' ? row.beforeSelf : row.afterSelf
  }
  return rows.rows.filter(({ name }) => name.toLowerCase().includes(wanted)).sort((a, b) => size(b) - size(a))
}
