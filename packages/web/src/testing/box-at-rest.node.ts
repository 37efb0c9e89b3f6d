// Where a part of the page is once it stays there: charts are made anew when what they show arrives, and a drag over one that
// goes away chooses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator } from 'playwright-core'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const STAYS_MS = 150

export async function boxAtRest(of: Locator): Promise<Box> {
  let seen = ''
  for (;;) {
    await of.waitFor()
    const [box, isSame] = await Promise.all([of.boundingBox(), of.evaluate(markSeen)])
    const place = JSON.stringify(box)
    if (box !== null && isSame && place === seen) return box
    seen = place
    await sleep(STAYS_MS)
  }
}

/** Whether this very element was asked before. */
function markSeen(element: Element): boolean {
  const isSame = element.hasAttribute('data-seen-by-test')
  element.setAttribute('data-seen-by-test', '')
  return isSame
}
