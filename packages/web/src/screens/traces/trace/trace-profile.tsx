// The profile of a span, of a span including its children, or of a whole trace, with every view.
import type { TraceColumns } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource } from '../../../api/profile-source.ts'
import { ServerSource } from '../../../api/server-source.ts'
import { attributeText } from '../../../api/value-text.ts'
import type { Filter } from '../../../address/query.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import type { TraceRoute, TraceScope } from '../../../address/route.ts'
import { functionRoute, tracesWith } from '../../../address/route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import type { OfLoad } from '../../../address/time-range.ts'
import { ofLoad, timeText } from '../../../address/time-range.ts'
import { rootsOf } from '../../../address/view.ts'
import { millisOf } from '../../../widgets/format-time.ts'
import { ProfileView } from '../../../widgets/profile-view/profile-view.tsx'
import { orderFor } from '../../../widgets/flame-graph/use-shown-tree.ts'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { counted } from '../../../widgets/counted.ts'
import { typeTitle } from '../../../widgets/type-title.ts'
import { ProcessLink } from '../../links/process-link.tsx'
import type { SpanValues, ValueSum } from './span-values.ts'
import { preferredValues, spanValues, sumOf } from './span-values.ts'

export interface TraceProfileProps {
  readonly route: TraceRoute
  readonly trace: TraceColumns
  /** The source whose profile was requested as soon as the trace had arrived. */
  readonly ahead: ServerSource | undefined
  /** -1 for none. */
  readonly row: number
  readonly values: readonly SpanValues[]
  /** The values of samples without a link. Undefined if they were not requested. */
  readonly unlinked: readonly SpanValues[] | undefined
  /** The ID of the thread that the span ran on; empty if unknown. */
  readonly thread: string
}

const SCOPES: readonly { readonly value: TraceScope; readonly title: string }[] = [
  { value: 'span', title: 'This span' },
  { value: 'subtree', title: 'Including children' },
  { value: 'trace', title: 'Whole trace' },
]
/** How long before its samples a profile may begin. */
const LOOK_BACK_MS = 600_000
const HOUR_MS = 3_600_000

export function TraceProfile(props: TraceProfileProps): JSX.Element {
  const { route, trace, ahead, row, values, unlinked, thread } = props
  const { view } = route
  const scope = scopeOf(route, row)
  // Samples without a link are matched by the thread of the span, so they are shown for single spans only.
  const isUnlinked = route.unlinked && row !== -1 && scope === 'span'
  const shown = isUnlinked ? (unlinked ?? []) : values
  const sum = (of: SpanValues) => sumIn(trace, row, scope, of)
  const type = typeOf(route, shown, sum)
  const unlinkedSamples =
    row === -1 || unlinked === undefined ? 0 : unlinked.reduce((all, of) => all + of.samples[row], 0)
  const api = client.value
  const spanId = row === -1 ? '' : trace.spans.id(row)
  const source = useMemo(() => {
    if (isUnlinked) return unlinkedSource(api, trace, row, type, thread)
    const linked = linkedSource(api, trace, spanId, scope, type).rooted(rootsOf(view))
    return ahead?.equals(linked) === true ? ahead : linked
  }, [api, trace, ahead, spanId, scope, type, isUnlinked, thread])
  const change = (to: Partial<TraceRoute>, how?: 'push' | 'replace'): void => navigate({ ...route, ...to }, how)
  return (
    <section class={type === '' ? 'trace-profile none' : 'trace-profile'} aria-label="Profile of the trace">
      <div class="bar">
        <Tabs
          label="Profile of"
          options={row === -1 ? SCOPES.slice(2) : SCOPES}
          value={scope}
          onChange={next => change({ scope: next, view: { ...view, focus: [] } })}
        />
        {shown.length > 0 && (
          <select
            aria-label="Profile type"
            value={type}
            onChange={event => change({ type: event.currentTarget.value, view: { ...view, focus: [] } })}
          >
            {shown.map(of => {
              const { samples, value } = sum(of)
              return (
                <option key={of.key} value={of.key}>
                  {isUnlinked
                    ? typeTitle(of.key)
                    : `${typeTitle(of.key)}: ${formatValue(value, of.unit)}, ${formatValue(samples, 'samples')}`}
                </option>
              )
            })}
          </select>
        )}
        {row !== -1 && scope === 'span' && (unlinkedSamples > 0 || isUnlinked) && (
          <label title="Samples of the same thread and time that have no link to a span. They may belong to other work on the thread">
            <input
              type="checkbox"
              checked={isUnlinked}
              onChange={event => change({ unlinked: event.currentTarget.checked, view: { ...view, focus: [] } })}
            />
            {counted(unlinkedSamples, 'unlinked sample')} by thread and time
          </label>
        )}
        <span class="spring" />
        {row !== -1 && (
          <ProcessLink
            class="button"
            resource={trace.resources[trace.spans.resource[row]]?.attributes ?? []}
            thread=""
            {...timesOf(trace, row)}
            show="threads"
          >
            Threads at this time
          </ProcessLink>
        )}
      </div>
      {type === '' ? (
        <NoSamples trace={trace} />
      ) : (
        <ProfileView
          source={source}
          view={view}
          onView={(next, how) => change({ view: next }, how)}
          name={`trace-${trace.traceId.slice(0, 8)}-${type.split(':')[0]}`}
          onFunction={of => navigate(functionRoute(of, { ...EMPTY_QUERY, type, ...aroundHours(trace) }))}
          onTraces={of => navigate(tracesWith(of, aroundHours(trace)))}
          empty={<NoSpanSamples {...props} unlinkedSamples={unlinkedSamples} scope={scope} />}
        />
      )}
    </section>
  )
}

