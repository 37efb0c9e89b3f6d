// The empty state of a signal. It says whether the server has no data at all or has data elsewhere, and what to do.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Loaded } from '../state/use-loaded.ts'
import { CopyButton } from './controls/copy-button.tsx'
import { Failure } from './failure.tsx'
import { formatMoment } from './format-time.ts'
import { SenderToken } from './send-data/sender-token.tsx'
import { environment, withToken } from './send-data/snippet.ts'
import { useReceivers } from './send-data/use-receivers.ts'
import './send-data/send-data.css'

export interface EmptySignalProps {
  readonly what: 'traces' | 'logs' | 'metrics'
  /** The time of the latest item, in milliseconds since 1970. Empty if the server has none. */
  readonly last: Loaded<readonly number[]>
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly onLast: (last: number) => void
}

export function EmptySignal({ what, last, isFiltered, onClear, onLast }: EmptySignalProps): JSX.Element {
  if (last.error !== undefined && !last.loading) return <Failure error={last.error} onRetry={last.retry} />
  if (last.value === undefined) return <></>
  const [time] = last.value
  if (time === undefined) return <NothingYet what={what} />
  return (
    <div class="reading empty">
      <h1>No data in this range</h1>
      <p>
        No {what} in this time range{isFiltered ? ' match the filters' : ''}. The latest data is from{' '}
        <strong>{formatMoment(time)}</strong>.
      </p>
      <div class="empty-buttons">
        <button type="button" class="primary" onClick={() => onLast(time)}>
          Go to latest
        </button>
        {isFiltered && (
          <button type="button" onClick={onClear}>
            Clear filters
          </button>
        )}
      </div>
    </div>
  )
}

function NothingYet({ what }: Pick<EmptySignalProps, 'what'>): JSX.Element {
  const at = useReceivers()
  const [token, setToken] = useState<string>()
  if (at === undefined) return <></>
  const variables = environment(at).join('\n')
  const text = token === undefined ? variables : withToken(variables, token)
  return (
    <div class="reading empty">
      <h1>Send the first {what}</h1>
      <p>
        The server has not received any {what} yet. Send OTLP over HTTP to <span class="code">{at.otlpHttp}</span> or
        over gRPC to <span class="code">{at.otlpGrpc}</span>. OpenTelemetry SDKs read the endpoint from the environment:
      </p>
      <pre class="empty-snippet" tabIndex={0}>
        {text}
      </pre>
      <div class="empty-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      {at.needsToken && <SenderToken name={what} token={token} onToken={setToken} />}
      <p class="muted">
        To get flame graphs of single requests, profile the same process. Its samples then carry trace and span IDs.
      </p>
    </div>
  )
}
