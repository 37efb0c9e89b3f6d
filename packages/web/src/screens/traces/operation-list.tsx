// The operations of a search, to choose one. A click on a heading sorts them, for example the slowest first.
import type { OperationsResponse } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Route } from '../../address/route.ts'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { absolute } from '../../address/time-range.ts'
import { loadTime } from '../../state/load-time.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { SpanKind } from './span-kind.tsx'
import { spanRequest } from './trace-request.ts'

interface OperationListProps {
  readonly search: TraceSearch
  /** A sentence about the choice. */
  readonly text: string
  readonly to: (service: string, name: string) => Route
}

type Operation = OperationsResponse['operations'][number]

/** Columns with a number, by their titles. */
const COLUMNS: readonly (readonly [title: string, value: (of: Operation) => number])[] = [
  ['Spans', ({ spans }) => spans],
  ['Errors', ({ errors }) => errors],
  ['p50', ({ durations }) => durations?.p50 ?? 0],
  ['p90', ({ durations }) => durations?.p90 ?? 0],
  ['p99', ({ durations }) => durations?.p99 ?? 0],
  ['Max', ({ durations }) => Number(durations?.most ?? 0)],
]

export function OperationList({ search, text, to }: OperationListProps): JSX.Element {
  const now = loadTime.value
  const loaded = useLoaded(`slow-operations:${JSON.stringify(search)}:${now}`, async signal => {
    return (await client.peek().query('operations', { ...spanRequest(absolute(search, now)), limit: 200 }, { signal }))
      .operations
  })
  const [sort, setSort] = useState('Spans')
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const valueOf = COLUMNS.find(([title]) => title === sort)?.[1] ?? (() => 0)
  const rows = (loaded.value ?? [])
    .filter(({ durations }) => durations !== undefined)
    .toSorted((a, b) => valueOf(b) - valueOf(a))
  return (
    <div class="traces-body">
      <Progress of={loaded} what="Loading operations" />
      <p class="bar muted">{text}</p>
      <div class="scrolls trace-table" tabIndex={0} role="region" aria-label="Operations">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col">Operation</th>
              {COLUMNS.map(([title]) => (
                <th key={title} scope="col" class="number" aria-sort={title === sort ? 'descending' : undefined}>
                  <button type="button" class="plain" onClick={() => setSort(title)}>
                    {title}
                    {title === sort && <Icon name="down" size={12} />}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ service, name, kind, spans, errors, durations }) => (
              <tr key={`${service}\n${name}\n${kind}`}>
                <td>{service}</td>
                <td>
                  <span class="operation-name" title={name}>
                    <RouteLink to={to(service, name)}>{name}</RouteLink> <SpanKind kind={kind} />
                  </span>
                </td>
                <td class="number">{spans.toLocaleString('en')}</td>
                <td class={errors === 0 ? 'number muted' : 'number trace-errors'}>{errors.toLocaleString('en')}</td>
                {[durations?.p50, durations?.p90, durations?.p99, Number(durations?.most ?? 0)].map((value, i) => (
                  <td key={i} class="number">
                    {formatDuration(Math.round(value ?? 0))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
