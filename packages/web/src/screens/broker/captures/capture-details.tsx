// The details of a capture beside its flame graph: instances, request parameters and related links.
import type { Capture } from '@hearth/client'
import type { JSX } from 'preact'
import type { CaptureRoute } from '../../../address/broker-route.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import { EXPLORE, TRACE } from '../../../address/route.ts'
import { navigate } from '../../../state/navigation.ts'
import { timeText } from '../../../address/time-range.ts'
import { DetailList } from '../../../widgets/detail-list.tsx'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { CaptureInstances } from './capture-instances.tsx'
import { captureText } from './capture-text.ts'
import { RequestedBy } from './requested-by.tsx'

export interface CaptureDetailsProps {
  readonly route: CaptureRoute
  readonly capture: Capture
}

export function CaptureDetails({ route, capture }: CaptureDetailsProps): JSX.Element {
  const { service, environment, requested, ended, reason, span, lookBack, frequencyHz, labels = {}, id } = capture
  const properties = [
    { key: 'profile', value: captureText(capture) },
    { key: 'service', value: service },
    { key: 'environment', value: environment },
    { key: 'requested', value: formatMoment(millisOf(requested)) },
    { key: 'ended', value: ended === undefined ? undefined : formatMoment(millisOf(ended)) },
    {
      key: 'past time range',
      value:
        lookBack === undefined
          ? undefined
          : `${formatMoment(millisOf(lookBack.from))} to ${formatMoment(millisOf(lookBack.to))}`,
    },
    { key: 'frequency', value: frequencyHz === undefined ? undefined : `${frequencyHz} Hz` },
    { key: 'requested by', value: <RequestedBy capture={capture} /> },
    { key: 'reason', value: reason },
    { key: 'trace ID', value: capture.traceId },
    { key: 'span ID', value: capture.spanId },
    ...Object.entries(labels).map(([key, value]) => ({ key, value })),
    { key: 'capture ID', value: id },
  ].filter(({ value }) => value !== undefined && value !== '')
  return (
    <aside class="broker-panel" aria-label="Capture">
      <div class="scrolls broker-panel-body" tabIndex={0} role="region" aria-label="Instances and details">
        <section>
          <h2>
            {capture.answered} of {capture.instances.length} responded
          </h2>
          <CaptureInstances
            capture={capture}
            of={route.of}
            onOf={of => navigate({ ...route, of, view: { ...route.view, focus: [] } }, 'replace')}
          />
        </section>
        <section class="broker-panel-buttons">
          {capture.from !== undefined && capture.to !== undefined && (
            <RouteLink
              class="button"
              to={{
                ...EXPLORE,
                query: {
                  ...EMPTY_QUERY,
                  service,
                  from: timeText(millisOf(capture.from)),
                  to: timeText(millisOf(capture.to) + 1),
                },
              }}
              title="All profiles of this service and time"
            >
              Open in Explore
            </RouteLink>
          )}
          <RouteLink
            class="button"
            to={{ ...TRACE, traceId: span.traceId, spanId: span.parentSpanId ?? span.spanId }}
            title="The trace of the capture request"
          >
            Open trace
          </RouteLink>
        </section>
        <DetailList title="Request" properties={properties} />
      </div>
    </aside>
  )
}
