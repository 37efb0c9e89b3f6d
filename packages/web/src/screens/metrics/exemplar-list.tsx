// The exemplars of a metric, each with a link to its trace.
import type { MetricSeriesResponse } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { TRACE } from '../../address/route.ts'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { labelsText } from '../../widgets/charts/series-columns.ts'
import { numberOf } from './metric-columns.ts'

/** The maximum number of exemplars in the table. */
const MAX_EXEMPLARS = 20

export function ExemplarList({ response }: { readonly response: MetricSeriesResponse }): JSX.Element {
  const all = response.groups.flatMap(({ labels, exemplars }) =>
    exemplars.map(exemplar => ({ labels, ...exemplar, number: numberOf(exemplar.value) ?? 0 })),
  )
  if (all.length === 0) return <></>
  const shown = all.sort((a, b) => b.number - a.number).slice(0, MAX_EXEMPLARS)
  const isGrouped = response.groupBy.length > 0
  return (
    <section class="metric-exemplars" aria-label="Exemplars">
      <h3>
        Exemplars{' '}
        <span class="muted">
          {all.length > MAX_EXEMPLARS
            ? `${MAX_EXEMPLARS} largest of ${all.length.toLocaleString('en')}`
            : 'largest first'}
        </span>
      </h3>
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th class="number">Value</th>
            {isGrouped && <th>{response.groupBy.join(' · ')}</th>}
            <th>Trace</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, number, labels, traceId, spanId }, i) => (
            <tr key={i}>
              <td class="number">{formatMoment(millisOf(time))}</td>
              <td class="number">{formatValue(number, response.unit)}</td>
              {isGrouped && <td>{labelsText(labels)}</td>}
              <td>
                {traceId === '' ? (
                  <span class="muted">None</span>
                ) : (
                  <RouteLink class="code" to={{ ...TRACE, traceId, spanId }}>
                    {traceId.slice(0, 8)}
                  </RouteLink>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
