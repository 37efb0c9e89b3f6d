// Loads what other signals say of the time of a timeline. What one of them cannot say is left out, and told.
import { useMemo } from 'preact/hooks'
import type { ProfileSource, TimelineEvents } from '../../api/profile-source.ts'
import type { Overlays } from '../../draw/timeline-rows.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { preciseTime } from '../../address/time-range.ts'
import type { Range } from './overlays.ts'
import { SeenSpans, logMarks, metricTracks, seenSpans, storedSpans } from './overlays.ts'

export interface LoadedOverlays {
  readonly overlays: Overlays
  /** Names of metrics that there are. */
  readonly metrics: readonly string[]
  /** What is not shown of them, in words. */
  readonly notes: readonly string[]
}

const METRICS = 500

export function useOverlays(
  source: ProfileSource,
  events: TimelineEvents | undefined,
  metrics: readonly string[],
): LoadedOverlays {
  const seen = useMemo(() => events && new SeenSpans(events), [events])
  const range = useMemo(() => (events === undefined ? undefined : rangeOf(source, events)), [source.key, events])
  const isAsked = range !== undefined && events !== undefined && events.length > 0
  const key = isAsked ? `overlays:${source.key}:${range.from}:${range.to}` : undefined
  const traces = useLoaded(key && `${key}:traces`, signal => storedSpans(client.peek(), events!, seen!, range!, signal))
  const logs = useLoaded(key && `${key}:logs`, signal => logMarks(client.peek(), events!, seen!, range!, signal))
  const listed = useLoaded(key && `${key}:metrics`, async signal => {
    const { service, from, to } = range!
    const request = { from, to, limit: METRICS, ...(service === '' ? {} : { service }) }
    const answer = await client.peek().ask('metrics', request, { signal })
    return [...new Set(answer.metrics.map(({ name }) => name))]
  })
  const tracks = useLoaded(key && `${key}:${metrics.join('\n')}`, signal =>
    metricTracks(client.peek(), events!, metrics, range!, events!.whole / 1e6, signal),
  )
  const overlays = useMemo((): Overlays => {
    const spans = traces.value?.spans ?? []
    const stored = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`))
    const others = events === undefined || seen === undefined ? [] : seenSpans(events, seen, stored)
    return { spans: [...spans, ...others], logs: logs.value?.logs ?? [], metrics: tracks.value ?? [] }
  }, [events, traces.value, logs.value, tracks.value])
  const notes = [
    ...(traces.value?.areMore === true ? ['only the 60 longest traces are drawn'] : []),
    ...(logs.value?.areMore === true ? ['only the last 500 logs are drawn'] : []),
    ...[
      [traces.error, 'traces'],
      [logs.error, 'logs'],
      [tracks.error, 'metrics'],
    ].flatMap(([error, what]) => (error === undefined ? [] : [`${String(what)} could not be read`])),
  ]
  return { overlays, metrics: listed.value ?? [], notes }
}

/** The time of the events, however long the time that was asked about. Undefined of a file. */
function rangeOf({ query }: ProfileSource, { origin, whole }: TimelineEvents): Range | undefined {
  if (query === undefined) return undefined
  const end = origin + BigInt(Math.ceil(whole)) + 1n
  return { service: query.service, from: preciseTime(origin), to: preciseTime(end) }
}
