// A single trace: the waterfall of its spans, their profiles and logs, and the details of the selected span.
import type { SpanDetails, TraceColumns } from '@hearth/client'
import { ApiError } from '@hearth/client'
import type { EntryKind } from '@hearth/profile'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { attributeText } from '../../../api/value-text.ts'
import type { TimePart, WaterfallSpans } from '../../../draw/traces/waterfall-spans.ts'
import { collapsedFrom, expandedTo, waterfallOf } from '../../../draw/traces/waterfall-spans.ts'
import type { TraceRoute } from '../../../address/route.ts'
import type { OfLoad } from '../../../address/time-range.ts'
import { ofLoad } from '../../../address/time-range.ts'
import { TRACES } from '../../../address/route.ts'
import { documentedKeys, useCommands } from '../../../state/commands.ts'
import { loadNow } from '../../../state/load-time.ts'
import { goBack, navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { CopyButton } from '../../../widgets/controls/copy-button.tsx'
import { counted } from '../../../widgets/counted.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { matchingSpans, nextSpan } from './search-spans.ts'
import { SpanDetailsPanel } from './span-details.tsx'
import { SpanLogs, useTraceLogs } from './span-logs.tsx'
import { spanValues } from './span-values.ts'
import type { PrefetchedProfile } from './trace-profile.tsx'
import { LedgerSlice, LedgerStrip, ledgersBySpan, useTraceLedger } from './trace-ledger.tsx'
import { TraceProfile, prefetchProfile } from './trace-profile.tsx'
import { ROW, Waterfall } from './waterfall.tsx'
import '../../explore/explore.css'
import './trace.css'

/** The maximum number of spans that the server returns. */
const MAX_SPANS = 100_000
/** The maximum number of spans for which samples without a link are requested automatically. */
const MAX_AUTOMATIC_UNLINKED = 10_000
/** The delay of secondary requests after the profile has arrived, so that the profile is drawn first. */
const AFTER_PROFILE_MS = 100
/** The maximum delay of secondary requests if the profile is slow. */
const MAX_DELAY_MS = 1000
/** The height of the overview, the header row and the space below the last span, in pixels. */
const WATERFALL_HEAD = 92
/** The maximum number of value columns beside the spans. */
const MAX_COLUMNS = 4

export function TraceScreen({ route }: { readonly route: TraceRoute }): JSX.Element {
  const { traceId } = route
  const loaded = useLoaded(`trace:${traceId}`, async signal => {
    const load = loadNow()
    const found = await client.peek().traceColumns(traceId, { limit: MAX_SPANS, details: false, ...load }, { signal })
    const trace = { ...found, ...load }
    return { trace, ahead: prefetchProfile(route, trace, signal) }
  })
  const { trace, ahead } = loaded.value ?? {}
  if (loaded.error !== undefined && !loaded.loading) {
    if (loaded.error instanceof ApiError && loaded.error.code === 'not-found') return <NoTrace id={traceId} />
    return <Failure error={loaded.error} onRetry={loaded.retry} />
  }
  return (
    <div class="explore trace-screen">
      <Progress of={loaded} what="Loading the trace" />
      {trace !== undefined && <LoadedTrace key={trace.traceId} route={route} trace={trace} ahead={ahead} />}
    </div>
  )
}

interface LoadedTraceProps {
  readonly route: TraceRoute
  readonly trace: TraceColumns & OfLoad
  readonly ahead: PrefetchedProfile | undefined
}

function LoadedTrace({ route, trace, ahead }: LoadedTraceProps): JSX.Element {
  const { spans } = trace
  const { find, corrected } = route
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [part, setPart] = useState<TimePart | undefined>(undefined)
  const [side, setSide] = useState<'details' | 'logs' | 'none'>('details')
  const shape = useMemo(() => waterfallOf(spans, corrected), [spans, corrected])
  const selected = useMemo(() => spans.rowOf(route.spanId), [spans, route.spanId])
  const values = useMemo(() => spanValues(trace, spans.samples), [trace])
  const isLater = useLater(ahead)
  const more = useMore(trace, isLater, route.unlinked)
  const unlinked = useMemo(() => {
    const found = more.value?.spans.unlinked
    return found === undefined ? undefined : spanValues(more.value!, found)
  }, [more.value])
  const details = useSpanDetails(trace, more, selected)
  const ledger = useTraceLedger(trace, selected === -1 ? '' : spans.id(selected), isLater)
  const ledgers = useMemo(() => ledgersBySpan(ledger.value), [ledger.value])
  const [slice, setSlice] = useState<EntryKind | undefined>(undefined)
  const found = useMemo(() => matchingSpans(spans, find), [spans, find])
  const [onlySpan, setOnlySpan] = useState(false)
  const logsOf = {
    traceId: trace.traceId,
    spanId: selected === -1 ? '' : spans.id(selected),
    only: onlySpan && selected !== -1,
    start: BigInt(trace.start),
    end: BigInt(trace.start) + BigInt(trace.duration),
    ...ofLoad(trace),
  }
  const logs = useTraceLogs(logsOf, isLater)
  const change = (to: Partial<TraceRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const select = (row: number): void => {
    setFolded(expandedTo(shape, folded, row))
    change({ spanId: spans.id(row), view: { ...route.view, focus: [] } })
  }
  // Preact does not render the same element again while responses arrive for other parts of the screen.
  const waterfall = useMemo(
    () => (
      <Waterfall
        spans={spans}
        detailed={more.value?.spans}
        shape={shape}
        values={values.slice(0, MAX_COLUMNS)}
        ledgers={ledgers}
        selected={selected}
        onSelect={select}
        folded={folded}
        onFold={setFolded}
        matches={found?.matches}
        part={part ?? { from: 0, until: shape.whole }}
        onPart={setPart}
      />
    ),
    [route, spans, more.value, shape, values, ledgers, selected, folded, found, part],
  )
  const goToMatch = (direction: 1 | -1): void => {
    const next = found === undefined ? -1 : nextSpan(found.matches, selected, direction)
    if (next !== -1) select(next)
  }
  useCommands(
    () => [
      { title: 'Next match', group: 'Trace', keys: ['j'], run: () => goToMatch(1) },
      { title: 'Previous match', group: 'Trace', keys: ['k'], run: () => goToMatch(-1) },
      { title: 'Clear the span selection', group: 'Trace', keys: ['Escape'], run: () => change({ spanId: '' }) },
      { title: 'Collapse all spans', group: 'Trace', keys: [], run: () => setFolded(collapsedFrom(shape, 0)) },
      { title: 'Expand all spans', group: 'Trace', keys: [], run: () => setFolded(new Set()) },
      ...documentedKeys('Spans (when focused)', SPAN_KEYS),
    ],
    [route, shape, found, folded],
  )
  useLayoutEffect(() => setPart(undefined), [shape])
  const thread = attributeText(details.value?.attributes ?? [], 'thread.id')
  return (
    <>
      <TraceHead
        route={route}
        trace={trace}
        shape={shape}
        found={found?.text}
        onNext={goToMatch}
        folded={folded}
        onFold={setFolded}
      />
      <LedgerStrip loaded={ledger} selected={slice} onSelect={setSlice} />
      <div class={side === 'none' ? 'trace-body' : 'trace-body with-side'}>
        <div class="trace-main">
          <div class="trace-spans" style={{ '--spans-height': `${WATERFALL_HEAD + ROW * spans.length}px` }}>
            {waterfall}
          </div>
          {slice !== undefined && ledger.value !== undefined ? (
            <LedgerSlice trace={trace} ledger={ledger.value} kind={slice} onClose={() => setSlice(undefined)} />
          ) : (
            <TraceProfile
              route={route}
              trace={trace}
              ahead={ahead?.source}
              row={selected}
              values={values}
              unlinked={unlinked}
              thread={thread}
            />
          )}
        </div>
        {side !== 'none' && (
          <aside class="trace-side" aria-label="Details and logs">
            <div class="bar">
              <Tabs
                label="Show"
                options={[
                  { value: 'details', title: selected === -1 ? 'Trace' : 'Span' },
                  { value: 'logs', title: logsTitle(logs.value) },
                ]}
                value={side}
                onChange={setSide}
              />
              <span class="spring" />
              <button type="button" class="plain icon" aria-label="Close" onClick={() => setSide('none')}>
                <Icon name="close" />
              </button>
            </div>
            <div
              class="scrolls trace-side-body"
              tabIndex={0}
              role="region"
              aria-label={side === 'logs' ? 'Logs' : 'Details'}
            >
              {side === 'logs' ? (
                <SpanLogs {...logsOf} loaded={logs} onOnly={setOnlySpan} />
              ) : selected === -1 ? (
                <TraceSummary trace={trace} />
              ) : (
                <SpanDetailsPanel
                  trace={trace}
                  row={selected}
                  details={details}
                  values={values}
                  unlinked={unlinked}
                  moved={shape.moved[selected]}
                />
              )}
            </div>
          </aside>
        )}
        {side === 'none' && (
          <button type="button" class="trace-side-open" onClick={() => setSide('details')}>
            Details and logs
          </button>
        )}
      </div>
    </>
  )
}

/** The keys that the rows handle themselves. */
const SPAN_KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['Select another span', ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']],
  ['Collapse, or go to the parent', ['ArrowLeft']],
  ['Expand, or go to the first child', ['ArrowRight']],
  ['Zoom (also Ctrl + mouse wheel)', ['+', '-']],
  ['Reset the zoom', ['0']],
]

function logsTitle(response: { readonly logs: readonly unknown[]; readonly next?: string } | undefined): string {
  if (response === undefined) return 'Logs'
  return `Logs (${response.logs.length.toLocaleString('en')}${response.next === undefined ? '' : '+'})`
}

/** Returns true when it is time for secondary requests. The server should process the request for the profile first. */
function useLater(ahead: PrefetchedProfile | undefined): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timers: number[] = []
    const wait = (time: number): void => void timers.push(window.setTimeout(() => setIsLater(true), time))
    wait(MAX_DELAY_MS)
    void Promise.resolve(ahead?.settled).then(() => wait(AFTER_PROFILE_MS))
    return () => timers.forEach(clearTimeout)
  }, [])
  return isLater
}

