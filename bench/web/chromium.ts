// Starts Chromium for the benchmarks.
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'
import { chromiumFlags, findChromium, thisMachine } from '../../tools/find-chromium.ts'

export async function launchChromium(): Promise<Browser> {
  const found = findChromium(thisMachine)
  if (found.kind === 'missing') throw new Error(found.why)
  return await chromium.launch({ executablePath: found.path, args: [...chromiumFlags] })
}
