// The ledgers of the spans of a file.
import type { Profiles } from '../../../model/columns/profiles.ts'
import { evidenceOfEvents } from '../evidence-of-events.ts'
import type { LedgerLane, LedgerSpan } from '../ledger-input.ts'
import { Ledgers } from '../ledgers.ts'
import type { FileEvents } from './file-events.ts'
import { fileEvents } from './file-events.ts'
import type { GivenSpan } from './file-spans.ts'
import { SPAN_TYPE, fileSpans } from './file-spans.ts'

export interface FileLedgers {
  readonly ledgers: Ledgers
  readonly events: FileEvents
  /** Whether the lanes are event loops. */
  readonly isEventLoop: boolean
}

/** Undefined if the file has no observations with times. Given spans replace those of the file. */
export function fileLedgers(profiles: Profiles, given: readonly GivenSpan[] = []): FileLedgers | undefined {
  const events = fileEvents(profiles)
  if (events.length === 0) return undefined
  const lanes: LedgerLane[] = []
  const wideOf = new Map<number, number>()
  const laneOf = events.threads.map(({ process, id, title }) => {
    let wide = wideOf.get(process)
    if (wide === undefined) wideOf.set(process, (wide = lanes.push({ process, title: 'process', isProcess: true }) - 1))
    // Observations without a thread are about the process.
    return id === '' ? wide : lanes.push({ process, title }) - 1
  })
  const { spans, owners } = fileSpans(events, laneOf, given)
  if (spans.length === 0) return undefined
  const base = spans.reduce((least, { start }) => (start < least ? start : least), spans[0].start)
  const evidence = evidenceOfEvents(events, {
    base,
    goroutines: goroutineTimes(events, spans, laneOf, base),
    lanes: laneOf,
    wide: laneOf.map(lane => wideOf.get(lanes[lane].process) ?? lane),
    owners,
  })
  return {
    ledgers: new Ledgers({ base, spans, lanes, ...evidence }),
    events,
    isEventLoop: events.frames.type.includes('v8js'),
  }
}

/** The first and last time of each goroutine's spans and states, in nanoseconds since the base. */
function goroutineTimes(
  { threads, length, thread, time, value, kind, kinds }: FileEvents,
  spans: readonly LedgerSpan[],
  lanes: readonly number[],
  base: bigint,
): Map<number, { readonly from: number; readonly to: number }> {
  const times = new Map<number, { from: number; to: number }>()
  const add = (row: number, from: number, to: number): void => {
    const known = times.get(row)
    if (known === undefined) times.set(row, { from, to })
    else [known.from, known.to] = [Math.min(known.from, from), Math.max(known.to, to)]
  }
  for (let row = 0; row < length; row++) {
    if (!threads[thread[row]].isGoroutine || kinds[kind[row]].type === SPAN_TYPE) continue
    add(thread[row], Number(time[row] - base), Number(time[row] + value[row] - base))
  }
  // A region begins and ends while its goroutine runs.
  for (const { lane, start, end } of spans) {
    const row = lane === -1 ? -1 : lanes.indexOf(lane)
    if (row !== -1 && threads[row].isGoroutine) add(row, Number(start - base), Number(end - base))
  }
  return times
}
