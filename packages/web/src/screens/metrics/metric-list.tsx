// The list of metrics by name, with a search field.
import type { MetricRow } from '@hearth/client'
import type { JSX } from 'preact'
import type { MetricSearch, MetricView } from '../../address/metric-search.ts'
import { unitSymbol } from '../../widgets/type-title.ts'
import { KIND_TITLES } from './metric-search-bar.tsx'

export interface MetricListProps {
  /** The metrics that match the search. */
  readonly metrics: readonly MetricRow[]
  /** The number of metrics without the search. */
  readonly all: number
  /** Whether the server has more metrics than it listed. */
  readonly hasMore: boolean
  readonly search: MetricSearch
  readonly onSearch: (search: MetricSearch, how?: 'push' | 'replace') => void
  readonly view: MetricView
  readonly onChoose: (metric: MetricRow) => void
}

export function matchingMetrics(
  metrics: readonly MetricRow[],
  { find, kind, unit }: Pick<MetricSearch, 'find' | 'kind' | 'unit'>,
): readonly MetricRow[] {
  const words = find.toLowerCase().split(/\s+/)
  return metrics.filter(metric => {
    const text = `${metric.name} ${metric.description}`.toLowerCase()
    return (
      words.every(word => text.includes(word)) &&
      (kind === '' || metric.kind === kind) &&
      (unit === undefined || metric.unit === unit)
    )
  })
}

export function isShown({ name, kind, unit, temporality }: MetricRow, view: MetricView): boolean {
  if (name !== view.name) return false
  if (view.ofKind === '') return true
  return (
    kind === view.ofKind && unit === view.ofUnit && (view.ofTemporality === '' || temporality === view.ofTemporality)
  )
}

export function MetricList(props: MetricListProps): JSX.Element {
  const { metrics, all, hasMore, search, onSearch, view, onChoose } = props
  return (
    <section class="metric-list" aria-label="Metrics">
      <div class="metric-find" role="search">
        <input
          type="search"
          aria-label="Search metrics"
          placeholder="Search metrics"
          spellcheck={false}
          value={search.find}
          onInput={event => onSearch({ ...search, find: event.currentTarget.value }, 'replace')}
        />
        <span class="muted" role="status">
          {metrics.length === all
            ? all.toLocaleString('en')
            : `${metrics.length.toLocaleString('en')} of ${all.toLocaleString('en')}`}
          {hasMore ? '+' : ''}
        </span>
      </div>
      {metrics.length === 0 ? (
        <p class="muted metric-none">No results</p>
      ) : (
        <ul class="scrolls">
          {metrics.map(metric => (
            <li key={`${metric.name} ${metric.kind} ${metric.unit} ${metric.temporality}`}>
              <button
                type="button"
                class="plain"
                aria-pressed={isShown(metric, view)}
                title={metric.description === '' ? metric.name : `${metric.name}: ${metric.description}`}
                onClick={() => onChoose(metric)}
              >
                <span class="code metric-name">{metric.name}</span>
                <span class="muted metric-kind">
                  {KIND_TITLES[metric.kind]}
                  {unitSymbol(metric.unit) === '' ? '' : ` · ${unitSymbol(metric.unit)}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
