// Average ledgers as rows with bars of one scale.
import type { AverageLedger } from '@hearth/client'
import { ENTRY_KINDS, ENTRY_TITLES, formatDuration } from '@hearth/profile'
import type { ComponentChildren, JSX } from 'preact'
import { LedgerBar, LedgerMark } from './ledger-bar.tsx'
import { nanosOf } from './ledger-area.tsx'

export interface LedgerTableProps {
  /** The heading of the first column. */
  readonly title: string
  readonly rows: readonly (AverageLedger & { readonly name: string })[]
  readonly nameOf?: (name: string) => ComponentChildren
}

export function LedgerTable({ title, rows, nameOf = name => name }: LedgerTableProps): JSX.Element {
  const longest = Math.max(1, ...rows.map(({ durationNano }) => Number(durationNano)))
  return (
    <table class="ledger-table">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="ledger-cell">
            <span class="visually-hidden">Ledger</span>
          </th>
          <th scope="col" class="number">
            Per request
          </th>
          <th scope="col" class="number">
            Requests
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, requests, durationNano, entries }) => (
          <tr key={name}>
            <th scope="row">{nameOf(name)}</th>
            <td class="ledger-cell">
              <div style={{ width: `${(100 * Number(durationNano)) / longest}%` }}>
                <LedgerBar nanos={nanosOf(entries)} />
              </div>
            </td>
            <td class="number">{formatDuration(BigInt(durationNano))}</td>
            <td class="number">{requests.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The colours of all kinds. */
export function LedgerLegend(): JSX.Element {
  return (
    <div class="ledger-legend">
      {ENTRY_KINDS.map(kind => (
        <span key={kind}>
          <LedgerMark kind={kind} /> {ENTRY_TITLES[kind]}
        </span>
      ))}
    </div>
  )
}
