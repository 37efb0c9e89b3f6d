// The selected range: its length, threads, profile type, and links to other signals.
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { ProfileSource, TimelineEvents } from '../../api/profile-source.ts'
import type { LanesView } from '../../address/lanes-view.ts'
import { LOGS, TRACES } from '../../address/route.ts'
import { preciseTime } from '../../address/time-range.ts'
import type { TimeSpan } from '../../address/time-span.ts'
import { Icon } from '../controls/icon.tsx'
import { RouteLink } from '../route-link.tsx'
import { typeTitle } from '../type-title.ts'

export interface RangeBarProps {
  readonly source: ProfileSource
  readonly events: TimelineEvents
  readonly lanes: LanesView
  readonly range: TimeSpan
  readonly onLanes: (lanes: LanesView) => void
}

export function RangeBar({ source, events, lanes, range, onLanes }: RangeBarProps): JSX.Element {
  const from = Number(range.from - events.origin)
  const length = Number(range.until - range.from)
  const { threads } = lanes
  return (
    <div class="bar timeline-range" aria-label="Selected range" role="region">
      <span>
        <b class="number">{formatValue(length, 'ns')}</b> from <b class="number">{formatValue(from, 'ns')}</b> on{' '}
        <b>{threadsText(events, threads)}</b>
      </span>
      <label>
        <span class="muted">Type</span>
        <select
          aria-label="Type of the range"
          value={lanes.type}
          onChange={event => onLanes({ ...lanes, type: event.currentTarget.value })}
        >
          <option value="">Default type</option>
          {events.kinds.map(({ type }) => (
            <option key={type} value={type}>
              {typeTitle(type)}
            </option>
          ))}
        </select>
      </label>
      {source.query !== undefined && <Links source={source} events={events} range={range} threads={threads} />}
      <span class="spring" />
      <button
        type="button"
        class="plain icon"
        aria-label="Clear range"
        title="Clear range (Escape)"
        onClick={() => onLanes({ ...lanes, range: undefined, threads: [] })}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}

function threadsText({ threads }: TimelineEvents, keys: readonly string[]): string {
  if (keys.length === 0) return 'all threads'
  const [first] = threads.filter(({ key }) => key === keys[0])
  return keys.length === 1 ? (first?.title ?? 'one thread') : `${keys.length} threads`
}

interface LinksProps {
  readonly source: ProfileSource
  readonly events: TimelineEvents
  readonly range: TimeSpan
  readonly threads: readonly string[]
}

/** Traces and logs can be filtered by one thread only. */
function Links({ source, events, range, threads }: LinksProps): JSX.Element {
  const chosen = events.threads.filter(({ key }) => threads.includes(key))
  const services = new Set(chosen.map(({ service }) => service))
  const service = services.size === 1 ? [...services][0] : (source.query?.service ?? '')
  const times = { from: preciseTime(range.from), to: preciseTime(range.until) }
  const [one] = chosen
  const ofThread = chosen.length === 1 && one.id !== '' ? { thread: one.id, process: one.resource } : {}
  return (
    <>
      <RouteLink to={{ ...TRACES, search: { ...TRACES.search, service, ...times } }}>Traces at this time</RouteLink>
      <RouteLink to={{ ...LOGS, search: { ...LOGS.search, service, ...times, ...ofThread } }}>
        Logs at this time
      </RouteLink>
    </>
  )
}
