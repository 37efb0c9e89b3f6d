// The search bar of Metrics: service, kind, unit, attributes and time range.
import type { MetricRow } from '@hearth/client'
import type { JSX } from 'preact'
import type { MetricSearch } from '../../address/metric-search.ts'
import { METRIC_KINDS } from '../../address/metric-search.ts'
import { SearchBarEnd } from '../../widgets/query-bar/search-bar-end.tsx'
import { ServiceCombo, useSignalServices } from '../../widgets/query-bar/service-combo.tsx'
import '../../widgets/query-bar/query-bar.css'

export interface MetricSearchBarProps {
  readonly search: MetricSearch
  readonly onSearch: (search: MetricSearch) => void
  /** The metrics whose units can be selected. */
  readonly metrics: readonly MetricRow[]
  readonly now: number
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

export function MetricSearchBar({ search, onSearch, metrics, now, onRefresh }: MetricSearchBarProps): JSX.Element {
  const { service, kind, unit } = search
  const services = useSignalServices('metrics', search, now)
  const units = [...new Set([...metrics.map(metric => metric.unit), ...(unit === undefined ? [] : [unit])])].sort()
  return (
    <div class="query-bar" data-rove>
      <ServiceCombo
        service={service}
        services={services}
        onService={chosen => onSearch({ ...search, service: chosen })}
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
            {each === '' ? 'No unit' : each}
          </option>
        ))}
      </select>
      <SearchBarEnd signal="metrics" search={search} onSearch={onSearch} onRefresh={onRefresh} now={now} />
    </div>
  )
}
