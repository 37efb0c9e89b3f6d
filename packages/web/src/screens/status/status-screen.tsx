// The Status screen: traffic, storage, queue, limits and the server's own profile. It refreshes every few seconds.
import type { ServerStatus, StatusResponse } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { ComponentChildren, JSX } from 'preact'
import { OWN_SERVICE } from '../../api/preferred-type.ts'
import { EMPTY_QUERY } from '../../address/query.ts'
import { EXPLORE } from '../../address/route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { usePolled } from '../../state/use-polled.ts'

import { counted } from '../../widgets/counted.ts'
import { Failure } from '../../widgets/failure.tsx'
import { formatLength, formatMoment } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import './status.css'

const REFRESH_MS = 5000

export function StatusScreen(): JSX.Element {
  const loaded = usePolled('status', { everyMs: REFRESH_MS }, signal => client.peek().query('status', {}, { signal }))
  const services = useLoaded('status:services', signal =>
    client.peek().query('services', { from: 'now-1d' }, { signal }),
  )
  if (loaded.error !== undefined && loaded.value === undefined) {
    return <Failure error={loaded.error} onRetry={loaded.retry} />
  }
  const { value } = loaded
  if (value === undefined) return <Progress of={loaded} what="Loading status" />
  return (
    <div class="status">
      <h1 class="visually-hidden">Status</h1>
      <Health status={value} isLost={loaded.error !== undefined} />
      <div class="columns">
        <Receivers status={value} />
        {value.server !== undefined && <Traffic server={value.server} />}
        {value.server !== undefined && <Store server={value.server} />}
        <Retention status={value} />
        {value.server !== undefined && <Senders server={value.server} />}
        {value.server !== undefined && <Rejected server={value.server} />}
        <Panel title="Services (last 24 h)">
          <Rows
            heads={['Service', 'Profiles', 'Types']}
            rows={(services.value?.services ?? []).map(each => [
              <RouteLink key={each.service} to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service: each.service } }}>
                {each.service === '' ? '(no name)' : each.service}
              </RouteLink>,
              each.profiles.toLocaleString('en'),
              each.types.map(typeTitle).join(', '),
            ])}
            empty="No services"
          />
        </Panel>
        <Limits status={value} />
      </div>
    </div>
  )
}

function Health({ status, isLost }: { readonly status: StatusResponse; readonly isLost: boolean }): JSX.Element {
  const { ready, problems, version, started } = status
  const uptime = formatLength(1000 * Math.floor((Date.now() - Date.parse(started)) / 1000))
  return (
    <div class="bar status-health">
      <span class={ready && !isLost ? 'status-good' : 'status-bad'}>
        <Icon name={ready && !isLost ? 'check' : 'warning'} />
        {isLost ? 'Server not reachable; showing the last status' : ready ? 'Healthy' : 'Not ready'}
      </span>
      <span class="muted">
        Hearth {version} · uptime {uptime} · tenant {status.tenant}
      </span>
      <span class="spring" />
      <RouteLink class="button" to={{ screen: 'targets' }} title="Programs that Hearth fetches profiles from">
        Targets
      </RouteLink>
      <RouteLink
        class="button"
        to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service: OWN_SERVICE, from: 'now-15m' } }}
        title={`Profiles of the service ${OWN_SERVICE}`}
      >
        Profile of this server
      </RouteLink>
      {problems.map(problem => (
        <p key={problem.message} class="status-problem" role="alert">
          <strong>{problem.code}</strong> {problem.message}{' '}
          <span class="muted">since {formatMoment(Date.parse(problem.since))}</span>
        </p>
      ))}
    </div>
  )
}

function Receivers({ status }: { readonly status: StatusResponse }): JSX.Element {
  return (
    <Panel title="Receivers">
      <Rows
        heads={['Protocol', 'Address', 'TLS']}
        rows={status.receivers.map(({ name, host, port, tls }) => [
          name,
          <span key={port} class="code">
            {host}:{port}
          </span>,
          tls ? 'Yes' : 'No',
        ])}
        empty="No receivers"
      />
    </Panel>
  )
}

