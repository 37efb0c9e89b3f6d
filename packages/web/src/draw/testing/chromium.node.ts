// A Chromium with the drawing code in its page, controlled from Node.
import { accessSync, constants } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { build } from 'vite'

/** Returns undefined if there is none. CHROMIUM_PATH can name one. */
export function chromiumPath(): string | undefined {
  const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

/** The pages below the address bar that every window has ready, 0.9 s of CPU each, and what playwright's own list has, which this replaces. */
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

export function launch(path: string): Promise<Browser> {
  const args = [
    '--no-sandbox', // containers run as root, where Chromium's sandbox refuses to start
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ]
  return chromium.launch({ executablePath: path, args })
}

/** The page's script, from source. */
export async function pageScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
    build: {
      write: false,
      minify: true,
      target: 'es2023',
      lib: { entry: fileURLToPath(new URL('./page.ts', import.meta.url)), formats: ['iife'], name: 'hearthDrawing' },
    },
  })
  const outputs = Array.isArray(built) ? built : [built]
  for (const output of outputs) {
    if (!('output' in output)) continue
    const [chunk] = output.output
    return chunk.code
  }
  throw new Error('the build produced no script')
}

/** Opens a page with an element #graph that fills it. */
export async function openPage(
  browser: Browser,
  script: string,
  size: { width: number; height: number },
  ratio = 1,
): Promise<Page> {
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: ratio })
  await page.setContent(
    '<!doctype html><html lang="en"><title>graph</title><style>body{margin:0}#graph{position:relative;width:100vw;height:100vh}</style><div id="graph"></div>',
  )
  await page.addScriptTag({ content: script })
  return page
}
