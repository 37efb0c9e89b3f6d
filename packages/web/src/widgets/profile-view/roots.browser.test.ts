// Flame graphs with attributes at the root and colours by thread, in Chromium with a real server.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { HearthPage, openFiles, violations } from '../../testing/hearth-page.node.ts'
import { sendThreads } from '../../testing/send-threads.node.ts'
import { threadSignals } from '../../testing/thread-profiles.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const EXPLORE = '/explore?service=threads&type=cpu%3Ans'
const COMPARE = '/compare?a.service=threads&b.service=threads&a.type=cpu%3Ans&b.type=cpu%3Ans&a.from=now-1h&a.to=now'
const DIFFERENCE = 'Diff flame graph'
/** One trace per second. */
const TRACE_IDS = Array.from({ length: 10 }, (_, second) =>
  Array.from({ length: 16 }, (_, k) => (second * 16 + k + 1).toString(16).padStart(2, '0')).join(''),
)

describe.skipIf(chromium === undefined)('roots', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
    await sendThreads(hearth.otlp)
    await hearth.settled()
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const paramsOf = (page: Page, name: string): string[] => new URL(page.url()).searchParams.getAll(name)

  /** Waits until the description of the first box below the root matches. */
  async function first(page: Page, expected: RegExp, graph = 'Flame graph'): Promise<void> {
    const shown = page.locator('.flame-graph', { has: page.getByRole('group', { name: graph, exact: true }) })
    await expect
      .poll(
        async () => {
          await shown.locator('canvas[tabindex]').focus()
          for (const key of ['Home', 'ArrowDown']) await page.keyboard.press(key)
          return await shown.locator('[aria-live]').textContent()
        },
        { timeout: 60_000 },
      )
      .toMatch(expected)
  }

  async function rootBy(page: Page, key: string): Promise<void> {
    await page.getByRole('button', { name: 'Display' }).click()
    const field = page.getByRole('combobox', { name: 'Root by' })
    await field.click()
    await field.fill(key.slice(0, 8))
    await page.getByRole('option', { name: key, exact: true }).click()
    await page.getByRole('button', { name: 'Display' }).click()
  }

  it('adds an attribute at the root and removes it', async () => {
    const page = await hearth.open(EXPLORE)
    await first(page, /^main, /)
    await rootBy(page, 'thread.name')
    await expect.poll(() => paramsOf(page, 'root')).toEqual(['thread.name'])
    await first(page, /^thread\.name = worker-1, 5\.00 s, 43\.5% of total/)
    // The table lists functions only.
    const table = page.getByRole('region', { name: 'Functions' })
    await table.getByRole('button', { name: 'index', exact: true }).waitFor()
    expect(await table.getByRole('button', { name: 'worker-1' }).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await rootBy(page, 'host.name')
    await expect.poll(() => paramsOf(page, 'root')).toEqual(['thread.name', 'host.name'])
    await page.getByRole('button', { name: 'Undo: by thread.name' }).click()
    await expect.poll(() => paramsOf(page, 'root')).toEqual(['host.name'])
    await first(page, /^host\.name = host-a, 11\.5 s, 100% of total/)
    await page.goBack()
    await expect.poll(() => paramsOf(page, 'root')).toEqual(['thread.name', 'host.name'])
    expect(hearth.errors).toEqual([])
  })

  it('groups samples without the attribute separately', async () => {
    const page = await hearth.open(`${EXPLORE}&root=cpu.logical_number`)
    await first(page, /^\(no cpu\.logical_number\), 6\.50 s/)
  })

  it('filters the query by a root', async () => {
    const page = await hearth.open(`${EXPLORE}&root=thread.name`)
    await first(page, /^thread\.name = worker-1/)
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Filter query by this value' }).click()
    await expect.poll(() => paramsOf(page, 'where')).toEqual(['thread.name=worker-1'])
    await first(page, /^thread\.name = worker-1, 5\.00 s, 100% of total/)
  })

  it('colours by thread with a legend that zooms to a thread', async () => {
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
    await expect.poll(() => paramsOf(page, 'at')).toEqual(['worker-2'])
    await expect.poll(() => paramsOf(page, 'root')).toEqual([])
    await first(page, /^thread\.name = worker-1, /)
  })

  it('adds roots to the diff and to both sides of a comparison', async () => {
    const page = await hearth.open(COMPARE)
    await first(page, /^main, /, DIFFERENCE)
    await rootBy(page, 'thread.name')
    await expect.poll(() => paramsOf(page, 'root')).toEqual(['thread.name'])
    await first(page, /^thread\.name = worker-1, 5\.00 s, .*before 43\.5% of total/, DIFFERENCE)
    // The summary lists functions only.
    await page.getByRole('complementary', { name: 'Changes' }).getByText('New functions').waitFor()
    expect(await page.getByRole('complementary').getByText('worker-1').count()).toBe(0)
    await page.getByRole('button', { name: 'Side by side' }).click()
    await first(page, /^thread\.name = worker-1, 5\.00 s/, 'Baseline flame graph')
    await first(page, /^thread\.name = worker-1, 5\.00 s/, 'Comparison flame graph')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Undo: by thread.name' }).click()
    await first(page, /^main, /, 'Comparison flame graph')
    expect(hearth.errors).toEqual([])
  })

  it('adds roots to slow vs. fast', async () => {
    const page = await hearth.open(`/slow?slow=${TRACE_IDS[4]}&fast=${TRACE_IDS[1]}&type=cpu%3Ans&root=thread.name`)
    await first(page, /^thread\.name = worker-1, 500 ms/, DIFFERENCE)
  })

  it('adds roots to a comparison of two files and exports the diff', async () => {
    const page = await hearth.open('/file')
    const [profiles, others] = [1n, 2n].map(n => threadSignals(n * 1_700_000_000_000_000_000n).profiles)
    await openFiles(page, { name: 'a.otlp', bytes: profiles }, { name: 'b.otlp', bytes: others })
    await first(page, /^main, /, DIFFERENCE)
    await rootBy(page, 'thread.name')
    await first(page, /^thread\.name = worker-1, 5\.00 s/, DIFFERENCE)
    await page.getByRole('button', { name: 'Export' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Folded stacks' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('difference.folded')
    expect(readFileSync(await saved.path(), 'utf8')).toContain('worker-2;main;index 4000000000 4000000000\n')
  })

  it('adds roots to a file', async () => {
    const page = await hearth.open('/file')
    await openFiles(page, { name: 'threads.otlp', bytes: threadSignals(1_700_000_000_000_000_000n).profiles })
    await first(page, /^main, /)
    await rootBy(page, 'thread.name')
    await first(page, /^thread\.name = worker-1, 5\.00 s/)
  })

  it('adds roots to a trace', async () => {
    const page = await hearth.open(`/trace?id=${TRACE_IDS[4]}&view=flame&root=thread.name`)
    await first(page, /^thread\.name = worker-1, 500 ms/)
    expect(hearth.errors).toEqual([])
  })
})
