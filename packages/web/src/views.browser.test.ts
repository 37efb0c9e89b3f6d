// Views as a person uses them, in Chromium over a real server: several files at once, lines, the sandwich by keys, comparisons
// and the traces of their functions, bars that keep their height, and the way back.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from './draw/testing/chromium.node.ts'
import { HearthPage, openFiles, violations } from './testing/hearth-page.node.ts'
import { sendTraces } from './testing/send-traces.node.ts'
import { traceIdOf } from './testing/shop-traces.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: no Chromium was found (CHROMIUM_PATH can name one)\n')

const CHECKOUT = '/explore?service=checkout&type=cpu%3Ans'
const COMPARE =
  '/compare?a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-56m&a.to=now-30m&b.from=now-25m'
const FOLDED = { name: 'a.folded', bytes: 'main;parse 3\nmain;print 1\n' }
const LATER = { name: 'b.folded', bytes: 'main;parse 3\nmain;cache 1\n' }
/** Two times of it, and no count of samples. */
const TIMED = {
  name: 'c.cpuprofile',
  bytes: JSON.stringify({
    nodes: [
      { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1 }, children: [2] },
      { id: 2, callFrame: { functionName: 'work', url: 'w.js', lineNumber: 3 } },
    ],
    startTime: 0,
    endTime: 2000,
    samples: [2, 2],
    timeDeltas: [1000, 1000],
  }),
}
const NOTES = { name: 'notes.txt', bytes: 'this is no profile\n' }

