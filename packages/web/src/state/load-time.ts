// The time of the current load. All parts of a screen resolve relative times such as `now-1h` against it, so they show the
// same range and their totals agree.
import { signal } from '@preact/signals'
import type { Command } from './commands.ts'

/** Milliseconds since 1970. */
export const loadTime = signal(Date.now())

/** Starts a new load: ranges that end now move on, and all data is requested again. */
export function refresh(): void {
  loadTime.value = Math.max(Date.now(), loadTime.peek() + 1)
}

/** The refresh command, with the same key on every screen. */
export function refreshCommand(group: string): Command {
  return { title: 'Refresh', group, keys: ['shift+r'], run: refresh }
}
