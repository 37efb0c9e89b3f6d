// Starts and stops the loops of all jobs as their targets come and go.
import type { Identity } from '../access/gatekeeper.ts'
import type { Admission } from '../receive/admission.ts'
import type { Receiver } from '../receive/receiver.ts'
import type { PolledSource } from './discovery/polled-source.ts'
import { sourcesOf } from './discovery/sources.ts'
import { PreviousFiles } from './previous-files.ts'
import type { ScrapeJob } from './scrape-config.ts'
import type { Scrape } from './scrape-loop.ts'
import { ScrapeLoop } from './scrape-loop.ts'
import { ScrapeMetrics } from './scrape-metrics.ts'
import type { Target } from './targets.ts'
import { targetsOf } from './targets.ts'

export interface ScraperOptions {
  readonly jobs: readonly ScrapeJob[]
  readonly receiver: Pick<Receiver, 'receive'>
  readonly admission: Pick<Admission, 'admit'>
  readonly defaultTenant: string
  /** The maximum size of a response. */
  readonly maxBytes: number
  /** Counts a scrape. */
  readonly onScrape: (target: Target, scrape: Scrape) => void
  readonly onProblem: (job: string, message: string) => void
}

/** A target with its last scrape. */
export interface ScrapedTarget {
  readonly target: Target
  /** Undefined before the first scrape ends. */
  readonly last: Scrape | undefined
}

export interface JobState {
  readonly job: string
  readonly tenant: string
  readonly targets: readonly ScrapedTarget[]
  /** Failures of the sources of targets, and targets that are not scraped. */
  readonly problems: readonly string[]
}

const MAX_PREVIOUS_BYTES = 64 * 2 ** 20

export class Scraper {
  readonly #jobs: readonly RunningJob[]
  readonly #metrics: ScrapeMetrics

  constructor(options: ScraperOptions) {
    const { jobs, receiver, onProblem } = options
    const previousFiles = new PreviousFiles(MAX_PREVIOUS_BYTES)
    this.#metrics = new ScrapeMetrics(receiver, error =>
      onProblem('', `the metrics of scrapes were not stored: ${String(error)}`),
    )
    this.#jobs = jobs.map(job => new RunningJob(job, options, previousFiles, this.#metrics))
  }

  /** Resolves when every source of targets has responded once, or failed. */
  async start(): Promise<void> {
    await Promise.all(this.#jobs.map(job => job.start()))
  }

  /** Resolves when no scrape runs and the metrics are stored. */
  async stop(): Promise<void> {
    await Promise.all(this.#jobs.map(job => job.stop()))
    await this.#metrics.flush()
  }

  state(): readonly JobState[] {
    return this.#jobs.map(job => job.state())
  }
}

class RunningJob {
  readonly #job: ScrapeJob
  readonly #options: ScraperOptions
  readonly #previousFiles: PreviousFiles
  readonly #metrics: ScrapeMetrics
  readonly #identity: Identity
  readonly #sources: readonly PolledSource[]
  readonly #loops = new Map<string, ScrapeLoop>()
  #problem: string | undefined
  #stopping: Promise<unknown>[] = []
  #isStopped = false

  constructor(job: ScrapeJob, options: ScraperOptions, previousFiles: PreviousFiles, metrics: ScrapeMetrics) {
    this.#job = job
    this.#options = options
    this.#previousFiles = previousFiles
    this.#metrics = metrics
    this.#identity = { tenant: job.tenant ?? options.defaultTenant, token: '' }
    this.#sources = sourcesOf(job, {
      onChange: () => this.#update(),
      onFailure: message => options.onProblem(job.job_name, message),
    })
  }

  async start(): Promise<void> {
    this.#update()
    await Promise.all(this.#sources.map(source => source.start()))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#sources.map(source => source.stop()))
    for (const [id, loop] of this.#loops) this.#end(id, loop)
    await Promise.all(this.#stopping)
  }

  state(): JobState {
    const problems = [this.#problem, ...this.#sources.map(({ failure }) => failure)].filter(text => text !== undefined)
    const targets = Array.from(this.#loops.values(), ({ target, last }) => ({ target, last }))
    return { job: this.#job.job_name, tenant: this.#identity.tenant, targets, problems }
  }

  /** Starts loops for new targets, and ends those of former ones. */
  #update(): void {
    if (this.#isStopped) return
    const groups = [...this.#job.static_configs, ...this.#sources.flatMap(source => source.groups)]
    let targets: readonly Target[]
    try {
      targets = targetsOf(this.#job, groups)
      this.#problem = undefined
    } catch (error) {
      targets = []
      this.#problem = error instanceof Error ? error.message : String(error)
      this.#options.onProblem(this.#job.job_name, this.#problem)
    }
    const wanted = new Map(targets.map(target => [target.id, target]))
    for (const [id, loop] of this.#loops) if (!wanted.has(id)) this.#end(id, loop)
    for (const [id, target] of wanted) if (!this.#loops.has(id)) this.#begin(id, target)
  }

  #begin(id: string, target: Target): void {
    const { receiver, admission, maxBytes, onScrape } = this.#options
    const loop = new ScrapeLoop({
      target,
      connection: this.#job,
      identity: this.#identity,
      receiver,
      admission,
      maxBytes,
      previousFiles: this.#previousFiles,
      onScrape: (of, scrape) => {
        this.#metrics.add(this.#identity, of, scrape)
        onScrape(of, scrape)
      },
    })
    this.#loops.set(id, loop)
    loop.start()
  }

  #end(id: string, loop: ScrapeLoop): void {
    this.#loops.delete(id)
    const ending = loop.stop().finally(() => (this.#stopping = this.#stopping.filter(other => other !== ending)))
    this.#stopping.push(ending)
  }
}
