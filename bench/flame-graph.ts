// Drawing a flame graph of a million nodes in Chromium, by software:  npm run bench:web
// The page's part, and what each row is, is in packages/web/src/draw/testing/bench-page.ts. Times are the CPU time of the
// page's main thread, where Chromium without a GPU does all of the drawing; by the clock they depend on the neighbours.
import { accessSync, constants } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { build } from 'vite'

interface Case {
  readonly name: string
  readonly steps: number
  readonly boxes?: number
}

interface Result extends Case {
  /** Milliseconds of every step: of the thread, and by the clock. */
  readonly cpu: readonly number[]
  readonly wall: readonly number[]
}

const NODES = 1_000_000
const FRAMES = 240
const SIZE = { width: 1600, height: 900 }
/** What the drawing must stay below, in milliseconds. */
const LIMITS: Readonly<Record<string, { readonly p50?: number; readonly p95?: number }>> = {
  'frame, zooming and panning': { p50: 8, p95: 16 },
  layout: { p50: 300 },
  'first picture': { p50: 300 },
}

const entry = fileURLToPath(new URL('../../packages/web/src/draw/testing/bench-page.ts', import.meta.url))

async function pageScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
    build: { write: false, target: 'es2023', lib: { entry, formats: ['iife'], name: 'hearthBench' } },
  })
  for (const one of Array.isArray(built) ? built : [built]) if ('output' in one) return one.output[0].code
  throw new Error('the build gave no script')
}

function chromiumPath(): string | undefined {
  const paths = [
    process.env['CHROMIUM_PATH'] ?? '',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ]
  return paths.find(path => {
    try {
      accessSync(path, constants.X_OK)
      return path !== ''
    } catch {
      return false
    }
  })
}

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

async function measured(executablePath: string, ratio: number): Promise<Result[]> {
  const args = [
    '--no-sandbox', // containers run as root, where Chromium's sandbox refuses to start
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  const browser = await chromium.launch({ executablePath, args })
  try {
    const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: ratio })
    const style = 'body{margin:0}#graph{position:relative;width:100vw;height:100vh}'
    await page.setContent(`<!doctype html><style>${style}</style><div id="graph"></div>`)
    await page.addScriptTag({ content: await pageScript() })
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const cases = await page.evaluate<Case[]>(
      `(bench.cases = bench.casesOf(${NODES}, ${FRAMES})).map(({ name, steps, boxes }) => ({ name, steps, boxes }))`,
    )
    const results: Result[] = []
    let idle = 0
    for (const one of cases) {
      const { cpu, wall } = await stepsOf(page, session, one)
      if (one.name === 'nothing') idle = percentile(cpu, 0.5)
      else results.push({ ...one, cpu: cpu.map(time => Math.max(0, time - idle)), wall })
    }
    return results
  } finally {
    await browser.close()
  }
}

async function stepsOf(page: Page, session: CDPSession, { name, steps }: Case): Promise<Pick<Result, 'cpu' | 'wall'>> {
  const cpu: number[] = []
  const wall: number[] = []
  for (let i = 0; i < steps; i++) {
    const before = await threadTime(session)
    wall.push(await page.evaluate<number>(`bench.stepWall(${JSON.stringify(name)}, ${i})`))
    cpu.push((await threadTime(session)) - before)
  }
  return { cpu, wall }
}

async function threadTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN)
}

function row({ name, cpu, wall, boxes }: Result, ratio: number): string {
  const [p50, p95] = [percentile(cpu, 0.5), percentile(cpu, 0.95)]
  const limit = ratio === 1 ? LIMITS[name] : undefined
  const over = (limit?.p50 ?? Infinity) < p50 || (limit?.p95 ?? Infinity) < p95
  const asked = limit === undefined ? '' : [limit.p50, limit.p95].filter(one => one !== undefined).join(' / ')
  const clock = `${percentile(wall, 0.5).toFixed(1)} / ${percentile(wall, 0.95).toFixed(1)}`
  const many = boxes === undefined ? '' : Math.round(boxes).toLocaleString('en')
  return `| ${[name, many, p50.toFixed(1), p95.toFixed(1), asked, clock].join(' | ')} |${over ? ' over the limit' : ''}`
}

async function main(): Promise<void> {
  const path = chromiumPath()
  if (path === undefined) throw new Error('no Chromium was found (CHROMIUM_PATH can name one)')
  for (const ratio of process.argv.includes('--both') ? [1, 2] : [1]) {
    const results = await measured(path, ratio)
    console.log(
      `${NODES.toLocaleString('en')} nodes at ${SIZE.width} × ${SIZE.height}, ${ratio} pixels a pixel, without a GPU; milliseconds\n`,
    )
    console.log('| | boxes | p50 | p95 | limit | by the clock |\n|---|---:|---:|---:|---:|---:|')
    for (const result of results) console.log(row(result, ratio))
    console.log('')
  }
}

await main()
