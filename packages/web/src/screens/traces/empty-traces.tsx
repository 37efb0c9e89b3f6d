// The empty state of Traces.
import type { JSX } from 'preact'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { EMPTY_TRACE_SEARCH, isNarrowed } from '../../address/signal-searches.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { timeText } from '../../address/time-range.ts'
import { EmptySignal } from '../../widgets/empty-signal.tsx'
import { millisOf } from '../../widgets/format-time.ts'

const HOUR = 3_600_000

export interface EmptyTracesProps {
  readonly search: TraceSearch
  readonly onSearch: (search: TraceSearch) => void
}

export function EmptyTraces({ search, onSearch }: EmptyTracesProps): JSX.Element {
  const all = useLoaded('traces:latest', async signal => {
    const { traces } = await client.peek().query('traces', { from: '0', to: 'now+1d', limit: 1 }, { signal })
    return traces.map(({ span }) => millisOf(span.start))
  })
  const { from, to } = search
  return (
    <EmptySignal
      what="traces"
      last={all}
      isFiltered={isNarrowed(search, EMPTY_TRACE_SEARCH)}
      onClear={() => onSearch({ ...EMPTY_TRACE_SEARCH, from, to })}
      onLast={last => onSearch({ ...EMPTY_TRACE_SEARCH, from: timeText(last - HOUR), to: timeText(last + 60_000) })}
    />
  )
}
