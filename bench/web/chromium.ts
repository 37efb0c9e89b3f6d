// Starts the Chromium that tools/with-chromium.ts found.
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

export async function launchChromium(): Promise<Browser> {
  const { CHROMIUM_PATH: executablePath, CHROMIUM_FLAGS: flags = '' } = process.env
  if (executablePath === undefined) throw new Error('CHROMIUM_PATH is not set; npm run bench:web sets it')
  return await chromium.launch({ executablePath, args: flags.split(' ') })
}
