// Tests that all parts of a screen show the same data while more data keeps arriving.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { ProfilesBuilder, formatValue, profileSummary, readProfile, writeOtlp } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../testing/chromium.node.ts'
import { HearthPage } from '../testing/hearth-page.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const SECOND = 1_000_000_000n
const EXPLORE = '/explore?service=arriving&type=cpu%3Ans&from=now-15m'
const SIDE = (name: string): string => `${name}.service=arriving&${name}.type=cpu%3Ans`
const COMPARE = `/compare?${SIDE('a')}&a.from=now-15m&a.to=now-5m&${SIDE('b')}&b.from=now-5m&per=total`
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'

const nowNano = (): bigint => BigInt(Date.now()) * 1_000_000n

/** A profile of one second of CPU, in a span of the trace if `isLinked`. */
function payload(time: bigint, isLinked: boolean): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'arriving' }] })
  builder.scope({ name: 'test' })
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: time, durationNano: SECOND })
  const locations = ['work', 'main'].map(name =>
    builder.location({ lines: [{ function: builder.function({ name, filename: 'main.ts' }), line: 3 }] }),
  )
  const ids = [TRACE_ID, SPAN_ID].map(id => new Uint8Array(Buffer.from(id, 'hex')))
  const link = isLinked ? { link: builder.link(ids[0], ids[1]) } : {}
  builder.sample({ stack: builder.stack(locations), values: [SECOND], ...link })
  return writeOtlp(builder.build()).bytes
}

