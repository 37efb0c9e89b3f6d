// Time ledgers in the UI: a request that waits for others on its event loop, and the operations that delay it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../../testing/chromium.node.ts'
import { HearthPage, violations, violationsInThemes } from '../../../testing/hearth-page.node.ts'
import { LEDGER_TRACE, sendLedger } from '../../../testing/send-ledger.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

describe.skipIf(chromium === undefined)('time ledger', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendLedger(hearth.otlp)
    await hearth.settled()
  }, 120_000)
  afterAll(async () => {
    await hearth.end()
  })

  it('says in a sentence what blocked a request, and leads to its flame graph and code', async () => {
    const page = await hearth.open(`/trace?id=${LEDGER_TRACE}`)
    await page.getByText(/the event loop was busy with 4 GET \/search requests, mostly in editDistance\./).waitFor()
    // The critical path leads to both services.
    const marked = page.locator('.waterfall-bar.critical')
    await expect.poll(() => marked.count()).toBe(5)
    expect(await marked.nth(1).getAttribute('title')).toBe('2.33 s on the critical path')
    await page
      .getByRole('button', { name: /^busy with others/ })
      .last()
      .click()
    await page.locator('.ledger-slice canvas').first().waitFor()
    expect(await page.getByRole('link', { name: /^Request \d$/ }).count()).toBe(4)
    const details = page.getByRole('region', { name: 'Details of the entry' })
    const [href] = await details
      .getByRole('link', { name: 'editDistance', exact: true })
      .evaluateAll(links => links.map(link => link.getAttribute('href')))
    expect(href).toMatch(/function\?.*name=editDistance/)
    await page.getByRole('link', { name: 'Code of editDistance' }).click()
    await page.waitForURL(/explore.*view=lines/)
    await hearth.closePages()
  })

  it('shows the average request of an operation and what delays others', async () => {
    const note = await fetch(`${hearth.url}/api/v1/annotations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'load test' }),
    })
    expect(note.status).toBe(201)
    const page = await hearth.open('/operation?name=GET+%2Fsearch&service=storefront')
    await page.getByText(/^On average, /).waitFor()
    expect(await page.locator('.ledger-table').first().locator('tbody tr').count()).toBe(5)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Over time' }).click()
    await page.locator('.ledger-area').getByText('load test').waitFor()
    await page.getByRole('button', { name: 'Interference' }).click()
    const delayed = page.getByRole('table', { name: 'Delayed by GET /search', exact: true })
    await delayed
      .getByRole('row', { name: /POST \/orders storefront GET \/search same thread or event loop/ })
      .waitFor()
    expect(await violationsInThemes(page)).toEqual([])
    await hearth.closePages()
  })
})
