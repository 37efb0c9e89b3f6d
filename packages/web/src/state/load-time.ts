// The time of the current load. All parts of a screen resolve relative times such as `now-1h` against it and exclude data that
// arrives later, so they show the same data and their totals agree.
import { signal } from '@preact/signals'
import type { OfLoad } from '../address/time-range.ts'
import { clockAhead, timeText } from '../address/time-range.ts'
import type { Command } from './commands.ts'

/** Milliseconds since 1970, by the server's clock. */
export const loadTime = signal(Date.now())

/** How far the server's clock is ahead of the browser's, in milliseconds. */
let ahead = 0

/** Compares the clocks by a response of the server, and starts a new load if they differ. */
export async function alignClock(server: string): Promise<void> {
  const sent = Date.now()
  const response = await fetch(new URL('healthz', server), { cache: 'no-store' }).catch(() => undefined)
  ahead = clockAhead(Date.parse(response?.headers.get('date') ?? ''), sent, Date.now())
  if (ahead !== 0) loadTime.value = Date.now() + ahead
}

/** Starts a new load: ranges that end now move on, and all data is requested again. */
export function refresh(): void {
  loadTime.value = Math.max(Date.now() + ahead, loadTime.peek() + 1)
}

/** The parameter of a screen that is no part of the current load: it excludes data that arrives from now on. */
export function loadNow(): Required<OfLoad> {
  return { receivedBefore: timeText(Date.now() + ahead) }
}

/** The refresh command, with the same key on every screen. */
export function refreshCommand(group: string): Command {
  return { title: 'Refresh', group, keys: ['shift+r'], run: refresh }
}
