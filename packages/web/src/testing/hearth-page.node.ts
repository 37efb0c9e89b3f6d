// A real server with data and a real browser, for the browser tests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Flags } from '../../../server/src/testing/server-process.ts'
import { ServerProcess } from '../../../server/src/testing/server-process.ts'
import { sharedBrowser } from './chromium.node.ts'
import { ReusedPages } from './reused-pages.node.ts'
import { sendShop } from './send-shop.node.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Firefox cannot emulate media features by WebDriver BiDi. Playwright's word for that is null. */
// oxlint-disable-next-line no-null
const NOT_EMULATED = { colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null } as const

/**
 * The hash of the style `body {}`. Playwright adds it before each screenshot in Firefox, where the UI's policy blocks it and
 * Firefox reports that as an error of the page. The picture does not need it.
 */
const PLAYWRIGHT_STYLE = 'sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA='

/** Devices with narrower windows have touch screens. */
const TOUCH_BELOW = 600

/** The height of a window of a usual device with this width. */
export function heightOf(width: number): number {
  return width < TOUCH_BELOW ? 844 : width > 1600 ? 1440 : 800
}

export interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly string[]
}

export class HearthPage {
  readonly url: string
  readonly otlp: string
  /** The port of OTLP/gRPC and of the Broker. */
  readonly grpcPort: number
  /** The data directory of the server. */
  readonly data: string
  readonly #server: ServerProcess
  readonly #browser: Browser
  readonly #isFirefox: boolean
  readonly #reused: ReusedPages
  /** Other hosts that pages sent requests to. */
  readonly hosts = new Set<string>()
  /** Exceptions and console errors of all pages. */
  readonly errors: string[] = []

  private constructor(server: ServerProcess, browser: Browser, data: string) {
    const { ports } = server
    this.#server = server
    this.#browser = browser
    this.#isFirefox = browser.browserType().name().toLowerCase().includes('firefox')
    this.data = data
    this.url = `http://127.0.0.1:${ports.http}`
    this.#reused = new ReusedPages(this.url)
    this.grpcPort = ports.otlpGrpc
    this.otlp = `http://127.0.0.1:${ports.otlpHttp}`
  }

  /** Starts a server, which serves the current build of the UI, and sends data of a shop. */
  static async start(chromium: string): Promise<HearthPage> {
    return await HearthPage.startIn(await sharedBrowser(chromium))
  }

  static async startIn(browser: Browser): Promise<HearthPage> {
    const page = await HearthPage.startEmpty(browser)
    await sendShop(page.otlp)
    await page.settled()
    return page
  }

  /** Starts a server without data. */
  static async startEmpty(browser: Browser, flags: Flags = {}): Promise<HearthPage> {
    const data = mkdtempSync(join(tmpdir(), 'hearth-web-'))
    const server = await ServerProcess.start({ data, 'self-profile': 'no', ...flags })
    return new HearthPage(server, browser, data)
  }

  /** Waits until queries see all acknowledged data. */
  async settled(): Promise<void> {
    await this.#server.settled()
  }

