// Nothing was found of a signal: either because none was sent yet, with how to send it, or because it is elsewhere.
import type { JSX } from 'preact'
import type { Loaded } from '../state/use-loaded.ts'
import { CopyButton } from './controls/copy-button.tsx'
import { Failure } from './failure.tsx'
import { formatMoment } from './format-time.ts'

export interface EmptySignalProps {
  readonly what: 'traces' | 'logs' | 'metrics'
  /** When the last one was, in milliseconds since 1970; none where there is none at all. */
  readonly last: Loaded<readonly number[]>
  readonly isFiltered: boolean
  readonly onDrop: () => void
  readonly onLast: (last: number) => void
}

export function EmptySignal({ what, last, isFiltered, onDrop, onLast }: EmptySignalProps): JSX.Element {
  if (last.error !== undefined && !last.loading) return <Failure error={last.error} onRetry={last.retry} />
  if (last.value === undefined) return <></>
  const [time] = last.value
  if (time === undefined) return <NothingYet what={what} />
  return (
    <div class="reading empty">
      <h1>No {what} here</h1>
      <p>
        Nothing was sent of this time{isFiltered ? ' that fits the filters' : ''}. The last of all is of{' '}
        <strong>{formatMoment(time)}</strong>.
      </p>
      <div class="empty-buttons">
        <button type="button" class="primary" onClick={() => onLast(time)}>
          Go to the last
        </button>
        {isFiltered && (
          <button type="button" onClick={onDrop}>
            Drop the filters
          </button>
        )}
      </div>
    </div>
  )
}

function NothingYet({ what }: Pick<EmptySignalProps, 'what'>): JSX.Element {
  const text = `OTEL_EXPORTER_OTLP_ENDPOINT=http://${location.hostname}:4318`
  return (
    <div class="reading empty">
      <h1>Send the first {what}</h1>
      <p>
        Nothing has arrived yet. Whatever speaks OTLP can send them here, over HTTP on port 4318 or gRPC on 4317; SDKs
        of OpenTelemetry take the address from the environment:
      </p>
      <pre class="empty-snippet">{text}</pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <p class="muted">
        For flame graphs of single requests, profile the same process: samples then carry the ids of trace and span.
      </p>
    </div>
  )
}
