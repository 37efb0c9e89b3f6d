// Walks every screen at five widths in both themes, takes a picture of each, and reports problems that can be measured, with
// accessibility and contrast on a laptop and a phone:
//   npm run walk -- FOLDER [--screens explore,trace] [--widths 390,1280] [--themes light] [--firefox] [--built]
// With --built, the UI is not built again.
// Widths are those of a phone, a tablet, a laptop, a desktop and a large display.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WIDTHS, problemsOf } from './screen-problems.node.ts'
import type { Browser } from 'playwright-core'
import { chromiumPath, firefoxPath, launch, launchFirefox } from './chromium.node.ts'
import { buildPage } from './build-page.node.ts'
import { HearthPage, heightOf, violations } from './hearth-page.node.ts'
import { sendThreads } from './send-threads.node.ts'
import { sendTraces } from './send-traces.node.ts'
import { screensToWalk } from './screens-to-walk.ts'

const PATIENCE_MS = 15_000
const CHECKED_WIDTHS = [390, 1280]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    screens: { type: 'string' },
    widths: { type: 'string' },
    themes: { type: 'string' },
    firefox: { type: 'boolean' },
    built: { type: 'boolean' },
  },
})
const [folder] = positionals
if (folder === undefined) throw new Error('name the folder for the pictures: npm run walk -- FOLDER')
const chosen = values.screens?.split(',')
const screens = screensToWalk().filter(({ name }) => chosen === undefined || chosen.some(each => name.startsWith(each)))
const widths = values.widths?.split(',').map(Number) ?? WIDTHS
const themes = (values.themes?.split(',') ?? ['light', 'dark']) as ('light' | 'dark')[]

mkdirSync(folder, { recursive: true })
if (values.built !== true) await buildPage()
const browser = await startBrowser(values.firefox === true)
const hearth = await HearthPage.startIn(browser)
let found = 0
const report = (problem: string): void => {
  found++
  process.stdout.write(`${problem}\n`)
}
try {
  await sendTraces(hearth.otlp)
  for (const theme of themes) {
    // Screens show the last five minutes of threads, and a theme can take longer.
    await sendThreads(hearth.otlp)
    await hearth.settled()
    for (const { name, path, ready } of screens) {
      const page = await hearth.open(path, theme)
      await page
        .locator(ready)
        .first()
        .waitFor({ state: 'attached', timeout: PATIENCE_MS })
        .catch(() => report(`${name} ${theme}: ${ready} did not appear`))
      // Screens that refresh by themselves never rest.
      await page.waitForLoadState('networkidle', { timeout: PATIENCE_MS }).catch(() => undefined)
      for (const width of widths) {
        await page.setViewportSize({ width, height: heightOf(width) })
        await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
        // Hiding the caret needs an inline style, which the UI's policy forbids in Firefox.
        await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), caret: 'initial' })
        for (const problem of await problemsOf(page, width)) report(`${name} ${width} ${theme}: ${problem}`)
        if (!CHECKED_WIDTHS.includes(width)) continue
        for (const { id, nodes } of await violations(page, true))
          report(`${name} ${width} ${theme}: ${id}: ${nodes.slice(0, 3).join(', ')}`)
      }
      await page.context().close()
    }
  }
  for (const error of hearth.errors) process.stdout.write(`error in the console: ${error}\n`)
} finally {
  await hearth.end()
  await browser.close()
}
process.stdout.write(
  `${screens.length * widths.length * themes.length} pictures written to ${folder}, ${found} problems\n`,
)
process.exitCode = found === 0 && hearth.errors.length === 0 ? 0 : 1

async function startBrowser(isFirefox: boolean): Promise<Browser> {
  const path = isFirefox ? firefoxPath() : chromiumPath()
  if (path === undefined)
    throw new Error(isFirefox ? 'no Firefox found; set FIREFOX_PATH' : 'no Chromium found; set CHROMIUM_PATH')
  return await (isFirefox ? launchFirefox(path) : launch(path))
}
