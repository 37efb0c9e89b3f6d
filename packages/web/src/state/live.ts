// Refreshes the current screen by itself. It pauses while the tab is hidden, the pointer is over data, or a menu is open.
import { effect, signal } from '@preact/signals'
import { LIVE_INTERVALS, canRefresh } from './live-rules.ts'
import type { LiveInterval } from './live-rules.ts'
import { endsNow } from './areas.ts'
import { loadTime, refresh } from './load-time.ts'
import { route } from './navigation.ts'

const KEY = 'hearth.refresh'

/** Seconds between two refreshes; 0 for none. */
export const liveSeconds = signal<LiveInterval>(kept())

/** Since when the shown data is stale, in milliseconds since 1970, and why. Undefined while it is current. */
export const staleData = signal<{ readonly since: number; readonly reason: string } | undefined>(undefined)

/** Screens with data that grows. */
const LIVE_SCREENS = new Set(['services', 'explore', 'breakdown', 'function', 'traces', 'metric'])

/** Whether the current screen refreshes by itself. */
export function isLiveScreen(): boolean {
  return LIVE_SCREENS.has(route.value.screen) && endsNow.value
}

/** The load that this module started, and the time of the load before it. */
let live: { readonly load: number; readonly before: number } | undefined

/** Whether the current load was started by a refresh. Its failures keep what is shown. */
export function isLiveLoad(): boolean {
  return live !== undefined && live.load === loadTime.peek()
}

/** Called by a request that failed during such a load. */
export function reportStale(error: unknown): void {
  if (live === undefined) return
  const reason = error instanceof Error ? error.message : String(error)
  staleData.value = { since: staleData.peek()?.since ?? live.before, reason }
}

/** Called by a request of the current load that succeeded. */
export function reportFresh(load: number): void {
  if (staleData.peek() !== undefined && load === loadTime.peek() && load > staleData.peek()!.since)
    staleData.value = undefined
}

export function chooseLive(seconds: LiveInterval): void {
  liveSeconds.value = seconds
  try {
    localStorage.setItem(KEY, String(seconds))
  } catch {
    // Without storage, the choice lasts as long as the tab.
  }
}

function kept(): LiveInterval {
  try {
    const text = localStorage.getItem(KEY)
    return LIVE_INTERVALS.find(each => String(each) === text) ?? 30
  } catch {
    return 30
  }
}

/** Starts to refresh. Call it once. */
export function startLive(): void {
  let over: EventTarget | undefined
  addEventListener('pointerover', event => void (over = event.target ?? undefined))
  document.documentElement.addEventListener('pointerleave', () => void (over = undefined))
  effect(() => {
    const seconds = liveSeconds.value
    if (seconds === 0 || !isLiveScreen()) return undefined
    // Starts again with each load, so that a refresh by the user moves the next one.
    const before = loadTime.value
    const timer = setInterval(() => {
      const state = {
        isHidden: document.hidden,
        isHovered: over instanceof Element && over.closest('canvas, .uplot, svg, table, .top-table') !== null,
        isBusy: document.querySelector('dialog[open], .popover, [role="menu"], .progress-line') !== null,
        isTyping: document.activeElement?.matches('input, textarea, select') === true,
      }
      if (!canRefresh(state)) return
      refresh()
      live = { load: loadTime.peek(), before }
    }, seconds * 1000)
    return () => clearInterval(timer)
  })
}
