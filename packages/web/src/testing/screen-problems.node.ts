// Problems of a screen that can be measured: content wider than the window, charts that are too low, controls that are too
// small to touch, text that covers other text.
import type { Page } from 'playwright-core'

/** CSS pixels. */
export const WIDTHS = [390, 800, 1280, 1600, 2560]
const MIN_CHART_HEIGHT = 160
/** At this width and below, fingers are used. */
const TOUCH_WIDTH = 800
const TOUCH_SIZE = 40

export async function problemsOf(page: Page, width: number): Promise<string[]> {
  const limits = { chart: MIN_CHART_HEIGHT, touch: width <= TOUCH_WIDTH ? TOUCH_SIZE : 0 }
  // tsx wraps named functions in a call of __name, which pages do not have.
  await page.evaluate('globalThis.__name ??= f => f')
  return await page.evaluate(({ chart, touch }) => {
    const problems: string[] = []
    const seen = (element: Element): boolean => {
      const { width: wide, height: high, right, bottom } = element.getBoundingClientRect()
      return (
        wide > 0 &&
        high > 0 &&
        right > 0 &&
        bottom > 0 &&
        element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
      )
    }
    /** The part of an element that its scrolling containers show. */
    const shownBox = (element: Element): { left: number; right: number; top: number; bottom: number } => {
      let { left, right, top, bottom } = element.getBoundingClientRect()
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        if (getComputedStyle(around).overflow === 'visible') continue
        const box = around.getBoundingClientRect()
        left = Math.max(left, box.left)
        right = Math.min(right, box.right)
        top = Math.max(top, box.top)
        bottom = Math.min(bottom, box.bottom)
      }
      return { left, right, top, bottom }
    }
    const describe = (element: Element): string => {
      const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30)
      return `${element.tagName.toLowerCase()}.${element.className.toString().split(' ')[0]} "${name}"`
    }
    const excess = document.documentElement.scrollWidth - innerWidth
    if (excess > 0) problems.push(`the page is ${excess} px wider than the window`)
    for (const each of document.querySelectorAll('[data-chart], .flame-graph-host, .heat-map canvas')) {
      const { height } = each.getBoundingClientRect()
      if (seen(each) && height < chart) problems.push(`${describe(each)} is ${Math.round(height)} px high`)
    }
    const controls = [
      ...document.querySelectorAll('button, a[href], select, input:not([type=hidden]), summary, [role=tab]'),
    ].filter(each => seen(each) && each.closest('.visually-hidden, .skip-link, [inert]') === null)
    for (const each of controls) {
      const { width: wide, height: high } = (each.closest('label') ?? each).getBoundingClientRect()
      // Links inside of sentences are exempt, as in WCAG 2.5.8.
      const isInline = getComputedStyle(each).display === 'inline'
      if (!isInline && high < touch - 0.5)
        problems.push(`${describe(each)} is ${Math.round(wide)} × ${Math.round(high)} px`)
    }
    for (let i = 0; i < controls.length; i++) {
      const a = shownBox(controls[i])
      for (const other of controls.slice(i + 1)) {
        if (controls[i].contains(other) || other.contains(controls[i])) continue
        const b = shownBox(other)
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (wide < 3 || high < 3) continue
        const x = Math.max(a.left, b.left) + wide / 2
        const y = Math.max(a.top, b.top) + high / 2
        const at = document.elementFromPoint(x, y)
        // Both must be visible there: one can be scrolled under the edge of its container.
        if (at !== null && (controls[i].contains(at) || other.contains(at)))
          problems.push(`${describe(controls[i])} overlaps ${describe(other)}`)
      }
    }
    return [...new Set(problems)].slice(0, 30)
  }, limits)
}
