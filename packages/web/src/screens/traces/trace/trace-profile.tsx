// The profile of a span, of it with all below it, or of the whole trace: every view there is of samples, of just those.
import type { TraceColumns } from '@hearth/client'
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ProfileSource } from '../../../api/profile-source.ts'
import { ServerSource } from '../../../api/server-source.ts'
import { attributeText } from '../../../api/value-text.ts'
import type { Filter, Query } from '../../../address/query.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import type { TraceRoute, TraceScope } from '../../../address/route.ts'
import { tracesWith } from '../../../address/route.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import { timeText } from '../../../address/time-range.ts'
import { rootsOf } from '../../../address/view.ts'
import { millisOf } from '../../../widgets/format-time.ts'
import { ProfileView } from '../../../widgets/profile-view/profile-view.tsx'
import { orderFor } from '../../../widgets/flame-graph/use-shown-tree.ts'
import { Tabs } from '../../../widgets/controls/tabs.tsx'
import { ProcessLink } from '../../links/process-link.tsx'
import type { SpanValues, ValueSum } from './span-values.ts'
import { preferredValues, spanValues, sumOf } from './span-values.ts'

export interface TraceProfileProps {
  readonly route: TraceRoute
  readonly trace: TraceColumns
  /** What was asked as soon as the trace was there. */
  readonly ahead: ServerSource | undefined
  /** -1 for none. */
  readonly row: number
  readonly values: readonly SpanValues[]
  /** Undefined where they were not asked for. */
  readonly unlinked: readonly SpanValues[] | undefined
  /** The thread that the span ran on; empty where it does not say. */
  readonly thread: string
}

const SCOPES: readonly { readonly value: TraceScope; readonly title: string }[] = [
  { value: 'span', title: 'This span' },
  { value: 'subtree', title: 'With spans below' },
  { value: 'trace', title: 'Whole trace' },
]
/** Profiles may have begun so long before what is in them. */
const LOOK_BACK_MS = 600_000
const HOUR_MS = 3_600_000

export function TraceProfile(props: TraceProfileProps): JSX.Element {
  const { route, trace, ahead, row, values, unlinked, thread } = props
  const { view } = route
  const scope = scopeOf(route, row)
  // Samples without a link are told by the thread of one span.
  const isLoose = route.unlinked && row !== -1 && scope === 'span'
  const shown = isLoose ? (unlinked ?? []) : values
  const sum = (of: SpanValues) => sumIn(trace, row, scope, of)
  const type = typeOf(route, shown, sum)
  const loose = row === -1 || unlinked === undefined ? 0 : unlinked.reduce((all, of) => all + of.samples[row], 0)
  const asker = client.value
  const spanId = row === -1 ? '' : trace.spans.id(row)
  const source = useMemo(() => {
    if (isLoose) return looseSource(asker, trace, row, type, thread)
    const linked = linkedSource(asker, trace, spanId, scope, type).rooted(rootsOf(view))
    return ahead?.equals(linked) === true ? ahead : linked
  }, [asker, trace, ahead, spanId, scope, type, isLoose, thread])
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
                  {isLoose ? of.type : `${of.type}: ${formatValue(value, of.unit)}, ${formatValue(samples, 'samples')}`}
                </option>
              )
            })}
          </select>
        )}
        {row !== -1 && scope === 'span' && (loose > 0 || isLoose) && (
          <label title="Samples of its thread, in its time, that say of no span. They may be of something else that ran then">
            <input
              type="checkbox"
              checked={isLoose}
              onChange={event => change({ unlinked: event.currentTarget.checked, view: { ...view, focus: [] } })}
            />
            {loose.toLocaleString('en')} without a link, by thread and time
          </label>
        )}
        <span class="spring" />
        {row !== -1 && (
          <ProcessLink
            class="button"
            resource={trace.resources[trace.spans.resource[row]]?.attributes ?? []}
            thread=""
            from={millisAt(trace, row)}
            to={millisAt(trace, row) + Number(trace.spans.duration[row]) / 1e6}
            show="threads"
          >
            Threads in its time
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
          onTraces={name => navigate(tracesWith(name, aroundHours(trace)))}
          empty={<NoneHere {...props} loose={loose} scope={scope} />}
        />
      )}
    </section>
  )
}

