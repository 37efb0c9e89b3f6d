// Tests the heat map in Chromium with a real server: ranges by pointer and keys, flame graphs and comparisons.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, openFiles, violations } from '../../testing/hearth-page.node.ts'
import { BURST, BURST_EVERY, BUSY_TICKS, sendTicker } from './testing/ticker-profiles.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const SECONDS = 60
const ROWS = 50
const CORPORA = fileURLToPath(new URL('../../../../../../shared/corpora', import.meta.url))

describe.skipIf(chromium === undefined)('HeatMapView', () => {
  let hearth: HearthPage
  let from: bigint
  let address: string

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    // Ten minutes ago, so the queried hour contains all of it.
    from = (BigInt(Math.floor(Date.now() / 1000)) - 600n) * 1_000_000_000n
    await sendTicker(hearth.otlp, { from, seconds: SECONDS })
    address = '/explore?service=ticker&type=cpu%3Ans&view=heat'
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const canvas = (page: Page): Locator => page.locator('.heat-host canvas')
  const heatOf = (page: Page, key: string): string | undefined =>
    new URL(page.url()).searchParams
      .getAll('heat')
      .find(each => each.startsWith(`${key}.`))
      ?.slice(key.length + 1)
  const total = (page: Page, text: string): Promise<void> =>
    page.locator('.heat-part .detail-bar').getByText(text).waitFor()

  /** The middle of a cell on screen. */
  async function place(page: Page, column: number, row: number): Promise<{ x: number; y: number }> {
    const box = await boxAtRest(canvas(page))
    const [width, height] = [Math.floor(box.width / SECONDS), (box.height - 20) / ROWS]
    return { x: box.x + (column + 0.5) * Math.min(18, width), y: box.y + (ROWS - row - 0.5) * height }
  }

  async function click(page: Page, column: number, row: number): Promise<void> {
    const { x, y } = await place(page, column, row)
    await page.mouse.click(x, y)
  }

  /** The number of samples in a range of hundredths, see ticker-profiles.ts. */
  function samplesIn(start: number, end: number): number {
    let count = 0
    for (let k = start; k < end; k++) {
      const isBurst = Math.floor(k / 100) % BURST_EVERY === 0 && k % 100 >= BURST.from && k % 100 < BURST.until
      count += isBurst ? 4 : 1
    }
    return count
  }

  test('shows the flame graph of the cells between two clicks', async () => {
    const page = await hearth.open(address)
    const { x, y } = await place(page, 6, 45)
    await page.mouse.move(x, y)
    await page.getByText(/6 s, 900–920 ms: 2 samples, 20\.0 ms/).waitFor()
    await page.mouse.click(x, y)
    await click(page, 7, 34)
    // From 6.9 s to the end of the cell that starts at 7.68 s.
    const expected = samplesIn(690, 770)
    await page.getByText(`6.9 s – 7.7 s`).first().waitFor()
    await page.getByText(`${expected} samples, ${(expected / 100).toFixed(2)} s`).waitFor()
    await total(page, `${(expected / 100).toFixed(2)} s total`)
    const range = `${from + 6_900_000_000n}-${from + 7_700_000_000n}`
    expect(heatOf(page, 'range')).toBe(range)
    // The order of the clicks does not matter.
    await click(page, 7, 34)
    await expect.poll(() => heatOf(page, 'range')).toBeUndefined()
    await click(page, 6, 45)
    await expect.poll(() => heatOf(page, 'range')).toBe(range)
    await page.locator('.heat-part .top-table').getByText('mark').waitFor()
    await page.reload()
    await total(page, `${(expected / 100).toFixed(2)} s total`)
  })

  test('works with keys, announces the cell and clears on Escape', async () => {
    const page = await hearth.open(address)
    await canvas(page).waitFor()
    await canvas(page).focus()
    const said = page.locator('.heat-status')
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(key)
    await expect.poll(() => said.textContent()).toContain('2 s, 20–40 ms: 2 samples')
    await page.keyboard.press('Enter')
    await expect.poll(() => said.textContent()).toContain('Enter to end it')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(() => heatOf(page, 'range')).toBe(`${from + 2_020_000_000n}-${from + 12_040_000_000n}`)
    await total(page, `${(samplesIn(202, 1204) / 100).toFixed(1)} s total`)
    await page.keyboard.press('Escape')
    await expect.poll(() => heatOf(page, 'range')).toBeUndefined()
    await page.getByText('No range selected').waitFor()
  })

  test('keeps the start of a range when the map reloads', async () => {
    const page = await hearth.open(address)
    await click(page, 6, 45)
    await expect.poll(() => page.locator('.heat-status').textContent()).toContain('click or Enter to end it')
    const again = page.waitForResponse(/\/api\/v1\/heatmap/)
    await page.keyboard.press('Shift+R')
    await (await again).finished()
    await click(page, 7, 34)
    await expect.poll(() => heatOf(page, 'range')).toBe(`${from + 6_900_000_000n}-${from + 7_700_000_000n}`)
  })

  test('skips idle stacks in the map and the flame graph', async () => {
    const page = await hearth.open(address)
    await page.getByLabel('Hide idle').check()
    await click(page, 1, 0)
    await click(page, 1, ROWS - 1)
    await page.getByText(`${BUSY_TICKS} samples`).waitFor()
    await total(page, `${BUSY_TICKS * 10} ms total`)
    await expect.poll(() => page.locator('.heat-part .top-table').getByText('(idle)').count()).toBe(0)
  })

  test('compares two ranges', async () => {
    const page = await hearth.open(address)
    await click(page, 1, 0)
    await click(page, 1, ROWS - 1)
    await page.getByRole('button', { name: 'Use as A' }).click()
    await page.getByText('select a range for B').waitFor()
    await click(page, 14, 0)
    await click(page, 14, ROWS - 1)
    await page.getByRole('button', { name: 'Use as B' }).click()
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await comparison.getByText('New functions').waitFor()
    await comparison.getByText('mark').first().waitFor()
    await comparison.getByRole('button', { name: 'Table' }).click()
    const mark = comparison.locator('tr', { hasText: 'mark' })
    await mark.waitFor()
    await expect.poll(() => heatOf(page, 'diff')).toBe('table')
    await page.goBack()
    await comparison.getByText('New functions').waitFor()
    await page.getByRole('button', { name: 'Clear A' }).click()
    await comparison.waitFor({ state: 'detached' })
  })

  test('keeps columns, rows, values and colours in the address', async () => {
    const page = await hearth.open(address)
    await canvas(page).waitFor()
    const picture = async (): Promise<string> =>
      (await canvas(page).evaluate(each => (each as HTMLCanvasElement).toDataURL())).slice(-400)
    // The next frame paints it.
    await expect
      .poll(() =>
        canvas(page).evaluate(each =>
          (each as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, 9, 9).data.some(Boolean),
        ),
      )
      .toBe(true)
    let before = await picture()
    for (const [label, option, key, value] of [
      ['Column', '10s', 'column', '10s'],
      ['Rows', '99', 'rows', '99'],
      ['Colours', 'enhanced', 'enhanced', '1'],
    ] as const) {
      await page.locator('.heat-bar').getByLabel(label).selectOption(option)
      await expect.poll(() => heatOf(page, key)).toBe(value)
      await expect.poll(async () => (await picture()) !== before).toBe(true)
      before = await picture()
    }
    await page.getByLabel('Cells').selectOption('sums')
    await expect.poll(() => heatOf(page, 'sums')).toBe('1')
  })

  test('scrolls a wide map to its newest part or to the selected range, also for keys', async () => {
    const resolveTime = (nano: bigint): string => encodeURIComponent(new Date(Number(nano / 1_000_000n)).toISOString())
    const quarter = `from=${resolveTime(from - 300_000_000_000n)}&to=${resolveTime(from + 600_000_000_000n)}`
    const fine = `${address}&${quarter}&heat=column.100ms`
    const scrolled = (page: Page): Promise<{ left: number; rest: number }> =>
      page.locator('.heat-host').evaluate(({ scrollLeft, scrollWidth, clientWidth }) => ({
        left: scrollLeft,
        rest: scrollWidth - clientWidth - scrollLeft,
      }))
    const page = await hearth.open(fine)
    await canvas(page).waitFor()
    await expect.poll(async () => (await scrolled(page)).left).toBeGreaterThan(0)
    const { left, rest } = await scrolled(page)
    expect(rest).toBe(0)
    await canvas(page).focus()
    await page.keyboard.press('ArrowUp')
    const column = Math.ceil(left / 3)
    const said = page.locator('.heat-status')
    await expect.poll(() => said.textContent()).toContain(`${column / 10} s, 2,000–4,000 µs`)
    expect((await scrolled(page)).rest).toBe(0)
    // Also when the map becomes wider than the page later.
    await page.locator('.heat-bar').getByLabel('Column').selectOption('1s')
    await expect.poll(async () => await scrolled(page)).toEqual({ left: 0, rest: 0 })
    await page.locator('.heat-bar').getByLabel('Column').selectOption('100ms')
    await expect.poll(async () => await scrolled(page)).toEqual({ left, rest: 0 })

    const chosen = await hearth.open(`${fine}&heat=range.${from + 30_000_000_000n}-${from + 31_000_000_000n}`)
    await total(chosen, `${(samplesIn(3000, 3100) / 100).toFixed(2)} s total`)
    const seen = await scrolled(chosen)
    expect(seen.left).toBeLessThanOrEqual(300 * 3)
    expect(seen.rest).toBeLessThanOrEqual((600 - 310) * 3)
  })

  test('explains profiles without timestamps', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans&view=heat')
    await page.getByRole('heading', { name: 'No timestamps' }).waitFor()
    expect(await page.getByRole('heading', { name: 'No data in this range' }).count()).toBe(0)
    await page.getByLabel('Hide idle').check()
    await page.getByText('All samples are idle').waitFor()
    await page.goto(`${hearth.url}/explore?service=nobody&type=cpu%3Ans&view=heat`)
    await page.getByRole('heading', { name: 'No data in this range' }).waitFor()
    expect(await page.getByRole('heading', { name: 'No timestamps' }).count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('has no accessibility violations, %s', async theme => {
    const range = `heat=range.${from + 6_900_000_000n}-${from + 7_700_000_000n}`
    const page = await hearth.open(`${address}&${range}`, theme)
    await page.locator('.heat-part .top-table tbody tr').first().waitFor()
    expect(await violations(page)).toEqual([])
  })

  describe('files', () => {
    async function open(page: Page, name: string, bytes: Buffer): Promise<void> {
      await openFiles(page, { name, bytes })
      await page.locator('.profile-view, .heat-view').first().waitFor()
      await page.getByRole('button', { name: 'Heat map', exact: true }).click()
      await canvas(page).waitFor()
    }

    const CHROME = JSON.stringify(
      Array.from({ length: 40 }, (_, i) => ({ ph: 'X', pid: 1, tid: 1, ts: i * 100_000, dur: 50_000, name: 'step' })),
    )
    const PERF = Array.from({ length: 30 }, (_, i) => {
      const time = (100 + i / 10).toFixed(6)
      return `app  42 [000] ${time}: cycles:\n\t7f01 work (/bin/app)\n\t7f00 main (/bin/app)\n`
    }).join('\n')

    test.each([
      ['trace.json', CHROME],
      ['perf.txt', PERF],
    ])('selects a range of %s', async (name, text) => {
      const page = await hearth.open('/file')
      await open(page, name, Buffer.from(text))
      await canvas(page).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page
        .locator('.heat-part .detail-bar')
        .getByText(/ total · /)
        .waitFor()
      await page
        .locator('.heat-ranges')
        .getByText(/samples?/)
        .waitFor()
    })

    const real = [
      ['perf.data', 'perf-data/quipper/perf.data.callgraph-3.8'],
      ['wall.jfr.gz', 'jfr/wall.jfr.gz'],
      ['devtools.json', 'chrome-trace/devtools-116.json'],
    ].filter(([, path]) => existsSync(`${CORPORA}/${path}`))
    if (real.length === 0) process.stdout.write('skipped: shared/corpora was not found\n')
    test.each(real)('opens a real %s', async (name, path) => {
      const page = await hearth.open('/file')
      await open(page, name, readFileSync(`${CORPORA}/${path}`))
      await page.getByRole('button', { name: 'Whole profile' }).click()
      await page
        .locator('.heat-part .detail-bar')
        .getByText(/ total · /)
        .waitFor()
    })
  })

  test('sends no request to other servers and logs no errors', () => {
    expect([...hearth.hosts]).toEqual([])
    expect(hearth.errors).toEqual([])
  })
})
