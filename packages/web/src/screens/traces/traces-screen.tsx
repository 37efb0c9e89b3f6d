// Traces: those with a span that fits, as dots and as a list, page by page.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TracesRoute } from '../../address/route.ts'
import { SLOW, TRACE } from '../../address/route.ts'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { useCommands } from '../../state/commands.ts'
import { askAgain, moment, refresh } from '../../state/moment.ts'
import { navigate } from '../../state/navigation.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { momentOf, timeText } from '../../address/time-range.ts'
import { Failure } from '../../widgets/failure.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
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

/** As many as one answer has room for: the dots are of these. */
const PAGE = 500

export function TracesScreen({ route }: { readonly route: TracesRoute }): JSX.Element {
  const { search, sort, after } = route
  const asked = moment.value
  const key = JSON.stringify([search, sort, after, asked])
  const loaded = useLoaded(`traces:${key}`, async signal => {
    const now = Date.now()
    const request = { ...spanRequest(search), sort, limit: PAGE, ...(after === '' ? {} : { after }) }
    const answer = await client.peek().ask('traces', request, { signal })
    return { ...answer, from: momentOf(search.from, now) ?? now, to: momentOf(search.to, now) ?? now }
  })
  const change = (to: Partial<TracesRoute>): void => navigate({ ...route, after: '', ...to })
  const setSearch = (next: TraceSearch): void => change({ search: next })
  useCommands(
    () => [
      askAgain('Traces'),
      {
        title: sort === 'time' ? 'The longest first' : 'The latest first',
        group: 'Traces',
        keys: ['shift+s'],
        run: () => change({ sort: sort === 'time' ? 'duration' : 'time' }),
      },
      { title: 'Slow against fast', group: 'Traces', keys: ['shift+c'], run: () => navigate({ ...SLOW, search }) },
    ],
    [route],
  )
  const pickOf = (id: string): Pick => (route.slow.includes(id) ? 'slow' : route.fast.includes(id) ? 'fast' : undefined)
  const pick = (id: string, as: Pick): void => {
    const rest = { slow: route.slow.filter(each => each !== id), fast: route.fast.filter(each => each !== id) }
    const picked = as === undefined ? rest : { ...rest, [as]: [...rest[as], id] }
    navigate({ ...route, ...picked }, 'replace')
  }
  const setRange = ({ from, to, least, most }: DotRange): void =>
    setSearch({
      ...search,
      from: timeText(from),
      to: timeText(to),
      minDuration: `${Math.floor(least / 1000)}us`,
      maxDuration: `${Math.ceil(most / 1000)}us`,
    })
  const { value } = loaded
  return (
    <div class="explore">
      <h1 class="visually-hidden">Traces</h1>
      <TraceSearchBar search={search} onSearch={setSearch} moment={asked} onRefresh={refresh} />
      <div class={loaded.slow ? 'traces-body stale' : 'traces-body'}>
        <Progress of={loaded} what="Looking for traces" />
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
              sort={sort}
              hasBefore={after !== ''}
              hasMore={value.next !== undefined}
              onTrace={({ traceId }) => navigate({ ...TRACE, traceId })}
              onRange={setRange}
            />
            <TracesBar route={route} shown={value.traces.length} hasMore={value.next !== undefined} />
            <TraceTable
              traces={value.traces}
              sort={sort}
              onSort={next => change({ sort: next })}
              pickOf={pickOf}
              onPick={pick}
            >
              <p class="traces-pages">
                {after !== '' && (
                  <RouteLink class="button" to={{ ...route, after: '' }}>
                    The first page
                  </RouteLink>
                )}
                {value.next !== undefined && (
                  <RouteLink class="button" to={{ ...route, after: value.next }}>
                    {sort === 'time' ? 'Earlier ones' : 'Shorter ones'}
                  </RouteLink>
                )}
              </p>
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
  readonly hasMore: boolean
}

function TracesBar({ route, shown, hasMore }: TracesBarProps): JSX.Element {
  const { search, sort, slow, fast } = route
  const picked = slow.length + fast.length
  const which = sort === 'time' ? 'the latest first' : 'the longest first'
  return (
    <div class="bar">
      <span class="muted">
        {shown.toLocaleString('en')} traces{hasMore ? ' of more' : ''}, {which} · full dots have profiles, red ones
        errors · drag to choose
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
            title={slow.length === 0 || fast.length === 0 ? 'Pick one of each at least' : undefined}
            onClick={() => navigate({ ...SLOW, search, slow, fast })}
          >
            Compare them
          </button>
          <button type="button" onClick={() => navigate({ ...route, slow: [], fast: [] }, 'replace')}>
            Forget
          </button>
        </>
      )}
      <RouteLink class="button" to={{ ...SLOW, search }}>
        Slow against fast
      </RouteLink>
    </div>
  )
}

/** For ids that come from elsewhere. */
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
        aria-label="Trace id"
        placeholder="Go to a trace by its id"
        pattern="\s*[0-9a-fA-F]{32}\s*"
        title="32 hex digits"
        spellcheck={false}
        value={id}
        onInput={event => setId(event.currentTarget.value)}
      />
    </form>
  )
}
