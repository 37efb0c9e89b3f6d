// Tests that all parts of Explore show one range while data keeps arriving.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { ProfilesBuilder, formatValue, profileSummary, readProfile, writeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { HearthPage } from '../../testing/hearth-page.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const SECOND = 1_000_000_000n
const EXPLORE = '/explore?service=arriving&type=cpu%3Ans&from=now-15m'

/** A profile of one second of CPU. */
function payload(time: bigint): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'arriving' }] })
  builder.scope({ name: 'test' })
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: time, durationNano: SECOND })
  const locations = ['work', 'main'].map(name =>
    builder.location({ lines: [{ function: builder.function({ name, filename: 'main.ts' }), line: 3 }] }),
  )
  builder.sample({ stack: builder.stack(locations), values: [SECOND] })
  return writeOtlp(builder.build()).bytes
}

describe.skipIf(chromium === undefined)('ExploreScreen', () => {
  let hearth: HearthPage
  let isSending = true
  let sent = 0
  let sending: Promise<void>

  async function send(time: bigint): Promise<void> {
    const body = payload(time) as Uint8Array<ArrayBuffer>
    const headers = { 'content-type': 'application/octet-stream' }
    const response = await fetch(`${hearth.otlp}/v1/push?format=otlp`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    sent++
  }

  /** Profiles start in a few seconds, so they are stored before a range can contain them. */
  async function keepSending(): Promise<void> {
    while (isSending) await send(BigInt(Date.now()) * 1_000_000n + 3n * SECOND)
  }

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    for (let i = 1n; i <= 20n; i++) await send(BigInt(Date.now()) * 1_000_000n - i * 30n * SECOND)
    await hearth.settled()
    sending = keepSending()
  }, 300_000)

  afterAll(async () => {
    isSending = false
    await sending
    await hearth?.end()
  })

  const total = async (page: Page): Promise<string> =>
    (await page.locator('.profile-view .detail-bar').textContent())!.split(' total')[0]

  test('shows the same total in the chart, table, flame graph, sandwich, lines and exports', async () => {
    // A screen without queries.
    const page = await hearth.open('/file')
    const ranges = new Set<string>()
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.startsWith('/api/v1/') && searchParams.has('from')) {
        ranges.add(['from', 'to', 'receivedBefore'].map(name => searchParams.get(name)).join(' '))
      }
    })
    await page.goto(hearth.url + EXPLORE)
    const row = page.getByRole('region', { name: 'Functions' }).getByRole('row', { name: /^main/ })
    await row.waitFor()
    const shown = await total(page)
    expect(await row.textContent()).toContain(shown)
    await expect.poll(() => page.locator('.explore-chart-head strong').textContent()).toBe(shown)

    // More data arrives before the other parts load, some of it late, within the range.
    const before = sent
    for (let i = 1n; i <= 5n; i++) await send(BigInt(Date.now()) * 1_000_000n - i * 60n * SECOND)
    await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(before + 20)
    await hearth.settled()
    await page.getByRole('button', { name: 'Sandwich', exact: true }).click()
    await page.getByText(`${shown}, 100% of total`).waitFor()
    await page.getByRole('button', { name: 'Lines', exact: true }).click()
    await page.getByRole('region', { name: 'Lines' }).getByText(shown).first().waitFor()
    await page.getByRole('button', { name: 'Flame graph', exact: true }).click()
    await expect.poll(() => total(page)).toBe(shown)
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^pprof/ }).click(),
    ])
    const { profiles } = readProfile(readFileSync(await download.path()))
    const exported = Array.from({ length: profiles.profiles.length }, (_, i) => profileSummary(profiles, i))
    expect(exported.map(({ total: sum, unit }) => formatValue(sum, unit))).toContain(shown)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('combobox', { name: 'Attribute' }).fill('service')
    await page.getByRole('option', { name: /service.name/ }).waitFor()
    expect([...ranges]).toHaveLength(1)
    expect([...ranges][0]).not.toMatch(/now|null/)

    // A refresh moves the range on. The first Escape closes the suggestions, the second the form.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Attribute' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('Shift+R')
    await expect.poll(() => total(page)).not.toBe(shown)
    expect([...ranges]).toHaveLength(2)
    expect(hearth.errors).toEqual([])
  })
})
