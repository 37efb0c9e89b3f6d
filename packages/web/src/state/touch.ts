// Whether the window is small or is used by fingers. Rows and boxes are higher then. styles/touch.css uses the same condition.
import { signal } from '@preact/signals'

const query = typeof matchMedia === 'function' ? matchMedia('(max-width: 800px), (pointer: coarse)') : undefined

export const isTouch = signal(query?.matches ?? false)

query?.addEventListener('change', () => (isTouch.value = query.matches))

/** The height of a row of a table, in CSS pixels. */
export function rowHeight(forMouse = 24): number {
  return isTouch.value ? 40 : forMouse
}
