// Bars of controls as one stop of the Tab key each. Inside of a bar, the left and right arrow keys move. Without this, a keyboard
// user would pass thirty controls before the graph. A bar is an element with the attribute
// `data-rove`. In a bar with `data-rove="list"`, the keys up and down move as well.
import { targetOfArrow } from './roving-target.ts'

const CONTROLS = 'button, a[href], input, select, textarea, summary, [tabindex]'
/** Content that opens above a bar has stops of its own. */
const APART = '.popover, dialog, .menu-list, .combo-list, [role=listbox]'

/** The last focused control of each bar. */
const last = new WeakMap<Element, HTMLElement>()

export function listenToArrows(root: HTMLElement): void {
  root.addEventListener('keydown', onKey)
  root.addEventListener('focusin', ({ target }) => {
    const bar = barOf(target)
    if (bar === undefined) return
    last.set(bar, target as HTMLElement)
    settle(bar)
  })
  const changed = new Set<Element>()
  const observer = new MutationObserver(records => {
    if (changed.size === 0) requestAnimationFrame(settleChanged)
    for (const record of records) for (const bar of barsIn(record)) changed.add(bar)
  })
  const settleChanged = (): void => {
    for (const bar of changed) settle(bar)
    changed.clear()
  }
  observer.observe(root, { childList: true, subtree: true })
}

/** The bars that a change concerns. Tooltips change many times a second and concern none. */
function barsIn({ target, addedNodes }: MutationRecord): Element[] {
  const around = target instanceof Element ? (target.closest('[data-rove]') ?? undefined) : undefined
  const added = [...addedNodes].filter(node => node instanceof Element)
  const inside = added.flatMap(node =>
    node.matches('[data-rove]') ? [node] : [...node.querySelectorAll('[data-rove]')],
  )
  return around === undefined ? inside : [around, ...inside]
}

function barOf(target: EventTarget | null): Element | undefined {
  if (!(target instanceof HTMLElement) || target.closest(APART) !== null) return undefined
  return target.closest('[data-rove]') ?? undefined
}

function controlsOf(bar: Element): HTMLElement[] {
  return [...bar.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    each => each.closest(APART) === null && !each.hasAttribute('disabled') && each.offsetParent !== null,
  )
}

/** Gives one control of the bar the Tab key: the last focused, the selected, or the first. */
function settle(bar: Element): void {
  const controls = controlsOf(bar)
  const known = last.get(bar)
  const current =
    (known !== undefined && controls.includes(known) ? known : undefined) ??
    controls.find(each => each.matches('[aria-pressed=true], [aria-current]')) ??
    controls[0]
  for (const each of controls) {
    const index = each === current ? 0 : -1
    if (each.tabIndex !== index) each.tabIndex = index
  }
}

function onKey(event: KeyboardEvent): void {
  const bar = barOf(event.target)
  if (bar === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const controls = controlsOf(bar)
  const at = controls.indexOf(event.target as HTMLElement)
  const isList = bar.getAttribute('data-rove') === 'list'
  const to = targetOfArrow(event.key, at, controls.length, { caret: caretOf(event.target), isList })
  if (to === undefined) return
  event.preventDefault()
  controls[to].focus()
}

/** The caret of a text field; undefined for other controls. */
function caretOf(
  target: EventTarget | null,
): { readonly start: number; readonly end: number; readonly length: number } | undefined {
  if (!(target instanceof HTMLInputElement) || target.selectionStart === null) return undefined
  return { start: target.selectionStart, end: target.selectionEnd ?? 0, length: target.value.length }
}
