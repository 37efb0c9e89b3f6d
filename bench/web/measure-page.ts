// Measures step by step how a page draws in Chromium without a GPU. Times are CPU times of the page's main thread, which then
// does all of the drawing. Wall times depend on the load of the machine.
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'
import { build } from 'vite'
import { launchChromium } from './chromium.ts'

interface Case {
  readonly name: string
  readonly steps: number
  /** Number of boxes or events, for drawing. */
  readonly boxes?: number
}

interface Result extends Case {
  /** Milliseconds of every step: CPU time and wall time. */
  readonly cpu: readonly number[]
  readonly wall: readonly number[]
}

/** Limits for the drawing in milliseconds, by the case's name. */
export type Limits = Readonly<Record<string, { readonly p50?: number; readonly p95?: number }>>

export interface PageBench {
  /** Path of the script that puts `bench` into the page, from the root of the project. */
  readonly script: string
  /** Expression that makes the cases in the page. */
  readonly make: string
  /** Description of the drawing. */
  readonly what: string
  /** Limits at a pixel ratio of 1. */
  readonly limits: Limits
}

const SIZE = { width: 1600, height: 900 }

/** The figures as lines of a table, for each pixel ratio. */
export async function measurePage(bench: PageBench, ratios: readonly number[]): Promise<string[]> {
  const lines: string[] = []
  for (const ratio of ratios) {
    const results = await measured(bench, ratio)
    const heading = `${bench.what} at ${SIZE.width} × ${SIZE.height}, ${ratio} device ${ratio === 1 ? 'pixel' : 'pixels'} per CSS pixel, ms of CPU`
    lines.push(...(lines.length === 0 ? [] : ['']))
    lines.push(`| ${heading} | boxes | p50 | p95 | limit | wall time |`, '| --- | ---: | ---: | ---: | ---: | ---: |')
    lines.push(...results.map(result => row(result, ratio === 1 ? bench.limits[result.name] : undefined)))
  }
  return lines
}

async function pageScript(script: string): Promise<string> {
  const entry = fileURLToPath(new URL(`../../../${script}`, import.meta.url))
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['hearth-source', 'module', 'browser', 'development|production'] },
    build: { write: false, target: 'es2023', lib: { entry, formats: ['iife'], name: 'hearthBench' } },
  })
  for (const one of Array.isArray(built) ? built : [built]) if ('output' in one) return one.output[0].code
  throw new Error('the build returned no script')
}

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/** The case named `nothing` measures the overhead of a step, which is subtracted from all others. */
async function measured({ script, make }: PageBench, ratio: number): Promise<Result[]> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: ratio })
    const style = 'body{margin:0}#graph{position:relative;width:100vw;height:100vh}'
    await page.setContent(`<!doctype html><style>${style}</style><div id="graph"></div>`)
    await page.addScriptTag({ content: await pageScript(script) })
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const cases = await page.evaluate<Case[]>(
      `(bench.cases = ${make}).map(({ name, steps, boxes }) => ({ name, steps, boxes }))`,
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

function row({ name, cpu, wall, boxes }: Result, limit: Limits[string] | undefined): string {
  const [p50, p95] = [percentile(cpu, 0.5), percentile(cpu, 0.95)]
  const target = limit === undefined ? '' : [limit.p50, limit.p95].filter(one => one !== undefined).join(' / ')
  const clock = `${percentile(wall, 0.5).toFixed(1)} / ${percentile(wall, 0.95).toFixed(1)}`
  const many = boxes === undefined ? '' : Math.round(boxes).toLocaleString('en')
  return `| ${[name, many, p50.toFixed(1), p95.toFixed(1), target, clock].join(' | ')} |`
}
