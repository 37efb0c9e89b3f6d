// Flame graphs rooted by attributes, and coloured by thread, in Chromium over a real server: stored ones, files and traces.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../draw/testing/chromium.node.ts'
import { HearthPage, openFiles, violations } from '../../testing/hearth-page.node.ts'
import { sendThreads } from '../../testing/send-threads.node.ts'
import { threadSignals } from '../../testing/thread-profiles.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: no Chromium was found (CHROMIUM_PATH can name one)\n')

const EXPLORE = '/explore?service=threads&type=cpu%3Ans'

describe.skipIf(chromium === undefined)('roots', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendThreads(hearth.otlp)
    const asked = `${hearth.url}/api/v1/flamegraph?selector=cpu{service.name="threads"}`
    while (((await (await fetch(asked)).json()) as { readonly profiles: number }).profiles === 0) await sleep(100)
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const paramsOf = (page: Page, name: string): string[] => new URL(page.url()).searchParams.getAll(name)

  /** What is said of the first box below the row of everything, as soon as that is it. */
  async function first(page: Page, said: RegExp): Promise<void> {
    const graph = page.getByRole('group', { name: 'Flame graph' }).locator('canvas[tabindex]')
    await expect
      .poll(
        async () => {
          await graph.focus()
          for (const key of ['Home', 'ArrowDown']) await page.keyboard.press(key)
          return await page.locator('.flame-graph [aria-live]').textContent()
        },
        { timeout: 20_000 },
      )
      .toMatch(said)
  }

  async function rootBy(page: Page, key: string): Promise<void> {
    await page.getByRole('button', { name: 'Display' }).click()
    const field = page.getByRole('combobox', { name: 'Root by' })
    await field.click()
    await field.fill(key.slice(0, 8))
    await page.getByRole('option', { name: key, exact: true }).click()
    await page.getByRole('button', { name: 'Display' }).click()
  }

  test('an attribute is chosen, stands at the root, and goes again', async () => {
    const page = await hearth.open(EXPLORE)
    await first(page, /^main, /)
    await rootBy(page, 'thread.name')
    expect(paramsOf(page, 'root')).toEqual(['thread.name'])
    await first(page, /^thread\.name = worker-1, 5\.00 s, 43\.5% of all/)
    // Functions alone are in the table.
    const table = page.getByRole('region', { name: 'Functions' })
    await table.getByRole('button', { name: 'index', exact: true }).waitFor()
    expect(await table.getByRole('button', { name: 'worker-1' }).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await rootBy(page, 'host.name')
    expect(paramsOf(page, 'root')).toEqual(['thread.name', 'host.name'])
    await page.getByRole('button', { name: 'Undo: by thread.name' }).click()
    expect(paramsOf(page, 'root')).toEqual(['host.name'])
    await first(page, /^host\.name = host-a, 11\.5 s, 100% of all/)
    await page.goBack()
    expect(paramsOf(page, 'root')).toEqual(['thread.name', 'host.name'])
    expect(hearth.complaints).toEqual([])
  })

  test('what is not said of samples stands apart', async () => {
    const page = await hearth.open(`${EXPLORE}&root=cpu.logical_number`)
    await first(page, /^\(no cpu\.logical_number\), 6\.50 s/)
  })

  test('the menu of a root asks for it alone', async () => {
    const page = await hearth.open(`${EXPLORE}&root=thread.name`)
    await first(page, /^thread\.name = worker-1/)
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Ask only for this' }).click()
    await expect.poll(() => paramsOf(page, 'where')).toEqual(['thread.name=worker-1'])
    await first(page, /^thread\.name = worker-1, 5\.00 s, 100% of all/)
  })

  test('colours by thread are those of threads, with a legend to go to them', async () => {
    const page = await hearth.open(EXPLORE)
    await page.getByRole('button', { name: 'Display' }).click()
    await page.getByLabel('Colour by').selectOption('Thread')
    await page.keyboard.press('Escape')
    const legend = page.getByRole('list', { name: 'Threads' })
    await legend.waitFor()
    const entries = legend.getByRole('button')
    expect(await entries.allTextContents()).toEqual(['worker-1 43.5%', 'worker-2 34.8%', 'main 21.7%'])
    const swatches = await legend
      .locator('.thread-swatch')
      .evaluateAll(all => all.map(each => getComputedStyle(each).backgroundColor))
    expect(new Set(swatches).size).toBe(3)
    expect(await violations(page)).toEqual([])
    await entries.nth(1).click()
    expect(paramsOf(page, 'at')).toEqual(['worker-2'])
    expect(paramsOf(page, 'root')).toEqual([])
    await first(page, /^thread\.name = worker-1, /)
  })

  test('of a file', async () => {
    const page = await hearth.open('/file')
    await openFiles(page, { name: 'threads.otlp', bytes: threadSignals(1_700_000_000_000_000_000n).profiles })
    await first(page, /^main, /)
    await rootBy(page, 'thread.name')
    await first(page, /^thread\.name = worker-1, 5\.00 s/)
  })

  test('of a trace', async () => {
    const traceId = Array.from({ length: 16 }, (_, k) => (4 * 16 + k + 1).toString(16).padStart(2, '0')).join('')
    const page = await hearth.open(`/trace?id=${traceId}&view=flame&root=thread.name`)
    await first(page, /^thread\.name = worker-1, 500 ms/)
    expect(hearth.complaints).toEqual([])
  })
})
