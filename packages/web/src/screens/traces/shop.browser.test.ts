// The example shop: from the home page to why a request was slow, what it waited for and what it logged, in four clicks.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { dotScale, placeOfDot } from '../../draw/traces/duration-dots.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage } from '../../testing/hearth-page.node.ts'
import { ShopProcess } from '../../../../server/src/testing/shop-process.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

/** Samples of the function that uses most CPU time of the shop. */
const SLOW = encodeURIComponent('cpu | frame "editDistance"')

interface Listed {
  readonly traces: readonly { readonly span: { readonly start: string; readonly duration: string } }[]
}

describe.skipIf(chromium === undefined)('example shop', () => {
  let hearth: HearthPage
  let shop: ShopProcess

  const listed = async (query: string): Promise<Listed['traces']> => {
    const response = await fetch(`${hearth.url}/api/v1/traces?${query}`)
    return ((await response.json()) as Listed).traces
  }

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    shop = ShopProcess.start({ OTEL_EXPORTER_OTLP_ENDPOINT: hearth.otlp })
    const hasSlowTraces = async (): Promise<void> => {
      if (shop.hasEnded) throw new Error(`the shop has ended:\n${shop.output}`)
      expect((await listed(`samples=${SLOW}`)).length).toBeGreaterThan(2)
    }
    await vi.waitFor(hasSlowTraces, { timeout: 180_000, interval: 1000 })
    // The recorded data stays. Without the shop, the browser has the CPU for itself.
    await shop.end()
    await hearth.settled()
  }, 400_000)

  afterAll(async () => {
    shop?.kill()
    await hearth?.end()
  })

  const functions = (page: Page) => page.locator('.top-table tbody tr:not([aria-hidden]) .top-name')

  /** The position of the longest request among those with the slow function. */
  async function highestDot(page: Page, now: number): Promise<{ x: number; y: number }> {
    const { width, height } = await boxAtRest(page.locator('.duration-plot canvas'))
    const [all, slow] = await Promise.all([listed('limit=500'), listed(`limit=500&samples=${SLOW}`)])
    const dotOf = ({ span }: Listed['traces'][number]) => ({
      time: Number(span.start) / 1e6,
      duration: Number(span.duration),
    })
    const scale = dotScale(all.map(dotOf), { from: now - 3_600_000, to: now }, width, height - 12)
    const highest = slow.map(dotOf).reduce((longest, each) => (each.duration > longest.duration ? each : longest))
    const { x, y } = placeOfDot(scale, highest)
    return { x: Math.min(x, width - 1), y: y + 6 }
  }

  it('explains a slow request in four clicks', async () => {
    const page = await hearth.open('/')
    let clicks = 0
    const click = async (act: () => Promise<void>): Promise<void> => {
      clicks++
      await act()
    }
    await click(() => page.getByRole('link', { name: 'Traces' }).click())
    const now = Date.now()
    await page.locator('.trace-table tbody tr').first().waitFor()

    const place = await highestDot(page, now)
    await click(() => page.locator('.duration-plot').click({ position: place }))
    await page.waitForURL(/\/trace\?/)

    // The slow function is in the profile of the span that ranks products.
    await page.locator('.waterfall-title', { hasText: 'rank products' }).first().waitFor()
    await expect.poll(() => functions(page).allTextContents()).toContain('editDistance')

    // The thread timeline shows what the request waited for.
    await click(() => page.getByRole('button', { name: 'Threads', exact: true }).click())
    await page.locator('.trace-profile canvas').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBe('threads')

    // The logs of the request.
    await click(() => page.getByRole('button', { name: /^Logs \(\d+\+?\)$/ }).click())
    await page.locator('.span-logs li').first().waitFor()
    expect(clicks).toBe(4)
    expect(hearth.errors).toEqual([])
  })

  it('opens Metrics on request durations, with buckets that tell fast and slow requests apart', async () => {
    const page = await hearth.open('/metric')
    await page.getByRole('heading', { name: 'http.server.request.duration' }).waitFor()
    const response = await fetch(
      `${hearth.url}/api/v1/metric-series?name=http.server.request.duration&buckets=true&from=now-1h&step=1h`,
    )
    const { groups } = (await response.json()) as {
      readonly groups: readonly {
        readonly cells: readonly { readonly upper: number }[]
        readonly points: readonly { readonly buckets: readonly number[] }[]
      }[]
    }
    const [{ cells, points }] = groups
    const used = cells.filter((_, cell) => points.some(({ buckets }) => buckets[cell] > 0))
    expect(used.length).toBeGreaterThan(2)
    expect(used[0].upper).toBeLessThan(1)
  })

  /** The place of the number in a text such as `1.2 s` on a common scale. */
  const millisOf = (text: string): number =>
    Number.parseFloat(text) * (/min/.test(text) ? 60_000 : /ms/.test(text) ? 1 : /µs/.test(text) ? 0.001 : 1000)

  it('leads a first-time user from the start to the slow line in five clicks, by what the screens show', async () => {
    const page = await hearth.open('/')
    let clicks = 0
    const click = async (of: Locator): Promise<void> => {
      clicks++
      await of.click()
    }
    // The slow operation: the durations of the slowest service lead to its longest requests.
    const services = page.locator('.services-table tbody tr')
    const slowest = services.filter({ has: page.getByRole('link', { name: 'storefront', exact: true }) })
    await click(slowest.locator('td[data-title=p95] a'))
    const traces = page.locator('.trace-table tbody tr:not([aria-hidden])')
    await traces.first().waitFor()
    // The trace on screen that computed longest.
    const cpu = (await traces.locator('td:nth-child(8)').allTextContents()).map(text => millisOf(text || '0'))
    const longest = traces.nth(cpu.indexOf(Math.max(...cpu)))
    expect(await longest.textContent()).toContain('GET /search')
    await click(longest.getByRole('link').first())
    // The function: the one with the most time of its own is the first row.
    await expect.poll(() => functions(page).first().textContent()).toBe('editDistance')
    await click(functions(page).first())
    // The line.
    await click(page.getByRole('button', { name: 'Lines', exact: true }))
    const line = page.locator('.lines-lines tbody tr', { hasText: 'editDistance' }).first()
    await line.waitFor()
    expect(Number(await line.locator('td').first().textContent())).toBeGreaterThan(0)
    expect(await page.locator('.lines-files [aria-current=true]').textContent()).toContain('.ts')
    expect(clicks).toBeLessThanOrEqual(5)
    expect(hearth.errors).toEqual([])
  })
})
