// Findings: functions that cost significantly more than before, with the comparison behind each.
import type { Finding, ServiceComparison } from '@hearth/client'
import { formatAmount } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AlertsRoute } from '../../address/alerts-route.ts'
import { ALERTS } from '../../address/alerts-route.ts'
import { TRACE } from '../../address/route.ts'
import { client } from '../../state/session.ts'
import { navigate } from '../../state/navigation.ts'
import { usePolled } from '../../state/use-polled.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Tabs } from '../../widgets/controls/tabs.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import { comparisonOf, functionOf, percentText } from './finding-links.ts'
import { useAction } from './use-action.ts'

const REFRESH_MS = 10_000
const STATES = ['open', 'accepted', 'fixed'] as const

export function FindingsTab({ route }: { readonly route: AlertsRoute }): JSX.Element {
  const { service } = route
  const [changes, setChanges] = useState(0)
  const [state, setState] = useState<Finding['state']>('open')
  const loaded = usePolled(`findings:${service}:${changes}`, { everyMs: REFRESH_MS }, signal =>
    client.peek().act('findings', service === '' ? {} : { service }, { signal }),
  )
  const { value } = loaded
  if (value === undefined) {
    return loaded.error === undefined ? (
      <Progress of={loaded} what="Loading findings" />
    ) : (
      <Failure error={loaded.error} onRetry={loaded.retry} />
    )
  }
  // A link to a finding shows it, whatever its state.
  const shown = value.findings.filter(each => each.state === state || each.id === route.finding)
  return (
    <>
      <div class="findings-head">
        <Tabs
          label="State"
          options={STATES.map(each => ({
            value: each,
            title: `${each[0].toUpperCase()}${each.slice(1)} (${value.findings.filter(finding => finding.state === each).length})`,
          }))}
          value={state}
          onChange={setState}
        />
        {service !== '' && (
          <>
            Service {service} <RouteLink to={ALERTS}>Show all</RouteLink>
          </>
        )}
      </div>
      {shown.length === 0 && <p class="muted">No {state} findings.</p>}
      {shown.map(finding => (
        <FindingRow
          key={finding.id}
          finding={finding}
          isOpen={finding.id === route.finding}
          onChanged={() => setChanges(old => old + 1)}
        />
      ))}
      <Comparisons list={value.comparisons} />
    </>
  )
}

interface FindingRowProps {
  readonly finding: Finding
  readonly isOpen: boolean
  readonly onChanged: () => void
}

function FindingRow({ finding, isOpen, onChanged }: FindingRowProps): JSX.Element {
  const {
    id,
    service,
    environment,
    type,
    cause,
    change,
    margin,
    before,
    unit,
    since,
    version,
    previousVersion,
    state,
  } = finding
  const { problem, isRunning, run } = useAction(onChanged)
  const set = (to: Finding['state']): void => run(() => client.peek().act('changeFinding', { state: to }, { of: id }))
  const growth = before > 0 ? `+${percentText(change / before)}` : 'new'
  return (
    <article class="finding" aria-label={`${cause.name} in ${service}`}>
      <div class="finding-head">
        <RouteLink class="code finding-cause" to={functionOf(finding, cause)} title={cause.file}>
          {cause.name}
        </RouteLink>
        <span class="finding-change">
          +{formatAmount(change, unit)} ± {formatAmount(margin, unit)} ({growth})
        </span>
        <span class="finding-place muted">
          {service} {environment === undefined ? '' : `in ${environment.value} `}· {typeTitle(type)}
          {version === '' ? '' : ` · version ${version}${previousVersion === '' ? '' : ` after ${previousVersion}`}`} ·
          since {formatMoment(Date.parse(since))}
        </span>
        <span class="finding-actions">
          <RouteLink class="button" to={comparisonOf(finding)}>
            Compare
          </RouteLink>
          {state !== 'open' && (
            <button type="button" disabled={isRunning} onClick={() => set('open')}>
              Reopen
            </button>
          )}
          {state === 'open' && (
            <>
              <button type="button" disabled={isRunning} onClick={() => set('accepted')}>
                Accept
              </button>
              <button type="button" disabled={isRunning} onClick={() => set('fixed')}>
                Mark as fixed
              </button>
            </>
          )}
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen}
            onClick={() => navigate({ ...ALERTS, finding: isOpen ? '' : id })}
          >
            {isOpen ? 'Less' : 'Details'}
          </button>
        </span>
      </div>
      {problem !== '' && (
        <p class="alerts-problem" role="alert">
          {problem}
        </p>
      )}
      {isOpen && <Details finding={finding} />}
    </article>
  )
}