  /** Closes all pages after a test, or empties those that the next test can use. Open pages would keep sending requests and drawing. */
  async closePages(): Promise<void> {
    await this.#reused.release()
    const contexts = this.#browser.contexts()
    await Promise.all(
      contexts.filter(context => !context.pages().some(page => this.#reused.has(page))).map(context => context.close()),
    )
  }

  /** Ends the server. The browser stays open for the next test file. */
  async end(): Promise<void> {
    await Promise.all(this.#browser.contexts().map(context => context.close()))
    if ((await this.#server.end()) !== 0) process.stderr.write(this.#server.log)
    rmSync(this.data, { recursive: true, force: true })
  }

  /**
   * Opens a path of the server in an empty page, with the storage, history and cache of a new one. A test that changes more, such
   * as permissions, the clock or scripts that run in each document, uses `visit`.
   */
  async open(path: string, theme: 'light' | 'dark' = 'light', width = 1280): Promise<Page> {
    // A touch screen and the theme of Firefox are set for good when a page is made.
    if (width < TOUCH_BELOW || this.#isFirefox) return await this.visit(this.url + path, theme, width)
    let page = this.#reused.take()
    if (page === undefined) {
      page = await this.#newPage(theme, width)
      await this.#reused.add(page)
    }
    await page.emulateMedia({ colorScheme: theme })
    const viewport = { width, height: heightOf(width) }
    if (page.viewportSize()?.width !== viewport.width || page.viewportSize()?.height !== viewport.height)
      await page.setViewportSize(viewport)
    await page.goto(this.url + path)
    return page
  }

  /** Opens a URL in a new browser context. */
  async visit(url: string, theme: 'light' | 'dark' = 'light', width = 1280): Promise<Page> {
    const page = await this.#newPage(theme, width, new URL(url).host)
    await page.goto(url)
    return page
  }

  async #newPage(theme: 'light' | 'dark', width: number, own = new URL(this.url).host): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width, height: heightOf(width) },
      hasTouch: width < TOUCH_BELOW,
      ...(this.#isFirefox ? NOT_EMULATED : { colorScheme: theme, reducedMotion: 'reduce' }),
      acceptDownloads: true,
    })
    await context.addInitScript(
      forced => {
        // The script also runs in about:blank, which has no storage. Its address is empty in Firefox.
        if (!location.protocol.startsWith('http')) return
        if (forced !== '') localStorage.setItem('hearth.theme', forced)
        // Tests that need it switch the refresh on. It would send requests that others do not expect.
        if (localStorage.getItem('hearth.refresh') === null) localStorage.setItem('hearth.refresh', '0')
      },
      this.#isFirefox ? theme : '',
    )
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    page.on('request', request => {
      const { protocol, host } = new URL(request.url())
      if (protocol.startsWith('http') && host !== own) this.hosts.add(host)
    })
    page.on('pageerror', ({ message }) => {
      if (!message.includes(PLAYWRIGHT_STYLE)) this.errors.push(message)
    })
    page.on('console', message => {
      // The browser logs each response with an error status, also the expected ones.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.errors.push(message.text())
      }
    })
    return page
  }
}

export interface LocalFile {
  readonly name: string
  readonly bytes: string | Uint8Array
}

/** Opens files with the file dialog. */
export async function openFiles(page: Page, ...files: readonly LocalFile[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await chooser.setFiles(
    files.map(({ name, bytes }) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) })),
  )
}

/** Returns the accessibility violations that axe finds in the light theme and then in the dark one. */
export async function violationsInThemes(page: Page): Promise<readonly Violation[]> {
  const light = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('[data-theme="dark"]').waitFor()
  const dark = await violations(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('[data-theme="light"]').waitFor()
  return [...light, ...dark]
}

/** Returns the accessibility violations that axe finds. WCAG 2.2's rule for the size of targets is off by default, as in axe. */
export async function violations(page: Page, checksTargets = false): Promise<readonly Violation[]> {
  // Content is dimmed while it reloads and then fades in for 0.1 s. Its contrast is too low during that time.
  await page.waitForFunction(
    () =>
      document.querySelector('.stale') === null &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  )
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return await page.evaluate(async withTargets => {
    interface Found {
      readonly violations: readonly { id: string; help: string; nodes: readonly { target: readonly string[] }[] }[]
    }
    interface Options {
      readonly resultTypes: readonly string[]
      readonly preload: boolean
      readonly runOnly?: readonly string[]
      readonly rules?: Readonly<Record<string, { readonly enabled: boolean }>>
    }
    const { axe } = globalThis as unknown as { readonly axe: { run: (options: Options) => Promise<Found> } }
    // Describing what passes takes longer than finding what does not. Only a rule that is off needs the style sheets.
    const quick = { resultTypes: ['violations'], preload: false }
    // The themes differ in colours alone, so the light one stands for all other rules.
    const found = await axe.run(
      document.documentElement.dataset['theme'] === 'dark'
        ? { ...quick, runOnly: ['color-contrast'] }
        : { ...quick, rules: { 'target-size': { enabled: withTargets } } },
    )
    return found.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(node => node.target.join(' ')),
    }))
  }, checksTargets)
}
