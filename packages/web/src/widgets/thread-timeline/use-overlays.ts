// Loads other signals of the visible time: spans, logs and metrics. A signal that fails to load is skipped and
// reported.
import { useMemo } from 'preact/hooks'
import type { ProfileSource, TimelineEvents } from '../../api/profile-source.ts'
import type { Overlays } from '../../draw/timeline/timeline-rows.ts'
import type { Span } from '../../draw/flame-graph/viewport.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { ofLoad, preciseTime } from '../../address/time-range.ts'
import type { LoadedLogs, LoadedSpans, Range } from './overlays.ts'
import { Processes, SeenSpans, logMarks, metricTracks, seenSpans, storedSpans, windowAround } from './overlays.ts'

export interface LoadedOverlays {
  readonly overlays: Overlays
  /** Names of available metrics. */
  readonly metrics: readonly string[]
  /** Notes about hidden items. */
  readonly notes: readonly string[]
}

const METRICS = 500

/** `shown` is the visible part; undefined for all. */
export function useOverlays(
  source: ProfileSource,
  events: TimelineEvents | undefined,
  shown: Span | undefined,
  metrics: readonly string[],
): LoadedOverlays {
  const seen = useMemo(() => events && new SeenSpans(events), [events])
  const processes = useMemo(() => events && new Processes(events), [events])
  const around = windowAround(shown, events?.whole ?? 0)
  const service = source.query?.service ?? ''
  const isNeeded = source.query !== undefined && events !== undefined && events.length > 0
  const loaded = source.query === undefined ? {} : ofLoad(source.query)
  const range = isNeeded ? { ...rangeOf(events, around), ...loaded } : undefined
  const whole = isNeeded ? { service, ...rangeOf(events, windowAround(undefined, events.whole)), ...loaded } : undefined
  const key = range && `overlays:${source.key}:${range.from}:${range.to}`
  const spans = useLoaded(key && `${key}:spans`, signal =>
    storedSpans(client.peek(), events!, seen!, processes!, range!, signal),
  )
  const logs = useLoaded(key && `${key}:logs`, signal =>
    logMarks(client.peek(), events!, seen!, processes!, range!, around.width, signal),
  )
  const wholeKey = whole && `overlays:${source.key}:${whole.from}:${whole.to}`
  const listed = useLoaded(wholeKey && `${wholeKey}:metrics`, async signal => {
    const { from, to } = whole!
    const request = { from, to, ...loaded, limit: METRICS, ...(service === '' ? {} : { service }) }
    const response = await client.peek().query('metrics', request, { signal })
    return [...new Set(response.metrics.map(({ name }) => name))]
  })
  const tracks = useLoaded(wholeKey && `${wholeKey}:${metrics.join('\n')}`, signal =>
    metricTracks(client.peek(), events!, metrics, whole!, events!.whole / 1e6, signal),
  )
  const others = useMemo((): LoadedSpans => {
    if (events === undefined || seen === undefined) return { spans: [], all: 0 }
    const stored = new Set((spans.value?.spans ?? []).map(({ traceId, spanId }) => `${traceId} ${spanId}`))
    return seenSpans(events, seen, stored, around)
  }, [events, spans.value, around.left, around.width])
  const overlays = useMemo(
    (): Overlays => ({
      spans: [...(spans.value?.spans ?? []), ...others.spans],
      logs: logs.value?.logs ?? [],
      metrics: tracks.value ?? [],
    }),
    [spans.value, others, logs.value, tracks.value],
  )
  const notes = [
    ...notesOf(spans.value, others, logs.value, processes?.dropped ?? 0),
    ...[
      [spans.error, 'spans'],
      [logs.error, 'logs'],
      [tracks.error, 'metrics'],
    ].flatMap(([error, what]) => (error === undefined ? [] : [`${String(what)} failed to load`])),
  ]
  return { overlays, metrics: listed.value ?? [], notes }
}

function notesOf(
  stored: LoadedSpans | undefined,
  seen: LoadedSpans,
  logs: LoadedLogs | undefined,
  droppedProcesses: number,
): string[] {
  const notes: string[] = []
  if (stored !== undefined && stored.all > stored.spans.length) {
    notes.push(`longest ${count(stored.spans.length)} of ${count(stored.all)} spans; zoom in for the others`)
  }
  if (seen.all > seen.spans.length) {
    notes.push(`${count(seen.all - seen.spans.length)} spans known only from samples hidden`)
  }
  if (logs !== undefined && logs.hidden > 0) notes.push(`${count(logs.hidden)} log records hidden; zoom in to see them`)
  if (droppedProcesses > 0) notes.push(`no spans and logs for ${count(droppedProcesses)} processes`)
  return notes
}

function count(of: number): string {
  return of.toLocaleString('en')
}

/** The time range of a part of the events. */
function rangeOf({ origin }: TimelineEvents, { left, width }: Span): Range {
  const from = origin + BigInt(Math.floor(left))
  return { from: preciseTime(from), to: preciseTime(origin + BigInt(Math.ceil(left + width)) + 1n) }
}
