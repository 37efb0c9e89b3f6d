// Choices that this browser keeps, such as the sizes of panes. Links do not contain them.
import type { Signal } from '@preact/signals'
import { effect, signal } from '@preact/signals'

const made = new Map<string, Signal<string>>()

/** The choice of a name. All callers get the same signal. Without storage, a choice lasts as long as the tab. */
export function stored(name: string, fallback: string): Signal<string> {
  const known = made.get(name)
  if (known !== undefined) return known
  const key = `hearth.${name}`
  const choice = signal(read(key) ?? fallback)
  made.set(name, choice)
  effect(() => write(key, choice.value === fallback ? undefined : choice.value))
  return choice
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function write(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The browser denies storage.
  }
}
