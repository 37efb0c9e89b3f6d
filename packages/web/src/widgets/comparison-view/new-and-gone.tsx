// Functions that are on one side alone, and those that changed most.
import { formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DiffRow, DiffRows } from '../../api/profile-source.ts'
import { presenceOf } from './diff-table.tsx'

export interface NewAndGoneProps {
  /** Undefined until they are there; the place is kept. */
  readonly rows: DiffRows | undefined
  readonly onChoose: (name: string) => void
}

const LISTED = 12

export function NewAndGone({ rows, onChoose }: NewAndGoneProps): JSX.Element {
  return (
    <aside class="new-and-gone scrolls" aria-label="What changed" tabIndex={0}>
      {rows === undefined ? <p class="muted">Comparing functions…</p> : <Lists rows={rows} onChoose={onChoose} />}
    </aside>
  )
}

interface ListsProps extends NewAndGoneProps {
  readonly rows: DiffRows
}

function Lists({ rows, onChoose }: ListsProps): JSX.Element {
  const { beforeSum, afterSum } = rows
  const { fresh, gone, more, less } = useMemo(() => sorted(rows), [rows])
  const list = (title: string, of: readonly DiffRow[], text: (row: DiffRow) => string): JSX.Element => (
    <section>
      <h2>{title}</h2>
      {of.length === 0 && <p class="muted">none</p>}
      <ul>
        {of.slice(0, LISTED).map(row => (
          <li key={`${row.name}\n${row.file}`}>
            <button type="button" class="plain code" title={row.name} onClick={() => onChoose(row.name)}>
              {row.name}
            </button>
            <span class="number muted">{text(row)}</span>
          </li>
        ))}
      </ul>
      {of.length > LISTED && <p class="muted">and {of.length - LISTED} more</p>}
    </section>
  )
  const points = (row: DiffRow): string => {
    const change = 100 * (share(row.afterSelf, afterSum) - share(row.beforeSelf, beforeSum))
    return `${change > 0 ? '+' : ''}${change.toFixed(1)} pt`
  }
  return (
    <>
      {list('New functions', fresh, row => formatShare(row.afterTotal, afterSum))}
      {list('Gone functions', gone, row => formatShare(row.beforeTotal, beforeSum))}
      {list('More by themselves', more, points)}
      {list('Less by themselves', less, points)}
    </>
  )
}

function share(value: number, sum: number): number {
  return sum === 0 ? 0 : value / sum
}

interface Sorted {
  readonly fresh: readonly DiffRow[]
  readonly gone: readonly DiffRow[]
  readonly more: readonly DiffRow[]
  readonly less: readonly DiffRow[]
}

/** Of changes of a hundredth of a point nobody wants to read. */
const LEAST = 0.0005

function sorted({ rows, beforeSum, afterSum }: DiffRows): Sorted {
  const change = (row: DiffRow): number => share(row.afterSelf, afterSum) - share(row.beforeSelf, beforeSum)
  const both = rows.filter(row => presenceOf(row) === undefined)
  return {
    fresh: rows.filter(row => presenceOf(row) === 'new').sort((a, b) => b.afterTotal - a.afterTotal),
    gone: rows.filter(row => presenceOf(row) === 'gone').sort((a, b) => b.beforeTotal - a.beforeTotal),
    more: both.filter(row => change(row) >= LEAST).sort((a, b) => change(b) - change(a)),
    less: both.filter(row => change(row) <= -LEAST).sort((a, b) => change(a) - change(b)),
  }
}
