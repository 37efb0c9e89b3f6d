// The page in a browser, opened from a file. CHROMIUM_PATH names the browser; tools/check.ts finds and sets it. Without
// a browser these tests are skipped.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { writeFlamegraphHtml } from './write.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? ''
const ROW = 20

//  row  all
//   1   main                                      100 %
//   2   handle                    70 %            gc 30 %
//   3   query 50 %      render 20 %
//   4   read 40 %
const STACKS: readonly (readonly [path: string, milliseconds: bigint])[] = [
  ['main handle query read', 40n],
  ['main handle query', 10n],
  ['main handle render', 20n],
  ['main gc', 30n],
]

function checkout(): Profiles {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'checkout' }] })
  for (const [type, unit, each] of [
    ['cpu', 'nanoseconds', 1_000_000n],
    ['samples', 'count', 1n],
  ] as const) {
    builder.profile({ type, unit, timeUnixNano: 1_700_000_000_000_000_000n, durationNano: 30_000_000_000n })
    for (const [path, value] of STACKS) {
      const locations = path.split(' ').map(name => {
        const row = builder.function({ name, filename: `/srv/${name}/${name}.ts`, startLine: 12 })
        return builder.location({ lines: [{ function: row }] })
      })
      builder.sample({ stack: builder.stack(locations.reverse()), values: [value * each] })
    }
  }
  return builder.build()
}

