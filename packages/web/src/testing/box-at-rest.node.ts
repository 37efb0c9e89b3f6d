// Waits until an element stops moving. Charts are replaced when their data arrives, and a drag on a replaced chart has no
// effect.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator } from 'playwright-core'

interface ElementBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The element must be unchanged for this long. */
const REST_MS = 150

export async function boxAtRest(of: Locator): Promise<ElementBox> {
  let previous = ''
  for (;;) {
    await of.waitFor()
    const [box, isSame] = await Promise.all([of.boundingBox(), of.evaluate(markSeen)])
    const current = JSON.stringify(box)
    if (box !== null && isSame && current === previous) return box
    previous = current
    await sleep(REST_MS)
  }
}

/** Marks the element. Returns whether it was marked before. */
function markSeen(element: Element): boolean {
  const isSame = element.hasAttribute('data-seen-by-test')
  element.setAttribute('data-seen-by-test', '')
  return isSame
}
