// One capture: asked for, going on, and what came of it. Its address is the same all along.
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CaptureRoute } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE } from '../../../address/broker-route.ts'
import { useCommands } from '../../../state/commands.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import { durationText } from '../../../address/time-range.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { millisOf } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { CaptureFacts } from './capture-facts.tsx'
import { CaptureForm } from './capture-form.tsx'
import { CaptureInstances } from './capture-instances.tsx'
import { CaptureProfile } from './capture-profile.tsx'
import { CaptureState } from './capture-state.tsx'
import { captureText, lengthOfCapture, wishOf } from './capture-text.ts'
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
  const [refusal, setRefusal] = useState<unknown>(undefined)
  const cancel = (): void => {
    client
      .peek()
      .act('cancelCapture', {}, { of: route.capture })
      .catch((problem: unknown) => {
        handleUnauthorized(problem)
        setRefusal(problem)
      })
  }
  const isRunning = capture?.state === 'running'
  useCommands(
    () => (isRunning ? [{ title: 'Cancel the capture', group: 'Capture', keys: ['shift+x'], run: cancel }] : []),
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
          {capture.answered} of {capture.instances.length} answered
          {capture.failed > 0 ? `, ${capture.failed} failed` : ''}
        </span>
        <span class="spring" />
        {isRunning ? (
          <button type="button" title="What has been answered stays (Shift X)" onClick={cancel}>
            <Icon name="close" /> Cancel
          </button>
        ) : (
          <RouteLink class="button" to={{ ...CAPTURE, wish: wishOf(capture) }} title="Ask for the same once more">
            <Icon name="refresh" /> Again
          </RouteLink>
        )}
      </div>
      {refusal !== undefined && <Failure error={refusal} onRetry={() => setRefusal(undefined)} />}
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
  // The clocks of two machines differ: at least nothing and at most all of it has passed.
  const passed = Math.max(0, Math.min(length, now - millisOf(capture.requested)))
  const isOver = capture.lookBack !== undefined || passed >= length
  const seconds = (ms: number): string => durationText(Math.round(ms / 1000) * 1000)
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Progress">
      <div class="capture-running">
        <label class="capture-progress">
          {isOver ? 'Waiting for answers' : `Recording: ${seconds(passed)} of ${durationText(length)}`}
          <progress max={length} {...(isOver ? {} : { value: passed })} />
        </label>
        {error !== undefined && (
          <p class="broker-warning" role="alert">
            <Icon name="warning" />
            <span>The server does not answer; the capture goes on without this page, which tries again.</span>
          </p>
        )}
        <CaptureInstances capture={capture} />
        <p class="muted">
          This page may be left: the capture goes on, is found under Captures, and its profiles are stored.
        </p>
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
          <h1>No profile came of it</h1>
          <p>
            {capture.state === 'cancelled'
              ? 'The capture was cancelled before anybody had answered.'
              : 'Nobody answered with one. What each said stands beside.'}
          </p>
          <div class="empty-buttons">
            <RouteLink class="button primary" to={{ ...CAPTURE, wish: wishOf(capture) }}>
              Ask again
            </RouteLink>
            <RouteLink class="button" to={BROKER}>
              Who is subscribed
            </RouteLink>
          </div>
        </div>
      )}
      <CaptureFacts route={route} capture={capture} />
    </div>
  )
}
