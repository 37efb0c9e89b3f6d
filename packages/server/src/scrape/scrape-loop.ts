// Fetches one endpoint of one target at its interval, and hands the files to the receiver.
import type { Identity } from '../access/gatekeeper.ts'
import type { Admission } from '../receive/admission.ts'
import type { Receiver } from '../receive/receiver.ts'
import { httpGet } from './http-get.ts'
import type { PreviousFiles } from './previous-files.ts'
import type { Connection } from './scrape-config.ts'
import { scrapeBody, scrapeContent } from './scrape-content.ts'
import type { Target } from './targets.ts'

/** The result of one scrape. */
export interface Scrape {
  /** Milliseconds since 1970. */
  readonly start: number
  readonly durationMs: number
  readonly bytes: number
  /** Undefined if the scrape succeeded. */
  readonly error: string | undefined
}

export interface LoopOptions {
  readonly target: Target
  readonly connection: Connection
  readonly identity: Identity
  readonly receiver: Pick<Receiver, 'receive'>
  readonly admission: Pick<Admission, 'admit'>
  readonly previousFiles: PreviousFiles
  readonly maxBytes: number
  readonly onScrape: (target: Target, scrape: Scrape) => void
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

const NANOS = 1_000_000n
const CLIENT = 'hearth-scrape'

export class ScrapeLoop {
  readonly target: Target
  /** The last scrape. Undefined before the first one ends. */
  last: Scrape | undefined
  readonly #options: LoopOptions
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #previousEnd: number | undefined

  constructor(options: LoopOptions) {
    this.target = options.target
    this.#options = options
  }

  start(): void {
    this.#schedule()
  }

  /** Resolves when the last scrape has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#abort.abort()
    await this.#running
    this.#options.previousFiles.forget(this.target.id)
  }

  /** Each target has its own offset in the interval, so that not all are fetched at once. The offset is the same after a restart. */
  #schedule(): void {
    if (this.#abort.signal.aborted) return
    const { id, intervalMs } = this.target
    const offset = Number.parseInt(id.slice(0, 8), 16) % intervalMs
    const now = Date.now()
    const next = Math.floor((now - offset) / intervalMs + 1) * intervalMs + offset
    this.#timer = setTimeout(() => {
      this.#running = this.scrape().finally(() => this.#schedule())
    }, next - now)
    this.#timer.unref()
  }

  /** Fetches the endpoint once. Never rejects. */
  async scrape(): Promise<void> {
    const { onScrape, now = Date.now } = this.#options
    const start = now()
    let bytes = 0
    let error: string | undefined
    try {
      bytes = await this.#fetchAndStore(start, now)
    } catch (caught) {
      if (this.#abort.signal.aborted) return
      error = messageOf(caught, this.target.timeoutMs)
    }
    this.last = { start, durationMs: now() - start, bytes, error }
    onScrape(this.target, this.last)
  }

  async #fetchAndStore(start: number, now: () => number): Promise<number> {
    const { target, connection, identity, receiver, admission, previousFiles, maxBytes } = this.#options
    const { url, endpoint, labels, timeoutMs } = target
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)])
    const { body: file, contentEncoding } = await httpGet(url, { connection, signal, maxBytes })
    if (contentEncoding !== '' && contentEncoding !== 'identity')
      throw new Error(`the response has the Content-Encoding ${contentEncoding}, which was not requested`)
    const end = now()
    const isCumulative = endpoint.cumulative.length > 0
    const previous = isCumulative ? previousFiles.get(target.id) : undefined
    const from = this.#previousEnd ?? start
    const admitted = admission.admit(file.length + (previous?.length ?? 0))
    try {
      const content = scrapeContent({ endpoint, labels, from: BigInt(from) * NANOS, to: BigInt(end) * NANOS })
      const body = scrapeBody(previous, file)
      await receiver.receive({ content, body, identity, client: CLIENT, transport: 'http' })
    } finally {
      admitted.release()
    }
    // If storing failed, the next increments are since the last file that was stored.
    if (isCumulative) {
      previousFiles.set(target.id, file)
      this.#previousEnd = end
    }
    return file.length
  }
}

function messageOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError' || (error.cause instanceof Error && error.cause.name === 'TimeoutError'))
    return `no complete response within ${timeoutMs / 1000} s (scrape_timeout and the seconds of the recording)`
  return error.message
}
