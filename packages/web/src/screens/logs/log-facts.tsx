// Everything that a log record says, and where it leads: its trace, the profile that it names, what its process did then.
import type { JSX } from 'preact'
import { attributeText, valueText } from '../../api/value-text.ts'
import { TRACE } from '../../address/route.ts'
import type { LogSearch } from '../../address/signal-searches.ts'
import { Facts } from '../../widgets/facts.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { NamedProfileLink } from '../links/named-profile-link.tsx'
import { ProcessLink } from '../links/process-link.tsx'
import { SeverityTag } from '../../widgets/severity.tsx'
import type { LogItem } from './use-log-pages.ts'

export interface LogFactsProps {
  readonly log: LogItem
  readonly search: LogSearch
  readonly onSearch: (search: LogSearch) => void
}

export function LogFacts({ log, search, onSearch }: LogFactsProps): JSX.Element {
  const millis = millisOf(log.time)
  const thread = attributeText(log.attributes, 'thread.id')
  const around = { resource: log.resource?.attributes ?? [], from: millis, to: millis }
  return (
    <>
      <p class="log-facts-head">
        <SeverityTag log={log} /> {formatMoment(millis)}.{String(millis % 1000).padStart(3, '0')}
      </p>
      <pre class="log-body">{valueText(log.body) || log.eventName}</pre>
      <div class="log-ways">
        {log.traceId !== '' && (
          <RouteLink class="button" to={{ ...TRACE, traceId: log.traceId, spanId: log.spanId }}>
            Its trace
          </RouteLink>
        )}
        <ProcessLink class="button" {...around} thread={thread} show="threads">
          {thread === '' ? 'What its process did then' : 'What its thread did then'}
        </ProcessLink>
        <ProcessLink class="button" {...around} thread={thread} show="both">
          Flame graph then
        </ProcessLink>
      </div>
      {log.profileId !== '' && (
        <p>
          names the profile <NamedProfileLink id={log.profileId} around={millis} />
        </p>
      )}
      <div class="log-ways">
        {log.traceId !== '' && (
          <button type="button" onClick={() => onSearch({ ...search, trace: log.traceId })}>
            Only its trace
          </button>
        )}
        {log.resource !== undefined && (
          <button type="button" onClick={() => onSearch({ ...search, process: log.resource!.id })}>
            Only its process
          </button>
        )}
        {thread !== '' && (
          <button type="button" onClick={() => onSearch({ ...search, thread })}>
            Only its thread
          </button>
        )}
      </div>
      <Facts
        title="Record"
        properties={[
          { key: 'service', value: log.service },
          { key: 'severity', value: `${log.severity}${log.severityText === '' ? '' : ` ${log.severityText}`}` },
          ...(log.eventName === undefined ? [] : [{ key: 'event', value: log.eventName }]),
          ...(log.observed === undefined ? [] : [{ key: 'observed', value: formatMoment(millisOf(log.observed)) }]),
          ...(log.traceId === '' ? [] : [{ key: 'trace', value: log.traceId }]),
          ...(log.spanId === '' ? [] : [{ key: 'span', value: log.spanId }]),
        ]}
      />
      <Facts
        title="Attributes"
        properties={log.attributes.map(({ key, value }) => ({ key, value: valueText(value) }))}
      />
      <Facts
        title="Resource"
        properties={around.resource.map(({ key, value }) => ({ key, value: valueText(value) }))}
      />
      <Facts
        title={
          log.scope === undefined || log.scope.name === '' ? 'Scope' : `Scope ${log.scope.name} ${log.scope.version}`
        }
        properties={(log.scope?.attributes ?? []).map(({ key, value }) => ({ key, value: valueText(value) }))}
      />
    </>
  )
}
