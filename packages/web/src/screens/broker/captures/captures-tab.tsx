// Captures of late: who asked whom for what, and what came of it.
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
import { captureText, triggerOf } from './capture-text.ts'
import { counted } from '../../../widgets/counted.ts'
import { LiveBar } from '../live-bar.tsx'

const EVERY_MS = 2000
const LISTED = 200

export function CapturesTab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { find, paused } = route
  const loaded = usePolled('captures', { everyMs: EVERY_MS, isPaused: paused }, signal =>
    client.peek().act('captures', { limit: LISTED }, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={loaded.retry} />
    return <Progress of={loaded} what="Listing captures" />
  }
  const wanted = find.trim().toLowerCase()
  const shown = value.captures.filter(capture => textOf(capture).includes(wanted))
  return (
    <>
      <LiveBar route={route} error={loaded.error}>
        <span class="muted" role="status">
          {counted(shown.length, 'capture')}, the latest first
        </span>
        <span class="spring" />
        <input
          type="search"
          aria-label="Find captures"
          placeholder="Find captures"
          spellcheck={false}
          value={find}
          onInput={event => navigate({ ...route, find: event.currentTarget.value }, 'replace')}
        />
        <RouteLink class="button primary" to={CAPTURE}>
          Capture now
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
          <th scope="col">Asked ({ZONE})</th>
          <th scope="col">Service</th>
          <th scope="col">What</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Answered
          </th>
          <th scope="col">By</th>
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
              <AskedBy capture={capture} />
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

/** Whoever asked, with the way to it where it was a trigger. */
export function AskedBy({ capture }: { readonly capture: Pick<Capture, 'by'> }): JSX.Element {
  const trigger = triggerOf(capture)
  if (trigger === undefined) return <>{capture.by}</>
  return (
    <>
      trigger <RouteLink to={{ ...BROKER, tab: 'triggers', trigger }}>{trigger}</RouteLink>
    </>
  )
}

function NoCaptures(): JSX.Element {
  return (
    <div class="reading empty">
      <h1>Nothing was captured yet</h1>
      <p>
        A capture asks processes that are subscribed for a profile of the next seconds, or of the last ones where they
        keep them. A trigger asks by itself, when a request is slow or an error is logged.
      </p>
      <div class="empty-buttons">
        <RouteLink class="button primary" to={CAPTURE}>
          Capture now
        </RouteLink>
        <RouteLink class="button" to={{ ...BROKER, tab: 'triggers', edits: true }}>
          Make a trigger
        </RouteLink>
        <RouteLink class="button" to={BROKER}>
          Who is subscribed
        </RouteLink>
      </div>
    </div>
  )
}

function textOf({ id, service, environment = '', type, reason, by, state, instances }: Capture): string {
  const names = instances.map(({ instance }) => instance)
  return [id, service, environment, type, reason, by, state, ...names].join('\n').toLowerCase()
}
