// A table of functions by their values. Only visible rows are in the DOM.
import { formatShare, formatValue } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { FrameName, ProfileSource, TopColumns } from '../../api/profile-source.ts'
import type { Sort } from '../../address/view.ts'
import { rowHeight } from '../../state/touch.ts'
import { Icon } from '../controls/icon.tsx'
import type { MenuPlace } from '../controls/menu.tsx'
import { FrameLabel } from '../frame-label.tsx'
import { useSeenRows } from '../use-seen-rows.ts'
import { columnChoice } from './column-menu.tsx'
import { Spark } from './spark.tsx'
import type { TableColumn } from './table-rows.ts'
import { COLUMN_TITLES, COLUMN_WIDTHS, MIN_NAME_WIDTH, chosenColumns, rowOrder } from './table-rows.ts'
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
  /** The selected function. It stays marked. */
  readonly selected: FrameName | undefined
  readonly onMark: (frame: FrameName | undefined) => void
  readonly onChoose: (frame: FrameName) => void
  readonly onMenu: (frame: FrameName, place: MenuPlace) => void
  /** Loads the values over time of a function; undefined if they are unknown. */
  readonly overTime: ProfileSource['overTime']
}

const SORTED: Readonly<Partial<Record<TableColumn, Sort>>> = { self: 'self', total: 'total' }

export function TopTable(props: TopTableProps): JSX.Element {
  const { top, label, sort, reverse, onSort, search, regex, marked, selected, onMark, onChoose, onMenu } = props
  const scroller = useRef<HTMLDivElement>(null)
  const height = rowHeight()
  const order = useMemo(() => rowOrder(top, { sort, reverse, search, regex }), [top, sort, reverse, search, regex])
  const { from, to, look } = useSeenRows(scroller, height, order.length)
  const most = useMemo(() => maximum(top, sort), [top, sort])
  // A function that was selected elsewhere can be far down.
  useLayoutEffect(() => {
    const row = selected === undefined ? -1 : order.findIndex(each => isSame(selected, frameAt(top, each)))
    const element = scroller.current
    if (row < 0 || element === null) return
    const { scrollTop, clientHeight } = element
    const isSeen = row * height >= scrollTop && (row + 2) * height <= scrollTop + clientHeight
    if (!isSeen) element.scrollTop = row * height - clientHeight / 2
  }, [top, selected?.name, selected?.file])
  const columns = chosenColumns(columnChoice.value).filter(each => each !== 'spark' || props.overTime !== undefined)
  const heading = (of: Sort, title: string): JSX.Element => (
    <th
      scope="col"
      key={title}
      class={of === 'name' ? undefined : 'number'}
      aria-sort={sort === of ? (reverse === (of === 'name') ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="plain" onClick={() => onSort(of, sort === of ? !reverse : false)}>
        {title}
        {sort === of && <Icon name={reverse ? 'up' : 'down'} size={12} />}
      </button>
    </th>
  )
  const width = columns.reduce((sum, each) => sum + COLUMN_WIDTHS[each], MIN_NAME_WIDTH)
  return (
    <div class="top-table-pane" data-rove="list">
      <div class="top-table" ref={scroller} onScroll={look} role="region" aria-label={label}>
        <table aria-rowcount={order.length + 1} style={{ minWidth: `${width}px` }}>
          <colgroup>
            <col />
            {columns.map(each => (
              <col key={each} style={{ width: `${COLUMN_WIDTHS[each]}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {heading('name', 'Function')}
              {columns.map(each => {
                const of = SORTED[each]
                if (of !== undefined) return heading(of, COLUMN_TITLES[each])
                const isShare = each.endsWith('share')
                return (
                  <th key={each} scope="col" class={isShare ? 'number' : undefined}>
                    {isShare ? <span title={COLUMN_TITLES[each]}>%</span> : COLUMN_TITLES[each]}
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {from > 0 && <tr aria-hidden="true" style={{ height: `${from * height}px` }} />}
            {order.slice(from, to).map((row, i) => {
              const frame = frameAt(top, row)
              const share = (sort === 'total' ? top.total[row] : top.self[row]) / most
              const isSelected = selected !== undefined && isSame(selected, frame)
              return (
                <tr
                  key={row}
                  aria-rowindex={from + i + 2}
                  class={isSelected ? 'selected' : marked.value === frame.name ? 'marked' : undefined}
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
                      aria-label={frame.name}
                      aria-pressed={isSelected}
                      onClick={() => onChoose(frame)}
                    >
                      <FrameLabel name={frame.name} />
                    </button>
                  </td>
                  {columns.map(each => (
                    <Cell key={each} top={top} row={row} column={each} overTime={props.overTime} />
                  ))}
                </tr>
              )
            })}
            {to < order.length && <tr aria-hidden="true" style={{ height: `${(order.length - to) * height}px` }} />}
          </tbody>
        </table>
        {order.length === 0 && <p class="top-nothing muted">{search === '' ? 'No functions' : 'No results'}</p>}
        {top.allFrames > top.length && (
          <p class="top-nothing muted">{(top.allFrames - top.length).toLocaleString('en')} smaller functions hidden</p>
        )}
      </div>
    </div>
  )
}

interface CellProps {
  readonly top: TopColumns
  readonly row: number
  readonly column: TableColumn
  readonly overTime: ProfileSource['overTime']
}

function Cell({ top, row, column, overTime }: CellProps): JSX.Element {
  const frame = top.frame[row]
  switch (column) {
    case 'spark':
      return <td>{overTime && <Spark of={frameAt(top, row)} load={overTime} />}</td>
    case 'self':
      return <td class="number">{formatValue(top.self[row], top.unit)}</td>
    case 'self-share':
      return <td class="number muted">{formatShare(top.self[row], top.sum)}</td>
    case 'total':
      return <td class="number">{formatValue(top.total[row], top.unit)}</td>
    case 'total-share':
      return <td class="number muted">{formatShare(top.total[row], top.sum)}</td>
    case 'file':
    case 'library': {
      const text = column === 'file' ? top.frames.file[frame] : top.frames.mapping[frame]
      return (
        <td class="code muted top-path" title={text}>
          <bdi>{text}</bdi>
        </td>
      )
    }
  }
}

function isSame(a: FrameName, b: FrameName): boolean {
  return a.name === b.name && (a.file === '' || a.file === b.file)
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
