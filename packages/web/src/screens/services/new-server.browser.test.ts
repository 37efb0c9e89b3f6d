// Tests what a new server offers in a browser: demo data, and commands with its own addresses and a new token.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { chromiumPath, sharedBrowser } from '../../testing/chromium.node.ts'
import { HearthPage, violations } from '../../testing/hearth-page.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const SERVICES = ['checkout', 'payments', 'recommendations', 'storefront']

describe.skipIf(chromium === undefined)('A new server', () => {
  let hearth: HearthPage | undefined

  afterEach(async () => {
    await hearth?.end()
    hearth = undefined
  })

  it('loads demo data, marks it, and removes it with one click', { timeout: 240_000 }, async () => {
    hearth = await HearthPage.startEmpty(await sharedBrowser(chromium!))
    const page = await hearth.open('/')
    await page.getByRole('heading', { name: 'Send the first data' }).waitFor()
    await page.getByRole('button', { name: 'Load demo data' }).click()
    for (const name of SERVICES)
      await page.locator('.services-table').getByRole('link', { name, exact: true }).waitFor({ timeout: 120_000 })
    await page.getByText('Demo data: storefront, checkout, payments and recommendations').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove demo data' }).click()
    await page.getByRole('heading', { name: 'Send the first data' }).waitFor({ timeout: 120_000 })
    await page.getByRole('button', { name: 'Load demo data' }).waitFor()
    expect(hearth.errors).toEqual([])
  })

  it('has commands with its own addresses and a new token, which can send data', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-token-'))
    const first = `hearth_${'1'.repeat(12)}_${'2'.repeat(32)}`
    writeFileSync(join(folder, 'token'), first)
    try {
      hearth = await HearthPage.startEmpty(await sharedBrowser(chromium!), { 'first-token': join(folder, 'token') })
      const page = await hearth.open('/')
      await page.getByRole('dialog').getByLabel('Token').fill(first)
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
      const snippet = page.locator('.empty-snippet')
      await snippet.getByText(`npx hearth push cpu.pb.gz --service checkout --to ${hearth.otlp}`).waitFor()
      await page.getByRole('button', { name: 'Create a token' }).click()
      await page.getByText('The commands above contain a new token').waitFor()
      const [token] = /hearth_[\w-]+/.exec((await snippet.textContent()) ?? '') ?? []
      expect(token).toMatch(/^hearth_(?!1{12})/)
      // A refresh keeps the token, which is shown only once.
      const refreshed = page.waitForResponse(response => response.url().includes('/api/v1/overview') && response.ok())
      await page.getByRole('button', { name: 'Refresh', exact: true }).click()
      await refreshed
      expect(await snippet.textContent()).toContain(token)
      const headers = { authorization: `Bearer ${token}` }
      const sent = await fetch(`${hearth.otlp}/v1/push?service=sent`, { method: 'POST', headers, body: 'main;run 3\n' })
      expect([sent.status, await sent.text()]).toEqual([200, expect.anything()])
      expect((await fetch(`${hearth.url}/api/v1/services`, { headers })).status).toBe(403)
      await page.getByRole('button', { name: 'Go', exact: true }).click()
      await snippet.getByText(`ServerAddress:   "${hearth.url}"`).waitFor()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