function Details({ finding }: { readonly finding: Finding }): JSX.Element {
  const { callers, decreased, functions, traces, history, q, detectable, unit, comparison } = finding
  return (
    <>
      <p class="finding-facts muted">
        <span>False discovery rate {q < 0.0001 ? 'below 0.0001' : q.toPrecision(2)}</span>
        {detectable !== undefined && <span>Smallest visible change {percentText(detectable)} of the total</span>}
        <span>Comparison by {comparison}</span>
        {callers.length > 0 && <span>Called by {callers.slice(0, 4).join(', ')}</span>}
        {decreased.length > 0 && <span>Cost moved from {decreased.join(', ')}</span>}
      </p>
      {traces.length > 0 && (
        <p class="finding-facts">
          Example traces:{' '}
          {traces.map(traceId => (
            <RouteLink key={traceId} class="code" to={{ ...TRACE, traceId }}>
              {traceId.slice(0, 8)}
            </RouteLink>
          ))}
        </p>
      )}
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col">File</th>
            <th scope="col" class="number">
              Self before
            </th>
            <th scope="col" class="number">
              Self after
            </th>
            <th scope="col" class="number">
              Total before
            </th>
            <th scope="col" class="number">
              Total after
            </th>
          </tr>
        </thead>
        <tbody>
          {functions.map(({ name, file, self, total }) => (
            <tr key={`${name}\n${file}`}>
              <td>
                <RouteLink class="code" to={functionOf(finding, { name, file })}>
                  {name}
                </RouteLink>
              </td>
              <td class="code">{file}</td>
              <td class="number">{percentText(self.before)}</td>
              <td class="number">{percentText(self.after)}</td>
              <td class="number">{percentText(total.before)}</td>
              <td class="number">{percentText(total.after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="muted">
        {history.map(({ time, event, change, by, note }, i) => (
          <li key={i}>
            {formatMoment(Date.parse(time))}: {event}
            {change === undefined ? '' : `, +${formatAmount(change, unit)}`}
            {by === undefined ? '' : ` by ${by}`}
            {note === undefined ? '' : ` (${note})`}
          </li>
        ))}
      </ul>
    </>
  )
}

function Comparisons({ list }: { readonly list: readonly ServiceComparison[] }): JSX.Element {
  if (list.length === 0) {
    return (
      <p class="muted">
        Nothing was compared yet. A service is compared when a new version has run for a minute, and every hour with
        yesterday.
      </p>
    )
  }
  return (
    <>
      <h2>Last comparisons</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Type</th>
            <th scope="col">Compared</th>
            <th scope="col">Time</th>
            <th scope="col" class="number">
              Samples
            </th>
            <th scope="col" class="number">
              Visible from
            </th>
            <th scope="col" class="number">
              Found
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map(each => (
            <tr key={`${each.service} ${each.environment?.value ?? ''} ${each.type} ${each.comparison}`}>
              <td>
                {each.service} {each.environment === undefined ? '' : `in ${each.environment.value}`}
              </td>
              <td>{typeTitle(each.type)}</td>
              <td>
                {each.comparison === 'version'
                  ? `${each.version} with ${each.previousVersion || 'no version'}`
                  : each.comparison}
              </td>
              <td>{formatMoment(Date.parse(each.time))}</td>
              <td class="number">{each.observations.map(count => count.toLocaleString('en')).join(' / ')}</td>
              <td
                class="number"
                title="The smallest change of a function with 1% of the total that is found in four of five cases"
              >
                {each.detectable === undefined ? '' : `${percentText(each.detectable)} of the total`}
              </td>
              <td class="number">{each.found}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
