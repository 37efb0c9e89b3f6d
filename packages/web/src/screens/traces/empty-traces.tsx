// The empty state of Traces.
import type { JSX } from 'preact'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { EMPTY_TRACE_SEARCH, isNarrowed } from '../../address/signal-searches.ts'
import { client } from '../../state/session.ts'
import { useLatest } from '../../widgets/use-latest.ts'
import { timeText } from '../../address/time-range.ts'
import { EmptySignal } from '../../widgets/empty-signal.tsx'
import { millisOf } from '../../widgets/format-time.ts'

const HOUR = 3_600_000

export interface EmptyTracesProps {
  readonly search: TraceSearch
  readonly onSearch: (search: TraceSearch) => void
}

export function EmptyTraces({ search, onSearch }: EmptyTracesProps): JSX.Element {
  const loaded = useLatest('traces', search.service, async (service, signal) => {
    const request = { from: '0', to: 'now+1d', limit: 1, ...(service === '' ? {} : { service }) }
    const { traces } = await client.peek().query('traces', request, { signal })
    return traces.map(({ span }) => millisOf(span.start))
  })
  const { from, to } = search
  return (
    <EmptySignal
      what="traces"
      loaded={loaded}
      isFiltered={isNarrowed(search, EMPTY_TRACE_SEARCH)}
      onClear={() => onSearch({ ...EMPTY_TRACE_SEARCH, from, to })}
      onLatest={({ service, time }) =>
        onSearch({ ...EMPTY_TRACE_SEARCH, service, from: timeText(time - HOUR), to: timeText(time + 60_000) })
      }
    />
  )
}
