// Metrics in Chromium with a real server.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, violationsInThemes } from '../../testing/hearth-page.node.ts'
import { heapSnapshots } from '../../testing/heap-snapshots.ts'
import { push } from '../../testing/send-shop.node.ts'
import { SPAN_ID, TRACE_ID, sendShopMetrics } from './testing/shop-metrics.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

describe.skipIf(chromium === undefined)('Metrics', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendShopMetrics(hearth.otlp, { until: BigInt(Date.now()) * 1_000_000n, minutes: 50 })
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)
  const listed = (page: Page) => page.getByRole('region', { name: 'Metrics' }).locator('li button')

  it('lists metrics by name, kind and unit and keeps the selection in the URL', async () => {
    const page = await hearth.open('/metric')
    await expect.poll(() => listed(page).count()).toBe(6)
    // The duration of requests is selected automatically.
    await expect.poll(() => parameter(page, 'name')).toBe('http.server.request.duration')
    await page.getByRole('searchbox', { name: 'Search metrics' }).fill('server dur')
    await expect
      .poll(() => listed(page).allTextContents())
      .toEqual([
        expect.stringContaining('http.server.request.duration'),
        expect.stringContaining('rpc.server.duration'),
      ])
    await page.getByLabel('Unit').selectOption('ms')
    await expect.poll(() => listed(page).count()).toBe(1)
    await page.getByLabel('Unit').selectOption({ label: 'Any unit' })
    await page.getByLabel('Kind').selectOption('summary')
    await expect.poll(() => listed(page).count()).toBe(1)
    await listed(page).first().click()
    await expect.poll(() => parameter(page, 'name')).toBe('rpc.server.duration')
    expect([parameter(page, 'find'), parameter(page, 'kind')]).toEqual(['server dur', 'summary'])
    await page.reload()
    await page.getByRole('heading', { name: 'rpc.server.duration' }).waitFor()
    await expect.poll(() => listed(page).count()).toBe(1)
  })

  it.each([
    ['system.cpu.utilization', 'gauge', ['average', 'last', 'min', 'max', 'count']],
    ['http.server.requests', 'sum', ['rate', 'increase', 'last', 'count']],
    ['process.memory.usage', 'sum', ['last', 'average', 'min', 'max', 'count']],
    ['http.server.request.duration', 'histogram', ['quantiles', 'buckets', 'rate', 'average']],
    ['db.client.operation.duration', 'exponential histogram', ['quantiles', 'buckets', 'rate', 'average']],
    ['rpc.server.duration', 'summary', ['quantiles', 'rate', 'average']],
  ])('shows %s, a %s, with every aggregation', async (name, kind, shows) => {
    const page = await hearth.open(`/metric?name=${name}`)
    const panel = page.getByRole('region', { name, exact: true })
    await panel.getByText(new RegExp(`^${kind} · `)).waitFor()
    for (const show of shows) {
      await panel.getByLabel('Show').selectOption(show)
      await expect.poll(() => parameter(page, 'show')).toBe(show)
      const chart = panel.getByRole('figure', { name: show === 'buckets' ? /^Buckets of/ : / over time$/ }).first()
      await chart.waitFor()
      await chart.getByRole('img').waitFor()
      expect(await panel.locator('.failure').count()).toBe(0)
    }
  })

  it('groups by an attribute', async () => {
    const page = await hearth.open('/metric?name=http.server.requests')
    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.getByRole('option', { name: 'Group by http.route' }).click()
    await expect.poll(() => parameter(page, 'group')).toBe('http.route')
    await page.getByRole('button', { name: /\/cart/ }).waitFor()
    await page.getByRole('button', { name: /\/order/ }).waitFor()
  })

  it('selects a range by dragging and shows a profile total on the same time axis', async () => {
    const page = await hearth.open('/metric?name=http.server.request.duration&service=checkout')
    await page.getByRole('combobox', { name: 'Profile type' }).click()
    await page.getByRole('option', { name: 'cpu (ns)' }).click()
    await expect.poll(() => page.locator('.u-over').count()).toBe(2)
    const profile = await boxAtRest(page.locator('.u-over').nth(1))
    const metric = await boxAtRest(page.locator('.u-over').nth(0))
    expect([profile.x, profile.width]).toEqual([metric.x, metric.width])
    await page.mouse.move(metric.x + metric.width * 0.4, metric.y + 60)
    await page.mouse.down()
    await page.mouse.move(metric.x + metric.width * 0.7, metric.y + 60, { steps: 5 })
    await page.mouse.up()
    await expect.poll(() => parameter(page, 'from')).toMatch(/^\d{4}-/)
    const length = Date.parse(parameter(page, 'to')!) - Date.parse(parameter(page, 'from')!)
    expect(length).toBeGreaterThan(16 * 60_000)
    expect(length).toBeLessThan(20 * 60_000)
    expect(parameter(page, 'beside')).toBe('cpu:ns')
  })

  it('draws the label of a tick at the end of the range whole', async () => {
    const to = Math.floor(Date.now() / 60_000 - 2) * 60_000
    const [from, until] = [to - 120_000, to].map(time => new Date(time).toISOString())
    const page = await hearth.open(`/metric?name=http.server.requests&from=${from}&to=${until}`)
    await boxAtRest(page.locator('.u-over'))
    const ink = async (): Promise<{ readonly inLabel: number; readonly atEdge: number }> =>
      await page.locator('.uplot canvas').evaluate(element => {
        const canvas = element as HTMLCanvasElement
        const plot = document.querySelector('.u-over')!.getBoundingClientRect()
        const { right, bottom } = canvas.getBoundingClientRect()
        const top = canvas.height - Math.floor(bottom - plot.bottom)
        const left = canvas.width - Math.floor(right - plot.right)
        // The grid ends with the plot, so the second half of the last label is alone here.
        const inkFrom = (x: number): number => {
          const { data } = canvas.getContext('2d')!.getImageData(x, top, canvas.width - x, canvas.height - top)
          return data.filter((value, i) => i % 4 === 3 && value > 0).length
        }
        return { inLabel: inkFrom(left + 4), atEdge: inkFrom(canvas.width - 2) }
      })
    // Half of `12:34:00` has the strokes of four characters.
    await expect.poll(async () => (await ink()).inLabel).toBeGreaterThan(30)
    expect((await ink()).atEdge).toBe(0)
  })

  it('states how the snapshots of the profile total are combined', async () => {
    await push(hearth.otlp, heapSnapshots(BigInt(Date.now()) * 1_000_000n, [1, 6, 2]))
    await hearth.settled()
    const page = await hearth.open('/metric?name=http.server.request.duration&beside=inuse_space%3ABy')
    await page.getByText('Average over time in each step').waitFor()
  })

  it('opens the trace of an exemplar from the list and from its mark', async () => {
    const page = await hearth.open('/metric?name=http.server.request.duration')
    await page
      .getByRole('link', { name: /^5b8efff7/ })
      .first()
      .click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/trace')
    expect([parameter(page, 'id'), parameter(page, 'span-id')]).toEqual([TRACE_ID, SPAN_ID])
    await page.getByText('POST /order').first().waitFor()
    await page.goBack()
    const plot = page.locator('.metric-plot .u-over')
    const box = await boxAtRest(plot)
    // Marks are at the largest values, where nothing else is. One of the clicks along the top hits a mark.
    for (let x = box.width - 1; x > box.width / 2; x -= 6) {
      for (const y of [0.04, 0.08, 0.12, 0.17]) {
        if ((await page.evaluate(() => location.pathname)) === '/metric') {
          await page.mouse.click(box.x + x, box.y + box.height * y)
        }
      }
    }
    await expect.poll(() => new URL(page.url()).pathname).toBe('/trace')
  })

  it('explains an empty range and an unknown metric', async () => {
    const page = await hearth.open('/metric?from=2020-01-01T00%3A00%3A00Z&to=2020-01-01T01%3A00%3A00Z')
    await page.getByRole('heading', { name: 'No data in this range' }).waitFor()
    await page.getByRole('button', { name: 'Go to latest' }).click()
    await expect.poll(() => listed(page).count()).toBe(6)
    await page.goto(`${hearth.url}/metric?name=nothing.like.it`)
    await page
      .getByText(/nothing.like.it/)
      .last()
      .waitFor()
    await page.locator('.failure, .reading').first().waitFor()
  })

  it('is accessible in both themes', async () => {
    for (const show of ['quantiles', 'buckets']) {
      const page = await hearth.open(`/metric?name=http.server.request.duration&show=${show}&beside=cpu%3Ans`)
      await page.locator('.metric-plot figure').waitFor()
      await page.locator('.metric-beside figure').waitFor()
      expect(await violationsInThemes(page)).toEqual([])
      await hearth.closePages()
    }
  })

  it('logs no errors', () => {
    expect(hearth.errors).toEqual([])
  })
})
