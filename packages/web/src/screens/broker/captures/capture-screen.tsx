// A single capture, while it is running and when it has ended, under one URL. Without an id, the form for a new capture.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CaptureRoute } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE } from '../../../address/broker-route.ts'
import { useCommands } from '../../../state/commands.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { formatLength, millisOf } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { CaptureDetails } from './capture-details.tsx'
import { CaptureForm } from './capture-form.tsx'
import { CaptureInstances } from './capture-instances.tsx'
import { CaptureProfile } from './capture-profile.tsx'
import { CaptureState } from './capture-state.tsx'
import { captureText, lengthOfCapture, captureDraftOf } from './capture-text.ts'
import type { FollowedCapture } from './use-capture.ts'
import { useCapture } from './use-capture.ts'
import '../../explore/explore.css'
import '../broker.css'

export function CaptureScreen({ route }: { readonly route: CaptureRoute }): JSX.Element {
  if (route.capture === '') return <CaptureForm route={route} />
  return <ShownCapture key={route.capture} route={route} />
}

function ShownCapture({ route }: { readonly route: CaptureRoute }): JSX.Element {
  const followed = useCapture(route.capture)
  const { capture, error, retry } = followed
  const [cancelError, setCancelError] = useState<unknown>(undefined)
  const cancel = (): void => {
    client
      .peek()
      .act('cancelCapture', {}, { of: route.capture })
      .catch((problem: unknown) => {
        handleUnauthorized(problem)
        setCancelError(problem)
      })
  }
  const isRunning = capture?.state === 'running'
  useCommands(
    () => (isRunning ? [{ title: 'Cancel capture', group: 'Capture', keys: ['shift+x'], run: cancel }] : []),
    [isRunning],
  )
  if (capture === undefined) {
    return error === undefined ? <div class="explore" /> : <Failure error={error} onRetry={retry} />
  }
  return (
    <div class="explore broker">
      <div class="bar">
        <RouteLink class="button plain" to={{ ...BROKER, tab: 'captures' }}>
          <Icon name="back" /> Captures
        </RouteLink>
        <h1 class="broker-title">
          {capture.service}: {captureText(capture)}
        </h1>
        <CaptureState state={capture.state} />
        <span class="muted" role="status">
          {capture.answered} of {capture.instances.length} responded
          {capture.failed > 0 ? `, ${capture.failed} failed` : ''}
        </span>
        <span class="spring" />
        {isRunning ? (
          <button type="button" title="Keeps the profiles received so far (Shift X)" onClick={cancel}>
            <Icon name="close" /> Cancel
          </button>
        ) : (
          <RouteLink
            class="button"
            to={{ ...CAPTURE, draft: captureDraftOf(capture) }}
            title="Start a capture with the same parameters"
          >
            <Icon name="refresh" /> Repeat
          </RouteLink>
        )}
      </div>
      {cancelError !== undefined && <Failure error={cancelError} onRetry={() => setCancelError(undefined)} />}
      {isRunning ? <Running followed={followed} /> : <Ended route={route} followed={followed} />}
    </div>
  )
}

const TICK_MS = 250

function Running({ followed: { capture, error } }: { readonly followed: FollowedCapture }): JSX.Element {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  if (capture === undefined) return <></>
  const length = lengthOfCapture(capture)
  // The clocks of server and browser differ, so the elapsed time is limited to the length of the capture.
  const passed = Math.max(0, Math.min(length, now - millisOf(capture.requested)))
  const isOver = capture.lookBack !== undefined || passed >= length
  const seconds = (ms: number): string => formatLength(Math.round(ms / 1000) * 1000)
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Progress">
      <div class="capture-running">
        <label class="capture-progress">
          {isOver ? 'Waiting for responses' : `Recording: ${seconds(passed)} of ${formatLength(length)}`}
          <progress max={length} {...(isOver ? {} : { value: passed })} />
        </label>
        {error !== undefined && (
          <p class="broker-warning" role="alert">
            <Icon name="warning" />
            <span>Server not reachable; retrying. The capture continues.</span>
          </p>
        )}
        <CaptureInstances capture={capture} />
        <p class="muted">You can leave this page. The capture continues and its profiles are stored.</p>
      </div>
    </div>
  )
}

interface EndedProps {
  readonly route: CaptureRoute
  readonly followed: FollowedCapture
}

function Ended({ route, followed: { capture } }: EndedProps): JSX.Element {
  if (capture === undefined) return <></>
  const hasProfiles = capture.instances.some(({ profileIds }) => profileIds.length > 0)
  return (
    <div class="broker-body with-panel">
      {hasProfiles ? (
        <CaptureProfile route={route} capture={capture} />
      ) : (
        <div class="reading empty">
          <h1>No profiles</h1>
          <p>
            {capture.state === 'cancelled'
              ? 'The capture was cancelled before an instance responded.'
              : 'No instance returned a profile. The list of instances shows the errors.'}
          </p>
          <div class="empty-buttons">
            <RouteLink class="button primary" to={{ ...CAPTURE, draft: captureDraftOf(capture) }}>
              Repeat capture
            </RouteLink>
            <RouteLink class="button" to={BROKER}>
              Show components
            </RouteLink>
          </div>
        </div>
      )}
      <CaptureDetails route={route} capture={capture} />
    </div>
  )
}
