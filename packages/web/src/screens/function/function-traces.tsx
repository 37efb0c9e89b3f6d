// The operations and the slowest traces in which a function appears.
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import type { FunctionName } from '../../address/route.ts'
import { TRACE, TRACES, tracesWith } from '../../address/route.ts'
import { samplesWithFrame } from '../../address/signal-searches.ts'
import { absolute } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'

const SHOWN = 20

export function FunctionTraces({
  query,
  of,
  now,
}: {
  readonly query: Query
  readonly of: FunctionName
  readonly now: number
}): JSX.Element {
  const { from, to, receivedBefore } = absolute(query, now)
  const { service } = query
  const samples = samplesWithFrame(of)
  const loaded = useLoaded(`function-traces:${service}:${samples}:${from}:${to}:${now}`, async signal => {
    const request = { from, to, receivedBefore, samples, ...(service === '' ? {} : { service }) }
    const [{ operations }, { traces }] = await Promise.all([
      client.peek().query('operations', { ...request, limit: SHOWN }, { signal }),
      client.peek().query('traces', { ...request, sort: 'duration', limit: SHOWN }, { signal }),
    ])
    return { operations: operations.filter(({ kind }) => kind === 'server' || kind === 'consumer'), traces }
  })
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const { value } = loaded
  if (value === undefined) return <Progress of={loaded} what="Searching traces" />
  if (value.traces.length === 0)
    return <p class="reading muted">No trace has samples of this function in this range.</p>
  const all = tracesWith(of, query)
  return (
    <div class="function-traces">
      {value.operations.length > 0 && (
        <>
          <h2>Operations of traces with this function</h2>
          <ul>
            {value.operations.map(({ service: ofService, name, spans }) => (
              <li key={`${ofService}\n${name}`}>
                <RouteLink to={{ ...TRACES, search: { ...all.search, service: ofService, name } }}>{name}</RouteLink>{' '}
                <span class="muted">
                  {ofService}, {spans.toLocaleString('en')} requests
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>
        Slowest traces <RouteLink to={{ ...all, sort: 'duration' }}>show all</RouteLink>
      </h2>
      <table class="plain-table">
        <tbody>
          {value.traces.map(({ traceId, span, samples: count }) => (
            <tr key={traceId}>
              <td>
                <RouteLink to={{ ...TRACE, traceId, spanId: span.spanId }}>{span.name}</RouteLink>{' '}
                <span class="muted">{span.service}</span>
              </td>
              <td class="number">{formatDuration(BigInt(span.duration))}</td>
              <td class="number">{count.toLocaleString('en')} samples</td>
              <td class="muted">{formatMoment(millisOf(span.start))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
