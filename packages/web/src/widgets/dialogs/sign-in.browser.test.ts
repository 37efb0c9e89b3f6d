// Signing in and out against a real server with a token.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../../../../server/src/testing/server-process.ts'
import { writeTokens } from '../../../../server/src/testing/write-tokens.ts'
import { chromiumPath, sharedBrowser } from '../../testing/chromium.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

describe.skipIf(chromium === undefined)('the sign-in', () => {
  const data = mkdtempSync(join(tmpdir(), 'hearth-sign-in-'))
  const [reader, writer] = writeTokens(data, [
    { name: 'ada', tenants: ['shop'], scopes: ['read'], expires: '2100-01-02T00:00:00.000Z' },
    { name: 'collector', tenants: ['shop'], scopes: ['write'] },
  ])
  let server: ServerProcess
  let browser: Browser

  beforeAll(async () => {
    server = await ServerProcess.start({ data, 'self-profile': 'no' })
    browser = await sharedBrowser(chromium!)
  })
  afterAll(async () => {
    await server?.end()
    rmSync(data, { recursive: true, force: true })
  })

  it('rejects wrong tokens, shows who is signed in, and signs out', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${server.ports.http}/`)
    const dialog = page.getByRole('dialog')
    const submit = async (token: string): Promise<void> => {
      await dialog.getByLabel('Token').fill(token)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
    }
    await submit('hearth_wrong')
    await dialog.getByText('Invalid token', { exact: true }).waitFor()
    await submit(writer)
    await dialog.getByText('This token cannot read data. It has the scopes write.').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await submit(reader)
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Account' }).click()
    const rows = await page.locator('.account dl > div').allInnerTexts()
    expect(rows.map(row => row.replaceAll(/\s+/g, ' '))).toEqual([
      'Signed in with a token',
      'Tenant shop',
      'Scopes read',
      expect.stringMatching(/^Expires .*2100/),
    ])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await dialog.getByText('You are signed out.').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await context.close()
  })
})
