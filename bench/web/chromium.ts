// The browser for the benchmarks: CHROMIUM_PATH, or an installed one.
import { accessSync, constants } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const FLAGS = [
  '--no-sandbox', // containers run as root, where Chromium's sandbox refuses to start
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export async function launchChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath(), args: FLAGS })
}

function chromiumPath(): string {
  const named = process.env['CHROMIUM_PATH'] ?? ''
  const found = (named === '' ? USUAL : [named]).find(isExecutable)
  if (found === undefined) throw new Error('no Chromium was found (CHROMIUM_PATH can name one)')
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
