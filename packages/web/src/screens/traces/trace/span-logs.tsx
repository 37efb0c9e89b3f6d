// The logs of a span or of the whole trace.
import type { LogsRequest } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { valueText } from '../../../api/value-text.ts'
import { LOGS } from '../../../address/route.ts'
import { EMPTY_LOG_SEARCH } from '../../../address/signal-searches.ts'
import { client } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import type { OfLoad } from '../../../address/time-range.ts'
import { ofLoad, timeText } from '../../../address/time-range.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { SeverityTag } from '../../../widgets/severity.tsx'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'

export interface SpanLogsProps extends OfLoad {
  readonly traceId: string
  /** The selected span; empty for none. */
  readonly spanId: string
  /** Whether to show the logs of the selected span only. */
  readonly only: boolean
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: bigint
}

export type TraceLogs = Awaited<ReturnType<typeof requestLogs>>

const MAX_LOGS = 200
/** Clocks differ, and a record that is logged at the end of a span may have a later time. */
const MARGIN_MS = 60_000

async function requestLogs(request: LogsRequest, signal: AbortSignal) {
  return await client.peek().query('logs', request, { signal })
}

function rangeOf({ start, end }: Pick<SpanLogsProps, 'start' | 'end'>): { readonly from: string; readonly to: string } {
  return {
    from: timeText(Number(start / 1_000_000n) - MARGIN_MS),
    to: timeText(Number(end / 1_000_000n) + MARGIN_MS),
  }
}

/** Loads the logs once `isLater` is true. */
export function useTraceLogs(props: SpanLogsProps, isLater: boolean): Loaded<TraceLogs> {
  const { traceId, spanId, only, start, end } = props
  const wanted = only ? spanId : ''
  const request = { traceId, ...(wanted === '' ? {} : { spanId: wanted }), ...rangeOf(props), ...ofLoad(props) }
  return useLoaded(isLater ? `logs:${traceId}:${wanted}:${start}:${end}` : undefined, signal =>
    requestLogs({ ...request, order: 'oldest', limit: MAX_LOGS }, signal),
  )
}

export interface SpanLogsViewProps extends SpanLogsProps {
  readonly loaded: Loaded<TraceLogs>
  readonly onOnly: (only: boolean) => void
}

export function SpanLogs(props: SpanLogsViewProps): JSX.Element {
  const { traceId, spanId, only, onOnly, start, loaded } = props
  const search = { ...EMPTY_LOG_SEARCH, trace: traceId, span: only ? spanId : '', ...rangeOf(props) }
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const { value } = loaded
  return (
    <div class="span-logs">
      <Progress of={loaded} what="Loading logs" />
      {spanId !== '' && (
        <label>
          <input type="checkbox" checked={only} onChange={event => onOnly(event.currentTarget.checked)} />
          This span only
        </label>
      )}
      {value !== undefined && value.logs.length === 0 && (
        <p class="muted">
          No logs with the ID of this {only && spanId !== '' ? 'span' : 'trace'}. Configure the logger to add the IDs of
          the current trace and span.
        </p>
      )}
      <ol>
        {(value?.logs ?? []).map(log => (
          <li key={log.cursor} class={spanId !== '' && log.spanId === spanId ? 'own' : undefined}>
            <div class="span-log-head">
              <span class="number muted">{formatDuration(BigInt(log.time) - start)}</span>
              <SeverityTag log={log} />
              <span class="muted">{log.service}</span>
            </div>
            <p class="code">{valueText(log.body) || log.eventName}</p>
            {log.profileId !== '' && (
              <p>
                profile <NamedProfileLink id={log.profileId} around={Number(BigInt(log.time) / 1_000_000n)} />
              </p>
            )}
          </li>
        ))}
      </ol>
      <RouteLink to={{ ...LOGS, search }}>
        {value?.next === undefined ? 'Open in Logs' : `Open all in Logs (more than ${MAX_LOGS})`}
      </RouteLink>
    </div>
  )
}
