// Prints ledgers: one row for each entry, with a bar.
import { ENTRY_TITLES, formatDuration, formatShare } from '@hearth/profile'
import type { EntryKind } from '@hearth/profile'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

/** An entry as the API returns it. */
export interface ShownEntry {
  readonly kind: EntryKind
  readonly nanos: string
  readonly error: string
  readonly details?: readonly { readonly name: string; readonly count: number; readonly mostly: string }[]
}

/** The number of details of an entry that people read. */
const DETAILS = 3
const BAR = 24

export function entryLines(entries: readonly ShownEntry[], duration: bigint, width: number | undefined): string[] {
  const rows = entries.map(({ kind, nanos, error, details = [] }) => [
    formatDuration(BigInt(nanos)),
    error === '0' ? '' : `± ${formatDuration(BigInt(error))}`,
    formatShare(BigInt(nanos), duration),
    '█'.repeat(duration === 0n ? 0 : Math.round((BAR * Number(nanos)) / Number(duration))),
    ENTRY_TITLES[kind],
    details
      .slice(0, DETAILS)
      .map(({ name, count, mostly }) => {
        const times = count > 1 ? `${count} × ` : ''
        return `${times}${printable(name)}${mostly === '' || mostly === name ? '' : ` (${printable(mostly)})`}`
      })
      .join(', '),
  ])
  return table(
    [
      { title: 'TIME', align: 'right' },
      { title: 'ERROR', align: 'right' },
      { title: 'SHARE', align: 'right' },
      { title: '' },
      { title: 'ENTRY' },
      { title: 'DETAILS', flexible: true },
    ],
    rows,
    width,
  )
}
