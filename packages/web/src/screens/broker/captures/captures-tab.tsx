// The list of recent captures.
import type { Capture } from '@hearth/client'
import type { JSX } from 'preact'
import type { BrokerRoute } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE } from '../../../address/broker-route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import { usePolled } from '../../../state/use-polled.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { ZONE, formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { CaptureState } from './capture-state.tsx'
import { captureText } from './capture-text.ts'
import { RequestedBy } from './requested-by.tsx'
import { counted } from '../../../widgets/counted.ts'
import { LiveBar } from '../live-bar.tsx'

const REFRESH_MS = 2000
const LISTED = 200

export function CapturesTab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { find, paused } = route
  const loaded = usePolled('captures', { everyMs: REFRESH_MS, isPaused: paused }, signal =>
    client.peek().act('captures', { limit: LISTED }, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={loaded.retry} />
    return <Progress of={loaded} what="Loading captures" />
  }
  const wanted = find.trim().toLowerCase()
  const shown = value.captures.filter(capture => searchText(capture).includes(wanted))
  return (
    <>
      <LiveBar route={route} error={loaded.error}>
        <span class="muted" role="status">
          {counted(shown.length, 'capture')}, latest first
        </span>
        <span class="spring" />
        <input
          type="search"
          aria-label="Search captures"
          placeholder="Search captures"
          spellcheck={false}
          value={find}
          onInput={event => navigate({ ...route, find: event.currentTarget.value }, 'replace')}
        />
        <RouteLink class="button primary" to={CAPTURE}>
          New capture
        </RouteLink>
      </LiveBar>
      <div class="broker-body">
        {value.captures.length === 0 ? (
          <NoCaptures />
        ) : (
          <div class="scrolls" tabIndex={0} role="region" aria-label="Captures">
            <CaptureTable captures={shown} />
          </div>
        )}
      </div>
    </>
  )
}

function CaptureTable({ captures }: { readonly captures: readonly Capture[] }): JSX.Element {
  return (
    <table class="plain-table broker-table">
      <thead>
        <tr>
          <th scope="col">Requested ({ZONE})</th>
          <th scope="col">Service</th>
          <th scope="col">Profile</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Responses
          </th>
          <th scope="col">Requested by</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {captures.map(capture => (
          <tr key={capture.id}>
            <td>
              <RouteLink to={{ ...CAPTURE, capture: capture.id }}>
                {formatMoment(millisOf(capture.requested))}
              </RouteLink>
            </td>
            <td>
              {capture.service}
              {capture.environment !== undefined && <span class="muted"> · {capture.environment}</span>}
            </td>
            <td>{captureText(capture)}</td>
            <td>
              <CaptureState state={capture.state} />
            </td>
            <td class={capture.failed > 0 ? 'number broker-bad' : 'number'}>
              {capture.answered} of {capture.instances.length}
            </td>
            <td>
              <RequestedBy capture={capture} />
            </td>
            <td class="broker-long" title={capture.reason}>
              {capture.reason}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NoCaptures(): JSX.Element {
  return (
    <div class="reading empty">
      <h1>No captures yet</h1>
      <p>
        A capture records a profile of connected processes on demand, from now on or of the past seconds. A trigger
        starts captures automatically, for example if a request is slow or an error is logged.
      </p>
      <div class="empty-buttons">
        <RouteLink class="button primary" to={CAPTURE}>
          New capture
        </RouteLink>
        <RouteLink class="button" to={{ ...BROKER, tab: 'triggers', edits: true }}>
          Create trigger
        </RouteLink>
        <RouteLink class="button" to={BROKER}>
          Show components
        </RouteLink>
      </div>
    </div>
  )
}

/** The text that the search looks in. */
function searchText({ id, service, environment = '', type, reason, by, state, instances }: Capture): string {
  const names = instances.map(({ instance }) => instance)
  return [id, service, environment, type, reason, by, state, ...names].join('\n').toLowerCase()
}
