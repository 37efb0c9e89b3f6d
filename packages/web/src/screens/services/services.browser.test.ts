// Tests the start screen, and what stays or is found on every screen, in a browser.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { HearthPage, violations } from '../../testing/hearth-page.node.ts'
import { push } from '../../testing/send-shop.node.ts'
import { shopProfiles } from '../../testing/shop-profiles.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

/** Nanoseconds. */
const DAY = 86_400_000_000_000n

describe.skipIf(chromium === undefined)('Services', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    const until = BigInt(Date.now()) * 1_000_000n - 3n * DAY
    for (const bytes of shopProfiles({ service: 'archive', region: 'eu-west', until, minutes: 2 }))
      await push(hearth.otlp, bytes)
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)
  const functions = (page: Page) => page.locator('.top-table tbody tr:not([aria-hidden])')

  it('lists services with their top function, and opens one in Explore', async () => {
    const page = await hearth.open('/')
    const nameOf = page.getByRole('link', { name: 'checkout', exact: true })
    const row = page.locator('.services-table tbody tr').filter({ has: nameOf })
    await row.locator('.service-function').waitFor()
    expect(await row.locator('.service-value').textContent()).toMatch(/cores?$/)
    await page.getByLabel('Normalise').selectOption('share')
    await expect.poll(() => row.locator('.service-value').textContent()).toMatch(/%$/)
    expect(await violations(page)).toEqual([])
    await page.getByRole('searchbox', { name: 'Search services' }).fill('search')
    await row.waitFor({ state: 'detached' })
    await page.locator('.services-table').getByRole('link', { name: 'search', exact: true }).click()
    await page.waitForURL(/explore\?service=search/)
    await functions(page).first().waitFor()
  })

  it('shows open regressions and firing alerts of all services, and beside the name of each', async () => {
    const page = await hearth.open('/status')
    await page.route('**/api/v1/findings*', route =>
      route.fulfill({ json: { findings: ['checkout', 'checkout', 'archive'].map(service => ({ service })) } }),
    )
    await page.route('**/api/v1/alerts', route =>
      route.fulfill({ json: { alerts: [{ state: 'firing', labels: { 'service.name': 'search' } }], silences: [] } }),
    )
    await page.getByRole('link', { name: 'Services' }).click()
    await page.locator('.query-bar').getByRole('link', { name: '3 open regressions' }).waitFor()
    const rowOf = (name: string) =>
      page
        .locator('.services-table tbody tr')
        .filter({ has: page.getByRole('link', { name, exact: true }) })
        .getByRole('rowheader')
    await rowOf('search').getByRole('link', { name: '1 alert firing' }).waitFor()
    const regressions = rowOf('checkout').getByRole('link', { name: '2 open regressions' })
    expect(await regressions.getAttribute('href')).toMatch(/alerts\?service=checkout$/)
    expect(await violations(page)).toEqual([])
  })

  it('lists a service whose data is older than the range, and goes there', async () => {
    const page = await hearth.open('/')
    const older = page.getByRole('region', { name: 'Services without data in this range' })
    await older.getByText('archive').waitFor()
    await older.getByText(/^last profile /).waitFor()
    await older.getByRole('button', { name: 'Go there' }).click()
    await page.waitForURL(/explore\?service=archive/)
    await functions(page).first().waitFor()
    // Explore goes there, too, and keeps the service.
    await page.goto(`${hearth.url}/explore?service=archive&type=cpu%3Ans`)
    await page.getByText('The latest profile of archive is from').waitFor()
    await page.getByRole('button', { name: 'Go to latest profile' }).click()
    await functions(page).first().waitFor()
    expect(parameter(page, 'service')).toBe('archive')
    // The field of Explore lists it with its last time, too, and the longest range has it.
    await page.goto(`${hearth.url}/explore?service=checkout`)
    await page.getByRole('combobox', { name: 'Service' }).click()
    await page.getByRole('option', { name: /^archive.*last / }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Time range/ }).click()
    await page.getByRole('button', { name: 'All data' }).click()
    await expect.poll(() => Date.parse(parameter(page, 'from') ?? '')).toBeLessThan(Date.now() - 2.9 * 86_400_000)
  })

  it('keeps service, range and normalisation in other areas', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans&from=now-3h&per=second')
    await functions(page).first().waitFor()
    await page.getByRole('link', { name: 'Traces' }).click()
    await expect.poll(() => [parameter(page, 'service'), parameter(page, 'from')]).toEqual(['checkout', 'now-3h'])
    await page.getByRole('link', { name: 'Status' }).click()
    await page.getByRole('link', { name: 'Explore' }).click()
    await expect.poll(() => parameter(page, 'type')).toBe('cpu:ns')
    expect(parameter(page, 'per')).toBe('second')
  })

  it('shows an unknown address of several segments within the application', async () => {
    const page = await hearth.open('/traces/4bf92f35')
    await page.getByRole('heading', { name: 'Not found: “traces/4bf92f35”' }).waitFor()
    await page.getByRole('link', { name: 'Go to Services' }).click()
    await page.locator('.services-table').waitFor()
    expect(new URL(page.url()).pathname).toBe('/services')
  })

  it('names an invalid time of the address', async () => {
    const page = await hearth.open('/traces?from=yesterday')
    await page.getByText('“yesterday” is not a time (from).').waitFor()
    await page.getByRole('button', { name: 'Show the last hour' }).click()
    await expect.poll(() => parameter(page, 'from')).toBeNull()
  })

  it('finds a service, a function and a label by name', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans')
    const name = (await functions(page).first().locator('.top-name').textContent()) ?? ''
    const palette = page.getByRole('combobox', { name: 'Command' })
    await page.keyboard.press('Control+k')
    await palette.fill(name)
    await page
      .getByRole('option', { name: /function/ })
      .first()
      .click()
    await page.waitForURL(/\/function\?/)
    await page.getByRole('heading', { name }).waitFor()
    await page.locator('.breakdown-bars').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await palette.fill('cloud.region')
    await page.getByRole('option', { name: /cloud.region/ }).click()
    await page.waitForURL(/\/breakdown\?.*by=cloud.region/)
    await page.getByRole('button', { name: 'us-east' }).click()
    await page.waitForURL(/explore\?.*where=cloud.region%3Dus-east/)
    // Without a type, the screen selects one.
    await page.goto(`${hearth.url}/breakdown?service=search&by=cloud.region`)
    await page.getByRole('button', { name: 'eu-west' }).waitFor()
  })

  it('compares two values of an attribute without the Shift key', async () => {
    const page = await hearth.open('/breakdown?service=checkout&type=cpu%3Ans&by=cloud.region&show=charts')
    await page
      .getByText(/^0 to .* per \d+ (second|minute)s?$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Compare two values' }).click()
    await page.getByRole('button', { name: 'eu-west', exact: true }).click()
    await page.getByText('eu-west is the baseline. Select the value to compare').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'us-east', exact: true }).click()
    await page.waitForURL(/compare\?/)
    expect(parameter(page, 'a.where')).toBe('cloud.region=eu-west')
    expect(parameter(page, 'b.where')).toBe('cloud.region=us-east')
  })

  it('opens the profile with a pasted ID, and reports an ID that nothing has', async () => {
    const selector = encodeURIComponent('cpu:ns{service.name="checkout"}')
    const response = await fetch(`${hearth.url}/api/v1/profiles?selector=${selector}&limit=1`)
    const { profiles } = (await response.json()) as { readonly profiles: readonly { readonly profileId: string }[] }
    const page = await hearth.open('/services')
    await page.locator('.services-table').waitFor()
    const paste = (text: string): Promise<void> =>
      page.evaluate(pasted => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', pasted)
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)
    await paste('00112233445566778899aabbccddeeff')
    await page.getByRole('alert').getByText('No trace or profile has the ID 0011').waitFor()
    await page.keyboard.press('Escape')
    // The browser reports the end of a dialog later, and a paste before would open nothing.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await paste(` ${profiles[0].profileId}\n`)
    await page.waitForURL(/\/profile\?/)
    await page.getByRole('complementary', { name: 'Details' }).waitFor()
  })

  it('copies a link with absolute times', async () => {
    const page = await hearth.visit(`${hearth.url}/explore?service=checkout&type=cpu%3Ans&from=now-15m`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await functions(page).first().waitFor()
    await page.keyboard.press('Shift+L')
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain('service=checkout')
    const { searchParams } = new URL(await copied())
    const [from, to] = ['from', 'to'].map(name => Date.parse(searchParams.get(name) ?? ''))
    expect(to - from).toBe(15 * 60_000)
    expect(parameter(page, 'from')).toBe('now-15m')
  })

  it('opens a file that is dropped on any screen', async () => {
    const page = await hearth.open('/services')
    await page.locator('.services-table').waitFor()
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['main;work 7\n'], 'dropped.folded'))
      return data
    })
    await page.dispatchEvent('.services-table', 'drop', { dataTransfer: transfer })
    await page.waitForURL(/\/file\?file=/)
    await page.getByText('dropped.folded').first().waitFor()
  })

  it('adds notes to the charts, and removes them', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans')
    await page.locator('.u-over').waitFor()
    await page.getByRole('button', { name: 'Save view or add note' }).click()
    await page.getByRole('button', { name: 'Add note', exact: true }).click()
    await page.getByLabel('Text of the note').fill('load test')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const marks = page.getByRole('list', { name: 'Marks' })
    await marks.getByText('checkout: load test').waitFor({ state: 'attached' })
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete note load test' }).click()
    await marks.getByText('checkout: load test').waitFor({ state: 'detached' })
  })

  it('keeps what is shown if a refresh fails, and saves a view', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans')
    await functions(page).first().waitFor()
    await page.getByRole('button', { name: 'Save view or add note' }).click()
    await page.getByLabel('Name of the view').fill('Checkout today')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByLabel('Name of the view').waitFor({ state: 'detached' })
    await page.getByLabel('Refresh every').selectOption('5')
    await page.getByLabel('Refresh every').blur()
    // The pointer is where the form was. There it may be over the chart, which pauses the refresh.
    await page.mouse.move(0, 0)
    await page.route('**/api/v1/**', route => route.abort())
    await page.getByText(/Not refreshed since/).waitFor()
    await functions(page).first().waitFor()
    await page.unroute('**/api/v1/**')
    await page.getByText(/Not refreshed since/).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Services' }).click()
    await page.getByRole('link', { name: 'Checkout today' }).click()
    await page.waitForURL(/explore\?service=checkout/)
    expect(hearth.errors).toEqual([])
  })
})
