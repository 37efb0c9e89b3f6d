// Which metrics: by service, kind, unit, attributes and time.
import type { MetricRow } from '@hearth/client'
import type { JSX } from 'preact'
import type { MetricSearch } from '../../address/metric-search.ts'
import { METRIC_KINDS } from '../../address/metric-search.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../../widgets/combo.tsx'
import { signalCompletion } from '../../widgets/query-bar/attribute-completion.ts'
import { SignalFilters } from '../../widgets/query-bar/signal-filters.tsx'
import { TimeRangePicker } from '../../widgets/query-bar/time-range-picker.tsx'
import '../../widgets/query-bar/query-bar.css'

export interface MetricSearchBarProps {
  readonly search: MetricSearch
  readonly onSearch: (search: MetricSearch) => void
  /** Of which there are units. */
  readonly metrics: readonly MetricRow[]
  readonly moment: number
  readonly onRefresh: () => void
}

const ALL = '\u0000all'

export const KIND_TITLES: Readonly<Record<MetricRow['kind'], string>> = {
  gauge: 'gauge',
  sum: 'sum',
  histogram: 'histogram',
  'exponential-histogram': 'exponential histogram',
  summary: 'summary',
}

export function MetricSearchBar({ search, onSearch, metrics, moment, onRefresh }: MetricSearchBarProps): JSX.Element {
  const { service, from, to, filters, kind, unit } = search
  const services = useLoaded(`metric-services:${from}:${to}:${moment}`, async signal => {
    const request = { signal: 'metrics', from, to } as const
    return (await client.peek().signalAttributeValues('resource:service.name', request, { signal })).values
  })
  const units = [...new Set([...metrics.map(metric => metric.unit), ...(unit === undefined ? [] : [unit])])].sort()
  return (
    <div class="query-bar">
      <Combo
        label="Service"
        width={170}
        value={service === '' ? ALL : service}
        options={[
          { value: ALL, title: 'All services' },
          ...(services.value ?? []).map(({ text }) => ({ value: text })),
        ]}
        onChoose={chosen => onSearch({ ...search, service: chosen === ALL ? '' : chosen })}
        empty="No services in this time"
      />
      <select
        aria-label="Kind"
        value={kind}
        onChange={event => onSearch({ ...search, kind: event.currentTarget.value as MetricSearch['kind'] })}
      >
        {METRIC_KINDS.map(each => (
          <option key={each} value={each}>
            {each === '' ? 'Any kind' : KIND_TITLES[each]}
          </option>
        ))}
      </select>
      <select
        aria-label="Unit"
        value={unit ?? ALL}
        onChange={event => {
          const { value } = event.currentTarget
          onSearch({ ...search, unit: value === ALL ? undefined : value })
        }}
      >
        <option value={ALL}>Any unit</option>
        {units.map(each => (
          <option key={each} value={each}>
            {each === '' ? 'without a unit' : each}
          </option>
        ))}
      </select>
      <SignalFilters
        filters={filters}
        onFilters={next => onSearch({ ...search, filters: next })}
        completion={signalCompletion('metrics', search)}
      />
      <span class="spring" />
      <TimeRangePicker
        name=""
        range={{ from, to }}
        onRange={chosen => onSearch({ ...search, ...chosen })}
        onRefresh={onRefresh}
      />
    </div>
  )
}
