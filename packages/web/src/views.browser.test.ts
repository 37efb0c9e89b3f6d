// Views in Chromium with a real server: several files, source lines, sandwich, comparison, layout and navigation.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from './testing/chromium.node.ts'
import { boxAtRest } from './testing/box-at-rest.node.ts'
import { HearthPage, openFiles, violations } from './testing/hearth-page.node.ts'
import { heapSnapshots } from './testing/heap-snapshots.ts'
import { mixedFile } from './testing/mixed-file.ts'
import { debugFile, nativeProfile } from './testing/native-profile.ts'
import { problemsOf } from './testing/screen-problems.node.ts'
import { screensToWalk } from './testing/screens-to-walk.ts'
import { push } from './testing/send-shop.node.ts'
import { sendTraces } from './testing/send-traces.node.ts'
import { traceIdOf } from './testing/shop-traces.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const CHECKOUT = '/explore?service=checkout&type=cpu%3Ans'
const COMPARE =
  '/compare?a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-56m&a.to=now-30m&b.from=now-25m'
const FOLDED = { name: 'a.folded', bytes: 'main;parse 3\nmain;print 1\n' }
const LATER = { name: 'b.folded', bytes: 'main;parse 3\nmain;cache 1\n' }
/** A file with timestamps and without a sample count. */
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

const ON_A_PHONE = ['services', 'explore', 'explore-sandwich', 'function', 'compare', 'trace', 'logs', 'alerts-rules']