/** Loads the slower parts: the details of up to 1000 spans, and the sums of samples without a link. */
function useMore(trace: TraceColumns & OfLoad, isLater: boolean, wanted: boolean): Loaded<TraceColumns> {
  const { traceId, spans } = trace
  const isNeeded = isLater && (wanted || spans.length <= MAX_AUTOMATIC_UNLINKED)
  const loaded = useLoaded(isNeeded ? `more:${traceId}` : undefined, signal =>
    client.peek().traceColumns(traceId, { limit: MAX_SPANS, unlinked: true, ...ofLoad(trace) }, { signal }),
  )
  // If spans were deleted since, the rows no longer match. The response is ignored then.
  return loaded.value === undefined || loaded.value.spans.length === spans.length
    ? loaded
    : { ...loaded, value: undefined }
}

/** Loads the details of the selected span. A trace of more than 1000 spans needs a request for each selected span. */
function useSpanDetails(trace: TraceColumns & OfLoad, more: Loaded<TraceColumns>, row: number): Loaded<SpanDetails> {
  const { traceId, spans } = trace
  const here = row === -1 ? undefined : more.value?.spans.details(row)
  const id = row === -1 ? '' : spans.id(row)
  const isIncluded = spans.length <= DETAILED && more.error === undefined
  const loaded = useLoaded<SpanDetails>(
    row === -1 || isIncluded ? undefined : `span:${traceId}:${id}`,
    async signal => {
      const request = { spanId: id, limit: 1, details: true, ...ofLoad(trace) }
      const { spans: found } = await client.peek().trace(traceId, request, { signal })
      return found[0]
    },
  )
  if (row === -1) return { ...loaded, value: undefined, loading: false, slow: false }
  return isIncluded ? { ...loaded, value: here, loading: more.loading, slow: more.slow } : loaded
}

