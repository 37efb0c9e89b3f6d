// The UI in Chromium with a real server: every screen.
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from './testing/chromium.node.ts'
import { boxAtRest } from './testing/box-at-rest.node.ts'
import { HearthPage, heightOf, openFiles, violations, violationsInThemes } from './testing/hearth-page.node.ts'
import { Viewing } from './testing/viewing.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const CHECKOUT = '/explore?service=checkout&type=cpu%3Ans'
const SIDES =
  '/compare?a.service=checkout&b.service=checkout&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-66m&a.to=now-40m&b.from=now-25m'
const FOLDED = 'main;work;parse 30\nmain;work;print 10\nmain;idle 5\n'
/** A trace of two threads: main with two requests that parse, and a worker. */
const TRACE = JSON.stringify([
  { ph: 'M', pid: 7, tid: 1, name: 'thread_name', args: { name: 'main' } },
  { ph: 'M', pid: 7, tid: 2, name: 'thread_name', args: { name: 'worker' } },
  { ph: 'X', pid: 7, tid: 1, ts: 0, dur: 2500, name: 'request' },
  { ph: 'X', pid: 7, tid: 1, ts: 1000, dur: 500, name: 'parse' },
  { ph: 'X', pid: 7, tid: 1, ts: 3000, dur: 1000, name: 'request' },
  { ph: 'X', pid: 7, tid: 1, ts: 3500, dur: 500, name: 'parse' },
  { ph: 'X', pid: 7, tid: 2, ts: 500, dur: 100, name: 'job' },
])
const FOLDED_LATER = 'main;work;parse 10\nmain;work;cache 20\nmain;idle 5\n'

