// Pages of a browser that one test after the other uses. A page keeps its process with the compiled scripts, so that it shows a
// screen for half of the CPU time that a new one takes. Between two tests it is emptied.
import type { CDPSession, Page } from 'playwright-core'

interface ReusedPage {
  readonly page: Page
  readonly session: CDPSession
}

export class ReusedPages {
  readonly #origin: string
  /** A file of the UI without scripts. Its headers keep the page in its process. */
  readonly #blank: string
  readonly #used: ReusedPage[] = []
  readonly #idle: ReusedPage[] = []

  constructor(origin: string) {
    this.#origin = origin
    this.#blank = `${origin}/browser-profiler.js`
  }

  /** An empty page, or undefined if there is none. */
  take(): Page | undefined {
    const taken = this.#idle.pop()
    if (taken !== undefined) this.#used.push(taken)
    return taken?.page
  }

  /** Adds a page that a test uses. */
  async add(page: Page): Promise<void> {
    this.#used.push({ page, session: await page.context().newCDPSession(page) })
  }

  /** Empties the pages that the last test has used. */
  async release(): Promise<void> {
    await Promise.all(
      this.#used.splice(0).map(async used => {
        if (used.page.isClosed()) return
        await this.#empty(used)
        this.#idle.push(used)
      }),
    )
  }

  has(page: Page): boolean {
    return this.#idle.some(idle => idle.page === page)
  }

  /** Removes what a new page does not have: handlers, storage, cached responses and the history. */
  async #empty({ page, session }: ReusedPage): Promise<void> {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto(this.#blank)
    await page.evaluate(() => sessionStorage.clear())
    await page.mouse.move(-1, -1)
    await session.send('Storage.clearDataForOrigin', { origin: this.#origin, storageTypes: 'all' })
    await session.send('Network.clearBrowserCache')
    await session.send('Page.resetNavigationHistory')
  }
}
