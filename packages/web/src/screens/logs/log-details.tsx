// The details of a log record, with links to its trace, its profile and the profiles of its process at that time.
import type { JSX } from 'preact'
import { attributeText, valueText } from '../../api/value-text.ts'
import { TRACE } from '../../address/route.ts'
import type { LogSearch } from '../../address/signal-searches.ts'
import { DetailList } from '../../widgets/detail-list.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { sentDetails } from '../../widgets/sent-details.ts'
import { NamedProfileLink } from '../links/named-profile-link.tsx'
import { ProcessLink } from '../links/process-link.tsx'
import { SeverityTag } from '../../widgets/severity.tsx'
import type { LogItem } from './use-log-pages.ts'

export interface LogDetailsProps {
  readonly log: LogItem
  readonly search: LogSearch
  readonly onSearch: (search: LogSearch) => void
}

export function LogDetails({ log, search, onSearch }: LogDetailsProps): JSX.Element {
  const millis = millisOf(log.time)
  const thread = attributeText(log.attributes, 'thread.id')
  const around = { resource: log.resource?.attributes ?? [], from: BigInt(log.time), to: BigInt(log.time) }
  return (
    <>
      <p class="log-details-head">
        <SeverityTag log={log} /> {formatMoment(millis)}.{String(millis % 1000).padStart(3, '0')}
      </p>
      <pre class="log-body">{valueText(log.body) || log.eventName}</pre>
      <div class="log-actions">
        {log.traceId !== '' && (
          <RouteLink class="button" to={{ ...TRACE, traceId: log.traceId, spanId: log.spanId }}>
            Open trace
          </RouteLink>
        )}
        <ProcessLink class="button" {...around} thread={thread} show="threads">
          {thread === '' ? 'Threads at this time' : 'This thread at this time'}
        </ProcessLink>
        <ProcessLink class="button" {...around} thread={thread} show="both">
          Flame graph at this time
        </ProcessLink>
      </div>
      {log.profileId !== '' && (
        <p>
          Profile <NamedProfileLink id={log.profileId} around={millis} />
        </p>
      )}
      <div class="log-actions">
        {log.traceId !== '' && (
          <button type="button" onClick={() => onSearch({ ...search, trace: log.traceId })}>
            Filter by trace
          </button>
        )}
        {log.resource !== undefined && (
          <button type="button" onClick={() => onSearch({ ...search, process: log.resource!.id })}>
            Filter by process
          </button>
        )}
        {thread !== '' && (
          <button type="button" onClick={() => onSearch({ ...search, thread })}>
            Filter by thread
          </button>
        )}
      </div>
      <DetailList
        title="Record"
        properties={[
          { key: 'service', value: log.service },
          { key: 'severity', value: `${log.severity}${log.severityText === '' ? '' : ` ${log.severityText}`}` },
          ...(log.eventName === undefined ? [] : [{ key: 'event', value: log.eventName }]),
          ...(log.observed === undefined ? [] : [{ key: 'observed', value: formatMoment(millisOf(log.observed)) }]),
          ...(log.traceId === '' ? [] : [{ key: 'trace', value: log.traceId }]),
          ...(log.spanId === '' ? [] : [{ key: 'span', value: log.spanId }]),
          ...sentDetails(log),
        ]}
      />
      <DetailList
        title="Attributes"
        properties={log.attributes.map(({ key, value }) => ({ key, value: valueText(value) }))}
      />
      <DetailList
        title="Resource"
        properties={[
          ...around.resource.map(({ key, value }) => ({ key, value: valueText(value) })),
          ...sentDetails({ droppedAttributes: log.resource?.droppedAttributes ?? 0 }),
        ]}
      />
      <DetailList
        title={
          log.scope === undefined || log.scope.name === '' ? 'Scope' : `Scope ${log.scope.name} ${log.scope.version}`
        }
        properties={[
          ...(log.scope?.attributes ?? []).map(({ key, value }) => ({ key, value: valueText(value) })),
          ...sentDetails({ droppedAttributes: log.scope?.droppedAttributes ?? 0 }),
        ]}
      />
    </>
  )
}
