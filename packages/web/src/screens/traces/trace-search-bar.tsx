// The search bar of Traces: service, operation, status, duration, attributes, time range, and functions in the profiles of a
// trace. Each change applies immediately.
import { absolute } from '../../address/time-range.ts'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { SPAN_KINDS, SPAN_STATUSES, samplesWithFrame } from '../../address/signal-searches.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Chip } from '../../widgets/query-bar/filter-chips.tsx'
import { SearchBarEnd } from '../../widgets/query-bar/search-bar-end.tsx'
import { ServiceCombo } from '../../widgets/query-bar/service-combo.tsx'
import { SettledField } from '../../widgets/controls/settled-field.tsx'
import '../../widgets/query-bar/query-bar.css'
import { durationWithUnit } from './trace-request.ts'

export interface TraceSearchBarProps {
  readonly search: TraceSearch
  readonly onSearch: (search: TraceSearch) => void
  readonly now: number
  readonly onRefresh: () => void
}

/** The value of the option for all. An empty value would show an empty field. */
const ALL = '\u0000all'
const STATUS_TITLES = { '': 'Any status', unset: 'Unset', ok: 'OK', error: 'Error' } as const

export function TraceSearchBar({ search, onSearch, now, onRefresh }: TraceSearchBarProps): JSX.Element {
  const { service, name, from, to, receivedBefore } = absolute(search, now)
  const known = useLoaded(`operations:${from}:${to}:${now}`, async signal => {
    return (await client.peek().query('operations', { from, to, receivedBefore }, { signal })).operations
  })
  const operations = known.value ?? []
  const services = [...new Set(operations.map(each => each.service))].filter(each => each !== '').sort()
  const names = new Map<string, number>()
  for (const each of operations) {
    if (service === '' || each.service === service) names.set(each.name, (names.get(each.name) ?? 0) + each.spans)
  }
  return (
    <div class="query-bar" data-rove>
      <ServiceCombo
        service={service}
        services={services}
        onService={chosen => onSearch({ ...search, service: chosen })}
      />
      <Combo
        label="Operation"
        width={190}
        free
        value={name === '' ? ALL : name}
        options={[
          { value: ALL, title: 'All operations' },
          ...Array.from(names, ([value, spans]) => ({ value, note: `${spans.toLocaleString('en')} spans` })),
        ]}
        onChoose={chosen => onSearch({ ...search, name: chosen === ALL ? '' : chosen })}
        empty="No operations in this range"
      />
      <select
        aria-label="Status"
        value={search.status}
        onChange={event => onSearch({ ...search, status: event.currentTarget.value as TraceSearch['status'] })}
      >
        {SPAN_STATUSES.map(each => (
          <option key={each} value={each}>
            {STATUS_TITLES[each]}
          </option>
        ))}
      </select>
      <DurationField
        label="Min duration"
        value={search.minDuration}
        onChange={minDuration => onSearch({ ...search, minDuration })}
      />
      <DurationField
        label="Max duration"
        value={search.maxDuration}
        onChange={maxDuration => onSearch({ ...search, maxDuration })}
      />
      {search.kind !== '' && <Chip text={`kind = ${search.kind}`} onRemove={() => onSearch({ ...search, kind: '' })} />}
      {search.samples !== '' && (
        <Chip
          text={`samples: ${search.samples.replace(/^\s*\|\s*/, '')}`}
          onRemove={() => onSearch({ ...search, samples: '' })}
        />
      )}
      <SearchBarEnd
        signal="traces"
        search={search}
        onSearch={onSearch}
        onRefresh={onRefresh}
        now={now}
        more={close => (
          <MoreFilters
            kind={search.kind}
            onKind={kind => {
              close()
              onSearch({ ...search, kind })
            }}
            onFunction={function_ => {
              close()
              onSearch({ ...search, samples: samplesWithFrame({ name: function_, file: '' }) })
            }}
          />
        )}
      />
    </div>
  )
}

interface DurationFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function DurationField({ label, value, onChange }: DurationFieldProps): JSX.Element {
  return (
    <SettledField
      class="duration-field"
      label={label}
      placeholder={label}
      title="For example 500ms, 1.5s, or a number of milliseconds"
      value={value}
      onValue={text => onChange(text === '' ? '' : durationWithUnit(text))}
    />
  )
}

interface MoreFiltersProps {
  readonly kind: TraceSearch['kind']
  readonly onKind: (kind: TraceSearch['kind']) => void
  readonly onFunction: (name: string) => void
}

function MoreFilters({ kind, onKind, onFunction }: MoreFiltersProps): JSX.Element {
  const [name, setName] = useState('')
  return (
    <form
      class="filter-form more-filters"
      onSubmit={event => {
        event.preventDefault()
        if (name !== '') onFunction(name)
      }}
    >
      <input
        type="text"
        aria-label="Function"
        placeholder="Function in profile samples"
        spellcheck={false}
        value={name}
        onInput={event => setName(event.currentTarget.value)}
      />
      <button type="submit" disabled={name === ''}>
        Add
      </button>
      <select
        aria-label="Kind"
        value={kind}
        onChange={event => onKind(event.currentTarget.value as TraceSearch['kind'])}
      >
        {SPAN_KINDS.map(each => (
          <option key={each} value={each}>
            {each === '' ? 'Any kind' : each}
          </option>
        ))}
      </select>
    </form>
  )
}
