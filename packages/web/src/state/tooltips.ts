// Whether boxes tell of themselves beside the pointer; the line below the graph always does. Kept in this browser.
import { signal } from '@preact/signals'

const KEY = 'hearth.tooltips'

export const tooltips = signal(kept())

export function showTooltips(shown: boolean): void {
  tooltips.value = shown
  try {
    if (shown) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'no')
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function kept(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'no'
  } catch {
    return true
  }
}
