// The empty state of a signal. It says whether the server has no data at all or has data elsewhere, and what to do.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Latest, useLatest } from './use-latest.ts'
import { CopyButton } from './controls/copy-button.tsx'
import { Failure } from './failure.tsx'
import { formatMoment } from './format-time.ts'
import { SenderToken } from './send-data/sender-token.tsx'
import { environment, withToken } from './send-data/snippet.ts'
import { useReceivers } from './send-data/use-receivers.ts'
import './send-data/send-data.css'

export interface EmptySignalProps {
  readonly what: 'traces' | 'logs' | 'metrics'
  readonly loaded: ReturnType<typeof useLatest>
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly onLatest: (latest: Latest) => void
}

export function EmptySignal({ what, loaded, isFiltered, onClear, onLatest }: EmptySignalProps): JSX.Element {
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value === undefined) return <></>
  const { latest } = loaded.value
  if (latest === undefined) return <NothingYet what={what} />
  const { service, time } = latest
  return (
    <div class="reading empty">
      <h1>No data in this range</h1>
      <p>
        No {what} in this time range{isFiltered ? ' match the filters' : ''}. The latest data
        {service === '' ? '' : ` of ${service}`} is from <strong>{formatMoment(time)}</strong>.
      </p>
      <div class="empty-buttons">
        <button type="button" class="primary" onClick={() => onLatest(latest)}>
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
