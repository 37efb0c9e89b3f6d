// The legend of a timeline, and what has to be said beside what it shows.
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
  /** Asks about nothing but what is shown; undefined where the source cannot. */
  readonly onNarrow: (() => void) | undefined
}

export function TimelineNotes({ events, hiddenSpans, others, onNarrow }: TimelineNotesProps): JSX.Element {
  const notes = [
    ...notesOf(events),
    ...(hiddenSpans === 0 ? [] : [`${count(hiddenSpans)} spans found no room`]),
    ...others,
  ]
  return (
    <div class="timeline-notes">
      <Legend events={events} />
      <span class="spring" />
      {notes.length > 0 && <span class="muted">{notes.join(' · ')}</span>}
      {events.coverage.every > 1 && onNarrow !== undefined && (
        <button type="button" class="plain" onClick={onNarrow}>
          Ask for all of what is shown
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

/** What senders call them. */
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
    const long = longest > 0 ? `, and everything of ${formatValue(longest, 'ns')} and longer` : ''
    notes.push(`one in ${count(every)} of ${count(all)} events is shown${long}`)
  } else if (all > length + elsewhere) notes.push(`${count(all - length - elsewhere)} events found no room`)
  if (hiddenThreads > 0) notes.push(`${count(hiddenThreads)} threads with few events are left out`)
  if (untimed > 0) notes.push(`${count(untimed)} of ${count(profiles)} profiles have no times`)
  if (outside > 0) notes.push(`${count(outside)} events lie outside the time of their profile`)
  if (elsewhere > 0) {
    const when = firstElsewhere === lastElsewhere ? at(firstElsewhere) : `${at(firstElsewhere)} to ${at(lastElsewhere)}`
    notes.push(`${count(elsewhere)} events lie far outside the time of their profile and are not shown: ${when}`)
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
