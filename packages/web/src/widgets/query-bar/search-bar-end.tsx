// The end of the search bars of all signals: filters by attribute, and the time range.
import type { ComponentChildren, JSX } from 'preact'
import type { Query } from '../../address/query.ts'
import { signalCompletion } from './attribute-completion.ts'
import { SignalFilters } from './signal-filters.tsx'
import { TimeRangePicker } from './time-range-picker.tsx'

/** The fields that the searches of all signals have in common. */
type SignalSearch = Pick<Query, 'service' | 'filters' | 'from' | 'to'>

export interface SearchBarEndProps<Search extends SignalSearch> {
  readonly signal: 'traces' | 'logs' | 'metrics'
  readonly search: Search
  readonly onSearch: (search: Search) => void
  readonly onRefresh: () => void
  /** The time of the load. */
  readonly now: number
  /** Other filters, shown below the form for attributes. `close` closes the form. */
  readonly more?: (close: () => void) => ComponentChildren
}

export function SearchBarEnd<Search extends SignalSearch>(props: SearchBarEndProps<Search>): JSX.Element {
  const { signal, search, onSearch, onRefresh, now, more } = props
  const { from, to, filters } = search
  return (
    <>
      <SignalFilters
        filters={filters}
        onFilters={next => onSearch({ ...search, filters: next })}
        completion={signalCompletion(signal, search, now)}
        {...(more === undefined ? {} : { more })}
      />
      <span class="spring" />
      <TimeRangePicker
        name=""
        range={{ from, to }}
        onRange={chosen => onSearch({ ...search, ...chosen })}
        onRefresh={onRefresh}
      />
    </>
  )
}
