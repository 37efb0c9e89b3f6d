// A bar that is exactly 100 % of a duration, divided into the entries of a ledger. Each kind has one colour everywhere.
import type { EntryKind } from '@hearth/profile'
import { ENTRY_KINDS, ENTRY_TITLES, formatDuration, formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import './ledger.css'

export interface LedgerBarProps {
  /** Nanoseconds of each kind, in the order of ENTRY_KINDS. */
  readonly nanos: readonly (bigint | number)[]
  readonly selected?: EntryKind | undefined
  /** Without it, entries are not buttons. The screen needs other buttons for them: those here can be too narrow to touch. */
  readonly onSelect?: (kind: EntryKind) => void
}

export function LedgerBar({ nanos, selected, onSelect }: LedgerBarProps): JSX.Element {
  const whole = nanos.reduce<number>((sum, each) => sum + Number(each), 0)
  const parts = ENTRY_KINDS.flatMap((kind, row) => {
    const time = Number(nanos[row])
    return time === 0
      ? []
      : [{ kind, time, text: `${ENTRY_TITLES[kind]}: ${formatDuration(time)}, ${formatShare(time, whole)}` }]
  })
  if (onSelect === undefined) {
    return (
      <span class="ledger-bar" role="img" aria-label={parts.map(({ text }) => text).join('; ')}>
        {parts.map(({ kind, time, text }) => (
          <span key={kind} class={`ledger-part ledger-${kind}`} style={{ flexGrow: time / whole }} title={text} />
        ))}
      </span>
    )
  }
  return (
    <div class="ledger-bar large" role="group" aria-label="Time ledger">
      {parts.map(({ kind, time, text }) => (
        <button
          key={kind}
          type="button"
          class={`plain ledger-part ledger-${kind}`}
          style={{ flexGrow: time / whole }}
          tabIndex={-1}
          title={text}
          aria-label={text}
          aria-pressed={kind === selected}
          onClick={() => onSelect(kind)}
        />
      ))}
    </div>
  )
}

/** The colour of a kind, before its name. */
export function LedgerMark({ kind }: { readonly kind: EntryKind }): JSX.Element {
  return <span class={`ledger-mark ledger-${kind}`} />
}