describe.skipIf(chromium === undefined)('UI', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const rows = (page: Page) => page.locator('.top-table tbody tr:not([aria-hidden])')
  const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)

  describe('Explore', () => {
    it('selects a profile type, shows the top functions and keeps the selection in the URL', async () => {
      const page = await hearth.open('/explore')
      await page.waitForURL(/type=cpu/)
      await rows(page).first().waitFor()
      await page.getByRole('combobox', { name: 'Service' }).click()
      await page.getByRole('option', { name: /checkout/ }).click()
      await page.waitForURL(/service=checkout/)
      const response = await fetch(`${hearth.url}/api/v1/top?selector=cpu%3Ans%7Bservice.name%3D%22checkout%22%7D`)
      const top = (await response.json()) as { rows: { frame: { name: string } }[] }
      const shown = rows(page).first().locator('button')
      await expect.poll(() => shown.textContent()).toBe(top.rows[0].frame.name)
      await page.goBack()
      await expect.poll(() => parameter(page, 'service')).toBeNull()
      await page.goForward()
      await expect.poll(() => parameter(page, 'service')).toBe('checkout')
    })

    it('suggests, applies and removes filters', async () => {
      const page = await hearth.open(CHECKOUT)
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('combobox', { name: 'Attribute' }).fill('region')
      await page.getByRole('option', { name: /cloud.region/ }).click()
      await page.getByRole('combobox', { name: 'Value' }).click()
      await page.getByRole('option', { name: 'us-east' }).click()
      await expect.poll(() => parameter(page, 'where')).toBe('cloud.region=us-east')
      await page.getByRole('button', { name: 'Remove filter cloud.region = us-east' }).click()
      await expect.poll(() => parameter(page, 'where')).toBeNull()
    })

    it('never suggests values of the previous attribute while values are loading', async () => {
      const page = await hearth.open(CHECKOUT)
      let release: () => void = () => {}
      const held = new Promise<void>(resolve => (release = resolve))
      await page.route('**/api/v1/attributes/service.name/values*', async route => {
        await held
        await route.continue()
      })
      await page.getByRole('button', { name: 'Add filter' }).click()
      const attribute = page.getByRole('combobox', { name: 'Attribute' })
      const value = page.getByRole('combobox', { name: 'Value' })
      await attribute.fill('cloud.region')
      await page.getByRole('option', { name: /cloud.region/ }).click()
      await value.click()
      await page.getByRole('option', { name: 'us-east' }).waitFor()
      await attribute.fill('service.name')
      await page.getByRole('option', { name: /^service.name/ }).click()
      await value.click()
      await page.getByRole('option', { name: 'Loading…' }).waitFor()
      expect(await page.getByRole('option', { name: 'us-east' }).count()).toBe(0)
      release()
      await page.getByRole('option', { name: 'checkout' }).waitFor()
    })

    it('marks the deployment of a version on the chart', async () => {
      const page = await hearth.open(CHECKOUT)
      const marks = page.getByRole('list', { name: 'Marks' })
      await expect
        .poll(() => marks.getByRole('listitem').allTextContents())
        .toContainEqual(expect.stringMatching(/: 1\.5\.0$/))
    })

    it('selects a time range by dragging on the chart and draws one line per group', async () => {
      const page = await hearth.open(`${CHECKOUT}&group=cloud.region`)
      await page.getByRole('button', { name: /us-east/ }).waitFor()
      const plot = await boxAtRest(page.locator('.u-over'))
      await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 40)
      await page.mouse.down()
      await page.mouse.move(plot.x + plot.width * 0.6, plot.y + 40, { steps: 5 })
      await page.mouse.up()
      await expect.poll(() => parameter(page, 'from')).toMatch(/^\d{4}-/)
      const length = Date.parse(parameter(page, 'to')!) - Date.parse(parameter(page, 'from')!)
      expect(length).toBeGreaterThan(16 * 60_000)
      expect(length).toBeLessThan(20 * 60_000)
      const dragged = page.url()
      await page.getByRole('button', { name: 'Zoom out' }).click()
      await expect.poll(() => page.url()).not.toBe(dragged)
      const wider = Date.parse(parameter(page, 'to')!) - Date.parse(parameter(page, 'from')!)
      expect(Math.abs(wider - 2 * length)).toBeLessThan(2000)
    })

    it('counts search results, lists transforms and keeps both in the URL', async () => {
      const page = await hearth.open(CHECKOUT)
      await rows(page).first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('db.(*Pool)')
      await page.getByText(/^2 calls, \d+\.\d% of total$/).waitFor()
      await expect.poll(() => rows(page).count()).toBe(1)
      await page.getByRole('searchbox', { name: 'Search functions' }).fill('')
      await rows(page).filter({ hasText: 'runtime.scanobject' }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: /Hide stacks with this/ }).click()
      await page.getByRole('list', { name: 'Transforms' }).getByText('without runtime.scanobject').waitFor()
      await expect.poll(() => rows(page).filter({ hasText: 'runtime.scanobject' }).count()).toBe(0)
      expect(parameter(page, 'do')).toBe('d*.runtime.scanobject')
      await page.goBack()
      await expect.poll(() => rows(page).filter({ hasText: 'runtime.scanobject' }).count()).toBe(1)
    })

    it('supports keyboard navigation and zoom in the flame graph and announces the frame', async () => {
      const page = await hearth.open(`${CHECKOUT}&view=flame`)
      const graph = page.locator('.flame-graph-host canvas[tabindex]')
      await graph.waitFor()
      await page.getByText(/ total · /).waitFor()
      await graph.focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await expect.poll(() => page.locator('[aria-live]').textContent()).toContain('main.main')
      await page.keyboard.press('ContextMenu')
      await page.getByRole('menu', { name: 'main.main' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      expect(await graph.evaluate(element => element === document.activeElement)).toBe(true)
      await page.keyboard.press('Enter')
      await expect.poll(() => parameter(page, 'at')).toBe('main.main')
      await page.getByRole('navigation', { name: 'Zoomed into' }).getByText('main.main').waitFor()
      await page.keyboard.press('s')
      await expect.poll(() => parameter(page, 'view')).toBe('sandwich')
      await page.getByText('callers above, callees below').waitFor()
    })

    it('shows the lines of source files', async () => {
      const page = await hearth.open(`${CHECKOUT}&view=lines`)
      await page.getByRole('button', { name: '/app/db/pool.go' }).click()
      await page.getByRole('cell', { name: '120', exact: true }).waitFor()
    })

    it('exports images and profile files', async () => {
      const page = await hearth.open(CHECKOUT)
      await rows(page).first().waitFor()
      for (const [item, start] of [
        ['PNG', '89504e47'],
        ['Folded stacks', Buffer.from('main.main').toString('hex')],
        ['pprof', '0a'],
      ] as const) {
        const saving = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Export' }).click()
        await page.getByRole('button', { name: item }).first().click()
        const stream = await (await saving).createReadStream()
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        expect(Buffer.concat(chunks).toString('hex').slice(0, start.length)).toBe(start)
        await page.keyboard.press('Escape')
      }
    })
  })

  describe('errors and empty states', () => {
    it('links to the latest profile if the range is empty', async () => {
      const page = await hearth.open(`${CHECKOUT}&from=now-3d&to=now-2d`)
      await page.getByRole('heading', { name: 'No data in this range' }).waitFor()
      await page.getByRole('button', { name: 'Go to latest profile' }).click()
      await rows(page).first().waitFor()
    })

    it('shows how to send profiles if the server has none', async () => {
      const page = await hearth.open('/status')
      await page.route('**/api/v1/profile-types*', route => route.fulfill({ json: { profileTypes: [] } }))
      await page.getByRole('link', { name: 'Explore' }).click()
      await page.getByRole('heading', { name: 'Send the first profile' }).waitFor()
      await page.getByRole('button', { name: 'Node.js' }).click()
      await page.getByText('@hearth/agent/register').waitFor()
    })

    it('cancels a slow query and retries a failed one', async () => {
      const page = await hearth.open('/status')
      await page.route('**/api/v1/flamegraph*', () => undefined)
      await page.getByRole('link', { name: 'checkout' }).click()
      await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('Cancelled.').waitFor()
      await page.unroute('**/api/v1/flamegraph*')
      const failed = { status: 422, json: { error: { code: 'limit', message: 'too long' } } }
      await page.route('**/api/v1/flamegraph*', route => route.fulfill(failed), { times: 1 })
      await page.getByRole('button', { name: 'Retry', exact: true }).last().click()
      await page.getByText('Query limit exceeded').waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await rows(page).first().waitFor()
    })

    it('signs in with a token that is kept for the tab only', async () => {
      const page = await hearth.open('/file')
      const refusal = { status: 401, json: { error: { code: 'unauthenticated', message: 'a token is needed' } } }
      await page.route('**/api/v1/**', async route => {
        const token = route.request().headers()['authorization']
        await (token === 'Bearer secret' ? route.continue() : route.fulfill(refusal))
      })
      await page.getByRole('link', { name: 'Explore' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('dialog').getByLabel('Token').fill('secret')
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
      await rows(page).first().waitFor()
      const stored = await page.evaluate(() => [sessionStorage.length, Object.keys(localStorage)] as const)
      expect(stored).toEqual([1, ['hearth.refresh']])
    })

    it('links to Explore from an unknown path', async () => {
      const page = await hearth.open('/nowhere')
      await page.getByRole('link', { name: 'Go to Explore' }).click()
      await page.waitForURL(/explore/)
    })
  })

  describe('Compare', () => {
    it('lists new functions as removed if the sides are swapped', async () => {
      const page = await hearth.open(SIDES)
      const changed = page.getByRole('complementary', { name: 'Changes' })
      const fresh = changed.locator('section').filter({ hasText: 'New functions' })
      await fresh.getByText('checkout/cache.Warm').waitFor()
      await page.getByRole('button', { name: 'Swap' }).click()
      await changed
        .locator('section')
        .filter({ hasText: 'Removed functions' })
        .getByText('checkout/cache.Warm')
        .waitFor()
      expect(parameter(page, 'b.to')).toBe('now-40m')
    })

    it('selects the range of a side by dragging on its chart', async () => {
      const page = await hearth.open(SIDES)
      const plot = page.getByRole('region', { name: 'Baseline' }).locator('.u-over')
      const { x, y, width } = await boxAtRest(plot)
      await page.mouse.move(x + width * 0.4, y + 20)
      await page.mouse.down()
      await page.mouse.move(x + width * 0.6, y + 20, { steps: 5 })
      await page.mouse.up()
      await expect.poll(() => parameter(page, 'a.from')).toMatch(/^\d{4}-/)
      const length = Date.parse(parameter(page, 'a.to')!) - Date.parse(parameter(page, 'a.from')!)
      // A fifth of three times 26 minutes.
      expect(length).toBeGreaterThan(13 * 60_000)
      expect(length).toBeLessThan(18 * 60_000)
      expect(parameter(page, 'b.from')).toBe('now-25m')
    })

    it('shows the significance in the table and moves the baseline by a day', async () => {
      const page = await hearth.open(`${SIDES}&show=table`)
      const row = page.getByRole('row', { name: /checkout\/cache\.Warm/ })
      await expect.poll(() => row.textContent()).toMatch(/new.*0%.*\+.* pt/)
      await page.getByRole('button', { name: '1 day earlier' }).click()
      await expect.poll(() => parameter(page, 'a.to')).toBe('now-1d')
      await page.getByRole('button', { name: 'Side by side' }).click()
      await page.getByRole('region', { name: 'Comparison' }).last().locator('canvas').first().waitFor()
    })
  })

  describe('Files', () => {
    it('opens a file and keeps it after a reload', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: 'a.folded', bytes: gzipSync(FOLDED) })
      await expect.poll(() => rows(page).first().textContent()).toContain('parse')
      await page.reload()
      await expect.poll(() => rows(page).first().textContent()).toContain('parse')
      await page.keyboard.press('4')
      await page.getByText('callers above, callees below').waitFor()
    })

    it('fills the window with a file, although no other screen was open before', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: 'a.folded', bytes: FOLDED })
      await rows(page).first().waitFor()
      const view = await boxAtRest(page.getByRole('region', { name: 'Profile', exact: true }))
      expect(Math.round(view.y + view.height)).toBe(heightOf(1280))
    })

    it('compares two files', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: 'a.folded', bytes: FOLDED }, { name: 'b.folded', bytes: FOLDED_LATER })
      const changed = page.getByRole('complementary', { name: 'Changes' })
      await changed.locator('section').filter({ hasText: 'New functions' }).getByText('cache').waitFor()
      await changed.locator('section').filter({ hasText: 'Removed functions' }).getByText('print').waitFor()
    })

    it('reports a file that is not a profile and stays usable', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: 'a.png', bytes: Buffer.from('89504e470d0a1a0a00', 'hex') })
      await page.getByText('Unknown format').waitFor()
      await page.getByRole('link', { name: 'Status' }).click()
      await page.getByRole('heading', { name: 'Receivers' }).waitFor()
    })

    it('shows the flame chart of each thread, with keyboard zoom and the range in the URL', async () => {
      const page = await hearth.open('/file')
      await openFiles(page, { name: 'trace.json', bytes: TRACE })
      await page.getByRole('button', { name: 'Time order' }).click()
      const chart = page.getByRole('group', { name: 'Flame chart' }).locator('canvas[tabindex]')
      await chart.waitFor()
      const thread = page.getByRole('combobox', { name: 'Thread' })
      await expect
        .poll(() => thread.locator('option').allTextContents())
        .toEqual(['main (1), process 7 · 5', 'worker (2), process 7 · 1'])
      await page.getByText('4.00 ms').first().waitFor()
      await chart.focus()
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
      await expect.poll(() => page.locator('[aria-live]').textContent()).toContain('parse, at 1.00 ms, 500 µs')
      await page.keyboard.press('Enter')
      await expect.poll(() => parameter(page, 'span')).toBe('1000000-1500000')
      await page.keyboard.press('d')
      await expect.poll(() => parameter(page, 'span')).toBe('1075000-1575000')
      await page.reload()
      await page.getByText('500 µs of 4.00 ms').waitFor()
      await chart.focus()
      await page.keyboard.press('0')
      await expect.poll(() => parameter(page, 'span')).toBeNull()
      await page.keyboard.press('/')
      await page.keyboard.type('parse')
      await page.getByText(/^2 calls, 28\.6% of total$/).waitFor()
      await thread.selectOption({ index: 1 })
      await expect.poll(() => parameter(page, 'thread')).toBe('7/2/worker')
      await page.getByText('no results').waitFor()
      expect(await violations(page)).toEqual([])
    })

    it('explains that a file has no timestamps', async () => {
      const page = await hearth.open('/file?view=time')
      await openFiles(page, { name: 'a.folded', bytes: FOLDED })
      await page.getByRole('heading', { name: 'No timestamps' }).waitFor()
    })

    it('opens files with hearth view, without a server, until Ctrl-C', async () => {
      const viewing = await Viewing.start({ 'a b.folded': FOLDED, 'b.folded': FOLDED_LATER })
      try {
        const page = await hearth.visit(viewing.url)
        const changed = page.getByRole('complementary', { name: 'Changes' })
        await changed.locator('section').filter({ hasText: 'New functions' }).getByText('cache').waitFor()
        await page.getByRole('button', { name: 'Baseline: a b.folded' }).waitFor()
        expect(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents()).toEqual([
          'Files',
        ])
        expect(viewing.hasLoaded('chdb')).toBe(false)
      } finally {
        expect(await viewing.interrupt()).toBe(0)
      }
    })

    it('does not upload files', async () => {
      const page = await hearth.open('/file')
      const sent: string[] = []
      page.on('request', request => sent.push(request.method()))
      await openFiles(page, { name: 'a.folded', bytes: FOLDED })
      await rows(page).first().waitFor()
      expect(sent.every(method => method === 'GET')).toBe(true)
    })
  })

  describe('Profiles and Status', () => {
    it('shows the details of a profile, validates it and downloads it', async () => {
      const page = await hearth.open('/profiles?service=checkout&type=cpu%3Ans')
      await page.getByRole('region', { name: 'Profiles' }).getByRole('link').first().click()
      const details = page.getByRole('complementary', { name: 'Details' })
      await details.getByText('deployment.environment.name').waitFor()
      await details.getByText(/^Traces \(8\)$/).waitFor()
      await details.getByText('No problems').waitFor()
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download' }).click()
      await page.getByRole('button', { name: 'speedscope' }).click()
      expect((await saving).suggestedFilename()).toMatch(/json$/)
    })

    it('shows the health of the server', async () => {
      const page = await hearth.open('/status')
      await page.getByText('Healthy').waitFor()
      await page.getByRole('cell', { name: hearth.url.slice('http://'.length) }).waitFor()
      await page.getByRole('link', { name: 'search' }).waitFor()
    })
  })

  describe('general', () => {
    it('has a command palette, a list of shortcuts and two themes', async () => {
      const page = await hearth.open(CHECKOUT)
      await rows(page).first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Command' }).fill('show table')
      await page.keyboard.press('Enter')
      await expect.poll(() => parameter(page, 'view')).toBe('table')
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('Merge into callers').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light')
      await page.keyboard.press('Shift+D')
      expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    })

    it('gives no key two commands on one screen', async () => {
      const page = await hearth.open('/status')
      for (const area of ['Services', 'Explore', 'Compare', 'Traces', 'Logs', 'Metrics', 'Captures', 'Files']) {
        await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: area }).click()
        await page.locator('#content .progress-line').waitFor({ state: 'detached' })
        await page.keyboard.press('?')
        const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
        await help.waitFor()
        const keys = await help.locator('section').evaluateAll(sections =>
          sections
            // Keys of a focused drawing are handled there first.
            .filter(each => !each.querySelector('h2')?.textContent.includes('focused'))
            .flatMap(each => [...each.querySelectorAll('.help-key')].map(key => key.textContent)),
        )
        expect({ area, twice: keys.filter((key, i) => keys.indexOf(key) < i) }).toEqual({ area, twice: [] })
        await page.keyboard.press('Escape')
        await help.waitFor({ state: 'detached' })
      }
    })

    it('handles keys as soon as anything is shown', async () => {
      const page = await hearth.visit(`${hearth.url}/status`)
      await page.addInitScript(() => {
        // The observer runs before the first frame, earlier than a user or a test could press a key.
        const observer = new MutationObserver(() => {
          if (document.querySelector('.head') === null) return
          observer.disconnect()
          dispatchEvent(new KeyboardEvent('keydown', { key: '?' }))
        })
        observer.observe(document, { childList: true, subtree: true })
      })
      await page.reload()
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    })

    it('opens a dialog by a key that arrives before the close event of another', async () => {
      const page = await hearth.open('/status')
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      // The close event is a task of its own. On a busy page, keys arrive before it.
      await page.evaluate(() => {
        const dialog = document.querySelector('dialog')
        const closed = new Promise(resolve => dialog?.addEventListener('close', resolve))
        dialog?.close()
        dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true }))
        return closed.then(() => undefined)
      })
      await page.getByRole('combobox', { name: 'Command' }).waitFor()
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
      expect(await page.locator('dialog').count()).toBe(1)
    })

    it('is accessible in both themes', async () => {
      for (const [path, ready] of [
        [`${CHECKOUT}&group=cloud.region`, '.top-table tbody tr'],
        [`${CHECKOUT}&view=sandwich`, '.sandwich-middle'],
        [`${CHECKOUT}&view=lines`, '.lines-function'],
        ['/explore?service=nobody&type=cpu%3Ans', '.empty'],
        [SIDES, '.change-summary li'],
        ['/compare?a.type=cpu%3Ans&b.type=cpu%3Ans&show=table&a.from=now-1h&a.to=now', '.diff-table tbody tr'],
        ['/profiles?service=checkout', '.profiles-table tbody tr'],
        ['/status', '.status .panel'],
        ['/file', '.drop-field'],
      ] as const) {
        const page = await hearth.open(path)
        await page.locator(ready).first().waitFor()
        expect([path, await violationsInThemes(page)]).toEqual([path, []])
        await hearth.closePages()
      }
      const file = await hearth.open('/file')
      await openFiles(file, { name: 'a.folded', bytes: FOLDED })
      await rows(file).first().waitFor()
      expect(['file', await violationsInThemes(file)]).toEqual(['file', []])
      for (const key of ['?', 'Control+k']) {
        await file.keyboard.press(key)
        await file.getByRole('dialog').waitFor()
        expect([key, await violationsInThemes(file)]).toEqual([key, []])
        await file.keyboard.press('Escape')
        await file.locator('dialog').waitFor({ state: 'detached' })
      }
      await hearth.closePages()
      const profile = await hearth.open('/profiles?service=checkout&type=cpu%3Ans')
      await profile.getByRole('region', { name: 'Profiles' }).getByRole('link').first().click()
      await profile.getByRole('complementary', { name: 'Details' }).getByText('No problems').waitFor()
      await rows(profile).first().waitFor()
      expect(['profile', await violationsInThemes(profile)]).toEqual(['profile', []])
      await hearth.closePages()
    })

    it.each([
      ['Services', '/services', '.services-table tbody tr', 80_000],
      ['Explore', CHECKOUT, '.series-plot canvas', 150_000],
    ])('loads few scripts to show %s, the chart library included', async (_, path, ready, limit) => {
      const page = await hearth.visit(`${hearth.url}/status`)
      await page.goto('about:blank')
      const scripts: Promise<Buffer>[] = []
      page.on('response', response => {
        if (response.url().endsWith('.js')) scripts.push(response.body().catch(() => Buffer.alloc(0)))
      })
      await page.goto(hearth.url + path)
      await page.locator(ready).first().waitFor()
      const bytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0)
      expect(bytes).toBeGreaterThan(20_000)
      expect(bytes).toBeLessThan(limit)
    })
  })

  it('requests no other host and logs no errors', () => {
    expect([...hearth.hosts]).toEqual([])
    expect(hearth.errors).toEqual([])
  })
})