function Traffic({ server }: { readonly server: ServerStatus }): JSX.Element {
  return (
    <Panel title="Traffic (last minute)">
      <Rows
        heads={['Signal', 'Requests/s', 'Bytes/s', 'Total requests']}
        rows={server.traffic.map(each => [
          each.signal,
          rate(each.requestsPerSecond),
          formatBytes(Math.round(each.bytesPerSecond)),
          each.requests.toLocaleString('en'),
        ])}
        empty="No traffic"
      />
      <p class="muted">
        {counted(server.samples.received, 'sample')} total, {rate(server.samples.perSecond)}/s ·{' '}
        {counted(server.duplicates, 'duplicate request')}
      </p>
    </Panel>
  )
}

function Store({ server }: { readonly server: ServerStatus }): JSX.Element {
  const { store, queue, queries } = server
  return (
    <Panel title="Store and queue">
      <Rows
        heads={['', '']}
        rows={[
          ['Kind', store.kind],
          ['Disk usage', store.bytes === undefined ? 'unknown' : formatBytes(store.bytes)],
          ['Free disk space', formatBytes(store.freeDiskBytes)],
          ['Pending commit', formatBytes(queue.inFlightBytes)],
          ['Journal', `${formatBytes(queue.journalBytes)}, ${counted(queue.journalGroups, 'commit')}`],
          ['Oldest journal entry', `${queue.journalOldestSeconds.toFixed(1)} s`],
          ['Quarantined', counted(queue.asideGroups, 'commit')],
          ['Queries', `${queries.running} running, ${queries.waiting} waiting`],
        ]}
        empty=""
      />
      <details>
        <summary>Tables</summary>
        <Rows
          heads={['Table', 'Disk usage']}
          rows={store.tables
            .toSorted((a, b) => b.bytes - a.bytes)
            .map(({ table, bytes }) => [table, formatBytes(bytes)])}
          empty="No tables"
        />
      </details>
    </Panel>
  )
}

function Retention({ status }: { readonly status: StatusResponse }): JSX.Element {
  return (
    <Panel title="Retention">
      <Rows
        heads={['Signal', 'Max age', 'Max size']}
        rows={status.retention.map(({ signal, seconds, bytes }) => [
          signal,
          seconds === undefined ? 'unlimited' : formatLength(seconds * 1000),
          bytes === undefined ? 'unlimited' : formatBytes(bytes),
        ])}
        empty="No retention configured"
      />
    </Panel>
  )
}

function Senders({ server }: { readonly server: ServerStatus }): JSX.Element {
  return (
    <Panel title="OTLP versions by sender">
      <Rows
        heads={['Sender', 'Version', 'Stated version', 'Requests']}
        rows={server.generations.map(({ client: name, generation, version = '', requests }) => [
          name,
          generation,
          version,
          requests.toLocaleString('en'),
        ])}
        empty="No profiles received since the server started"
      />
    </Panel>
  )
}

function Rejected({ server }: { readonly server: ServerStatus }): JSX.Element {
  const rows = [
    ...server.rejected.map(({ signal, reason, items }) => [signal, reason, counted(items, 'item')]),
    ...server.refused.map(({ signal, reason, requests }) => [signal, reason, counted(requests, 'request')]),
  ]
  return (
    <Panel title="Rejected">
      <Rows heads={['Signal', 'Reason', 'Count']} rows={rows} empty="Nothing rejected" />
    </Panel>
  )
}

function Limits({ status }: { readonly status: StatusResponse }): JSX.Element {
  const { limits } = status
  return (
    <Panel title="Query limits">
      <Rows
        heads={['', '']}
        rows={[
          ['Time', `${limits.seconds} s`],
          ['Memory', formatBytes(limits.memoryBytes)],
          ['Rows', limits.rows.toLocaleString('en')],
          ['Concurrent queries', `${limits.running} running, ${limits.waiting} waiting`],
        ]}
        empty=""
      />
    </Panel>
  )
}

function Panel({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface RowsProps {
  /** All empty for a list of names and values. */
  readonly heads: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
  /** Shown if there are no rows. */
  readonly empty: string
}

function Rows({ heads, rows, empty }: RowsProps): JSX.Element {
  if (rows.length === 0) return <p class="muted">{empty}</p>
  return (
    <table class="plain-table">
      {heads.some(head => head !== '') && (
        <thead>
          <tr>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, k) => (
              <td key={k}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function rate(perSecond: number): string {
  return perSecond.toLocaleString('en', { maximumFractionDigits: perSecond < 10 ? 2 : 0 })
}