describe.skipIf(chromium === undefined)('views', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendTraces(hearth.otlp)
    await push(hearth.otlp, heapSnapshots(BigInt(Date.now()) * 1_000_000n, [1, 6, 2]))
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  }, 60_000)

  const parameters = (page: Page, name: string): string[] => new URL(page.url()).searchParams.getAll(name)

  it('explains why profiles of a file cannot be added up', async () => {
    const page = await hearth.open('/file')
    await openFiles(page, mixedFile())
    const alert = page.getByRole('alert')
    await alert.getByRole('heading', { name: 'These profiles cannot be added up' }).waitFor()
    await alert.getByText('a series of cpu has both delta and cumulative profiles').waitFor()
  })

  it('fold chains of calls until they are unfolded, and list the calls as a tree with levels', async () => {
    const page = await hearth.open('/file')
    const chain = Array.from({ length: 20 }, (_, i) => `f${i}`).join(';')
    await openFiles(page, { name: 'deep.folded', bytes: `${chain};left 3\n${chain};right 1\n` })
    await page.getByRole('button', { name: '18 calls folded · Unfold' }).click()
    await page.getByRole('button', { name: 'Fold chains of calls' }).click()
    await page.getByRole('button', { name: 'Call tree' }).click()
    const tree = page.getByRole('treegrid', { name: 'Call tree' })
    const levels = tree.locator('[role=row][aria-level]')
    await expect
      .poll(() => levels.evaluateAll(rows => rows.map(row => row.getAttribute('aria-level'))))
      .toEqual(['1', '2', '3', '3'])
    await tree.focus()
    await page.keyboard.press('End')
    expect(await tree.locator('[aria-selected=true]').textContent()).toContain('right')
    await page.getByRole('button', { name: 'Call graph' }).click()
    await page.getByRole('img', { name: /^left, total 3/ }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('reach the graph with at most ten stops of the Tab key, and by the skip link', async () => {
    const page = await hearth.open(CHECKOUT)
    await page.locator('.top-table tbody tr').first().waitFor()
    await page.locator('.u-over').waitFor()
    const isGraph = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.closest('.profile-graph') !== null)
    let stops = 0
    for (; stops < 30 && !(await isGraph()); stops++) await page.keyboard.press('Tab')
    expect(stops - 1).toBeLessThanOrEqual(10)
    await page.getByRole('link', { name: 'Skip to content' }).focus()
    await page.keyboard.press('Enter')
    expect(await isGraph()).toBe(true)
  })

  it('keep the sizes of panes, and the table when a row is selected', async () => {
    const page = await hearth.open(CHECKOUT)
    const rows = page.locator('.top-table tbody tr:not([aria-hidden])')
    await rows.first().waitFor()
    const count = await rows.count()
    await rows.nth(1).getByRole('button').click()
    await expect.poll(() => parameters(page, 'frame').length).toBe(1)
    expect(await rows.count()).toBe(count)
    expect(await rows.nth(1).getAttribute('class')).toBe('selected')
    const handle = page.getByRole('separator', { name: 'Size of the table' })
    await handle.focus()
    await page.keyboard.press('End')
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('90')
    await page.reload()
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('90')
    expect(await rows.nth(1).getAttribute('class')).toBe('selected')
  })

  it('choose the columns of the table, save it as CSV, and hide the runtime on request', async () => {
    const page = await hearth.open(CHECKOUT)
    const head = page.locator('.top-table thead')
    await page.locator('.top-table tbody tr').first().waitFor()
    const columns = page.getByRole('button', { name: 'Columns and CSV' })
    await columns.click()
    await page.getByLabel('File', { exact: true }).check()
    await page.getByLabel('Over time', { exact: true }).check()
    await head.getByText('File').waitFor()
    await page.locator('.top-table tbody svg path').first().waitFor()
    expect(await violations(page)).toEqual([])
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const lines = readFileSync(await saved.path(), 'utf8').split('\r\n')
    expect(lines[0]).toBe('function,self (ns),self share,total (ns),total share,file,library')
    expect(lines[1]).toMatch(/^checkout\/db\.\(\*Rows\)\.Next,\d{9,},0\.\d+,\d{9,},0\.\d+,\/app\/db\/rows\.go,$/)
    await page.reload()
    await head.getByText('File').waitFor()
    const functions = page.locator('.top-table .top-name')
    await functions.filter({ hasText: 'scanobject' }).waitFor()
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByRole('group', { name: 'Hide runtime and libraries' }).getByRole('checkbox').first().check()
    await functions.filter({ hasText: 'scanobject' }).waitFor({ state: 'detached' })
    await functions.filter({ hasText: 'Rows' }).waitFor()
    expect(parameters(page, 'do')).toHaveLength(1)
  })

  describe('several files', () => {
    it('compares two files and offers the others in their menus', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, FOLDED, LATER, TIMED)
      await page.getByText('3 files open').waitFor()
      const [a, b, c] = parameters(page, 'file')
      await page.getByRole('button', { name: /^Comparison: b\.folded/ }).click()
      await page.getByRole('button', { name: /^c\.cpuprofile/ }).click()
      await page.getByRole('button', { name: /^Comparison: c\.cpuprofile/ }).waitFor()
      expect(parameters(page, 'file')).toEqual([a, c, b])
      await page.getByRole('button', { name: /^Comparison: c\.cpuprofile/ }).click()
      await page.getByRole('button', { name: 'Close file' }).click()
      await page.getByRole('button', { name: /^Comparison: b\.folded/ }).waitFor()
      expect(await violations(page)).toEqual([])
    })

    it('compares shares only if the files have no common type', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, FOLDED, TIMED)
      await page.getByText(/No common profile type: comparing shares of samples and /).waitFor()
      await page.getByText('Comparing shares only').waitFor()
      expect(await page.getByLabel('Normalise').count()).toBe(0)
      await page.getByRole('button', { name: 'Swap' }).click()
      await page.getByText(/ and samples$/).waitFor()
    })

    it('names and skips a file that is not a profile', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, NOTES, FOLDED)
      await page.getByText('notes.txt was skipped: Unknown format').waitFor()
      await page.locator('.top-table tbody tr').filter({ hasText: 'parse' }).waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await expect.poll(() => parameters(page, 'file').length).toBe(1)
      await page.goto(`${hearth.url}/file`)
      await openFiles(page, NOTES)
      await page.getByRole('heading', { name: 'notes.txt: Unknown format' }).waitFor()
    })
  })

  it('shows the lines of the file with the largest value first and offers frames without a file', async () => {
    const page = await hearth.open('/file')
    await openFiles(page, TIMED)
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByText('w.js').first().waitFor()
    await page.goto(`${hearth.url}/file`)
    await openFiles(page, FOLDED)
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByRole('button', { name: 'unknown source file' }).click()
    await expect.poll(() => parameters(page, 'file-of-frame')).toEqual(['-'])
    await page.getByRole('cell', { name: 'parse' }).waitFor()
  })

  it('shows the source text around the lines with a value, with links, and the whole file on demand', async () => {
    const page = await hearth.open('/')
    const text = Array.from({ length: 400 }, (_, i) => `source line ${i + 1}`).join('\n')
    await page.route('**/api/v1/source*', async route =>
      route.fulfill({ json: { file: 'x', path: 'x', text, link: 'https://git.example/x#L{line}' } }),
    )
    await page.goto(`${hearth.url}${CHECKOUT}&view=lines`)
    const source = page.getByRole('region', { name: 'Lines' })
    await source
      .getByText(/^source line \d+$/)
      .first()
      .waitFor()
    expect(await source.getByRole('link').first().getAttribute('href')).toMatch(/^https:\/\/git\.example\/x#L\d+$/)
    expect(await source.getByText('source line 400', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Whole file' }).click()
    await source.getByText('source line 400', { exact: true }).waitFor()
    expect(await violations(page, true)).toEqual([])
  })

  it('moves a caller to the middle of the sandwich by keys', async () => {
    const page = await hearth.open(`${CHECKOUT}&view=sandwich`)
    const callers = page.getByRole('group', { name: /^Callers of/ }).locator('canvas[tabindex]')
    await callers.waitFor()
    const middle = page.locator('.sandwich-middle strong')
    const first = await middle.textContent()
    // The function is in the middle, between its callers and its callees.
    const graphs = await boxAtRest(page.locator('.sandwich-graphs'))
    const line = (await page.locator('.sandwich-middle').boundingBox())!
    const place = (line.y + line.height / 2 - graphs.y) / graphs.height
    expect(place).toBeGreaterThan(0.4)
    expect(place).toBeLessThan(0.6)
    // The first box is the function itself, the second its caller.
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

  it('keeps the height of the toolbar during a search and finds matches outside of the zoom', async () => {
    const page = await hearth.open(CHECKOUT)
    const bar = page.locator('.view-toolbar')
    await page.locator('.top-table tbody tr').first().waitFor()
    const before = (await bar.boundingBox())!.height
    await page.keyboard.press('/')
    await page.keyboard.type('runtime')
    await page.getByText(/calls, [\d.]+% of total/).waitFor()
    expect((await bar.boundingBox())!.height).toBe(before)
    // The zoomed part contains no match.
    await page.goto(`${hearth.url}${CHECKOUT}&at=main.main&search=runtime`)
    await page.getByText(/calls, [\d.]+% of total/).waitFor()
    await page.getByRole('button', { name: 'Next match' }).click()
    await page
      .locator('.detail-bar .detail-name')
      .filter({ hasText: /^runtime/ })
      .waitFor()
  })

  it('shows the totals of a comparison and opens the traces of a function', async () => {
    const page = await hearth.open(COMPARE)
    const graph = page.getByRole('group', { name: 'Diff flame graph' }).locator('canvas[tabindex]')
    await graph.waitFor()
    await page
      .locator('.detail-bar')
      .getByText(/Baseline .*, comparison .* · /)
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
    await page.getByRole('button', { name: 'Baseline self', exact: true }).click()
    await expect.poll(() => parameters(page, 'order')).toEqual(['before'])
    await page.keyboard.press('/')
    await page.keyboard.type('json')
    await expect.poll(() => parameters(page, 'filter')).toEqual(['json'])
  })

  it('averages snapshots of the heap over time and offers the latest and the maximum', async () => {
    const page = await hearth.open('/explore?service=heap&type=inuse_space%3ABy')
    const total = page.locator('.explore-chart-head strong')
    const graph = page.locator('.detail-bar')
    const aggregation = page.getByRole('combobox', { name: 'Aggregation' })
    await page.getByText('inuse_space, average over time').waitFor()
    await expect.poll(() => total.textContent()).toBe('3.00 MiB')
    await graph.getByText('3.00 MiB').waitFor()
    for (const [mode, text] of [
      ['latest', '2.00 MiB'],
      ['maximum', '6.00 MiB'],
    ] as const) {
      await aggregation.selectOption(mode)
      await expect.poll(() => total.textContent()).toBe(text)
      await graph.getByText(text).waitFor()
      expect(parameters(page, 'snapshots')).toEqual([mode])
    }
    expect(await violations(page)).toEqual([])
  })

  it('goes to the list from a direct link and otherwise back', async () => {
    const page = await hearth.open(`/trace?id=${traceIdOf(47)}`)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.waitForURL(/\/traces$/)
    await page.getByRole('link', { name: 'POST /orders' }).first().click()
    await page.waitForURL(/\/trace\?/)
    await page.reload()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.waitForURL(/\/traces$/)
  })

  it('opens an area by Alt and a digit, whatever character the keyboard layout produces', async () => {
    const page = await hearth.open(CHECKOUT)
    await page.locator('.top-table tbody tr').first().waitFor()
    for (const [key, code, area] of [
      ['∞', 'Digit4', 'Logs'],
      ['å', 'KeyA', 'Alerts'],
      ['º', 'Digit0', 'Services'],
    ] as const) {
      await page.evaluate(
        init => {
          dispatchEvent(new KeyboardEvent('keydown', { ...init, altKey: true, cancelable: true }))
        },
        { key, code },
      )
      await page.getByRole('navigation', { name: 'Screens' }).locator('[aria-current=page]').getByText(area).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/${area.toLowerCase()}`)
      if (area === 'Logs') expect(parameters(page, 'service')).toEqual(['checkout'])
    }
  })

  it('reports a screen that failed to load and loads it on retry', async () => {
    const page = await hearth.open(CHECKOUT)
    await page.route(/assets\/status-screen/, route => route.abort())
    await page.getByRole('link', { name: 'Status' }).click()
    await page.getByText('Failed to load').waitFor()
    await page.unroute(/assets\/status-screen/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Receivers' }).waitFor()
  })

  it('reports an invalid trace ID without mentioning filters', async () => {
    const page = await hearth.open('/trace?id=abc')
    await page.getByRole('alert').getByText('use 32 hex digits').waitFor()
    expect(await page.getByText('filters above').count()).toBe(0)
  })

  it('fits on a tablet', async () => {
    const page = await hearth.open(`/trace?id=${traceIdOf(47)}`)
    await page.setViewportSize({ width: 820, height: 1180 })
    await page.locator('.top-table tbody tr').first().waitFor()
    // All boxes of one moment, because parts that load later move the others.
    const placed = (): Promise<unknown> =>
      page.evaluate(() => {
        const boxOf = (part: string): DOMRect => document.querySelector(part)!.getBoundingClientRect()
        const side = boxOf('.trace-side')
        const parts = ['.waterfall-row .number', '.view-toolbar button', '.trace-side button']
        return {
          beyond: parts.filter(part =>
            [...document.querySelectorAll(part)].some(each => each.getBoundingClientRect().right > innerWidth),
          ),
          // The details are below the trace and do not cover it.
          isBelowTrace: side.y >= boxOf('.trace-main').bottom - 1,
          isBelowDetails: side.y >= boxOf('.trace-main .detail-bar').bottom - 1,
        }
      })
    await expect.poll(placed).toEqual({ beyond: [], isBelowTrace: true, isBelowDetails: true })
  })

  it.each(
    screensToWalk()
      .filter(({ name }) => ON_A_PHONE.includes(name))
      .map(({ name, path, ready }) => [name, path, ready] as const),
  )('fits on a phone: %s', async (_, path, ready) => {
    const page = await hearth.open(path, 'light', 390)
    await page.locator(ready).first().waitFor()
    expect(await problemsOf(page, 390)).toEqual([])
  })

  it('requests no other host and logs no errors', () => {
    expect([...hearth.hosts]).toEqual([])
    expect(hearth.errors).toEqual([])
  })

  it('uploads debug files on the Symbols screen, which name the frames of stored profiles', async () => {
    await push(hearth.otlp, nativeProfile(BigInt(Date.now()) * 1_000_000n))
    await hearth.settled()
    const page = await hearth.open('/symbols')
    const binary = page.getByRole('row').filter({ hasText: 'shop' })
    await binary.getByText('1 address without a debug file').waitFor()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload debug files' }).click(),
    ])
    await chooser.setFiles([
      { name: 'shop.debug', mimeType: 'application/octet-stream', buffer: Buffer.from(debugFile) },
    ])
    await page.getByText('shop.debug: names, files and lines').waitFor()
    await binary.getByText('names and lines').first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.goto(`${hearth.url}/explore?service=shop&type=samples%3Acount&view=table`)
    for (const name of ['rounded', 'discounted', 'shop::Cart::total() const'])
      await page.getByText(name, { exact: true }).first().waitFor()
  })
})