interface TraceHeadProps {
  readonly route: TraceRoute
  readonly trace: TraceColumns
  readonly shape: WaterfallSpans
  readonly found: string | undefined
  readonly onNext: (direction: 1 | -1) => void
  readonly folded: ReadonlySet<number>
  readonly onFold: (folded: ReadonlySet<number>) => void
}

function TraceHead({ route, trace, shape, found, onNext, folded, onFold }: TraceHeadProps): JSX.Element {
  const { spans } = trace
  const { skewed, errors } = useMemo(() => countsOf(trace), [trace])
  const change = (to: Partial<TraceRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const hasDepth = shape.depth.some(depth => depth > 0)
  return (
    <>
      <div class="bar">
        <button type="button" class="plain" onClick={() => goBack(TRACES)}>
          <Icon name="back" /> Back
        </button>
        <h1 class="trace-title">{spans.length === 0 ? 'Trace' : `${spans.service(0)}: ${spans.name(0)}`}</h1>
        <span class="muted">
          {formatDuration(BigInt(trace.duration))} · {counted(trace.allSpans, 'span')} ·{' '}
          {formatMoment(millisOf(trace.start))}
        </span>
        {errors > 0 && <span class="trace-errors">{counted(errors, 'error')}</span>}
        <span class="spring" />
        {skewed > 0 && (
          <button
            type="button"
            aria-pressed={route.corrected}
            title="Moves spans with clock skew into their parents"
            onClick={() => change({ corrected: !route.corrected }, 'replace')}
          >
            <Icon name="clock" /> Correct clock skew
          </button>
        )}
        {hasDepth && (
          <button type="button" onClick={() => onFold(folded.size > 0 ? new Set() : collapsedFrom(shape, 1))}>
            {folded.size > 0 ? 'Expand all' : 'Collapse all'}
          </button>
        )}
        <div class="view-search" role="search" aria-label="Spans">
          <input
            type="search"
            aria-label="Search spans"
            placeholder="Search spans"
            spellcheck={false}
            value={route.find}
            onInput={event => change({ find: event.currentTarget.value }, 'replace')}
            onKeyDown={event => {
              if (event.key === 'Enter') onNext(event.shiftKey ? -1 : 1)
            }}
          />
          <span class="muted" role="status">
            {found ?? ''}
          </span>
        </div>
        <span class="trace-id-copy">
          <span class="code muted trace-id-whole" title="Trace ID">
            {trace.traceId}
          </span>
          <CopyButton text={() => trace.traceId}>
            Copy<span class="visually-hidden"> trace ID</span>
          </CopyButton>
        </span>
      </div>
      {trace.notes.length > 0 && <TraceNotes trace={trace} corrected={route.corrected} />}
    </>
  )
}

function TraceNotes({ trace, corrected }: { readonly trace: TraceColumns; readonly corrected: boolean }): JSX.Element {
  return (
    <p class="trace-notes" role="note">
      {trace.notes.map(({ code, count, message }) => (
        <span key={code}>
          <Icon name="warning" size={12} /> {counted(count, 'span')}:{' '}
          {corrected ? message.replace('shown as sent', 'now moved into its parent') : message}
        </span>
      ))}
      {trace.spans.length > DETAILED && (
        <span>Events are shown in traces of up to {DETAILED.toLocaleString('en')} spans</span>
      )}
    </p>
  )
}

/** The maximum number of spans whose details the server includes in the trace. */
const DETAILED = 1000

function countsOf({ spans }: TraceColumns): { readonly skewed: number; readonly errors: number } {
  let [skewed, errors] = [0, 0]
  for (let i = 0; i < spans.length; i++) {
    if (spans.skew[i] !== 0n) skewed++
    if (spans.status(i) === 'error') errors++
  }
  return { skewed, errors }
}

function TraceSummary({ trace }: { readonly trace: TraceColumns }): JSX.Element {
  const services = useMemo(() => servicesOf(trace), [trace])
  return (
    <div class="span-details">
      <section>
        <h2>Services</h2>
        <table class="span-profiles">
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col" class="number">
                Spans
              </th>
              <th scope="col" class="number">
                Self
              </th>
            </tr>
          </thead>
          <tbody>
            {services.map(({ service, count, self }) => (
              <tr key={service}>
                <td>{service === '' ? <span class="muted">(no name)</span> : service}</td>
                <td class="number">{count.toLocaleString('en')}</td>
                <td class="number">{formatDuration(self)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {trace.unplaced.length > 0 && (
        <p class="muted">
          {counted(
            trace.unplaced.reduce((sum, { samples }) => sum + samples, 0),
            'sample',
          )}{' '}
          of spans that were not received; included in the profile of the whole trace
        </p>
      )}
      <p class="muted">Select a span to see its details.</p>
    </div>
  )
}

function servicesOf({ spans }: TraceColumns) {
  const found = new Map<string, { count: number; self: bigint }>()
  for (let i = 0; i < spans.length; i++) {
    const service = spans.service(i)
    const known = found.get(service) ?? { count: 0, self: 0n }
    known.count++
    known.self += spans.self[i]
    found.set(service, known)
  }
  return Array.from(found, ([service, sums]) => ({ service, ...sums })).sort((a, b) => (a.self < b.self ? 1 : -1))
}

function NoTrace({ id }: { readonly id: string }): JSX.Element {
  return (
    <div class="reading empty">
      <h1>Trace not found</h1>
      <p>
        No spans of trace <code>{id}</code>. It may have expired or may not have arrived yet.
      </p>
      <div class="empty-buttons">
        <RouteLink class="button" to={TRACES}>
          Show traces of the last hour
        </RouteLink>
      </div>
    </div>
  )
}
