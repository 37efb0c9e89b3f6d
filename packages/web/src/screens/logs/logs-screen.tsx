// The Logs screen: a histogram and the records, newest first, optionally following new ones. Each record links to its trace,
// its profile and the profiles of its process.
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { valueText } from '../../api/value-text.ts'
import type { LogsRoute } from '../../address/route.ts'
import { TRACE } from '../../address/route.ts'
import type { LogSearch } from '../../address/signal-searches.ts'
import { EMPTY_LOG_SEARCH, isNarrowed } from '../../address/signal-searches.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLatest } from '../../widgets/use-latest.ts'
import { timeText } from '../../address/time-range.ts'
import { counted } from '../../widgets/counted.ts'
import { EmptySignal } from '../../widgets/empty-signal.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { scrollToRow, useSeenRows } from '../../widgets/use-seen-rows.ts'
import { LogDetails } from './log-details.tsx'
import { LogHistogram } from './log-histogram.tsx'
import { LogSearchBar } from './log-search-bar.tsx'
import { SeverityTag } from '../../widgets/severity.tsx'
import type { LogItem } from './use-log-pages.ts'
import { useLogPages } from './use-log-pages.ts'
import { rowHeight } from '../../state/touch.ts'
import '../explore/explore.css'
import './logs.css'

export function LogsScreen({ route }: { readonly route: LogsRoute }): JSX.Element {
  const { search, follow } = route
  const now = loadTime.value
  const pages = useLogPages(search, now, follow)
  const [selected, setSelected] = useState<string | undefined>(undefined)
  const setSearch = (next: LogSearch, how?: 'push' | 'replace'): void => navigate({ ...route, search: next }, how)
  const setFollow = (next: boolean): void => navigate({ ...route, follow: next }, 'replace')
  useCommands(
    () => [
      refreshCommand('Logs'),
      { title: follow ? 'Stop following' : 'Follow', group: 'Logs', keys: ['f'], run: () => setFollow(!follow) },
      { title: 'Close the details', group: 'Logs', keys: ['Escape'], run: () => setSelected(undefined) },
    ],
    [route],
  )
  const { first, logs } = pages
  const shown = logs.find(({ cursor }) => cursor === selected)
  return (
    <div class="explore">
      <h1 class="visually-hidden">Logs</h1>
      <LogSearchBar search={search} onSearch={setSearch} now={now} onRefresh={refresh} />
      <LogHistogram search={search} now={now} onSearch={setSearch} />
      <div class="bar">
        <button type="button" aria-pressed={follow} onClick={() => setFollow(!follow)}>
          <Icon name="clock" /> {follow ? 'Following' : 'Follow'}
        </button>
        <span class="muted" role="status">
          {pages.hasMore ? 'First ' : ''}
          {counted(logs.length, 'record')}, newest first
          {follow && pages.problem === undefined ? ' · live' : ''}
        </span>
      </div>
      {pages.problem !== undefined && <Failure error={pages.problem} onRetry={refresh} />}
      <div class={shown === undefined ? 'logs-body' : 'logs-body with-details'}>
        <Progress of={first} what="Loading logs" />
        {first.error !== undefined && !first.loading ? (
          <Failure error={first.error} onRetry={first.retry} />
        ) : first.value === undefined ? (
          <></>
        ) : logs.length === 0 && !follow ? (
          <EmptyLogs search={search} onSearch={setSearch} />
        ) : (
          <LogRows pages={pages} selected={selected} onSelect={setSelected} isStale={first.slow} />
        )}
        {shown !== undefined && (
          <aside class="log-details" aria-label="Log record">
            <div class="bar">
              <strong>Log record</strong>
              <span class="spring" />
              <button type="button" class="plain icon" aria-label="Close" onClick={() => setSelected(undefined)}>
                <Icon name="close" />
              </button>
            </div>
            <div class="scrolls log-details-body" tabIndex={0} role="region" aria-label="Details">
              <LogDetails log={shown} search={search} onSearch={setSearch} />
            </div>
          </aside>
        )}
      </div>
    </div>
  )
}

interface LogRowsProps {
  readonly pages: ReturnType<typeof useLogPages>
  readonly selected: string | undefined
  readonly onSelect: (cursor: string | undefined) => void
  readonly isStale: boolean
}

