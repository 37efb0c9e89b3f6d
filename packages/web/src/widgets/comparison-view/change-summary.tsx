// The summary beside a diff: new and removed functions, and those whose self value changed most.
import { formatShare, formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DiffRow, DiffRows } from '../../api/profile-source.ts'
import { FrameLabel } from '../frame-label.tsx'
import { signed } from '../signed.ts'
import { presenceOf } from './diff-table.tsx'

export interface ChangeSummaryProps {
  /** Undefined until they are loaded. */
  readonly rows: DiffRows | undefined
  readonly onChoose: (name: string) => void
}

const LISTED = 12

export function ChangeSummary({ rows, onChoose }: ChangeSummaryProps): JSX.Element {
  return (
    <aside class="change-summary scrolls" aria-label="Changes" tabIndex={0}>
      {rows === undefined ? <p class="muted">Comparing functions…</p> : <Lists rows={rows} onChoose={onChoose} />}
    </aside>
  )
}

interface ListsProps extends ChangeSummaryProps {
  readonly rows: DiffRows
}

function Lists({ rows, onChoose }: ListsProps): JSX.Element {
  const { beforeSum, afterSum, unit, requests } = rows
  const { added, removed, more, less } = useMemo(() => sorted(rows), [rows])
  const list = (title: string, of: readonly DiffRow[], text: (row: DiffRow) => string): JSX.Element => (
    <section>
      <h2>{title}</h2>
      {of.length === 0 && <p class="muted">None</p>}
      <ul>
        {of.slice(0, LISTED).map(row => (
          <li key={`${row.name}\n${row.file}`}>
            <button
              type="button"
              class="plain code"
              title={row.name}
              aria-label={row.name}
              onClick={() => onChoose(row.name)}
            >
              <FrameLabel name={row.name} />
            </button>
            <span class="number muted">{text(row)}</span>
          </li>
        ))}
      </ul>
      {of.length > LISTED && <p class="muted">{of.length - LISTED} more</p>}
    </section>
  )
  const change = (row: DiffRow): string => {
    if (requests !== undefined) return `${formatValue(row.afterSelf, unit)} vs. ${formatValue(row.beforeSelf, unit)}`
    const points = 100 * (share(row.afterSelf, afterSum) - share(row.beforeSelf, beforeSum))
    return `${signed(points, points.toFixed(1))} pt`
  }
  const side = (value: number, sum: number): string =>
    requests === undefined ? formatShare(value, sum) : formatValue(value, unit)
  return (
    <>
      {list('New functions', added, row => side(row.afterTotal, afterSum))}
      {list('Removed functions', removed, row => side(row.beforeTotal, beforeSum))}
      {list('Increased self', more, change)}
      {list('Decreased self', less, change)}
      {requests !== undefined && <p class="muted">Values per request: slow vs. fast</p>}
    </>
  )
}

function share(value: number, sum: number): number {
  return sum === 0 ? 0 : value / sum
}

interface Sorted {
  readonly added: readonly DiffRow[]
  readonly removed: readonly DiffRow[]
  readonly more: readonly DiffRow[]
  readonly less: readonly DiffRow[]
}

/** Smaller changes of the share are omitted. */
const MIN_CHANGE = 0.0005

function sorted({ rows, beforeSum, afterSum, requests }: DiffRows): Sorted {
  const change = (row: DiffRow): number =>
    requests === undefined
      ? share(row.afterSelf, afterSum) - share(row.beforeSelf, beforeSum)
      : share(row.afterSelf - row.beforeSelf, Math.max(beforeSum, afterSum))
  const both = rows.filter(row => presenceOf(row) === undefined)
  return {
    added: rows.filter(row => presenceOf(row) === 'new').sort((a, b) => b.afterTotal - a.afterTotal),
    removed: rows.filter(row => presenceOf(row) === 'removed').sort((a, b) => b.beforeTotal - a.beforeTotal),
    more: both.filter(row => change(row) >= MIN_CHANGE).sort((a, b) => change(b) - change(a)),
    less: both.filter(row => change(row) <= -MIN_CHANGE).sort((a, b) => change(a) - change(b)),
  }
}
