// Opens large files in the UI, in Chromium, next to speedscope's app on the same files:  npm run bench:web-files
// speedscope is measured if its built app is found: in node_modules, or in the folder that SPEEDSCOPE names (its
// `dist/release`, as in `npm pack speedscope`). Each file opens in its own browser. The table shows the time until the first
// picture, the longest time without reaction, and the peak memory of the page's process.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProfilesBuilder, writePprof } from '@hearth/profile'
import type { Browser, Page } from 'playwright-core'
import { randomFrom } from '../library/inputs.ts'
import { launchChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'
import { writeFigures } from '../write-figures.ts'

const MEGABYTES = Number(process.env['MEGABYTES'] ?? 100)
/** speedscope needs more than three minutes for 100 MB of trace events. */
const PATIENCE_MS = 900_000
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = join(ROOT, 'packages/web/dist')

/** In the page: tasks of more than 50 ms, during which it does not react. */
const WATCH = `
  globalThis.hearthTasks = []
  new PerformanceObserver(list => hearthTasks.push(...list.getEntries().map(entry => entry.duration))).observe({ type: 'longtask', buffered: true })
`

interface App {
  readonly name: string
  readonly folder: string
  readonly path: string
  /** Opens the file; resolves when the app has accepted it. */
  readonly open: (page: Page, file: string) => Promise<void>
  /** Resolves when the first picture is painted. */
  readonly shown: (page: Page, file: string) => Promise<unknown>
}

interface Measured {
  readonly seconds: number
  readonly longestTask: number
  readonly peakMegabytes: number | undefined
}

const hearth: App = {
  name: 'Hearth',
  folder: PAGE,
  path: '/file',
  open: async (page, file) => {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await choosing).setFiles(file)
  },
  shown: async page => await page.getByText(' total').waitFor(),
}

/** speedscope's default view: time order. */
const hearthInTime: App = {
  ...hearth,
  name: 'Hearth, time order',
  path: '/file?view=time',
  shown: async page => await page.getByText('W and S zoom').waitFor(),
}

function speedscope(folder: string): App {
  return {
    name: 'speedscope',
    folder,
    path: '/index.html',
    open: async (page, file) => await page.locator('input[type=file]').setInputFiles(file),
    // The title names the file when the graph is there.
    shown: async page => await page.waitForFunction("document.title.includes(' - speedscope')"),
  }
}

