// One trace: its spans in time, what profiles saw in each, what was logged, and everything that a span says of itself.
import type { SpanDetails, TraceColumns } from '@hearth/client'
import { ApiError } from '@hearth/client'
import { formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { attributeText } from '../../../api/value-text.ts'
import type { TimePart, WaterfallSpans } from '../../../draw/traces/waterfall-spans.ts'
import { collapsedFrom, expandedTo, waterfallOf } from '../../../draw/traces/waterfall-spans.ts'
import type { TraceRoute } from '../../../address/route.ts'
import { TRACES } from '../../../address/route.ts'
import { documentedKeys, useCommands } from '../../../state/commands.ts'
import { goBack, navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { CopyButton } from '../../../widgets/controls/copy-button.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { matchingSpans, nextSpan } from './search-spans.ts'
import { SpanFacts } from './span-facts.tsx'
import { SpanLogs, useTraceLogs } from './span-logs.tsx'
import { spanValues } from './span-values.ts'
import type { ProfileAhead } from './trace-profile.tsx'
import { TraceProfile, prefetch } from './trace-profile.tsx'
import { ROW, Waterfall } from './waterfall.tsx'
import '../../explore/explore.css'
import './trace.css'

/** As many as the server gives. */
const MOST_SPANS = 100_000
/** Samples without a link are looked for unasked in traces that are not larger. */
const MOST_UNASKED = 10_000
/** After the profile came, so that it is drawn first; */
const LATER_MS = 100
/** and where it is slow to come. */
const LATEST_MS = 1000
/** The overview, the line of headings, and some air below the last span, in pixels. */
const WATERFALL_HEAD = 92
/** Columns beside the spans. */
const MAX_COLUMNS = 4

export function TraceScreen({ route }: { readonly route: TraceRoute }): JSX.Element {
  const { traceId } = route
  const loaded = useLoaded(`trace:${traceId}`, async signal => {
    const trace = await client.peek().traceColumns(traceId, { limit: MOST_SPANS, details: false }, { signal })
    return { trace, ahead: prefetch(route, trace, signal) }
  })
  const { trace, ahead } = loaded.value ?? {}
  if (loaded.error !== undefined && !loaded.loading) {
    if (loaded.error instanceof ApiError && loaded.error.code === 'not-found') return <NoTrace id={traceId} />
    return <Failure error={loaded.error} onRetry={loaded.retry} />
  }
  return (
    <div class="explore trace-screen">
      <Progress of={loaded} what="Reading the trace" />
      {trace !== undefined && <LoadedTrace key={trace.traceId} route={route} trace={trace} ahead={ahead} />}
    </div>
  )
}

interface LoadedTraceProps {
  readonly route: TraceRoute
  readonly trace: TraceColumns
  readonly ahead: ProfileAhead | undefined
}

function LoadedTrace({ route, trace, ahead }: LoadedTraceProps): JSX.Element {
  const { spans } = trace
  const { find, corrected } = route
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [part, setPart] = useState<TimePart | undefined>(undefined)
  const [side, setSide] = useState<'facts' | 'logs' | 'none'>('facts')
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
  const found = useMemo(() => matchingSpans(spans, find), [spans, find])
  const [onlySpan, setOnlySpan] = useState(false)
  const logsOf = {
    traceId: trace.traceId,
    spanId: selected === -1 ? '' : spans.id(selected),
    only: onlySpan && selected !== -1,
    start: BigInt(trace.start),
    end: BigInt(trace.start) + BigInt(trace.duration),
  }
  const logs = useTraceLogs(logsOf, isLater)
  const change = (to: Partial<TraceRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  const select = (row: number): void => {
    setFolded(expandedTo(shape, folded, row))
    change({ spanId: spans.id(row), view: { ...route.view, focus: [] } })
  }
  // The same element is not rendered again while answers come for what is around it.
  const waterfall = useMemo(
    () => (
      <Waterfall
        spans={spans}
        detailed={more.value?.spans}
        shape={shape}
        values={values.slice(0, MAX_COLUMNS)}
        selected={selected}
        onSelect={select}
        folded={folded}
        onFold={setFolded}
        matches={found?.matches}
        part={part ?? { from: 0, until: shape.whole }}
        onPart={setPart}
      />
    ),
    [route, spans, more.value, shape, values, selected, folded, found, part],
  )
  const goOn = (direction: 1 | -1): void => {
    const next = found === undefined ? -1 : nextSpan(found.matches, selected, direction)
    if (next !== -1) select(next)
  }
  useCommands(
    () => [
      { title: 'Next span that is found', group: 'Trace', keys: ['j'], run: () => goOn(1) },
      { title: 'Span before that is found', group: 'Trace', keys: ['k'], run: () => goOn(-1) },
      { title: 'No span selected', group: 'Trace', keys: ['Escape'], run: () => change({ spanId: '' }) },
      { title: 'Fold up all spans', group: 'Trace', keys: [], run: () => setFolded(collapsedFrom(shape, 0)) },
      { title: 'Unfold all spans', group: 'Trace', keys: [], run: () => setFolded(new Set()) },
      ...documentedKeys('Spans, when they have the focus', WALKING),
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
        onNext={goOn}
        folded={folded}
        onFold={setFolded}
      />
      <div class={side === 'none' ? 'trace-body' : 'trace-body with-side'}>
        <div class="trace-main">
          <div class="trace-spans" style={{ '--spans-height': `${WATERFALL_HEAD + ROW * spans.length}px` }}>
            {waterfall}
          </div>
          <TraceProfile
            route={route}
            trace={trace}
            ahead={ahead?.source}
            row={selected}
            values={values}
            unlinked={unlinked}
            thread={thread}
          />
        </div>
        {side !== 'none' && (
          <aside class="trace-side" aria-label="About the span">
            <div class="bar">
              <Tabs
                label="Show"
                options={[
                  { value: 'facts', title: selected === -1 ? 'Trace' : 'Span' },
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
              aria-label={side === 'logs' ? 'Logs' : 'Facts'}
            >
              {side === 'logs' ? (
                <SpanLogs {...logsOf} loaded={logs} onOnly={setOnlySpan} />
              ) : selected === -1 ? (
                <TraceFacts trace={trace} />
              ) : (
                <SpanFacts
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
          <button type="button" class="trace-side-open" onClick={() => setSide('facts')}>
            Facts and logs
          </button>
        )}
      </div>
    </>
  )
}

/** What the rows listen to by themselves. */
const WALKING: readonly (readonly [string, readonly string[]])[] = [
  ['Walk from span to span', ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']],
  ['Fold up, or go to the parent', ['ArrowLeft']],
  ['Unfold, or go to the first child', ['ArrowRight']],
  ['Zoom in time; the wheel with Ctrl does too', ['+', '-']],
  ['Show all of the time', ['0']],
]

function logsTitle(answer: { readonly logs: readonly unknown[]; readonly next?: string } | undefined): string {
  if (answer === undefined) return 'Logs'
  return `Logs (${answer.logs.length.toLocaleString('en')}${answer.next === undefined ? '' : '+'})`
}

/** Whether it is time for what is not needed to see the trace: the server has the profile to answer first. */
function useLater(ahead: ProfileAhead | undefined): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timers: number[] = []
    const wait = (time: number): void => void timers.push(window.setTimeout(() => setIsLater(true), time))
    wait(LATEST_MS)
    void Promise.resolve(ahead?.came).then(() => wait(LATER_MS))
    return () => timers.forEach(clearTimeout)
  }, [])
  return isLater
}

/** What takes longer: details of up to 1000 spans, and sums of samples without a link. */
function useMore({ traceId, spans }: TraceColumns, isLater: boolean, wanted: boolean): Loaded<TraceColumns> {
  const asks = isLater && (wanted || spans.length <= MOST_UNASKED)
  const loaded = useLoaded(asks ? `more:${traceId}` : undefined, signal =>
    client.peek().traceColumns(traceId, { limit: MOST_SPANS, unlinked: true }, { signal }),
  )
  // Spans that came meanwhile would be other rows.
  return loaded.value === undefined || loaded.value.spans.length === spans.length
    ? loaded
    : { ...loaded, value: undefined }
}

/** Of more than 1000 spans, those of one are asked for when it is looked at. */
function useSpanDetails(
  { traceId, spans }: TraceColumns,
  more: Loaded<TraceColumns>,
  row: number,
): Loaded<SpanDetails> {
  const here = row === -1 ? undefined : more.value?.spans.details(row)
  const id = row === -1 ? '' : spans.id(row)
  const comes = spans.length <= DETAILED && more.error === undefined
  const loaded = useLoaded<SpanDetails>(row === -1 || comes ? undefined : `span:${traceId}:${id}`, async signal => {
    const { spans: found } = await client.peek().trace(traceId, { spanId: id, limit: 1, details: true }, { signal })
    return found[0]
  })
  if (row === -1) return { ...loaded, value: undefined, loading: false, slow: false }
  return comes ? { ...loaded, value: here, loading: more.loading, slow: more.slow } : loaded
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
          {formatDuration(BigInt(trace.duration))} · {trace.allSpans.toLocaleString('en')} spans ·{' '}
          {formatMoment(millisOf(trace.start))}
        </span>
        {errors > 0 && <span class="trace-errors">{errors.toLocaleString('en')} errors</span>}
        <span class="spring" />
        {skewed > 0 && (
          <button
            type="button"
            aria-pressed={route.corrected}
            title="Moves spans whose clock seems to differ from their parent's into it"
            onClick={() => change({ corrected: !route.corrected }, 'replace')}
          >
            <Icon name="clock" /> Correct clocks
          </button>
        )}
        {hasDepth && (
          <button type="button" onClick={() => onFold(folded.size > 0 ? new Set() : collapsedFrom(shape, 1))}>
            {folded.size > 0 ? 'Unfold all' : 'Fold up'}
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
        <CopyButton text={() => trace.traceId}>Copy id</CopyButton>
      </div>
      {trace.notes.length > 0 && <TraceNotes trace={trace} corrected={route.corrected} />}
    </>
  )
}

function TraceNotes({ trace, corrected }: { readonly trace: TraceColumns; readonly corrected: boolean }): JSX.Element {
  return (
    <p class="trace-notes" role="note">
      <Icon name="warning" size={12} />
      {trace.notes.map(({ code, count, message }) => (
        <span key={code}>
          {count.toLocaleString('en')} {count === 1 ? 'span' : 'spans'}:{' '}
          {corrected ? message.replace('shown as sent', 'now moved into its parent') : message}
        </span>
      ))}
      {trace.spans.length > DETAILED && (
        <span>events are marked in traces of up to {DETAILED.toLocaleString('en')}</span>
      )}
    </p>
  )
}

/** Of so many spans details come along. */
const DETAILED = 1000

function countsOf({ spans }: TraceColumns): { readonly skewed: number; readonly errors: number } {
  let [skewed, errors] = [0, 0]
  for (let i = 0; i < spans.length; i++) {
    if (spans.skew[i] !== 0n) skewed++
    if (spans.status(i) === 'error') errors++
  }
  return { skewed, errors }
}

function TraceFacts({ trace }: { readonly trace: TraceColumns }): JSX.Element {
  const services = useMemo(() => servicesOf(trace), [trace])
  return (
    <div class="span-facts">
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
                <td>{service === '' ? <span class="muted">no name</span> : service}</td>
                <td class="number">{count.toLocaleString('en')}</td>
                <td class="number">{formatDuration(self)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {trace.unplaced.length > 0 && (
        <p class="muted">
          {trace.unplaced.reduce((sum, { samples }) => sum + samples, 0).toLocaleString('en')} samples are of spans that
          were not sent; they are in the profile of the whole trace.
        </p>
      )}
      <p class="muted">Choose a span for what it says of itself.</p>
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
      <h1>No such trace</h1>
      <p>
        Nothing is stored of the trace <code>{id}</code>. It may be too old, or not have arrived yet.
      </p>
      <div class="empty-buttons">
        <RouteLink class="button" to={TRACES}>
          Traces of the last hour
        </RouteLink>
      </div>
    </div>
  )
}
