// Tests the thread timeline and the flame chart in Chromium with a real server and real signals, and with files.
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, openFiles, violations } from '../../testing/hearth-page.node.ts'
import { sendCrowd, sendThreads } from '../../testing/send-threads.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const THREADS = '/explore?service=threads&type=cpu%3Ans&view=threads&from=now-10m'
const CORPORA = fileURLToPath(new URL('../../../../../../shared/corpora/', import.meta.url))
const RECORDINGS = [
  'perf-data/single-event-multi-process.perf.data',
  'jfr/wall.jfr.gz',
  'chrome-trace/devtools-116.json',
]
/** Positions of the gutter and of the lane of worker-1 with its row of spans. */
const GUTTER = 208
const WORKER = 165
/** The first row of spans above worker-2, and its logs. */
const CROWD = 187
const CROWD_LOGS = 198

describe.skipIf(chromium === undefined)('ThreadTimeline', () => {
  let hearth: HearthPage
  let began: bigint

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    began = await sendThreads(hearth.otlp)
    await sendCrowd(hearth.otlp, began)
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)
  const lanes = (page: Page): string[] => new URL(page.url()).searchParams.getAll('lanes')
  const canvas = (page: Page) => page.locator('.timeline-host canvas[tabindex]')
  const live = (page: Page) => page.locator('.timeline-body [aria-live]')
  const rows = (page: Page) => page.locator('.top-table tbody tr:not([aria-hidden])')

  async function opened(path = THREADS, theme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await hearth.open(path, theme)
    await canvas(page).waitFor()
    await page.getByText('1,175 events on 4 threads').waitFor()
    return page
  }

  /** Marks seconds on the lane of worker-1. */
  async function mark(page: Page, from: number, until: number): Promise<void> {
    const box = await boxAtRest(page.locator('.timeline-host'))
    const x = (second: number): number => box.x + GUTTER + (second / 10) * (box.width - GUTTER)
    await page.keyboard.down('Shift')
    await page.mouse.move(x(from), box.y + WORKER)
    await page.mouse.down()
    await page.mouse.move(x(until), box.y + WORKER + 4, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
  }

  test('shows the exact profile of a range on a thread and keeps it in the address', async () => {
    const page = await opened()
    await mark(page, 4.01, 4.99)
    const range = page.getByRole('region', { name: 'Selected range' })
    await range.getByText('worker-1 (2)').waitFor()
    await expect.poll(() => rows(page).allTextContents()).toHaveLength(4)
    const shown = (await rows(page).allTextContents()).join(' ')
    expect(shown).toContain('parse')
    expect(shown).toContain('slowPrice')
    expect(shown).not.toContain('index')
    expect(lanes(page).some(each => /^range\.\d+-\d+$/.test(each))).toBe(true)
    expect(lanes(page).some(each => each.startsWith('on.') && each.endsWith('/2/worker-1'))).toBe(true)
    await page.reload()
    await expect.poll(async () => (await rows(page).allTextContents()).join(' ')).toContain('slowPrice')
    await range.getByRole('combobox', { name: 'Type of the range' }).selectOption('off_cpu:ns')
    await expect.poll(async () => (await rows(page).allTextContents()).join(' ')).toMatch(/accept.*lock|lock.*accept/)
    const traces = await range.getByRole('link', { name: 'Traces at this time' }).getAttribute('href')
    const from = new URL(traces!, page.url()).searchParams.get('from')!
    expect(Math.abs(Date.parse(from) - Number(began / 1_000_000n) - 4010)).toBeLessThan(100)
    const logs = new URL(
      (await range.getByRole('link', { name: 'Logs at this time' }).getAttribute('href'))!,
      page.url(),
    )
    expect([logs.searchParams.get('service'), logs.searchParams.get('thread')]).toEqual(['threads', '2'])
    await range.getByRole('button', { name: 'Clear range' }).click()
    await range.waitFor({ state: 'detached' })
  })

  test('shows lanes by goroutine, and the profile of a range on one', async () => {
    const page = await opened()
    const choice = page.getByRole('combobox', { name: 'Lanes' })
    expect(await choice.locator('option').allTextContents()).toEqual(['Threads', 'Goroutines'])
    await choice.selectOption('goroutine')
    await page.getByText('1,175 events on 3 goroutines').waitFor()
    await expect.poll(() => lanes(page)).toContain('by.goroutine')
    await page.reload()
    await page.getByText('1,175 events on 3 goroutines').waitFor()
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => live(page).textContent()).toMatch(/^goroutine 10\d, at /)
    await page.keyboard.press('Shift+ArrowRight')
    await page
      .getByRole('region', { name: 'Selected range' })
      .getByText(/^goroutine 10\d$/)
      .waitFor()
    await expect.poll(() => rows(page).count()).toBeGreaterThan(0)
    expect(lanes(page).some(each => each.startsWith('on.goroutine:'))).toBe(true)
  })

  test('works with keys: events, threads, a range and the flame chart', async () => {
    const page = await opened()
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => live(page).textContent()).toBe('gc (4), at 1.50 s: garbage collection, gcMark, 80.0 ms')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => live(page).textContent()).toMatch(/^worker-1 \(2\), at 1\.30 s: mutex, lock, 300 ms$/)
    await page.keyboard.press('Shift+ArrowRight')
    await expect
      .poll(() => live(page).textContent())
      .toMatch(/^worker-1 \(2\), at 1\.60 s: on CPU, price, 10\.0 ms, CPU 1$/)
    await page.getByRole('region', { name: 'Selected range' }).getByText('310 ms').waitFor()
    await canvas(page).focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => lanes(page)).toEqual([])
    await page.keyboard.press('w')
    await expect.poll(() => parameter(page, 'span')).toMatch(/^\d{19}-\d{19}$/)
    await page.keyboard.press('0')
    await expect.poll(() => parameter(page, 'span')).toBeNull()
    await page.keyboard.press('Enter')
    await expect.poll(() => parameter(page, 'view')).toBe('time')
    await page.locator('.time-bar').getByText('10.0 s').waitFor()
    await page.getByRole('group', { name: 'Flame chart' }).locator('canvas[tabindex]').focus()
    const said = page.locator('.time-view [aria-live]')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
    await expect.poll(() => said.textContent()).toMatch(/^parse, .*at 0 s, 300 ms/)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => said.textContent()).toMatch(/^lock, .*at 300 ms, 300 ms/)
  })

  test('shows spans, logs and metrics of the same time', async () => {
    const page = await opened()
    const box = await boxAtRest(page.locator('.timeline-host'))
    const at = (second: number): number => box.x + GUTTER + (second / 10) * (box.width - GUTTER)
    const detail = page.locator('.thread-timeline .detail-bar')
    await expect
      .poll(async () => {
        await page.mouse.move(at(4.2), box.y + 144)
        await page.mouse.move(at(4.4), box.y + 144)
        return await detail.textContent()
      })
      .toMatch(/GET \/price\/4.*800 ms.*error.*trace 4142/)
    // Logs are requested separately from spans and can arrive later.
    await expect
      .poll(async () => {
        await page.mouse.move(at(4.2), box.y + 153)
        await page.mouse.move(at(4.31), box.y + 153)
        return await detail.textContent()
      })
      .toContain('waited too long for the lock')
    await page.getByRole('combobox', { name: 'Add metric' }).click()
    await page.getByRole('option', { name: 'queue.length' }).click()
    await page.getByRole('button', { name: 'Remove metric queue.length' }).waitFor()
    expect(lanes(page)).toEqual(['metric.queue.length'])
  })

  test('aggregates many spans and logs, reports it, and shows each when zoomed in', async () => {
    const page = await opened()
    const over = async (on: Page, part: number, y: number): Promise<string | null> => {
      const box = (await on.locator('.timeline-host').boundingBox())!
      const x = box.x + GUTTER + part * (box.width - GUTTER)
      await on.mouse.move(x - 2, box.y + y)
      await on.mouse.move(x, box.y + y)
      return await on.locator('.thread-timeline .detail-bar').textContent()
    }
    await page.getByText(/longest [\d,]+ of 6,010 spans/).waitFor()
    await expect.poll(() => over(page, 0.55, CROWD_LOGS)).toMatch(/record 15\d\d.*most severe of \d+ records/)
    const from = began + 5_500_000_000n
    const zoomed = await hearth.open(`${THREADS}&span=${from}-${from + 2_000_000n}`)
    await page.context().close()
    await canvas(zoomed).waitFor()
    await zoomed.getByText('1,175 events on 4 threads').waitFor()
    await expect.poll(() => over(zoomed, 0.525, CROWD)).toMatch(/step 3006.*at 5\.50 s.*100 µs.*trace/)
    expect(await over(zoomed, 0.025, CROWD)).toContain('step 3000')
    await expect.poll(() => over(zoomed, 0.5, CROWD_LOGS)).toMatch(/^record 1503at 5\.50 s$/)
    expect(await zoomed.getByText(/longest [\d,]+ of 6,010 spans/).count()).toBe(0)
    await canvas(zoomed).focus()
    await zoomed.keyboard.press('0')
    await zoomed.getByText(/longest [\d,]+ of 6,010 spans/).waitFor()
  })

  test('shows clock time in every view of time, until the user prefers elapsed time', async () => {
    const ruler = (page: Page) => page.locator('.time-ruler span').first()
    const page = await hearth.open(THREADS.replace('view=threads', 'view=time'))
    await expect.poll(() => ruler(page).textContent()).toMatch(/^\d\d:\d\d:\d\d/)
    await page.getByRole('combobox', { name: 'Times' }).selectOption('elapsed')
    await expect.poll(() => ruler(page).textContent()).toMatch(/^[\d.]+ m?s$/)
    for (const view of ['threads', 'heat']) {
      await page.goto(`${hearth.url}${THREADS.replace('view=threads', `view=${view}`)}`)
      const times = page.getByRole('combobox', { name: 'Times' })
      await expect.poll(() => times.inputValue()).toBe('elapsed')
      await times.selectOption('clock')
      await times.selectOption('elapsed')
    }
  })

  test('cuts a wait that started before the range at its edge', async () => {
    const time = (ms: number): string => encodeURIComponent(new Date(Number(began / 1_000_000n) + ms).toISOString())
    const path = '/explore?service=threads&type=cpu%3Ans&view=threads'
    const page = await hearth.open(`${path}&from=${time(4400)}&to=${time(4500)}`)
    await page.getByText('14 events on 3 threads').waitFor()
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => live(page).textContent()).toBe('worker-1 (2), started 100 ms earlier: mutex, lock, 300 ms')
    const box = await boxAtRest(page.locator('.timeline-host'))
    const x = (part: number): number => box.x + GUTTER + part * (box.width - GUTTER)
    await page.keyboard.down('Shift')
    await page.mouse.move(x(0.25), box.y + 137)
    await page.mouse.down()
    await page.mouse.move(x(0.75), box.y + 139, { steps: 4 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    const range = page.getByRole('region', { name: 'Selected range' })
    await range.getByRole('combobox', { name: 'Type of the range' }).selectOption('off_cpu:ns')
    // The part of its 300 ms that is in the range.
    await expect.poll(async () => (await rows(page).allTextContents()).join(' ')).toMatch(/lock.*(49\.\d|50\.\d) ms/)
  })

  test('finds, sorts and hides threads and types, and keeps that in the address', async () => {
    const page = await opened()
    await page.getByRole('searchbox', { name: 'Find threads' }).fill('worker')
    await page.getByRole('combobox', { name: 'Sort threads' }).selectOption('busy')
    await page.getByRole('button', { name: 'Show or hide profile types' }).click()
    await page.getByLabel('off_cpu (ns)').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show or hide threads' }).click()
    await page.getByLabel('worker-2 (3)').uncheck()
    await expect
      .poll(() => lanes(page).map(each => each.replace(/\d{5,}/, 'N')))
      .toEqual(['sort.busy', 'find.worker', 'hide.N/3/worker-2', 'without.off_cpu:ns'])
    await page.keyboard.press('Escape')
    await canvas(page).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => live(page).textContent()).toContain('worker-1 (2), at 0 s: on CPU, parse')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => live(page).textContent()).toContain('worker-1 (2)')
  })

  test('explains profiles without timestamps', async () => {
    for (const view of ['threads', 'time']) {
      const page = await hearth.open(`/explore?service=checkout&type=cpu%3Ans&view=${view}`)
      await page.getByRole('heading', { name: 'No timestamps' }).waitFor()
      await page.getByText('their samples have no times of their own').waitFor()
      await hearth.closePages()
    }
  })

  test.each(['light', 'dark'] as const)('has no accessibility violations, %s', async theme => {
    const page = await opened(THREADS, theme)
    expect(await violations(page)).toEqual([])
    await mark(page, 2, 3)
    await rows(page).first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Show or hide threads' }).click()
    expect(await violations(page)).toEqual([])
  })

  for (const name of RECORDINGS) {
    const isThere = existsSync(CORPORA + name)
    if (!isThere) process.stdout.write(`skipped: ${name} was not found in shared/corpora\n`)
    test.skipIf(!isThere)(`shows a file in lanes and as a flame chart: ${name}`, async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: basename(name), bytes: readFileSync(CORPORA + name) })
      await page.getByRole('button', { name: 'Threads', exact: true }).click()
      await page.getByText(/[\d,]+ events on \d+ threads/).waitFor()
      await page.getByRole('combobox', { name: 'Sort threads' }).selectOption('busy')
      await canvas(page).focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => live(page).textContent()).toMatch(/, at .*: /)
      await page.keyboard.press('Shift+ArrowRight')
      await page.getByRole('region', { name: 'Selected range' }).waitFor()
      await page.getByRole('button', { name: 'Time order' }).click()
      await page.getByRole('combobox', { name: 'Thread' }).waitFor()
      await expect.poll(() => page.locator('.time-bar option').count()).toBeGreaterThan(0)
    })
  }

  test('logs no errors in the browser', () => {
    expect(hearth.errors).toEqual([])
  })
})
