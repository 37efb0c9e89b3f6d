// The size of the first load, and how fast the UI reacts with a flame graph of a million nodes, in Chromium:
//   npm run bench:interaction [-- --sizes]
// With --sizes it measures no times, so that the machine need not be quiet.
// An interaction is a click, a key or a typed letter. Its time ends with the next painted frame, as browsers measure "interaction
// to next paint". Interactions below 16 ms are not reported by the browser and count as 16 ms.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'
import { writeFigures } from '../write-figures.ts'

const PAGE = fileURLToPath(new URL('../../../packages/web/dist', import.meta.url))
/** Each stack has ten frames of its own. */
const STACKS = Number(process.env['STACKS'] ?? 100_000)
const OWN_FRAMES = 10
const LIMIT_KB = 120
const LIMIT_MS = 100

const WATCH = `
  globalThis.interactions = new Map()
  new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId > 0) interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0))
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
`

/** The scripts that a screen loads until it is shown, in bytes of gzip. */
async function loadOf(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  const bodies: Promise<Buffer>[] = []
  page.on('response', response => {
    if (response.url().endsWith('.js')) bodies.push(response.body())
  })
  await page.goto(url)
  await page.locator('main h1').first().waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  const sizes = (await Promise.all(bodies)).map(body => gzipSync(body).length)
  await page.close()
  return sizes.reduce((sum, each) => sum + each, 0)
}

function foldedStacks(): string {
  const lines: string[] = []
  for (let i = 0; i < STACKS; i++) {
    const own = Array.from({ length: OWN_FRAMES }, (_, depth) => `f${(i * 7 + depth * 13) % 5003}.${i % 97}`)
    lines.push(`main;serve;route${i % 11};handle${i % 211};stack${i};${own.join(';')} ${1 + ((STACKS % (i + 1)) % 50)}`)
  }
  return lines.join('\n')
}

/** Returns the number of interactions. */
async function interact(page: Page): Promise<number> {
  const graph = page.locator('.flame-graph canvas').last()
  const { x, y, width, height } = (await graph.boundingBox())!
  let count = 0
  const settled = (): Promise<unknown> =>
    page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  const act = async (run: () => Promise<void>, interactions = 1): Promise<void> => {
    await run()
    await settled()
    count += interactions
  }
  for (let i = 0; i < 20; i++) {
    const place = { x: x + width * ((i * 0.37) % 1), y: y + Math.min(height - 5, 30 + 20 * (i % 6)) }
    await act(() => page.mouse.click(place.x, place.y))
    await act(() => page.keyboard.press('Escape'))
  }
  for (let i = 0; i < 40; i++)
    await act(() => page.keyboard.press(['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'][i % 4]))
  const search = page.getByLabel('Search functions')
  await act(() => search.click())
  for (const letter of 'handle12') await act(() => page.keyboard.press(letter))
  await act(() => search.fill(''), 0)
  for (const name of ['Total', 'Self', 'Function', 'Self']) {
    await act(() => page.locator('.top-table').getByRole('button', { name, exact: true }).click())
  }
  for (const name of ['Flame graph', 'Table', 'Both'])
    await act(() => page.getByRole('button', { name, exact: true }).click())
  return count
}

/** `times` are sorted. */
function quantile(times: readonly number[], part: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * part))]
}

async function interactionTimes(browser: Browser, url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-interaction-'))
  const file = join(folder, 'million.folded')
  writeFileSync(file, foldedStacks())
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } })
    page.setDefaultTimeout(300_000)
    await page.addInitScript({ content: WATCH })
    await page.goto(`${url}/file`)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await choosing).setFiles(file)
    await page.locator('.top-table tbody tr').first().waitFor()
    await page.getByText(' total').first().waitFor()
    await page.evaluate('interactions.clear()')
    const count = await interact(page)
    const reported = await page.evaluate<number[]>('[...interactions.values()]')
    const times = [...reported, ...Array.from({ length: Math.max(0, count - reported.length) }, () => 16)].sort(
      (a, b) => a - b,
    )
    const nodes = (STACKS * (OWN_FRAMES + 1)).toLocaleString('en')
    return `| interaction to next paint, ${nodes} nodes, ${count} interactions | ${quantile(times, 0.5)} ms | ${quantile(times, 0.95)} ms | ${times.at(-1)} ms | ${LIMIT_MS} ms at p95 |`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const server = await servePage(PAGE)
const browser = await launchChromium()
try {
  const kilobytes = (await loadOf(browser, `${server.url}/`)) / 1000
  const lines = [
    '| UI | p50 | p95 | longest | target |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...(process.argv.includes('--sizes') ? [] : [await interactionTimes(browser, server.url)]),
    `| scripts of the first screen, Services, gzip | ${kilobytes.toFixed(1)} kB |  |  | ${LIMIT_KB} kB |`,
  ]
  console.log(lines.join('\n'))
  writeFigures('bench:interaction', lines.join('\n'))
} finally {
  await browser.close()
  server.close()
}