/** Undefined if the page ran out of memory or exceeded the time limit. */
async function measured(app: App, file: string): Promise<Measured | undefined> {
  const server = await servePage(app.folder)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 900 } })
    page.setDefaultTimeout(PATIENCE_MS)
    // A dialog of the app, for example that it does not know the format.
    page.on('dialog', dialog => {
      console.error(`${app.name} says: ${dialog.message().split('\n')[0]}`)
      void dialog.dismiss()
    })
    await page.addInitScript({ content: WATCH })
    await page.goto(server.url + app.path)
    await page.waitForTimeout(500)
    await page.evaluate('hearthTasks.length = 0')
    const before = performance.now()
    const crashed = new Promise<'failed'>(resolve => page.once('crash', () => resolve('failed')))
    const opened = app.open(page, file).then(() => app.shown(page, file))
    // The browser may have ended with its page.
    const failed = opened.then(
      () => 'opened' as const,
      (error: unknown) => {
        // Printed, so that an error of this benchmark is not mistaken for one of the app.
        console.error(`${app.name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
        return 'failed' as const
      },
    )
    if ((await Promise.race([crashed, failed])) === 'failed') return undefined
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const seconds = (performance.now() - before) / 1000
    await page.waitForTimeout(300)
    const longestTask = await page.evaluate<number>('Math.max(0, ...hearthTasks)')
    return { seconds, longestTask, peakMegabytes: await peakOf(browser) }
  } finally {
    await browser.close()
    server.close()
  }
}

/** Memory of the largest page process of the browser; undefined if the system does not report it. */
async function peakOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const status = `/proc/${id}/status`
      const text = existsSync(status) ? readFileSync(status, 'utf8') : ''
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024
    })
  const most = Math.max(...peaks.filter(peak => !Number.isNaN(peak)))
  return Number.isFinite(most) ? most : undefined
}

/** A large service: 50,000 stacks of a program with realistic calls, each seen with many labels. */
function pprofFile(): Uint8Array {
  const random = randomFrom(7)
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'large' }] })
  builder.scope({ name: 'bench' })
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000n,
  })
  const locations = Array.from({ length: 20_000 }, (_, i) => {
    const name = `example.com/service/package${i % 97}.(*Type${i % 31}).Method${i}`
    const filename = `/app/package${i % 97}/file${i % 400}.go`
    return builder.location({ lines: [{ function: builder.function({ name, filename }), line: i % 900 }] })
  })
  const stacks = Array.from({ length: 50_000 }, () => {
    // Each function has its own callees: mostly one, sometimes one of a few.
    const path: (typeof locations)[number][] = []
    let at = 1
    for (let depth = 0; depth < 40; depth++) {
      path.push(locations[at % locations.length])
      at = (Math.imul(at, 31) + (random() < 0.65 ? 7 : Math.floor(random() * 5) + 11)) >>> 0
    }
    return builder.stack(path.reverse())
  })
  const count = Math.round((MEGABYTES * 1e6) / 107)
  for (let i = 0; i < count; i++) {
    builder.sample({
      stack: stacks[i % stacks.length],
      values: [BigInt(1 + Math.floor(random() * 5)) * 10_000_000n],
      attributes: [builder.attribute('request', `request-${Math.floor(i / 8)}`)],
    })
  }
  return writePprof(builder.build()).bytes
}

/** Complete events of four threads, nested like calls. */
function traceFile(): Uint8Array {
  const random = randomFrom(11)
  const parts: string[] = []
  let length = 0
  const push = (event: string): void => {
    parts.push(event)
    length += event.length + 2
  }
  let at = 0
  while (length < MEGABYTES * 1e6) {
    const thread = 1 + Math.floor(random() * 4)
    let start = at
    let duration = 400 + random() * 400
    const depth = 3 + Math.floor(random() * 12)
    for (let level = 0; level < depth; level++) {
      const name = `function${Math.floor(random() ** 2 * 800)}`
      push(
        `{"ph":"X","cat":"js","pid":1,"tid":${thread},"ts":${start.toFixed(3)},"dur":${duration.toFixed(3)},"name":"${name}","args":{"level":${level}}}`,
      )
      start += duration * 0.1
      duration *= 0.8
    }
    at += 900
  }
  return new TextEncoder().encode(`[\n${parts.join(',\n')}\n]`)
}

function figures(result: Measured | undefined): string {
  if (result === undefined) return 'not opened | | '
  const { seconds, longestTask, peakMegabytes } = result
  return `${seconds.toFixed(1)} | ${Math.round(longestTask)} | ${peakMegabytes === undefined ? '' : Math.round(peakMegabytes)}`
}

function speedscopeFolder(): string | undefined {
  const folders = [process.env['SPEEDSCOPE'] ?? '', join(ROOT, 'node_modules/speedscope/dist/release')]
  return folders.find(folder => folder !== '' && existsSync(join(folder, 'index.html')))
}

async function main(): Promise<void> {
  if (!existsSync(join(PAGE, 'index.html'))) throw new Error('the UI is not built; run: npm run build')
  const other = speedscopeFolder()
  if (other === undefined)
    console.log('speedscope is not installed and not measured; SPEEDSCOPE names the folder of its built app\n')
  const work = mkdtempSync(join(tmpdir(), 'hearth-web-files-'))
  try {
    const lines: string[] = []
    const tell = (line: string): void => {
      lines.push(line)
      console.log(line)
    }
    tell('| opened in the UI | by | first picture, s | longest task, ms | peak memory, MB |')
    tell('| --- | --- | ---: | ---: | ---: |')
    for (const [name, make, inTime] of [
      ['large.pprof', pprofFile, false],
      ['large-trace.json', traceFile, true],
    ] as const) {
      const file = join(work, name)
      writeFileSync(file, make())
      const size = `${name}, ${Math.round(readFileSync(file).length / 1e6)} MB`
      for (const app of [
        hearth,
        ...(inTime ? [hearthInTime] : []),
        ...(other === undefined ? [] : [speedscope(other)]),
      ]) {
        tell(`| ${size} | ${app.name} | ${figures(await measured(app, file))} |`)
      }
      rmSync(file)
    }
    writeFigures('bench:web-files', lines.join('\n'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

await main()