describe.skipIf(chromium === undefined)('views', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendTraces(hearth.otlp)
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  }, 60_000)

  const parameters = (page: Page, name: string): string[] => new URL(page.url()).searchParams.getAll(name)

  describe('several files', () => {
    test('two are compared, the others wait in their menus', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, FOLDED, LATER, TIMED)
      await page.getByText('3 files are open').waitFor()
      const [a, b, c] = parameters(page, 'file')
      await page.getByRole('button', { name: /^After: b\.folded/ }).click()
      await page.getByRole('button', { name: /^c\.cpuprofile/ }).click()
      await page.getByRole('button', { name: /^After: c\.cpuprofile/ }).waitFor()
      expect(parameters(page, 'file')).toEqual([a, c, b])
      await page.getByRole('button', { name: /^After: c\.cpuprofile/ }).click()
      await page.getByRole('button', { name: 'Close this file' }).click()
      await page.getByRole('button', { name: /^After: b\.folded/ }).waitFor()
      expect(await violations(page)).toEqual([])
    })

    test('without a type in common only shares are compared, and that is said', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, FOLDED, TIMED)
      await page.getByText(/shares of samples:1 against shares of .*: no type is in both/).waitFor()
      await page.getByText('Shares alone are compared').waitFor()
      expect(await page.getByRole('button', { name: 'Values' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Swap' }).click()
      await page.getByText(/shares of samples:1: no type is in both/).waitFor()
    })

    test('one that is no profile is named and left out', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, NOTES, FOLDED)
      await page.getByText('notes.txt is left out: This is no profile that Hearth knows').waitFor()
      await page.locator('.top-table tbody tr').filter({ hasText: 'parse' }).waitFor()
      await page.getByRole('button', { name: 'Forget it' }).click()
      await expect.poll(() => parameters(page, 'file').length).toBe(1)
      await page.goto(`${hearth.url}/file`)
      await openFiles(page, NOTES)
      await page.getByRole('heading', { name: 'notes.txt: This is no profile that Hearth knows' }).waitFor()
    })
  })

  test('lines begin with the file that has the most, and those without a file can be chosen', async () => {
    const page = await hearth.open('/file')
    await openFiles(page, TIMED)
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByText('w.js').first().waitFor()
    await page.goto(`${hearth.url}/file`)
    await openFiles(page, FOLDED)
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByRole('button', { name: 'no source file known' }).click()
    await expect.poll(() => parameters(page, 'file-of-frame')).toEqual(['-'])
    await page.getByRole('cell', { name: 'parse' }).waitFor()
  })

  test('the sandwich by keys: a caller is walked to, told of, and stands in the middle', async () => {
    const page = await hearth.open(`${CHECKOUT}&view=sandwich`)
    const callers = page.getByRole('group', { name: /^Callers of/ }).locator('canvas[tabindex]')
    await callers.waitFor()
    const middle = page.locator('.sandwich-middle strong')
    const first = await middle.textContent()
    // The first is the function itself, the second what calls it.
    await callers.focus()
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key)
    const name = page.locator('.detail-bar .detail-name')
    await name.waitFor()
    await page
      .locator('.detail-bar')
      .getByText(/% of the function/)
      .waitFor()
    const chosen = await name.textContent()
    expect(chosen).not.toBe(first)
    await page.keyboard.press('s')
    await expect.poll(() => middle.textContent()).toBe(chosen)
  })

  test('a search makes no bar higher, and finds what is outside of the zoom', async () => {
    const page = await hearth.open(CHECKOUT)
    const bar = page.locator('.view-toolbar')
    await page.locator('.top-table tbody tr').first().waitFor()
    const before = (await bar.boundingBox())!.height
    await page.keyboard.press('/')
    await page.keyboard.type('runtime')
    await page.getByText(/calls, [\d.]+% of total/).waitFor()
    expect((await bar.boundingBox())!.height).toBe(before)
    // Nothing of it is in what is zoomed into.
    await page.goto(`${hearth.url}${CHECKOUT}&at=main.main&search=runtime`)
    await page.getByText(/calls, [\d.]+% of total/).waitFor()
    await page.getByRole('button', { name: 'Next match' }).click()
    await page
      .locator('.detail-bar .detail-name')
      .getByText(/^runtime/)
      .waitFor()
  })

  test('a comparison: sums as they are, keys, and the traces of a function', async () => {
    const page = await hearth.open(COMPARE)
    const graph = page.getByRole('group', { name: 'Difference as a flame graph' }).locator('canvas[tabindex]')
    await graph.waitFor()
    await page
      .locator('.detail-bar')
      .getByText(/ before, .* after · /)
      .waitFor()
    await graph.focus()
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
    await page
      .locator('.detail-bar')
      .getByText(/points, before [\d.]+% of total$/)
      .waitFor()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: /^Find traces/ }).click()
    await page.waitForURL(/\/traces\?/)
    expect(parameters(page, 'from')).toEqual(['now-56m'])
    expect(parameters(page, 'samples')[0]).toContain('frame "')
    await page.goBack()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    expect(await page.getByRole('button', { name: 'Inverted' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Before', exact: true }).click()
    await expect.poll(() => parameters(page, 'order')).toEqual(['before'])
    await page.keyboard.press('/')
    await page.keyboard.type('json')
    await expect.poll(() => parameters(page, 'filter')).toEqual(['json'])
  })

  test('from a link there is a way up, and otherwise back', async () => {
    const page = await hearth.open(`/trace?id=${traceIdOf(47)}`)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.waitForURL(/\/traces$/)
    await page.getByRole('link', { name: 'POST /orders' }).first().click()
    await page.waitForURL(/\/trace\?/)
    await page.reload()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.waitForURL(/\/traces$/)
  })

  test('Alt and a digit leads to a screen, whatever sign it types', async () => {
    const page = await hearth.open(CHECKOUT)
    await page.locator('.top-table tbody tr').first().waitFor()
    await page.evaluate(() => {
      dispatchEvent(new KeyboardEvent('keydown', { key: '∞', code: 'Digit5', altKey: true, cancelable: true }))
    })
    await page.waitForURL(/\/logs$/)
  })

  test('a screen that does not come is said, and is there when it is tried again', async () => {
    const page = await hearth.open(CHECKOUT)
    await page.route(/assets\/status-screen/, route => route.abort())
    await page.getByRole('link', { name: 'Status' }).click()
    await page.getByText('This part of the page did not come').waitFor()
    await page.unroute(/assets\/status-screen/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Receivers' }).waitFor()
  })

  test('an id that is none is said without talk of filters', async () => {
    const page = await hearth.open('/trace?id=abc')
    await page.getByRole('alert').getByText('the id of a trace is 32 hex digits').waitFor()
    expect(await page.getByText('filters above').count()).toBe(0)
  })

  test('nothing is beyond the edges of a tablet', async () => {
    const page = await hearth.open(`/trace?id=${traceIdOf(47)}`)
    await page.setViewportSize({ width: 820, height: 1180 })
    await page.locator('.top-table tbody tr').first().waitFor()
    for (const part of ['.waterfall-row .number', '.view-toolbar button', '.trace-side button']) {
      const beyond = await page
        .locator(part)
        .evaluateAll(all => all.filter(each => each.getBoundingClientRect().right > innerWidth).length)
      expect({ part, beyond }).toEqual({ part, beyond: 0 })
    }
    // What is said of the trace stands below it, and not over it.
    const side = (await page.locator('.trace-side').boundingBox())!
    const main = (await page.locator('.trace-main').boundingBox())!
    expect(side.y).toBeGreaterThanOrEqual(main.y + main.height - 1)
  })

  test('nobody asked another host, and nothing was complained of', () => {
    expect([...hearth.hosts]).toEqual([])
    expect(hearth.complaints).toEqual([])
  })
})
