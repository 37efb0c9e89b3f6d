// Opens the SVG file in a browser and tests zoom and search. CHROMIUM_PATH, which tools/check.ts sets, names the browser;
// without it these tests are skipped.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { writeFlamegraphSvg } from './write.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? ''

const stacks = `
  40      10      20      30
  main    main    main    main
  handle  handle  handle  gc
  query   query   render
  read`

describe.skipIf(executablePath === '')('the SVG file in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-svg-'))
  const file = join(folder, 'flame.svg')
  let browser: Browser

  beforeAll(async () => {
    writeFileSync(file, writeFlamegraphSvg(profileOf(stacks).profiles).bytes)
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })

  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })

  async function open(): Promise<Page> {
    const page = await browser.newPage()
    await page.goto(pathToFileURL(file).href)
    return page
  }

  const shown = (page: Page): Promise<string[]> => page.locator('.f:not(.hidden) text').allTextContents()

  test('zooms into a box and out again', async () => {
    const page = await open()
    expect(await shown(page)).toEqual(['all', 'main', 'handle', 'query', 'read', 'render', 'gc'])
    await page.locator('.f', { hasText: 'query' }).click()
    expect(await shown(page)).toEqual(['all', 'main', 'handle', 'query', 'read'])
    expect(Number(await page.locator('.f', { hasText: 'query' }).locator('rect').getAttribute('width'))).toBeCloseTo(
      1180,
      3,
    )
    await page.locator('#zoom-out').click()
    expect(await shown(page)).toHaveLength(7)
  })

  test('highlights search results and shows their share', async () => {
    const page = await open()
    page.on('dialog', dialog => void dialog.accept('^re'))
    await page.locator('#search').click()
    expect(await page.locator('.f.found text').allTextContents()).toEqual(['read', 'render'])
    expect(await page.locator('#matched').textContent()).toBe('Matched: 60.0%')
    await page.locator('#search').click()
    expect(await page.locator('.f.found').count()).toBe(0)
  })
})
