// Beside the flame graph of a capture: who answered, what was asked, and where else to look.
import type { Capture } from '@hearth/client'
import type { JSX } from 'preact'
import type { CaptureRoute } from '../../../address/broker-route.ts'
import { EMPTY_QUERY } from '../../../address/query.ts'
import { EXPLORE, TRACE } from '../../../address/route.ts'
import { navigate } from '../../../state/navigation.ts'
import { timeText } from '../../../address/time-range.ts'
import { Facts } from '../../../widgets/facts.tsx'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { CaptureInstances } from './capture-instances.tsx'
import { captureText } from './capture-text.ts'
import { AskedBy } from './captures-tab.tsx'

export interface CaptureFactsProps {
  readonly route: CaptureRoute
  readonly capture: Capture
}

export function CaptureFacts({ route, capture }: CaptureFactsProps): JSX.Element {
  const { service, environment, requested, ended, reason, span, lookBack, frequencyHz, labels = {}, id } = capture
  const properties = [
    { key: 'what', value: captureText(capture) },
    { key: 'service', value: service },
    { key: 'environment', value: environment },
    { key: 'asked', value: formatMoment(millisOf(requested)) },
    { key: 'ended', value: ended === undefined ? undefined : formatMoment(millisOf(ended)) },
    {
      key: 'looked back at',
      value:
        lookBack === undefined
          ? undefined
          : `${formatMoment(millisOf(lookBack.from))} to ${formatMoment(millisOf(lookBack.to))}`,
    },
    { key: 'frequency asked for', value: frequencyHz === undefined ? undefined : `${frequencyHz} Hz` },
    { key: 'by', value: <AskedBy capture={capture} /> },
    { key: 'reason', value: reason },
    { key: 'only of trace', value: capture.traceId },
    { key: 'only of span', value: capture.spanId },
    ...Object.entries(labels).map(([key, value]) => ({ key, value })),
    { key: 'capture id', value: id },
  ].filter(({ value }) => value !== undefined && value !== '')
  return (
    <aside class="broker-panel" aria-label="About the capture">
      <div class="scrolls broker-panel-body" tabIndex={0} role="region" aria-label="Instances and facts">
        <section>
          <h2>
            {capture.answered} of {capture.instances.length} answered
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
              title="Everything that is stored of this service and time"
            >
              Explore this time
            </RouteLink>
          )}
          <RouteLink
            class="button"
            to={{ ...TRACE, traceId: span.traceId, spanId: span.parentSpanId ?? span.spanId }}
            title="The span that asked, and the capture below it"
          >
            Its trace
          </RouteLink>
        </section>
        <Facts title="Asked for" properties={properties} />
      </div>
    </aside>
  )
}
