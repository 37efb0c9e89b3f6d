// The history of triggers: what matched, and the result.
import type { HistoryEntry } from '@hearth/client'
import type { JSX } from 'preact'
import type { BrokerRoute } from '../../../address/broker-route.ts'
import { CAPTURE } from '../../../address/broker-route.ts'
import { client } from '../../../state/session.ts'
import { usePolled } from '../../../state/use-polled.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { ZONE, formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'
import { CaptureState } from '../captures/capture-state.tsx'
import { skipReason } from './skip-reason.ts'
import { ItemLink } from './item-link.tsx'

const REFRESH_MS = 3000
const PAGE = 100

export function TriggerHistory({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { trigger, before, paused } = route
  const loaded = usePolled(`history:${trigger}:${before}`, { everyMs: REFRESH_MS, isPaused: paused }, signal => {
    const request = {
      limit: PAGE,
      ...(trigger === '' ? {} : { trigger }),
      ...(/^\d+$/.test(before) ? { before: Number(before) } : {}),
    }
    return client.peek().act('triggerHistory', request, { signal })
  })
  const { value } = loaded
  return (
    <section aria-labelledby="trigger-history">
      <div class="bar">
        <h2 id="trigger-history">{trigger === '' ? 'History' : `History of ${trigger}`}</h2>
        {trigger !== '' && (
          <RouteLink class="button plain" to={{ ...route, trigger: '', before: '' }}>
            Show all triggers
          </RouteLink>
        )}
      </div>
      {value === undefined ? (
        loaded.error !== undefined && <Failure error={loaded.error} onRetry={loaded.retry} />
      ) : value.entries.length === 0 ? (
        <p class="muted broker-note">No matches yet</p>
      ) : (
        <table class="plain-table broker-table">
          <thead>
            <tr>
              <th scope="col">Time ({ZONE})</th>
              <th scope="col">Trigger</th>
              <th scope="col">Match</th>
              <th scope="col">Service</th>
              <th scope="col">Instance</th>
              <th scope="col">Result</th>
              <th scope="col">Profile</th>
            </tr>
          </thead>
          <tbody>
            {value.entries.map(entry => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      <p class="broker-pages">
        {before !== '' && (
          <RouteLink class="button" to={{ ...route, before: '' }}>
            Latest
          </RouteLink>
        )}
        {value?.next !== undefined && (
          <RouteLink class="button" to={{ ...route, before: String(value.next) }}>
            Next page
          </RouteLink>
        )}
      </p>
    </section>
  )
}

function Entry({ entry }: { readonly entry: HistoryEntry }): JSX.Element {
  const { trigger, service, instance, last, first, count, item, profileIds = [] } = entry
  const time = millisOf(last)
  return (
    <tr>
      <td title={count > 1 ? `first: ${formatMoment(millisOf(first))}` : undefined}>{formatMoment(time)}</td>
      <td>{trigger}</td>
      <td class="broker-long">
        <ItemLink item={item} service={service} />
      </td>
      <td>{service}</td>
      <td class="code broker-id" title={instance}>
        {instance}
      </td>
      <td>
        <Outcome entry={entry} />
      </td>
      <td class="broker-id">
        {profileIds.map(id => (
          <NamedProfileLink key={id} id={id} around={time} />
        ))}
      </td>
    </tr>
  )
}

function Outcome({ entry }: { readonly entry: HistoryEntry }): JSX.Element {
  const { heldBack, capture, state, error, lookBack, count } = entry
  if (heldBack !== undefined) {
    return (
      <span class="muted">
        Skipped: {skipReason(heldBack)}
        {count > 1 ? ` (${count.toLocaleString('en')} times)` : ''}
      </span>
    )
  }
  return (
    <span class="history-outcome">
      {state !== undefined && <CaptureState state={state} />}
      {capture !== undefined && <RouteLink to={{ ...CAPTURE, capture }}>Open capture</RouteLink>}
      {lookBack === true && <span class="muted">past samples</span>}
      {error !== undefined && <span class="broker-bad">{error}</span>}
    </span>
  )
}
