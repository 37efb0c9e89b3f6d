// Status: what comes in, what is kept, what waits, and the server's own profile. Asks again every few seconds.
import type { ServerStatus, StatusResponse } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { ComponentChildren, JSX } from 'preact'
import { EMPTY_QUERY } from '../../address/query.ts'
import { EXPLORE } from '../../address/route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { usePolled } from '../../state/use-polled.ts'
import { durationText } from '../../address/time-range.ts'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import './status.css'

const EVERY_MS = 5000
/** What the server sends its own profiles as. */
const OWN_SERVICE = 'hearth'

export function StatusScreen(): JSX.Element {
  const loaded = usePolled('status', { everyMs: EVERY_MS }, signal => client.peek().ask('status', {}, { signal }))
  const services = useLoaded('status:services', signal => client.peek().ask('services', { from: 'now-1d' }, { signal }))
  if (loaded.error !== undefined && loaded.value === undefined) {
    return <Failure error={loaded.error} onRetry={loaded.retry} />
  }
  const { value } = loaded
  if (value === undefined) return <Progress of={loaded} what="Asking the server" />
  return (
    <div class="status">
      <h1 class="visually-hidden">Status</h1>
      <Health status={value} isLost={loaded.error !== undefined} />
      <div class="columns">
        <Receivers status={value} />
        {value.server !== undefined && <Traffic server={value.server} />}
        {value.server !== undefined && <Store server={value.server} />}
        <Kept status={value} />
        {value.server !== undefined && <Senders server={value.server} />}
        {value.server !== undefined && <Refusals server={value.server} />}
        <Panel title="Services, last day">
          <Rows
            heads={['Service', 'Profiles', 'Types']}
            rows={(services.value?.services ?? []).map(each => [
              <RouteLink key={each.service} to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service: each.service } }}>
                {each.service === '' ? 'no name' : each.service}
              </RouteLink>,
              each.profiles.toLocaleString('en'),
              each.types.join(', '),
            ])}
            nothing="None has sent profiles"
          />
        </Panel>
        <Limits status={value} />
      </div>
    </div>
  )
}

function Health({ status, isLost }: { readonly status: StatusResponse; readonly isLost: boolean }): JSX.Element {
  const { ready, problems, version, started } = status
  const running = durationText(1000 * Math.floor((Date.now() - Date.parse(started)) / 1000))
  return (
    <div class="bar status-health">
      <span class={ready && !isLost ? 'status-good' : 'status-bad'}>
        <Icon name={ready && !isLost ? 'check' : 'warning'} />
        {isLost
          ? 'The server does not answer; this is what it said last'
          : ready
            ? 'Takes requests'
            : 'Takes no requests'}
      </span>
      <span class="muted">
        Hearth {version} · runs for {running} · tenant {status.tenant}
      </span>
      <span class="spring" />
      <RouteLink
        class="button"
        to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service: OWN_SERVICE, from: 'now-15m' } }}
        title={`Profiles of the service ${OWN_SERVICE}`}
      >
        The server’s own profile
      </RouteLink>
      {problems.map(problem => (
        <p key={problem.code} class="status-problem" role="alert">
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
        heads={['Takes', 'At', 'TLS']}
        rows={status.receivers.map(({ name, host, port, tls }) => [
          name,
          <span key={port} class="code">
            {host}:{port}
          </span>,
          tls ? 'yes' : 'no',
        ])}
        nothing="None"
      />
    </Panel>
  )
}

function Traffic({ server }: { readonly server: ServerStatus }): JSX.Element {
  return (
    <Panel title="Coming in, over the last minute">
      <Rows
        heads={['Signal', 'Requests/s', 'Bytes/s', 'Requests in all']}
        rows={server.traffic.map(each => [
          each.signal,
          rate(each.requestsPerSecond),
          formatBytes(Math.round(each.bytesPerSecond)),
          each.requests.toLocaleString('en'),
        ])}
        nothing="Nothing"
      />
      <p class="muted">
        {server.samples.received.toLocaleString('en')} samples in all, {rate(server.samples.perSecond)} a second ·{' '}
        {server.duplicates.toLocaleString('en')} requests had been sent before
      </p>
    </Panel>
  )
}

function Store({ server }: { readonly server: ServerStatus }): JSX.Element {
  const { store, queue, questions } = server
  return (
    <Panel title="Store and queue">
      <Rows
        heads={['', '']}
        rows={[
          ['Kind', store.kind],
          ['On disk', store.bytes === undefined ? 'not known' : formatBytes(store.bytes)],
          ['Free on the disk', formatBytes(store.freeDiskBytes)],
          ['Waiting to be committed', formatBytes(queue.inFlightBytes)],
          ['In the journal', `${formatBytes(queue.journalBytes)}, ${queue.journalGroups} commits`],
          ['Oldest in the journal', `${queue.journalOldestSeconds.toFixed(1)} s`],
          ['Set aside', `${queue.asideGroups} commits`],
          ['WorkerRequests', `${questions.running} running, ${questions.waiting} waiting`],
        ]}
        nothing=""
      />
      <details>
        <summary>Tables</summary>
        <Rows
          heads={['Table', 'On disk']}
          rows={store.tables
            .toSorted((a, b) => b.bytes - a.bytes)
            .map(({ table, bytes }) => [table, formatBytes(bytes)])}
          nothing="None"
        />
      </details>
    </Panel>
  )
}

function Kept({ status }: { readonly status: StatusResponse }): JSX.Element {
  return (
    <Panel title="How long it is kept">
      <Rows
        heads={['Signal', 'Time', 'Size']}
        rows={status.retention.map(({ signal, seconds, bytes }) => [
          signal,
          seconds === undefined ? 'forever' : durationText(seconds * 1000),
          bytes === undefined ? 'no limit' : formatBytes(bytes),
        ])}
        nothing="Nothing is said"
      />
    </Panel>
  )
}

function Senders({ server }: { readonly server: ServerStatus }): JSX.Element {
  return (
    <Panel title="Who sends which generation">
      <Rows
        heads={['Client', 'Generation', 'Requests']}
        rows={server.generations.map(({ client: name, generation, requests }) => [
          name,
          generation,
          requests.toLocaleString('en'),
        ])}
        nothing="Nobody has sent profiles since the server began"
      />
    </Panel>
  )
}

function Refusals({ server }: { readonly server: ServerStatus }): JSX.Element {
  const rows = [
    ...server.rejected.map(({ signal, reason, items }) => [signal, reason, `${items.toLocaleString('en')} items`]),
    ...server.refused.map(({ signal, reason, requests }) => [
      signal,
      reason,
      `${requests.toLocaleString('en')} requests`,
    ]),
  ]
  return (
    <Panel title="Not taken, and why">
      <Rows heads={['Signal', 'Reason', 'How many']} rows={rows} nothing="Everything was taken" />
    </Panel>
  )
}

function Limits({ status }: { readonly status: StatusResponse }): JSX.Element {
  const { limits } = status
  return (
    <Panel title="What a question may take">
      <Rows
        heads={['', '']}
        rows={[
          ['Time', `${limits.seconds} s`],
          ['Memory', formatBytes(limits.memoryBytes)],
          ['Rows', limits.rows.toLocaleString('en')],
          ['At once', `${limits.running}, and ${limits.waiting} waiting`],
        ]}
        nothing=""
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
  readonly nothing: string
}

function Rows({ heads, rows, nothing }: RowsProps): JSX.Element {
  if (rows.length === 0) return <p class="muted">{nothing}</p>
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
