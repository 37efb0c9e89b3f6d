// Finds and starts Chromium for browser tests, benchmarks and screenshots, and Firefox for the walk.
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium, firefox } from 'playwright-core'
import { chromiumFlags, findChromium, thisMachine } from '../../../../tools/find-chromium.ts'

/** Returns undefined if there is none. CHROMIUM_PATH can name one. */
export function chromiumPath(): string | undefined {
  const found = findChromium(thisMachine)
  return found.kind === 'found' ? found.path : undefined
}

/** The popups of the address bar, which take 0.9 s of CPU per window, and the features that Playwright disables. */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
]

export function launch(path: string, flags: readonly string[] = []): Promise<Browser> {
  const args = [...chromiumFlags, `--disable-features=${DISABLED_FEATURES.join(',')}`, ...flags]
  return chromium.launch({ executablePath: path, args })
}

const FIREFOX_PATHS = [process.env['FIREFOX_PATH'] ?? '', '/usr/bin/firefox-esr', '/usr/bin/firefox']

/** Returns undefined if there is none. FIREFOX_PATH can name one. */
export function firefoxPath(): string | undefined {
  return FIREFOX_PATHS.find(path => path !== '' && existsSync(path))
}

/** Starts an installed Firefox, which is driven by WebDriver BiDi. */
export async function launchFirefox(path: string): Promise<Browser> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: path })
  skipUnknownCommand(browser)
  return browser
}

interface Session {
  send: (method: string, params: object) => Promise<unknown>
}

/** The session of a `Browser`, which Playwright keeps in the same process. */
interface Behind {
  readonly _connection?: { readonly toImpl?: (of: Browser) => { readonly _browserSession?: Session } }
}

/** Playwright sends this command for every context, also without an emulation. Firefox 153 does not know it and rejects the context. */
const UNKNOWN = 'emulation.setMediaFeaturesOverride'

function skipUnknownCommand(browser: Browser): void {
  const session = (browser as unknown as Behind)._connection?.toImpl?.(browser)._browserSession
  if (session === undefined) return
  const send = session.send.bind(session)
  session.send = async (method, params) => (method === UNKNOWN ? {} : await send(method, params))
}

let shared: Promise<Browser> | undefined

/** The browser of this process. Test files that run in one process share it, with contexts of their own. */
export function sharedBrowser(path: string): Promise<Browser> {
  shared ??= launch(path).then(browser => {
    browser.on('disconnected', () => (shared = undefined))
    return browser
  })
  return shared
}
