// The legend of a timeline, and notes about hidden events.
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { TimelineEvents } from '../../api/profile-source.ts'
import { roleColour } from '../../draw/timeline/timeline-colours.ts'
import { theme } from '../../state/theme.ts'
import { ROLES, ROLE_TITLES } from '../../timeline/roles.ts'
import { formatMoment, millisOf } from '../format-time.ts'

export interface TimelineNotesProps {
  readonly events: TimelineEvents
  readonly hiddenSpans: number
  readonly others: readonly string[]
  /** Sets the query to the visible range; undefined if the source cannot. */
  readonly onNarrow: (() => void) | undefined
}

export function TimelineNotes({ events, hiddenSpans, others, onNarrow }: TimelineNotesProps): JSX.Element {
  const notes = [...notesOf(events), ...(hiddenSpans === 0 ? [] : [`${count(hiddenSpans)} spans hidden`]), ...others]
  return (
    <div class="timeline-notes">
      <Legend events={events} />
      <span class="spring" />
      {notes.length > 0 && <span class="muted">{notes.join(' · ')}</span>}
      {events.coverage.every > 1 && onNarrow !== undefined && (
        <button type="button" class="plain" onClick={onNarrow}>
          Load all events of this range
        </button>
      )}
    </div>
  )
}

function Legend({ events }: { readonly events: TimelineEvents }): JSX.Element {
  const there = new Set<number>()
  for (const role of events.role) there.add(role)
  const states = statesByRole(events)
  return (
    <ul class="timeline-legend" aria-label="Colours">
      {ROLES.map((role, i) => {
        if (!there.has(i)) return undefined
        const names = states.get(i) ?? []
        return (
          <li key={role} title={names.length === 0 ? undefined : `thread.state: ${names.join(', ')}`}>
            <span class="timeline-swatch" style={{ background: roleColour(role, theme.value) }} />
            {ROLE_TITLES[role]}
          </li>
        )
      })}
    </ul>
  )
}

/** The states that profilers report. */
function statesByRole({ role, state, states }: TimelineEvents): ReadonlyMap<number, string[]> {
  const seen = new Set<number>()
  const byRole = new Map<number, string[]>()
  for (let i = 0; i < role.length; i++) {
    const pair = role[i] * states.length + state[i]
    if (state[i] === 0 || seen.has(pair)) continue
    seen.add(pair)
    byRole.set(role[i], [...(byRole.get(role[i]) ?? []), states[state[i]]])
  }
  return byRole
}

function notesOf({ coverage, length, threads }: TimelineEvents): string[] {
  const { every, longest, all, hiddenThreads, outside, elsewhere, firstElsewhere, lastElsewhere, untimed, profiles } =
    coverage
  const notes: string[] = []
  if (every > 1) {
    const long = longest > 0 ? `, and all of at least ${formatValue(longest, 'ns')}` : ''
    notes.push(`1 in ${count(every)} of ${count(all)} events${long}`)
  } else if (all > length + elsewhere) notes.push(`${count(all - length - elsewhere)} events hidden`)
  if (hiddenThreads > 0) notes.push(`${count(hiddenThreads)} threads with few events hidden`)
  if (untimed > 0) notes.push(`${count(untimed)} of ${count(profiles)} profiles have no timestamps`)
  if (outside > 0) notes.push(`${count(outside)} events outside of the time of their profile`)
  if (elsewhere > 0) {
    const when = firstElsewhere === lastElsewhere ? at(firstElsewhere) : `${at(firstElsewhere)} to ${at(lastElsewhere)}`
    notes.push(`${count(elsewhere)} events far outside of the time of their profile hidden: ${when}`)
  }
  if (threads.length > 500) notes.push(`${count(threads.length)} threads`)
  return notes
}

function at(time: bigint): string {
  return formatMoment(millisOf(time))
}

function count(of: number): string {
  return of.toLocaleString('en')
}
