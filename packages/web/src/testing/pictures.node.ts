// Takes the screenshots of the UI for the README, with a real server and data of a shop. Part of `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromiumPath, sharedBrowser } from './chromium.node.ts'
import { buildPage } from './build-page.node.ts'
import { HearthPage } from './hearth-page.node.ts'
import { LEDGER_TRACE, sendLedger } from './send-ledger.node.ts'
import { sendThreads } from './send-threads.node.ts'
import { sendTraces } from './send-traces.node.ts'
import { traceIdOf } from './shop-traces.ts'

const FOLDER = fileURLToPath(new URL('../../../../docs/images', import.meta.url))
const EXPLORE = '/explore?service=checkout&type=cpu%3Ans&group=cloud.region'
const COMPARE =
  '/compare?a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-56m&a.to=now-30m&b.from=now-25m'
/** A slow request. One in ten is slow. */
const TRACE = `/trace?id=${traceIdOf(47)}`
const LEDGER = `/trace?id=${LEDGER_TRACE}`
const THREADS = '/explore?service=threads&type=cpu%3Ans&from=now-5m&view=threads'

/** A slow request with its ledger, and the flame graph of the requests that blocked it. */
async function takeLedger(theme: 'light' | 'dark'): Promise<void> {
  const page = await hearth.open(LEDGER, theme)
  await page
    .getByRole('button', { name: /^busy with others/ })
    .last()
    .click()
  await page.locator('.ledger-slice canvas').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(FOLDER, `ledger-${theme}.png`) })
  await page.context().close()
}

const THEMES = ['light', 'dark'] as const

const chromium = chromiumPath()
if (chromium === undefined) throw new Error('no Chromium found; set CHROMIUM_PATH')
mkdirSync(FOLDER, { recursive: true })
await buildPage()
const hearth = await HearthPage.start(chromium)
try {
  await sendTraces(hearth.otlp)
  await sendThreads(hearth.otlp)
  for (const theme of THEMES) {
    for (const [name, path, ...ready] of [
      ['explore', EXPLORE, '.top-table tbody tr', '.u-over'],
      ['compare', COMPARE, '.change-summary li', '.u-over'],
      ['trace', TRACE, '.top-table tbody tr'],
      ['threads', THREADS, 'canvas'],
    ] as const) {
      const page = await hearth.open(path, theme)
      for (const part of ready) await page.locator(part).last().waitFor()
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) })
      await page.context().close()
    }
  }
  // Its profiles belong to services of the other pictures, too.
  await sendLedger(hearth.otlp)
  for (const theme of THEMES) await takeLedger(theme)
} finally {
  await hearth.end()
  await (await sharedBrowser(chromium)).close()
}
process.stdout.write('screenshots of the UI written to docs/images\n')
