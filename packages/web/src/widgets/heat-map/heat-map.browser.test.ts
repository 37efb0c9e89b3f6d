// The heat map in Chromium over a real server: ranges by pointer and by keys, their flame graphs, two against each other.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../draw/testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, openFiles, violations } from '../../testing/hearth-page.node.ts'
import { BURST, BURST_EVERY, BUSY_TICKS, sendTicker } from './testing/ticker-profiles.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: no Chromium was found (CHROMIUM_PATH can name one)\n')

const SECONDS = 60
const ROWS = 50
const CORPORA = fileURLToPath(new URL('../../../../../../shared/corpora', import.meta.url))

describe.skipIf(chromium === undefined)('heat map', () => {
  let hearth: HearthPage
  let from: bigint
  let address: string

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    // Ten minutes ago, so that the hour that is asked for has all of it.
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

  /** The middle of a cell, as the page draws them. */
  async function place(page: Page, column: number, row: number): Promise<{ x: number; y: number }> {
    const box = await boxAtRest(canvas(page))
    const [width, height] = [Math.floor(box.width / SECONDS), (box.height - 20) / ROWS]
    return { x: box.x + (column + 0.5) * Math.min(18, width), y: box.y + (ROWS - row - 0.5) * height }
  }

  async function click(page: Page, column: number, row: number): Promise<void> {
    const { x, y } = await place(page, column, row)
    await page.mouse.click(x, y)
  }

  /** Samples of a range of hundredths, as ticker-profiles.ts makes them. */
  function samplesIn(start: number, end: number): number {
    let count = 0
    for (let k = start; k < end; k++) {
      const isBurst = Math.floor(k / 100) % BURST_EVERY === 0 && k % 100 >= BURST.from && k % 100 < BURST.until
      count += isBurst ? 4 : 1
    }
    return count
  }

  test('two clicks, and below is the flame graph of exactly the cells between them', async () => {
    const page = await hearth.open(address)
    const { x, y } = await place(page, 6, 45)
    await page.mouse.move(x, y)
    await page.getByText(/6 s, 900–920 ms: 2 samples, 20\.0 ms/).waitFor()
    await page.mouse.click(x, y)
    await click(page, 7, 34)
    // 6.9 s up to the end of the cell that begins at 7.68 s.
    const expected = samplesIn(690, 770)
    await page.getByText(`6.9 s – 7.7 s`).first().waitFor()
    await page.getByText(`${expected} samples, ${(expected / 100).toFixed(2)} s`).waitFor()
    await total(page, `${(expected / 100).toFixed(2)} s total`)
    const range = `${from + 6_900_000_000n}-${from + 7_700_000_000n}`
    expect(heatOf(page, 'range')).toBe(range)
    // The later cell first means the same.
    await click(page, 7, 34)
    await expect.poll(() => heatOf(page, 'range')).toBeUndefined()
    await click(page, 6, 45)
    await expect.poll(() => heatOf(page, 'range')).toBe(range)
    await page.locator('.heat-part .top-table').getByText('mark').waitFor()
    await page.reload()
    await total(page, `${(expected / 100).toFixed(2)} s total`)
  })

  test('by keys alone, saying where one is; Escape clears', async () => {
    const page = await hearth.open(address)
    await canvas(page).waitFor()
    await canvas(page).focus()
    const said = page.locator('.heat-status')
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(key)
    await expect.poll(() => said.textContent()).toContain('2 s, 20–40 ms: 2 samples')
    await page.keyboard.press('Enter')
    await expect.poll(() => said.textContent()).toContain('Enter ends it')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(() => heatOf(page, 'range')).toBe(`${from + 2_020_000_000n}-${from + 12_040_000_000n}`)
    await total(page, `${(samplesIn(202, 1204) / 100).toFixed(1)} s total`)
    await page.keyboard.press('Escape')
    await expect.poll(() => heatOf(page, 'range')).toBeUndefined()
    await page.getByText('No range is selected.').waitFor()
  })

  test('a range that has begun stays so when the map is read anew', async () => {
    const page = await hearth.open(address)
    await click(page, 6, 45)
    await expect.poll(() => page.locator('.heat-status').textContent()).toContain('click or Enter ends it')
    const again = page.waitForResponse(/\/api\/v1\/heatmap/)
    await page.keyboard.press('Shift+R')
    await (await again).finished()
    await click(page, 7, 34)
    await expect.poll(() => heatOf(page, 'range')).toBe(`${from + 6_900_000_000n}-${from + 7_700_000_000n}`)
  })

  test('idle stacks can be left out, of the map and of the flame graph', async () => {
    const page = await hearth.open(address)
    await page.getByLabel('Hide idle').check()
    await click(page, 1, 0)
    await click(page, 1, ROWS - 1)
    await page.getByText(`${BUSY_TICKS} samples`).waitFor()
    await total(page, `${BUSY_TICKS * 10} ms total`)
    await expect.poll(() => page.locator('.heat-part .top-table').getByText('(idle)').count()).toBe(0)
  })

  test('two ranges make a difference', async () => {
    const page = await hearth.open(address)
    await click(page, 1, 0)
    await click(page, 1, ROWS - 1)
    await page.getByRole('button', { name: 'Use as A' }).click()
    await page.getByText('select another range for B').waitFor()
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

  test('columns, rows, values and colours are in the address and change the picture', async () => {
    const page = await hearth.open(address)
    await canvas(page).waitFor()
    const picture = async (): Promise<string> =>
      (await canvas(page).evaluate(each => (each as HTMLCanvasElement).toDataURL())).slice(-400)
    // Painted with the next frame.
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
      await page.getByLabel(label).selectOption(option)
      await expect.poll(() => heatOf(page, key)).toBe(value)
      await expect.poll(async () => (await picture()) !== before).toBe(true)
      before = await picture()
    }
    await page.getByLabel('Cells').selectOption('sums')
    await expect.poll(() => heatOf(page, 'sums')).toBe('1')
  })

  test('a map that is wider than the page begins at its newest part, or where a range is chosen, also for keys', async () => {
    const momentOf = (nano: bigint): string => encodeURIComponent(new Date(Number(nano / 1_000_000n)).toISOString())
    const quarter = `from=${momentOf(from - 300_000_000_000n)}&to=${momentOf(from + 600_000_000_000n)}`
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
    // Also when it becomes wider than the page only then.
    await page.getByLabel('Column').selectOption('1s')
    await expect.poll(async () => await scrolled(page)).toEqual({ left: 0, rest: 0 })
    await page.getByLabel('Column').selectOption('100ms')
    await expect.poll(async () => await scrolled(page)).toEqual({ left, rest: 0 })

    const chosen = await hearth.open(`${fine}&heat=range.${from + 30_000_000_000n}-${from + 31_000_000_000n}`)
    await total(chosen, `${(samplesIn(3000, 3100) / 100).toFixed(2)} s total`)
    const seen = await scrolled(chosen)
    expect(seen.left).toBeLessThanOrEqual(300 * 3)
    expect(seen.rest).toBeLessThanOrEqual((600 - 310) * 3)
  })

  test('profiles without times say so', async () => {
    const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans&view=heat')
    await page.getByRole('heading', { name: 'The samples have no times' }).waitFor()
    expect(await page.getByRole('heading', { name: 'No profiles here' }).count()).toBe(0)
    await page.getByLabel('Hide idle').check()
    await page.getByText('Nothing is left where idle samples are hidden').waitFor()
    await page.goto(`${hearth.url}/explore?service=nobody&type=cpu%3Ans&view=heat`)
    await page.getByRole('heading', { name: 'No profiles here' }).waitFor()
    expect(await page.getByRole('heading', { name: 'The samples have no times' }).count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('nothing stands in anyone’s way, %s', async theme => {
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
    ])('a range of %s', async (name, text) => {
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
    if (real.length === 0) process.stdout.write('skipped: no real captures beside the checkout\n')
    test.each(real)('a real %s', async (name, path) => {
      const page = await hearth.open('/file')
      await open(page, name, readFileSync(`${CORPORA}/${path}`))
      await page.getByRole('button', { name: 'Whole profile' }).click()
      await page
        .locator('.heat-part .detail-bar')
        .getByText(/ total · /)
        .waitFor()
    })
  })

  test('nobody else was asked, and nothing complained', () => {
    expect([...hearth.hosts]).toEqual([])
    expect(hearth.complaints).toEqual([])
  })
})
