// A number that grows with every refresh. It is part of the keys of all queries about `now`.
import { signal } from '@preact/signals'
import type { Command } from './commands.ts'

export const moment = signal(0)

export function refresh(): void {
  moment.value++
}

/** The refresh command, with the same key on every screen. */
export function askAgain(group: string): Command {
  return { title: 'Refresh', group, keys: ['shift+r'], run: refresh }
}