/** The profile that is shown first, requested before the spans are drawn. */
export interface PrefetchedProfile {
  readonly source: ServerSource
  /** Resolves when the response has arrived or failed. */
  readonly settled: Promise<void>
}

/** Returns undefined if it is not known yet which profile is shown first. */
export function prefetchProfile(
  route: TraceRoute,
  trace: TraceColumns,
  signal: AbortSignal,
): PrefetchedProfile | undefined {
  const { show } = route.view
  const row = trace.spans.rowOf(route.spanId)
  const scope = scopeOf(route, row)
  const isOfTime = show === 'time' || show === 'heat' || show === 'threads'
  if (isOfTime || (route.unlinked && scope === 'span')) return undefined
  const type = typeOf(route, spanValues(trace, trace.spans.samples), of => sumIn(trace, row, scope, of))
  if (type === '') return undefined
  const spanId = row === -1 ? '' : trace.spans.id(row)
  const source = linkedSource(client.peek(), trace, spanId, scope, type).rooted(rootsOf(route.view))
  return { source, settled: source.prefetch(orderFor(route.view), signal) }
}

function scopeOf(route: TraceRoute, row: number): TraceScope {
  return row === -1 ? 'trace' : route.scope
}

function sumIn({ spans }: TraceColumns, row: number, scope: TraceScope, of: SpanValues): ValueSum {
  return sumOf(of, scope === 'trace' ? -1 : row, scope === 'subtree', spans.parent)
}

function typeOf(route: TraceRoute, shown: readonly SpanValues[], sum: (of: SpanValues) => ValueSum): string {
  return shown.some(({ key }) => key === route.type) ? route.type : preferredValues(shown, sum)
}

function timesOf({ spans }: TraceColumns, row: number): { readonly from: bigint; readonly to: bigint } {
  const from = BigInt.asUintN(64, spans.start[row])
  return { from, to: from + BigInt.asUintN(64, spans.duration[row]) }
}

function rangeOf({ start, duration }: TraceColumns): { readonly from: string; readonly to: string } {
  const from = millisOf(start)
  const to = from + millisOf(duration)
  return { from: timeText(Math.max(0, from - LOOK_BACK_MS)), to: timeText(to + LOOK_BACK_MS) }
}

/** The range of the trace and an hour on each side, in which similar traces are searched. */
function aroundHours({ start, duration }: TraceColumns): { readonly from: string; readonly to: string } {
  const from = millisOf(start)
  return { from: timeText(from - HOUR_MS), to: timeText(from + millisOf(duration) + HOUR_MS) }
}

function linkedSource(
  api: typeof client.value,
  trace: TraceColumns & OfLoad,
  spanId: string,
  scope: TraceScope,
  type: string,
): ServerSource {
  const { traceId } = trace
  const span = scope === 'trace' ? { traceId } : { traceId, spanId, subtree: scope === 'subtree' }
  const query = { ...EMPTY_QUERY, type, span, ...rangeOf(trace), ...ofLoad(trace) }
  return new ServerSource(api, query, 0)
}

/** The samples without a link of the span's thread and time, in processes of the same service. */
function unlinkedSource(
  api: typeof client.value,
  trace: TraceColumns & OfLoad,
  row: number,
  type: string,
  thread: string,
): ProfileSource {
  const { spans } = trace
  const filters: readonly Filter[] = [{ key: 'sample:thread.id', operator: '=', value: thread }]
  const service = attributeText(trace.resources[spans.resource[row]]?.attributes ?? [], 'service.name')
  const query = { ...EMPTY_QUERY, service, type, filters, unlinked: true, ...rangeOf(trace), ...ofLoad(trace) }
  const from = BigInt.asUintN(64, spans.start[row])
  return new ServerSource(api, query, 0).within({ from, until: from + spans.duration[row] })
}

function NoSamples({ trace }: { readonly trace: TraceColumns }): JSX.Element {
  return (
    <div class="reading">
      <h2>No profile data for this trace</h2>
      <p class="muted">
        Samples must carry the IDs of trace and span. Hearth’s agent for Node.js adds them if the process uses
        OpenTelemetry tracing. {trace.spans.length === 1 ? 'A short span may also fall between two samples.' : ''}
      </p>
    </div>
  )
}

interface NoSpanSamplesProps extends TraceProfileProps {
  readonly unlinkedSamples: number
  readonly scope: TraceScope
}

/** Shown if the trace has samples, but the selected part of it has none. */
function NoSpanSamples({ route, unlinkedSamples, scope }: NoSpanSamplesProps): JSX.Element {
  return (
    <div class="reading">
      <h2>No samples</h2>
      <p class="muted">
        {scope === 'trace'
          ? 'The trace has no samples of this type.'
          : 'The span was shorter than the sampling period, or it was waiting, which CPU profiles do not show.'}
      </p>
      <div class="empty-buttons">
        {scope === 'span' && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'subtree' })}>
            Include children
          </button>
        )}
        {scope !== 'trace' && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'trace' })}>
            Show whole trace
          </button>
        )}
        {unlinkedSamples > 0 && !route.unlinked && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'span', unlinked: true })}>
            Show {counted(unlinkedSamples, 'unlinked sample')} by thread and time
          </button>
        )}
      </div>
    </div>
  )
}