describe.skipIf(chromium === undefined)('One load', () => {
  let hearth: HearthPage
  let isSending = true
  let sent = 0
  let sending: Promise<void>

  async function post(path: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const response = await fetch(`${hearth.otlp}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  }

  async function send(time: bigint, isLinked = false): Promise<void> {
    const body = payload(time, isLinked) as Uint8Array<ArrayBuffer>
    await post('/v1/push?format=otlp', 'application/octet-stream', body)
    sent++
  }

  async function sendSpan(start: bigint): Promise<void> {
    const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 400n * SECOND) }
    const spans = [{ traceId: TRACE_ID, spanId: SPAN_ID, name: 'GET /', kind: 2, ...times }]
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'arriving' } }] }
    await post(
      '/v1/traces',
      'application/json',
      JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    )
  }

  /** Profiles start in a few seconds, so they are stored before a range can contain them. */
  async function keepSending(): Promise<void> {
    while (isSending) await send(nowNano() + 3n * SECOND)
  }

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    const start = nowNano()
    for (let i = 1n; i <= 20n; i++) await send(start - i * 30n * SECOND, i % 2n === 0n)
    await sendSpan(start - 700n * SECOND)
    await hearth.settled()
    sending = keepSending()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    isSending = false
    await sending
    await hearth?.end()
  })

  /** Opens a screen and collects the ranges of its requests. */
  async function open(path: string): Promise<{ readonly page: Page; readonly ranges: ReadonlySet<string> }> {
    // A screen without queries.
    const page = await hearth.open('/file')
    const ranges = new Set<string>()
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url())
      // The list of all services, for services without data in the range, has no range. It shows no values.
      if (pathname === '/api/v1/services' && searchParams.get('from') === '0') return
      // Notes are no data of a load.
      if (pathname === '/api/v1/annotations') return
      if (pathname.startsWith('/api/v1/') && searchParams.has('from')) {
        ranges.add(['from', 'to', 'receivedBefore'].map(name => searchParams.get(name)).join(' '))
      }
    })
    await page.goto(hearth.url + path)
    return { page, ranges }
  }

  /** More data arrives before the other parts load, some of it late, within the range and in the trace. */
  async function moreArrives(): Promise<void> {
    const before = sent
    for (let i = 1n; i <= 5n; i++) await send(nowNano() - i * 60n * SECOND, true)
    await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(before + 20)
    await hearth.settled()
  }

  const total = async (page: Page): Promise<string> =>
    (await page.locator('.profile-view .detail-bar').textContent())!.split(' total')[0]

  /** Downloads a file and returns the totals of its profiles. */
  async function exportedTotals(page: Page, format: RegExp): Promise<string[]> {
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: format }).click(),
    ])
    const { profiles } = readProfile(readFileSync(await download.path()))
    await page.keyboard.press('Escape')
    return Array.from({ length: profiles.profiles.length }, (_, i) => {
      const { total: sum, unit } = profileSummary(profiles, i)
      return formatValue(sum, unit)
    })
  }

  /** Checks that the other views of a profile and its export have the total that is shown. */
  async function expectSameTotals(page: Page, shown: string): Promise<void> {
    await page.getByRole('button', { name: 'Sandwich', exact: true }).click()
    await page.getByText(`${shown}, 100% of total`).waitFor()
    await page.getByRole('button', { name: 'Lines', exact: true }).click()
    await page.getByRole('region', { name: 'Lines' }).getByText(shown).first().waitFor()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const row = page.getByRole('region', { name: 'Functions' }).getByRole('row', { name: /^main/ })
    await expect.poll(() => row.textContent()).toContain(shown)
    await page.getByRole('button', { name: 'Flame graph', exact: true }).click()
    await expect.poll(() => total(page)).toBe(shown)
    expect(await exportedTotals(page, /^pprof/)).toContain(shown)
  }

  test('has the same total in the chart, table, flame graph, sandwich, lines and exports of Explore', async () => {
    const { page, ranges } = await open(EXPLORE)
    await page.getByRole('region', { name: 'Functions' }).getByRole('row', { name: /^main/ }).waitFor()
    await page.locator('.profile-view .detail-bar').getByText(' total').waitFor()
    const shown = await total(page)
    await expect.poll(() => page.locator('.explore-chart-head strong').textContent()).toBe(shown)
    await moreArrives()
    await expectSameTotals(page, shown)
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

  test('has the same totals in the charts, the diff, both sides and the table of Compare', async () => {
    const { page, ranges } = await open(COMPARE)
    const totals = page
      .locator('.detail-bar')
      .getByText(/^Baseline .*, comparison /)
      .first()
    await totals.waitFor()
    const [, before, after] = /Baseline (.+?), comparison (.+?) ·/.exec((await totals.textContent())!)!
    await moreArrives()
    await page.getByRole('button', { name: 'Side by side', exact: true }).click()
    await page.getByRole('region', { name: 'Baseline profile' }).getByText(before, { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Comparison profile' }).getByText(after, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByLabel('Normalise').selectOption('total')
    const row = page.locator('.diff-table tbody').getByRole('row', { name: /^work/ })
    await expect.poll(() => row.textContent()).toContain(before)
    expect(await row.textContent()).toContain(after)
    await page.getByRole('button', { name: 'Diff', exact: true }).click()
    await totals.waitFor()
    expect(await totals.textContent()).toContain(`Baseline ${before}, comparison ${after} `)
    expect(new Set([...ranges].map(range => range.split(' ')[2])).size).toBe(1)
    expect([...ranges].join()).not.toMatch(/now|null/)
    expect(hearth.errors).toEqual([])
  })

  test('has the same total in the badge, table, flame graph, sandwich, lines and exports of a trace', async () => {
    const { page } = await open(`/trace?id=${TRACE_ID}&view=flame`)
    await page.locator('.profile-view .detail-bar').getByText(' total').waitFor()
    const shown = await total(page)
    await page.getByText(`cpu (ns): ${shown}, `).waitFor({ state: 'attached' })
    await moreArrives()
    await expectSameTotals(page, shown)
    await page.reload()
    await page.locator('.profile-view .detail-bar').getByText(' total').waitFor()
    expect(await total(page)).not.toBe(shown)
    expect(hearth.errors).toEqual([])
  })

  test('has the total of the list in every view and export of a profile', async () => {
    const { page, ranges } = await open('/profiles?service=arriving&type=cpu%3Ans&from=now-15m')
    const row = page.getByRole('region', { name: 'Profiles' }).locator('tbody tr').first()
    await row.waitFor()
    const shown = (await row.locator('td').nth(3).textContent())!
    expect(shown).toBe('1.00 s')
    await moreArrives()
    await row.getByRole('link').first().click()
    await page.getByText(`${shown} total`).waitFor()
    await expectSameTotals(page, shown)
    expect(new Set([...ranges].map(range => range.split(' ')[2])).size).toBe(1)
    expect(hearth.errors).toEqual([])
  })
})