function LogRows({ pages, selected, onSelect, isStale }: LogRowsProps): JSX.Element {
  const { logs, hasMore, isLoadingMore, loadMore } = pages
  const scroller = useRef<HTMLDivElement>(null)
  const height = rowHeight()
  const { from, to, look } = useSeenRows(scroller, height, logs.length)
  const onScroll = (): void => {
    look()
    const { scrollTop, clientHeight, scrollHeight } = scroller.current!
    if (hasMore && scrollTop + 2 * clientHeight > scrollHeight) loadMore()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0 || logs.length === 0) return
    event.preventDefault()
    const at = logs.findIndex(({ cursor }) => cursor === selected)
    const next = Math.max(0, Math.min(logs.length - 1, at + by))
    onSelect(logs[next].cursor)
    scrollToRow(scroller.current!, next, height, height)
  }
  return (
    <div
      class={isStale ? 'scrolls log-rows stale' : 'scrolls log-rows'}
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="region"
      aria-label="Log records"
    >
      <table aria-rowcount={logs.length + 1}>
        <colgroup>
          <col class="log-time" />
          <col class="log-severity" />
          <col class="log-service" />
          <col />
          <col class="log-links" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Severity</th>
            <th scope="col">Service</th>
            <th scope="col">Message</th>
            <th scope="col">Related</th>
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: `${from * height}px` }} />}
          {logs.slice(from, to).map((log, i) => (
            <Row
              key={log.cursor}
              log={log}
              index={from + i + 2}
              isSelected={log.cursor === selected}
              onSelect={() => onSelect(log.cursor === selected ? undefined : log.cursor)}
            />
          ))}
          {to < logs.length && <tr aria-hidden="true" style={{ height: `${(logs.length - to) * height}px` }} />}
        </tbody>
      </table>
      {hasMore && (
        <p class="logs-more">
          <button type="button" disabled={isLoadingMore} onClick={loadMore}>
            {isLoadingMore ? 'Loading…' : 'Load more'}
          </button>
        </p>
      )}
    </div>
  )
}

interface RowProps {
  readonly log: LogItem
  readonly index: number
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Row({ log, index, isSelected, onSelect }: RowProps): JSX.Element {
  const millis = millisOf(log.time)
  return (
    <tr aria-rowindex={index} class={isSelected ? 'selected' : undefined} onClick={onSelect}>
      <td>
        {formatMoment(millis)}
        <span class="muted">.{String(millis % 1000).padStart(3, '0')}</span>
      </td>
      <td>
        <SeverityTag log={log} />
      </td>
      <td class="log-of">{log.service}</td>
      <td>
        <button
          type="button"
          class="plain log-text code"
          aria-expanded={isSelected}
          onClick={event => {
            event.stopPropagation()
            onSelect()
          }}
        >
          {valueText(log.body) || log.eventName || <span class="muted">(empty)</span>}
        </button>
      </td>
      <td onClick={event => event.stopPropagation()}>
        {log.traceId !== '' && (
          <RouteLink to={{ ...TRACE, traceId: log.traceId, spanId: log.spanId }} title={`trace ${log.traceId}`}>
            trace
          </RouteLink>
        )}
        {log.profileId !== '' && <span class="log-names-profile"> profile</span>}
      </td>
    </tr>
  )
}

interface EmptyLogsProps {
  readonly search: LogSearch
  readonly onSearch: (search: LogSearch) => void
}

const HOUR = 3_600_000

function EmptyLogs({ search, onSearch }: EmptyLogsProps): JSX.Element {
  const loaded = useLatest('logs', search.service, async (service, signal) => {
    const request = { from: '0', to: 'now+1d', limit: 1, ...(service === '' ? {} : { service }) }
    const { logs } = await client.peek().query('logs', request, { signal })
    return logs.map(({ time }) => millisOf(time))
  })
  const { from, to } = search
  return (
    <EmptySignal
      what="logs"
      loaded={loaded}
      isFiltered={isNarrowed(search, EMPTY_LOG_SEARCH)}
      onClear={() => onSearch({ ...EMPTY_LOG_SEARCH, from, to })}
      onLatest={({ service, time }) =>
        onSearch({ ...EMPTY_LOG_SEARCH, service, from: timeText(time - HOUR), to: timeText(time + 60_000) })
      }
    />
  )
}
