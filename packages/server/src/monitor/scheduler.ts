// Runs all periodic work of the monitor: one timer per job, no job twice at the same time, and one place that decides whether this
// server does the work. Servers that share a store must not all send the same alert.

export interface Job {
  readonly name: string
  readonly everyMs: number
  /** The signal aborts when the server stops. */
  run(signal: AbortSignal): Promise<void>
}

export interface ScheduledJob {
  readonly name: string
  readonly everyMs: number
  readonly isRunning: boolean
  /** Milliseconds since 1970; undefined before the first run. */
  readonly lastStart: number | undefined
  readonly lastDurationMs: number | undefined
  /** The message of the last error; undefined if the last run succeeded. */
  readonly error: string | undefined
}

export interface SchedulerOptions {
  /** Whether this server does the periodic work now. Called before each run. */
  readonly isLeader: () => boolean | Promise<boolean>
  readonly onError: (error: unknown, job: string) => void
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

interface OpenJob extends Job {
  timer: NodeJS.Timeout | undefined
  running: Promise<void> | undefined
  lastStart: number | undefined
  lastDurationMs: number | undefined
  error: string | undefined
}

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #jobs: OpenJob[] = []
  readonly #end = new AbortController()

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  add(job: Job): void {
    const open: OpenJob = {
      name: job.name,
      everyMs: job.everyMs,
      run: signal => job.run(signal),
      timer: undefined,
      running: undefined,
      lastStart: undefined,
      lastDurationMs: undefined,
      error: undefined,
    }
    this.#jobs.push(open)
  }

  /** Each job first runs after one period. */
  start(): void {
    for (const job of this.#jobs) job.timer = setInterval(() => void this.#run(job), job.everyMs).unref()
  }

  /** Runs a job now, or waits for the run in progress. Throws if no job has the name. */
  async runNow(name: string): Promise<void> {
    const job = this.#jobs.find(each => each.name === name)
    if (job === undefined) throw new Error(`no job is named ${name}`)
    await this.#run(job)
  }

  states(): ScheduledJob[] {
    return this.#jobs.map(({ name, everyMs, running, lastStart, lastDurationMs, error }) => ({
      name,
      everyMs,
      isRunning: running !== undefined,
      lastStart,
      lastDurationMs,
      error,
    }))
  }

  /** Resolves when no job runs. */
  async stop(): Promise<void> {
    this.#end.abort()
    for (const job of this.#jobs) clearInterval(job.timer)
    await Promise.all(this.#jobs.flatMap(({ running }) => running ?? []))
  }

  #run(job: OpenJob): Promise<void> {
    return (job.running ??= this.#runOnce(job).finally(() => (job.running = undefined)))
  }

  async #runOnce(job: OpenJob): Promise<void> {
    const { isLeader, onError, now = Date.now } = this.#options
    if (this.#end.signal.aborted) return
    const started = now()
    try {
      if (!(await isLeader())) return
      job.lastStart = started
      await job.run(this.#end.signal)
      job.error = undefined
    } catch (error) {
      if (this.#end.signal.aborted) return
      job.error = error instanceof Error ? error.message : String(error)
      onError(error, job.name)
    } finally {
      job.lastDurationMs = now() - started
    }
  }
}
