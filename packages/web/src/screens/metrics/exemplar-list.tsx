// Single measurements behind a metric, each with the request in which it was made.
import type { MetricSeriesResponse } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { TRACE } from '../../address/route.ts'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { labelsText, numberOf } from './metric-columns.ts'

/** The largest ones; as many as one looks at. */
const MOST = 20

export function ExemplarList({ answer }: { readonly answer: MetricSeriesResponse }): JSX.Element {
  const all = answer.groups.flatMap(({ labels, exemplars }) =>
    exemplars.map(exemplar => ({ labels, ...exemplar, number: numberOf(exemplar.value) ?? 0 })),
  )
  if (all.length === 0) return <></>
  const shown = all.sort((a, b) => b.number - a.number).slice(0, MOST)
  const isGrouped = answer.groupBy.length > 0
  return (
    <section class="metric-exemplars" aria-label="Exemplars">
      <h3>
        Exemplars{' '}
        <span class="muted">
          {all.length > MOST ? `the ${MOST} largest of ${all.length.toLocaleString('en')}` : 'largest first'}
        </span>
      </h3>
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th class="number">Value</th>
            {isGrouped && <th>{answer.groupBy.join(' · ')}</th>}
            <th>Request</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, number, labels, traceId, spanId }, i) => (
            <tr key={i}>
              <td class="number">{formatMoment(millisOf(time))}</td>
              <td class="number">{formatValue(number, answer.unit)}</td>
              {isGrouped && <td>{labelsText(labels)}</td>}
              <td>
                {traceId === '' ? (
                  <span class="muted">of no trace</span>
                ) : (
                  <RouteLink class="code" to={{ ...TRACE, traceId, spanId }}>
                    Trace {traceId.slice(0, 8)} and its profile
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
