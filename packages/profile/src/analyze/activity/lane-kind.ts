// The lanes of a timeline: threads, or goroutines and processors of the Go scheduler if events name them.

export const LANE_KINDS = ['thread', 'goroutine', 'processor'] as const
export type LaneKind = (typeof LANE_KINDS)[number]

/** The attributes that identify a lane. Formats have several ids of threads; the first that a sample has counts. */
export const LANE_IDS: Readonly<Record<LaneKind, readonly string[]>> = {
  thread: ['thread.id', 'firefox.thread.id', 'jfr.thread.os_id', 'go.goroutine.id', 'go.proc.id'],
  goroutine: ['go.goroutine.id'],
  processor: ['go.proc.id'],
}

/** The key of a lane starts with its kind, except for threads. */
export function laneKindOf(key: string): LaneKind {
  return LANE_KINDS.find(kind => key.startsWith(`${kind}:`)) ?? 'thread'
}

/** `main (1)`, `thread 1`, `goroutine 17`, `no goroutine`. */
export function laneTitle(kind: LaneKind, id: string, name = ''): string {
  if (name !== '') return id === '' ? name : `${name} (${id})`
  return id === '' ? `no ${kind}` : `${kind} ${id}`
}
