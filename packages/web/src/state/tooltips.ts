// Whether tooltips are shown for boxes. The line below the graph always shows details. Stored in this browser.
import { signal } from '@preact/signals'

const KEY = 'hearth.tooltips'

export const tooltips = signal(kept())

export function showTooltips(shown: boolean): void {
  tooltips.value = shown
  try {
    if (shown) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'no')
  } catch {
    // Without storage, the choice lasts as long as the tab.
  }
}

function kept(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'no'
  } catch {
    return true
  }
}
