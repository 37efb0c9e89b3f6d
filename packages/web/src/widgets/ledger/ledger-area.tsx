// Average ledgers over time as a stacked area: the height is the average duration of a request.
import type { EntryKind } from '@hearth/profile'
import { ENTRY_KINDS, ENTRY_TITLES, formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { ClockAxis } from '../charts/clock-axis.tsx'
import { TimeMarks } from '../charts/time-marks.tsx'
import { useWidth } from '../use-width.ts'
import './ledger.css'

export interface AreaPoint {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly requests: number
  /** Nanoseconds per request of each kind, in the order of ENTRY_KINDS. */
  readonly nanos: readonly number[]
}

export interface LedgerAreaProps {
  readonly points: readonly AreaPoint[]
  readonly from: number
  readonly to: number
}

const HEIGHT = 220

export function LedgerArea({ points, from, to }: LedgerAreaProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const sums = points.map(({ nanos }) => nanos.reduce((sum, each) => sum + each, 0))
  const top = Math.max(1, ...sums)
  return (
    <div class="ledger-area" ref={host}>
      <span class="muted ledger-area-top">{formatDuration(Math.round(top))} per request</span>
      <svg
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${points.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Time per request by entry, up to ${formatDuration(Math.round(top))}`}
      >
        <defs>
          {/* The drawing is stretched to the width: the pattern must not be. */}
          <pattern
            id="ledger-hatch"
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform={`scale(${points.length / Math.max(1, width)} 1) rotate(45)`}
          >
            <rect class="ledger-hatch" width="1.5" height="5" />
          </pattern>
        </defs>
        {ENTRY_KINDS.map((kind, k) => (
          <path key={kind} class={`ledger-fill-${kind}`} d={areaOf(points, k, HEIGHT / top)}>
            <title>{ENTRY_TITLES[kind]}</title>
          </path>
        ))}
      </svg>
      <TimeMarks from={from} to={to} />
      <ClockAxis from={from} to={to} width={width} />
    </div>
  )
}

/** The outline of one kind: a step for each interval, so that intervals without requests stay empty. */
export function areaOf(points: readonly AreaPoint[], kind: number, scale: number): string {
  const parts: string[] = []
  for (const [i, { nanos }] of points.entries()) {
    if (nanos[kind] === 0) continue
    const below = nanos.slice(0, kind).reduce((sum, each) => sum + each, 0)
    const y = HEIGHT - scale * below
    parts.push(`M${i} ${y.toFixed(2)}h1v${(-scale * nanos[kind]).toFixed(2)}h-1z`)
  }
  return parts.join('')
}

/** The nanoseconds of entries in the order of ENTRY_KINDS. */
export function nanosOf(entries: readonly { readonly kind: EntryKind; readonly nanos: string }[]): number[] {
  return ENTRY_KINDS.map(kind => Number(entries.find(each => each.kind === kind)?.nanos ?? 0))
}