/** The profile that will be shown first, asked for while the spans are still to be drawn. */
export interface ProfileAhead {
  readonly source: ServerSource
  /** Resolves when it is here, or will not come. */
  readonly came: Promise<void>
}

/** Undefined where it is not known yet which one will be shown. */
export function prefetch(route: TraceRoute, trace: TraceColumns, signal: AbortSignal): ProfileAhead | undefined {
  const { show } = route.view
  const row = trace.spans.rowOf(route.spanId)
  const scope = scopeOf(route, row)
  const isOfTime = show === 'time' || show === 'heat' || show === 'threads'
  if (isOfTime || (route.unlinked && scope === 'span')) return undefined
  const type = typeOf(route, spanValues(trace, trace.spans.samples), of => sumIn(trace, row, scope, of))
  if (type === '') return undefined
  const spanId = row === -1 ? '' : trace.spans.id(row)
  const source = linkedSource(client.peek(), trace, spanId, scope, type).rooted(rootsOf(route.view))
  return { source, came: source.prefetch(orderFor(route.view), signal) }
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

function millisAt({ spans }: TraceColumns, row: number): number {
  return Number(BigInt.asUintN(64, spans.start[row])) / 1e6
}

function rangeOf({ start, duration }: TraceColumns): { readonly from: string; readonly to: string } {
  const from = millisOf(start)
  const to = from + millisOf(duration)
  return { from: timeText(Math.max(0, from - LOOK_BACK_MS)), to: timeText(to + LOOK_BACK_MS) }
}

/** An hour to each side: where others like it are looked for. */
function aroundHours({ start, duration }: TraceColumns): { readonly from: string; readonly to: string } {
  const from = millisOf(start)
  return { from: timeText(from - HOUR_MS), to: timeText(from + millisOf(duration) + HOUR_MS) }
}

function linkedSource(
  asker: typeof client.value,
  trace: TraceColumns,
  spanId: string,
  scope: TraceScope,
  type: string,
): ServerSource {
  const { traceId } = trace
  const span = scope === 'trace' ? { traceId } : { traceId, spanId, subtree: scope === 'subtree' }
  const query: Query = { ...EMPTY_QUERY, type, span, ...rangeOf(trace) }
  return new ServerSource(asker, query, 0)
}

/** Of the span's thread in its time, in a process that has the same name. */
function looseSource(
  asker: typeof client.value,
  trace: TraceColumns,
  row: number,
  type: string,
  thread: string,
): ProfileSource {
  const { spans } = trace
  const filters: readonly Filter[] = [{ key: 'sample:thread.id', operator: '=', value: thread }]
  const service = attributeText(trace.resources[spans.resource[row]]?.attributes ?? [], 'service.name')
  const query: Query = { ...EMPTY_QUERY, service, type, filters, unlinked: true, ...rangeOf(trace) }
  const from = BigInt.asUintN(64, spans.start[row])
  return new ServerSource(asker, query, 0).within({ from, until: from + spans.duration[row] })
}

function NoSamples({ trace }: { readonly trace: TraceColumns }): JSX.Element {
  return (
    <div class="reading">
      <h2>No profile saw this trace</h2>
      <p class="muted">
        Profilers that know of spans write the ids of both into their samples: the agent for Node.js does where
        OpenTelemetry runs beside it.{' '}
        {trace.spans.length === 1 ? 'A short span may also fall between two samples.' : ''}
      </p>
    </div>
  )
}

interface NoneHereProps extends TraceProfileProps {
  readonly loose: number
  readonly scope: TraceScope
}

/** The trace was seen, but not this part of it. */
function NoneHere({ route, loose, scope }: NoneHereProps): JSX.Element {
  return (
    <div class="reading">
      <h2>No sample here</h2>
      <p class="muted">
        {scope === 'trace'
          ? 'No sample of this type was taken in the trace.'
          : 'It was shorter than the time between two samples, or it waited, which profiles of CPU time do not see.'}
      </p>
      <div class="empty-buttons">
        {scope === 'span' && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'subtree' })}>
            With spans below
          </button>
        )}
        {scope !== 'trace' && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'trace' })}>
            The whole trace
          </button>
        )}
        {loose > 0 && !route.unlinked && (
          <button type="button" onClick={() => navigate({ ...route, scope: 'span', unlinked: true })}>
            {loose.toLocaleString('en')} samples of its thread in its time, without a link
          </button>
        )}
      </div>
    </div>
  )
}
