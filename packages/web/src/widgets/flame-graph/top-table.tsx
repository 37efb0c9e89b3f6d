// A table of functions by their values. Only visible rows are in the DOM.
import { formatShare, formatValue, searchFrames } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { FrameName, TopColumns } from '../../api/profile-source.ts'
import type { Sort } from '../../address/view.ts'
import { Icon } from '../controls/icon.tsx'
import type { MenuPlace } from '../controls/menu.tsx'
import { useSeenRows } from '../use-seen-rows.ts'
import './top-table.css'

export interface TopTableProps {
  readonly top: TopColumns
  readonly label: string
  readonly sort: Sort
  readonly reverse: boolean
  readonly onSort: (sort: Sort, reverse: boolean) => void
  readonly search: string
  readonly regex: boolean
  /** The function under the pointer, here or in the graph. */
  readonly marked: Signal<string | undefined>
  readonly onMark: (frame: FrameName | undefined) => void
  readonly onChoose: (frame: FrameName) => void
  readonly onMenu: (frame: FrameName, place: MenuPlace) => void
}

const ROW = 24

export function TopTable(props: TopTableProps): JSX.Element {
  const { top, label, sort, reverse, onSort, search, regex, marked, onMark, onChoose, onMenu } = props
  const scroller = useRef<HTMLDivElement>(null)
  const order = useMemo(() => rowOrder(top, sort, reverse, search, regex), [top, sort, reverse, search, regex])
  const { from, to, look } = useSeenRows(scroller, ROW, order.length)
  const most = useMemo(() => maximum(top, sort), [top, sort])
  const heading = (of: Sort, title: string): JSX.Element => (
    <th
      scope="col"
      class={of === 'name' ? undefined : 'number'}
      aria-sort={sort === of ? (reverse === (of === 'name') ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="plain" onClick={() => onSort(of, sort === of ? !reverse : false)}>
        {title}
        {sort === of && <Icon name={reverse ? 'up' : 'down'} size={12} />}
      </button>
    </th>
  )
  return (
    <div class="top-table" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={order.length + 1}>
        <colgroup>
          <col />
          <col class="top-value" />
          <col class="top-share" />
          <col class="top-value" />
          <col class="top-share" />
        </colgroup>
        <thead>
          <tr>
            {heading('name', 'Function')}
            {heading('self', 'Self')}
            <th scope="col" class="number">
              %
            </th>
            {heading('total', 'Total')}
            <th scope="col" class="number">
              %
            </th>
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: `${from * ROW}px` }} />}
          {order.slice(from, to).map((row, i) => {
            const frame = frameAt(top, row)
            const share = (sort === 'total' ? top.total[row] : top.self[row]) / most
            return (
              <tr
                key={row}
                aria-rowindex={from + i + 2}
                class={marked.value === frame.name ? 'marked' : undefined}
                onPointerEnter={() => onMark(frame)}
                onPointerLeave={() => onMark(undefined)}
                onContextMenu={event => {
                  event.preventDefault()
                  onMenu(frame, { x: event.clientX, y: event.clientY })
                }}
              >
                <td>
                  <button
                    type="button"
                    class="top-name"
                    title={frame.file === '' ? frame.name : `${frame.name}\n${frame.file}`}
                    style={{ '--share': `${(100 * Math.max(0, share)).toFixed(2)}%` }}
                    onClick={() => onChoose(frame)}
                  >
                    {frame.name}
                  </button>
                </td>
                <td class="number">{formatValue(top.self[row], top.unit)}</td>
                <td class="number muted">{formatShare(top.self[row], top.sum)}</td>
                <td class="number">{formatValue(top.total[row], top.unit)}</td>
                <td class="number muted">{formatShare(top.total[row], top.sum)}</td>
              </tr>
            )
          })}
          {to < order.length && <tr aria-hidden="true" style={{ height: `${(order.length - to) * ROW}px` }} />}
        </tbody>
      </table>
      {order.length === 0 && <p class="top-nothing muted">{search === '' ? 'No functions' : 'No results'}</p>}
      {top.allFrames > top.length && (
        <p class="top-nothing muted">{(top.allFrames - top.length).toLocaleString('en')} smaller functions hidden</p>
      )}
    </div>
  )
}

export function frameAt({ frames, frame }: TopColumns, row: number): FrameName {
  return { name: frames.name[frame[row]], file: frames.file[frame[row]] }
}

function maximum(top: TopColumns, sort: Sort): number {
  const values = sort === 'total' ? top.total : top.self
  let most = 0
  for (const value of values) most = Math.max(most, value)
  return most === 0 ? 1 : most
}

function rowOrder(top: TopColumns, sort: Sort, reverse: boolean, search: string, regex: boolean): number[] {
  const rows: number[] = []
  const matches =
    search === '' ? undefined : searchFrames(top.frames, { text: search, regularExpression: regex }).matches
  for (let i = 0; i < top.length; i++) if (matches === undefined || matches[top.frame[i]] !== 0) rows.push(i)
  const nameOf = (row: number): string => top.frames.name[top.frame[row]]
  if (sort === 'name') rows.sort((a, b) => compareNames(nameOf(a), nameOf(b)) || a - b)
  else {
    const [values, others] = sort === 'total' ? [top.total, top.self] : [top.self, top.total]
    rows.sort((a, b) => values[b] - values[a] || others[b] - others[a] || compareNames(nameOf(a), nameOf(b)) || a - b)
  }
  return reverse ? rows.reverse() : rows
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
