// The Targets screen: programs that the server fetches profiles from, with the state of the last scrape of each.
import type { TargetRow, TargetsResponse } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { EMPTY_QUERY } from '../../address/query.ts'
import { EXPLORE } from '../../address/route.ts'
import { client } from '../../state/session.ts'
import { usePolled } from '../../state/use-polled.ts'
import { counted } from '../../widgets/counted.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatLength } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { groupTargets, matchingTargets } from './group-targets.ts'
import './targets.css'

const REFRESH_MS = 5000

export function TargetsScreen(): JSX.Element {
  const loaded = usePolled('targets', { everyMs: REFRESH_MS }, signal => client.peek().act('targets', {}, { signal }))
  if (loaded.error !== undefined && loaded.value === undefined)
    return <Failure error={loaded.error} onRetry={loaded.retry} />
  if (loaded.value === undefined) return <Progress of={loaded} what="Loading targets" />
  return <Targets found={loaded.value} />
}

function Targets({ found: { targets, problems } }: { readonly found: TargetsResponse }): JSX.Element {
  const [search, setSearch] = useState('')
  const [isDownOnly, setDownOnly] = useState(false)
  const down = targets.filter(({ state }) => state === 'down').length
  const shown = matchingTargets(targets, search, isDownOnly)
  return (
    <div class="targets">
      <h1 class="visually-hidden">Targets</h1>
      <div class="bar">
        <input
          type="search"
          placeholder="Search targets"
          aria-label="Search targets"
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
        <label>
          <input type="checkbox" checked={isDownOnly} onChange={event => setDownOnly(event.currentTarget.checked)} />{' '}
          Only failing
        </label>
        <span class="muted">
          {counted(targets.length, 'target')}, {down} failing
        </span>
      </div>
      {problems.map(({ job, message }) => (
        <p key={`${job} ${message}`} class="targets-problem" role="alert">
          <Icon name="warning" /> {job}: {message}
        </p>
      ))}
      {targets.length === 0 && (
        <p class="targets-none muted">
          No targets. The setting <code>scrape-configs</code> lists programs to fetch profiles from.
        </p>
      )}
      {groupTargets(shown).map(([job, rows]) => (
        <section key={job} class="panel">
          <h2>{job}</h2>
          <JobTable rows={rows} />
        </section>
      ))}
    </div>
  )
}

function JobTable({ rows }: { readonly rows: readonly TargetRow[] }): JSX.Element {
  return (
    <table class="plain-table">
      <thead>
        <tr>
          <th>Target</th>
          <th>Profile</th>
          <th>State</th>
          <th>Labels</th>
          <th>Last scrape</th>
          <th class="number">Duration</th>
          <th class="number">Size</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <Row key={`${row.url} ${JSON.stringify(row.labels)}`} row={row} />
        ))}
      </tbody>
    </table>
  )
}

const STATES = { up: 'Up', down: 'Failing', unknown: 'Not scraped yet' } as const

function Row({ row }: { readonly row: TargetRow }): JSX.Element {
  const { url, profile, state, labels, discoveredLabels, lastScrape, lastDurationSeconds, lastBytes, lastError } = row
  const discovered = labelLines(discoveredLabels)
  const service = labels['service_name'] ?? labels['service.name'] ?? labels['job'] ?? ''
  return (
    <tr>
      <td>
        <RouteLink to={{ ...EXPLORE, query: { ...EMPTY_QUERY, service } }} title={`Profiles of ${service}`}>
          {labels['instance']}
        </RouteLink>
      </td>
      <td title={url}>{profile}</td>
      <td class={`targets-${state}`}>
        {STATES[state]}
        {lastError !== undefined && <span class="targets-error">{lastError}</span>}
      </td>
      <td title={`Labels before relabelling:\n${discovered}`}>
        {Object.entries(labels)
          .filter(([name]) => name !== 'job' && name !== 'instance')
          .map(([name, value]) => (
            <span key={name} class="targets-label code">
              {name}={value}
            </span>
          ))}
      </td>
      <td>{lastScrape === undefined ? '' : `${ageOf(lastScrape)} ago`}</td>
      <td class="number">{lastDurationSeconds === undefined ? '' : `${lastDurationSeconds.toFixed(2)} s`}</td>
      <td class="number">{lastBytes === undefined ? '' : formatBytes(lastBytes)}</td>
    </tr>
  )
}

function labelLines(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

function ageOf(time: string): string {
  return formatLength(1000 * Math.max(1, Math.floor((Date.now() - Date.parse(time)) / 1000)))
}
