// When questions about `now` were last asked: a number that grows with every refresh.
import { signal } from '@preact/signals'
import type { Command } from './commands.ts'

export const moment = signal(0)

export function refresh(): void {
  moment.value++
}

/** The key for it, which is the same on every screen that asks about times. */
export function askAgain(group: string): Command {
  return { title: 'Ask again', group, keys: ['shift+r'], run: refresh }
}
