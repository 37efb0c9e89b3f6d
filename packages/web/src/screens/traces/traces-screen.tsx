// The Traces screen: traces with a matching span, as a chart of durations and as a table, in pages.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TracesRoute } from '../../address/route.ts'
import { OPERATION } from '../../address/operation-route.ts'
import { SLOW, TRACE } from '../../address/route.ts'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { useCommands } from '../../state/commands.ts'
import { loadTime, refresh, refreshCommand } from '../../state/load-time.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, resolveTime, timeText } from '../../address/time-range.ts'
import { counted } from '../../widgets/counted.ts'
import { Failure } from '../../widgets/failure.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { PageLinks } from '../../widgets/page-links.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import type { DotRange } from './duration-chart.tsx'
import { DurationChart } from './duration-chart.tsx'
import { EmptyTraces } from './empty-traces.tsx'
import { spanRequest } from './trace-request.ts'
import { TraceSearchBar } from './trace-search-bar.tsx'
import type { Pick } from './trace-table.tsx'
import { TraceTable } from './trace-table.tsx'
import '../explore/explore.css'
import './traces.css'

/** The maximum number of traces in a response. The chart shows one page. */
const PAGE = 500
const DENSITY_COLUMNS = 160

export function TracesScreen({ route }: { readonly route: TracesRoute }): JSX.Element {
  const { search, sort, after } = route
  const now = loadTime.value
  const key = JSON.stringify([search, sort, after, now])
  const loaded = useLoaded(`traces:${key}`, async signal => {
    const request = { ...spanRequest(absolute(search, now)), sort, limit: PAGE, ...(after === '' ? {} : { after }) }
    const response = await client.peek().query('traces', request, { signal })
    return { ...response, from: resolveTime(search.from, now) ?? now, to: resolveTime(search.to, now) ?? now }
  })
  const density = useLoaded(`trace-density:${JSON.stringify([search, now])}`, async signal => {
    const request = { ...spanRequest(absolute(search, now)), columns: DENSITY_COLUMNS }
    const { step, ...response } = await client.peek().query('traceDensity', request, { signal })
    return { ...response, stepMs: Number(step) / 1e6 }
  })
  const change = (to: Partial<TracesRoute>): void => navigate({ ...route, after: '', ...to })
  const setSearch = (next: TraceSearch): void => change({ search: next })
  useCommands(
    () => [
      refreshCommand('Traces'),
      {
        title: sort === 'time' ? 'Sort by duration' : 'Sort by time',
        group: 'Traces',
        keys: ['shift+s'],
        run: () => change({ sort: sort === 'time' ? 'duration' : 'time' }),
      },
      { title: 'Time ledger', group: 'Traces', keys: ['shift+t'], run: () => navigate({ ...OPERATION, search }) },
      { title: 'Slow vs. fast', group: 'Traces', keys: ['shift+c'], run: () => navigate({ ...SLOW, search }) },
    ],
    [route],
  )
  const pickOf = (id: string): Pick => (route.slow.includes(id) ? 'slow' : route.fast.includes(id) ? 'fast' : undefined)
  const pick = (id: string, as: Pick): void => {
    const rest = { slow: route.slow.filter(each => each !== id), fast: route.fast.filter(each => each !== id) }
    const picked = as === undefined ? rest : { ...rest, [as]: [...rest[as], id] }
    navigate({ ...route, ...picked }, 'replace')
  }
  const setRange = ({ from, to, min, max }: DotRange): void =>
    setSearch({
      ...search,
      from: timeText(from),
      to: timeText(to),
      minDuration: `${Math.floor(min / 1000)}us`,
      maxDuration: `${Math.ceil(max / 1000)}us`,
    })
  const { value } = loaded
  const isWhole = after === '' && value?.next === undefined
  return (
    <div class="explore">
      <h1 class="visually-hidden">Traces</h1>
      <TraceSearchBar search={search} onSearch={setSearch} now={now} onRefresh={refresh} />
      <div class={loaded.slow ? 'traces-body stale' : 'traces-body'}>
        <Progress of={loaded} what="Searching traces" />
        {loaded.error !== undefined && !loaded.loading ? (
          <Failure error={loaded.error} onRetry={loaded.retry} />
        ) : value === undefined ? (
          <></>
        ) : value.traces.length === 0 ? (
          <EmptyTraces search={search} onSearch={setSearch} />
        ) : (
          <>
            <DurationChart
              traces={value.traces}
              from={value.from}
              to={value.to}
              density={isWhole ? undefined : density.value}
              onTrace={({ traceId }) => navigate({ ...TRACE, traceId })}
              onRange={setRange}
            />
            <TracesBar route={route} shown={value.traces.length} all={isWhole ? undefined : density.value?.traces} />
            <TraceTable
              traces={value.traces}
              sort={sort}
              onSort={next => change({ sort: next })}
              pickOf={pickOf}
              onPick={pick}
            >
              <PageLinks route={route} first="First page" next={value.next} />
            </TraceTable>
          </>
        )}
      </div>
    </div>
  )
}

interface TracesBarProps {
  readonly route: TracesRoute
  readonly shown: number
  /** The number of all traces, if they are on several pages. */
  readonly all: number | undefined
}

function TracesBar({ route, shown, all }: TracesBarProps): JSX.Element {
  const { search, sort, slow, fast } = route
  const picked = slow.length + fast.length
  const order = sort === 'time' ? 'latest first' : 'longest first'
  return (
    <div class="bar">
      <span class="muted">
        {all === undefined
          ? `${counted(shown, 'trace')}, ${order}`
          : `${counted(all, 'trace')}, shaded by number · dots: ${shown.toLocaleString('en')}, ${order}`}{' '}
        · filled: with profile data, red: with errors · drag to filter
      </span>
      <span class="spring" />
      <TraceIdField />
      {picked > 0 && (
        <>
          <span>
            {slow.length} slow, {fast.length} fast
          </span>
          <button
            type="button"
            class="primary"
            disabled={slow.length === 0 || fast.length === 0}
            title={slow.length === 0 || fast.length === 0 ? 'Select at least one slow and one fast trace' : undefined}
            onClick={() => navigate({ ...SLOW, search, slow, fast })}
          >
            Compare selected
          </button>
          <button type="button" onClick={() => navigate({ ...route, slow: [], fast: [] }, 'replace')}>
            Clear selection
          </button>
        </>
      )}
      <RouteLink class="button" to={{ ...OPERATION, search }}>
        Time ledger
      </RouteLink>
      <RouteLink class="button" to={{ ...SLOW, search }}>
        Slow vs. fast
      </RouteLink>
    </div>
  )
}

/** Opens a trace by its ID. */
function TraceIdField(): JSX.Element {
  const [id, setId] = useState('')
  const wanted = id.trim().toLowerCase()
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (/^[0-9a-f]{32}$/.test(wanted)) navigate({ ...TRACE, traceId: wanted })
      }}
    >
      <input
        type="text"
        class="code trace-id-field"
        aria-label="Trace ID"
        placeholder="Open trace ID"
        pattern="\s*[0-9a-fA-F]{32}\s*"
        title="32 hex digits"
        spellcheck={false}
        value={id}
        onInput={event => setId(event.currentTarget.value)}
      />
    </form>
  )
}