describe.skipIf(executablePath === '')('the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-flame-'))
  const file = join(folder, 'checkout.html')
  let browser: Browser
  let shared: Page
  /** Errors in the page, and requests for anything but the page itself. */
  let trouble: string[]

  beforeAll(async () => {
    writeFileSync(file, writeFlamegraphHtml(checkout()).bytes)
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    shared = await newPage()
  })

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  afterEach(() => {
    if (trouble.length > 0) throw new Error(trouble.join('\n'))
  })

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const viewport = { width: 1016, height: 600 }
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', timezoneId: 'UTC', ...options })
    const page = await context.newPage()
    page.on('console', message => trouble.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', error => trouble.push(error.message))
    page.on('dialog', dialog => trouble.push(`dialog: ${dialog.message()}`))
    page.on('request', request => {
      if (!request.isNavigationRequest() || !request.url().startsWith('file:'))
        trouble.push(`request: ${request.url()}`)
    })
    return page
  }

  async function open(path = file, page = shared): Promise<Page> {
    trouble = []
    await page.mouse.move(1, 1)
    await page.goto(pathToFileURL(path).href)
    return page
  }

  /** A position in the graph: fraction of the width, and row from the top. */
  async function place(page: Page, part: number, row: number): Promise<[x: number, y: number]> {
    const box = await page.locator('#canvas').boundingBox()
    return [box!.x + box!.width * part, box!.y + row * ROW + ROW / 2]
  }

  const crumbs = (page: Page): Promise<string[]> => page.locator('#crumbs > *').allTextContents()
  const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allInnerTexts()
  const colourAt = async (page: Page, part: number, row: number): Promise<string> => {
    // Reads a copy, because reading from the page's own canvas makes Chromium warn and draw slower from then on.
    return page.evaluate(
      `(() => { const canvas = document.getElementById('canvas'), scale = canvas.width / canvas.clientWidth
        const copy = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
        copy.drawImage(canvas, -Math.floor(canvas.width * ${part}), -${row * ROW + 3} * scale)
        return [...copy.getImageData(0, 0, 1, 1).data].join() })()`,
    )
  }

  test('shows the details of the profile', async () => {
    const page = await open()
    expect(await page.title()).toBe('checkout \u00b7 cpu \u00b7 samples')
    expect(await texts(page, '#facts dt')).toEqual(['Total', 'Duration', 'Started'])
    expect((await texts(page, '#facts dd')).slice(0, 2)).toEqual(['100 ms', '30.0 s'])
    expect((await texts(page, '#facts dd'))[2]).toContain('Nov 14, 2023')
    expect(await page.locator('#facts div').first().getAttribute('title')).toBe('100,000,000 ns')
    expect(await texts(page, '#detail strong')).toEqual(['all'])
    await page.click('#resources summary')
    expect(await texts(page, '#resource-list dd')).toEqual(['checkout'])
  })

  test('draws boxes as wide as their values', async () => {
    const page = await open()
    const [handle, gc, query, nothing] = await Promise.all([
      colourAt(page, 0.69, 2),
      colourAt(page, 0.71, 2),
      colourAt(page, 0.49, 3),
      colourAt(page, 0.71, 3),
    ])
    expect(new Set([handle, gc, query, nothing]).size).toBe(4)
    expect(nothing).toBe('255,255,255,255')
  })

  test('zooms by click, and out by breadcrumb and Escape', async () => {
    const page = await open()
    await page.mouse.click(...(await place(page, 0.6, 3)))
    expect(await crumbs(page)).toEqual(['all', 'main', 'handle', 'render'])
    expect(await colourAt(page, 0.95, 3)).toBe(await colourAt(page, 0.05, 3))
    await page.click('#crumbs button >> nth=2')
    expect(await crumbs(page)).toEqual(['all', 'main', 'handle'])
    await page.mouse.move(1, 1)
    expect(await texts(page, '#detail .fact')).toEqual([
      'total 70.0 ms (70,000,000 ns)',
      'self 0 s',
      'of all 70.0%',
      'of caller 70.0%',
    ])
    await page.keyboard.press('Escape')
    expect(await crumbs(page)).toEqual(['all'])
  })

  test('scales at the pointer and moves by dragging', async () => {
    const page = await open()
    const [x, y] = await place(page, 0.9, 1)
    await page.mouse.move(x, y)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -400)
    await page.keyboard.up('Control')
    await expect.poll(() => colourAt(page, 0.02, 2)).toBe(await colourAt(page, 0.98, 2))
    await page.mouse.down()
    await page.mouse.move(x - 100, y, { steps: 4 })
    await page.mouse.move(x + 3000, y, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => colourAt(page, 0.02, 3)).not.toBe('255,255,255,255')
    expect(await crumbs(page)).toEqual(['all'])
  })

  test('shows the box under the pointer', async () => {
    const page = await open()
    await page.mouse.move(...(await place(page, 0.2, 3)))
    expect(await texts(page, '#tip strong')).toEqual(['query'])
    expect(await texts(page, '#tip .place')).toEqual(['/srv/query/query.ts:12'])
    expect(await texts(page, '#tip b')).toEqual(['50.0 ms', '10.0 ms', '50.0%', '71.4%'])
    expect(await texts(page, '#detail strong')).toEqual(['query'])
    await page.mouse.move(...(await place(page, 0.9, 4)))
    expect(await page.locator('#tip').isVisible()).toBe(false)
  })

  test('finds by text and expression', async () => {
    const page = await open()
    await page.keyboard.press('/')
    await page.keyboard.type('RE')
    expect(await texts(page, '#hits')).toEqual(['2 matches \u00b7 60.0%'])
    await page.keyboard.press('Enter')
    expect(await page.textContent('#live')).toMatch(/^read, /)
    await page.fill('#search', '/^(gc|read)$/')
    expect(await texts(page, '#hits')).toEqual(['2 matches \u00b7 70.0%'])
    await page.fill('#search', '/(/')
    expect(await texts(page, '#hits')).toEqual(['not a valid expression'])
    await page.keyboard.press('Escape')
    expect(await page.inputValue('#search')).toBe('')
    await page.click('#legend button >> nth=0')
    expect(await page.inputValue('#search')).toBe('package:srv/read')
    expect(await texts(page, '#hits')).toEqual(['1 match \u00b7 40.0%'])
  })

  test('can be navigated with keys and announces the current box', async () => {
    const page = await open()
    await page.focus('#canvas')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    expect(await page.textContent('#live')).toBe(
      'gc, total 30.0 ms, 30.0% of all, 30.0% of main, self 30.0 ms, level 3, 0 callees',
    )
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    expect(await crumbs(page)).toEqual(['all', 'main', 'handle'])
    expect(await page.textContent('#live')).toContain('handle, total 70.0 ms, 70.0% of all')
    await page.keyboard.press('Backspace')
    expect(await crumbs(page)).toEqual(['all', 'main'])
    await page.keyboard.press('i')
    expect(await page.getAttribute('#flip', 'aria-pressed')).toBe('true')
    await page.keyboard.press('ArrowUp')
    expect(await page.textContent('#live')).toMatch(/^query, /)
    await page.keyboard.press('?')
    expect(await page.locator('#help').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('#help').isVisible()).toBe(false)
    expect(await crumbs(page)).toEqual(['all', 'main'])
  })

  test('grows upward when flipped', async () => {
    const page = await open()
    const root = await colourAt(page, 0.5, 0)
    await page.click('#flip')
    expect(await colourAt(page, 0.5, 0)).toBe('255,255,255,255')
    const box = await page.locator('#canvas').boundingBox()
    await page.mouse.move(box!.x + 10, box!.y + box!.height - ROW / 2)
    expect(await texts(page, '#tip strong')).toEqual(['all'])
    expect(root).not.toBe('255,255,255,255')
  })

  test('lists functions, sorted and filtered', async () => {
    const page = await open()
    await page.click('#tab-table')
    expect(await texts(page, '#rows .name')).toEqual(['read', 'gc', 'render', 'query', 'main', 'handle'])
    expect(await texts(page, '#rows tr >> nth=1 >> td')).toEqual([
      '40.0 ms',
      '40.0%',
      '40.0 ms',
      '40.0%',
      'read',
      '/srv/read/read.ts:12',
    ])
    await page.click('th[data-key=total] button')
    expect(await texts(page, '#rows .name')).toEqual(['main', 'handle', 'query', 'read', 'gc', 'render'])
    expect(await page.getAttribute('th[data-key=total]', 'aria-sort')).toBe('descending')
    await page.click('th[data-key=name] button')
    expect(await texts(page, '#rows .name')).toEqual(['gc', 'handle', 'main', 'query', 'read', 'render'])
    await page.fill('#search', 're')
    expect(await texts(page, '#rows .name')).toEqual(['read', 'render'])
    await page.click('#rows button >> nth=1')
    expect(await page.locator('#graph').isVisible()).toBe(true)
    expect(await texts(page, '#hits')).toEqual(['1 match \u00b7 20.0%'])
  })

  test('switches between the types of the profile', async () => {
    const page = await open()
    expect(await texts(page, '#type option')).toEqual(['cpu \u00b7 ns', 'samples'])
    await page.selectOption('#type', { index: 1 })
    expect((await texts(page, '#facts dd'))[0]).toBe('100')
    await page.click('#tab-table')
    expect((await texts(page, '#rows td'))[0]).toBe('40')
  })

  test('follows the dark mode of the system and the pixel ratio of the screen', async () => {
    const page = await open(file, await newPage({ colorScheme: 'dark', deviceScaleFactor: 2 }))
    expect(await colourAt(page, 0.71, 3)).not.toBe('255,255,255,255')
    const [wide, css] = await page.evaluate<[number, number]>(
      `(() => { const c = document.getElementById('canvas'); return [c.width, c.clientWidth] })()`,
    )
    expect(wide).toBe(css * 2)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => colourAt(page, 0.71, 3)).toBe('255,255,255,255')
    await page.setViewportSize({ width: 420, height: 700 })
    await expect.poll(() => page.evaluate(`document.getElementById('canvas').clientWidth`)).toBeLessThan(420)
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(420)
  })

  test('shows hostile names as text', async () => {
    const name = '</script><img src=x onerror=alert(1)><script>alert(1)</script>'
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [{ key: 'service.name', value: name }] })
    builder.profile({ type: name, unit: name })
    const location = builder.location({ lines: [{ function: builder.function({ name, filename: name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [2n ** 62n] })
    const path = join(folder, 'hostile.html')
    writeFileSync(path, writeFlamegraphHtml(builder.build()).bytes)
    const page = await open(path)
    await page.mouse.move(...(await place(page, 0.5, 1)))
    expect(await texts(page, '#tip strong')).toEqual([name])
    expect(await texts(page, 'h1')).toEqual([name])
    expect(await page.locator('#detail .fact').first().innerText()).toBe(
      `total 4.61 E ${name} (4,611,686,018,427,387,904 ${name})`,
    )
    await page.click('#tab-table')
    expect(await texts(page, '#rows .name')).toEqual([name])
  })

  test('opens without any profile', async () => {
    const path = join(folder, 'empty.html')
    writeFileSync(path, writeFlamegraphHtml(new ProfilesBuilder().build()).bytes)
    const page = await open(path)
    expect(await texts(page, '#type-name')).toEqual(['no profiles'])
    await page.keyboard.press('t')
    expect(await texts(page, '#table-note')).toEqual(['No function matches'])
  })
})
