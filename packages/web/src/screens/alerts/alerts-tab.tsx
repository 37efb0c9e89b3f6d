// Alerts and silences.
import type { Alert } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AlertsRoute } from '../../address/alerts-route.ts'
import { ALERTS } from '../../address/alerts-route.ts'
import { client } from '../../state/session.ts'
import { usePolled } from '../../state/use-polled.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { useAction } from './use-action.ts'

const REFRESH_MS = 10_000
const SILENCE_MS = 4 * 3_600_000

export function AlertsTab({ route: { service } }: { readonly route: AlertsRoute }): JSX.Element {
  const [changes, setChanges] = useState(0)
  const { problem, isRunning, run } = useAction(() => setChanges(old => old + 1))
  const loaded = usePolled(`alerts:${service}:${changes}`, { everyMs: REFRESH_MS }, signal =>
    client.peek().act('alerts', service === '' ? {} : { service }, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    return loaded.error === undefined ? (
      <Progress of={loaded} what="Loading alerts" />
    ) : (
      <Failure error={loaded.error} onRetry={loaded.retry} />
    )
  }
  const silence = ({ labels }: Alert): void =>
    run(() =>
      client.peek().act('addSilence', { matchers: labels, until: new Date(Date.now() + SILENCE_MS).toISOString() }),
    )
  return (
    <>
      {problem !== '' && (
        <p class="alerts-problem" role="alert">
          {problem}
        </p>
      )}
      <h2>Alerts</h2>
      {value.alerts.length === 0 && <p class="muted">No alerts.</p>}
      {value.alerts.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Rule</th>
              <th scope="col">Summary</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {value.alerts.map(alert => (
              <tr key={alert.id}>
                <td class={`alert-${alert.state}`}>{alert.silenced ? `${alert.state}, silenced` : alert.state}</td>
                <td>{alert.rule}</td>
                <td>
                  {alert.finding === undefined ? (
                    alert.summary
                  ) : (
                    <RouteLink to={{ ...ALERTS, finding: alert.finding }}>{alert.summary}</RouteLink>
                  )}
                </td>
                <td>{formatMoment(Date.parse(alert.fired ?? alert.since))}</td>
                <td>
                  {alert.state === 'firing' && !alert.silenced && (
                    <button type="button" disabled={isRunning} onClick={() => silence(alert)}>
                      Silence for 4 h
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h2>Silences</h2>
      {value.silences.length === 0 && <p class="muted">No silences.</p>}
      <ul>
        {value.silences.map(({ id, matchers, until, by }) => (
          <li key={id}>
            <span class="code">
              {Object.entries(matchers)
                .map(([label, text]) => `${label}=${text}`)
                .join(', ')}
            </span>{' '}
            until {formatMoment(Date.parse(until))} by {by}{' '}
            <button
              type="button"
              disabled={isRunning}
              onClick={() => run(() => client.peek().act('removeSilence', {}, { of: id }))}
            >
              End
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
