// One line below the lanes about the hovered or selected event, span or log record.
import { formatShare, formatValue } from '@hearth/profile'
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { TimelineEvents } from '../../api/profile-source.ts'
import type { TimelineHit } from '../../draw/timeline/timeline-view.ts'
import { TRACE } from '../../address/route.ts'
import { isTouch } from '../../state/touch.ts'
import { counted } from '../counted.ts'
import { RouteLink } from '../route-link.tsx'
import { eventWords, momentText } from './describe-event.ts'

export interface EventBarProps {
  readonly events: TimelineEvents
  readonly hovered: Signal<TimelineHit | undefined>
  readonly selected: Signal<TimelineHit | undefined>
  /** Whether a server can have the trace. */
  readonly hasTraces: boolean
}

export function EventBar({ events, hovered, selected, hasTraces }: EventBarProps): JSX.Element {
  const hit = hovered.value ?? selected.value
  return (
    // On small screens it scrolls, which keys must be able to do, too.
    <div
      class="detail-bar"
      {...(isTouch.value ? { tabIndex: 0, role: 'group', 'aria-label': 'Details of the event' } : {})}
    >
      {hit === undefined ? (
        <span class="muted">
          {counted(events.length, 'event')} on {counted(events.threads.length, events.laneKind)} ·{' '}
          {isTouch.value
            ? 'pinch to zoom, drag to pan, double-tap to open a thread'
            : 'Shift and drag to select a range, W S A D to zoom and pan, double-click to open a thread'}
        </span>
      ) : (
        <HitDetail events={events} hit={hit} hasTraces={hasTraces} />
      )}
    </div>
  )
}

function HitDetail({
  events,
  hit,
  hasTraces,
}: {
  readonly events: TimelineEvents
  readonly hit: TimelineHit
  readonly hasTraces: boolean
}): JSX.Element {
  const { row, event, span, log, time } = hit
  if (span !== undefined) {
    return (
      <>
        <strong>{span.name}</strong>
        <span>
          <b>{momentText(span.start)}</b>
        </span>
        <span>
          duration <b>{formatValue(span.duration, 'ns')}</b>
        </span>
        {span.isError && <span class="detail-more">error</span>}
        {!span.isStored && <span class="muted">from samples only</span>}
        <TraceLink traceId={span.traceId} spanId={span.spanId} hasTraces={hasTraces} />
      </>
    )
  }
  if (log !== undefined) {
    return (
      <>
        <strong>{log.text}</strong>
        <span>
          at <b>{formatValue(log.time, 'ns')}</b>
        </span>
        {log.records > 1 && (
          <span class="detail-more">
            most severe of {log.records.toLocaleString('en')} records; zoom in for the others
          </span>
        )}
        <TraceLink traceId={log.traceId} spanId={log.spanId} hasTraces={hasTraces} />
      </>
    )
  }
  if (event < 0) {
    return (
      <>
        <strong>{row.title}</strong>
        <span class="muted">no events at {formatValue(time, 'ns')}</span>
      </>
    )
  }
  const { name, state, when, took, type, cpu, traceId, spanId } = eventWords(events, event)
  return (
    <>
      <strong>{row.title}</strong>
      <span>
        <b>{when}</b>
      </span>
      <span>
        {state}
        {took === '' ? '' : ' '}
        <b>{took}</b>
        {took !== '' && <span class="muted"> {formatShare(events.duration[event], events.whole)} of total</span>}
      </span>
      {name !== '' && <span class="code detail-name">{name}</span>}
      <span class="muted">{[type, cpu].filter(each => each !== '').join(' · ')}</span>
      <TraceLink traceId={traceId} spanId={spanId} hasTraces={hasTraces} />
    </>
  )
}

function TraceLink({
  traceId,
  spanId,
  hasTraces,
}: {
  readonly traceId: string
  readonly spanId: string
  readonly hasTraces: boolean
}): JSX.Element {
  if (traceId === '') return <></>
  if (!hasTraces) return <span class="muted code">trace {traceId.slice(0, 8)}…</span>
  return <RouteLink to={{ ...TRACE, traceId, spanId }}>trace {traceId.slice(0, 8)}…</RouteLink>
}
