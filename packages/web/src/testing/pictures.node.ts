// The pictures of the page that the README shows, of a real server with the profiles of a shop; part of `npm run screenshots`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromiumPath } from '../draw/testing/chromium.node.ts'
import { HearthPage } from './hearth-page.node.ts'

const FOLDER = fileURLToPath(new URL('../../../../docs/images', import.meta.url))
const EXPLORE = '/explore?service=checkout&type=cpu%3Ans&group=cloud.region'
const COMPARE =
  '/compare?a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-56m&a.to=now-30m&b.from=now-25m'

const chromium = chromiumPath()
if (chromium === undefined) throw new Error('no pictures without a browser (CHROMIUM_PATH can name one)')
mkdirSync(FOLDER, { recursive: true })
const hearth = await HearthPage.start(chromium)
try {
  for (const theme of ['light', 'dark'] as const) {
    for (const [name, path, ready] of [
      ['explore', EXPLORE, '.top-table tbody tr'],
      ['compare', COMPARE, '.new-and-gone li'],
    ] as const) {
      const page = await hearth.open(path, theme)
      await page.locator(ready).first().waitFor()
      await page.locator('.u-over').last().waitFor()
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) })
      await page.context().close()
    }
  }
} finally {
  await hearth.end()
}
process.stdout.write('pictures of the page written to docs/images\n')
