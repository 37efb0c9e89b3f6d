// Findings and the editors of rules on the screen Alerts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { HearthPage, violations } from '../../testing/hearth-page.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

describe.skipIf(chromium === undefined)('Alerts', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
  }, 120_000)
  afterAll(async () => {
    await hearth.end()
  })

  const api = async (path: string, spec?: object): Promise<Response> => {
    const change = { method: 'PUT', body: JSON.stringify(spec), headers: { 'content-type': 'application/json' } }
    return await fetch(`${hearth.url}/api/v1/${path}`, spec === undefined ? {} : change)
  }

  it('previews a recording rule, and keeps the fields that the editor does not show', async () => {
    const spec = { selector: 'cpu:ns{}', per: 'core', groupBy: ['service.name'], labels: { team: 'shop' } }
    const hidden = { description: 'CPU of the shop' }
    expect((await api('recording-rules/shop.cores', { ...spec, ...hidden })).status).toBe(200)
    const page = await hearth.open('/alerts?tab=metrics')
    await page.getByRole('listitem').filter({ hasText: 'shop.cores' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Group by' }).fill('service.name, cloud.region')
    await page.getByRole('button', { name: 'Preview the last hour' }).click()
    await page
      .getByRole('row', { name: /service\.name=search/ })
      .getByText(/ cores$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    const rules = async (): Promise<unknown> =>
      ((await (await api('recording-rules')).json()) as { rules: unknown }).rules
    const changed = { ...spec, ...hidden, groupBy: ['service.name', 'cloud.region'] }
    await expect.poll(rules).toMatchObject([{ name: 'shop.cores', ...changed }])
    await hearth.closePages()
  })

  it('saves an alert rule from an example, and shows what is wrong with one', async () => {
    const page = await hearth.open('/alerts?tab=rules')
    await page.getByRole('button', { name: 'silent', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    const listed = page.getByRole('listitem').filter({ hasText: 'silent' })
    await listed.getByText('cpu:ns{service.name="shop"} absent').waitFor()
    await page.getByRole('textbox', { name: 'Rule' }).fill('{"condition": {"kind": "profile", "selector": "cpu:ns{}"}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('test is missing: above, below, change or absent').waitFor()
    await listed.getByRole('button', { name: 'Delete' }).click()
    await listed.waitFor({ state: 'detached' })
    await hearth.closePages()
  })

  it('shows a regression on the screen Services, with its evidence, and accepts it', async () => {
    interface Findings {
      readonly findings: readonly { readonly cause: { readonly name: string }; readonly unit: string }[]
    }
    // The later version of the shop has a new function and a slower query.
    const causes = async (): Promise<readonly string[]> =>
      ((await (await api('findings?service=checkout&state=open')).json()) as Findings).findings
        .filter(({ unit }) => unit === 'cores')
        .map(({ cause }) => cause.name)
    await expect.poll(causes, { timeout: 90_000 }).toContain('checkout/cache.Warm')
    const page = await hearth.open('/')
    await page
      .locator('.query-bar')
      .getByRole('link', { name: /^\d+ open regressions$/ })
      .click()
    const finding = page.getByRole('article', { name: 'checkout/cache.Warm in checkout' }).filter({ hasText: 'cores' })
    await finding.getByText(/cores \(new\)$/).waitFor()
    await finding.getByText(/^checkout in production · cpu \(ns\) · version 1\.5\.0 after 1\.4\.2 · since /).waitFor()
    await finding.getByRole('button', { name: 'Details' }).click()
    await finding.getByText(/^Smallest visible change [\d.]+% of the total$/).waitFor()
    await finding.getByText(/: opened, \+.* cores$/).waitFor()
    await finding.getByText('Example traces:').getByRole('link').first().waitFor()
    expect(await violations(page)).toEqual([])
    const evidence = page.url()
    await finding.getByRole('link', { name: 'Compare' }).click()
    await page.waitForURL(/\/compare\?/)
    await page.goto(`${page.url()}&show=table`)
    await page
      .getByRole('row', { name: /checkout\/cache\.Warm/ })
      .first()
      .waitFor()
    await page.goto(evidence)
    await finding.getByRole('button', { name: 'Accept', exact: true }).click()
    await page.getByRole('button', { name: 'Accepted (1)' }).click()
    await finding.getByText(/: accepted( by .+)?$/).waitFor()
    expect(await causes()).not.toContain('checkout/cache.Warm')
    await page.context().close()
  })
})
