// A source of targets that is queried at an interval. If it fails, the targets stay as they were.
import type { TargetGroup } from '../targets.ts'

export interface SourceOptions {
  /** Shown in errors. */
  readonly name: string
  readonly intervalMs: number
  readonly find: (signal: AbortSignal) => Promise<readonly TargetGroup[]>
  readonly onChange: () => void
  /** Called once when the source begins to fail, and not for further failures. */
  readonly onFailure: (message: string) => void
}

export class PolledSource {
  readonly #options: SourceOptions
  readonly #abort = new AbortController()
  #groups: readonly TargetGroup[] = []
  #failure: string | undefined
  #timer: NodeJS.Timeout | undefined
  #querying: Promise<void> = Promise.resolve()

  constructor(options: SourceOptions) {
    this.#options = options
  }

  get groups(): readonly TargetGroup[] {
    return this.#groups
  }

  /** The name and the cause if the source fails; undefined otherwise. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Resolves after the first response, or the first failure. */
  start(): Promise<void> {
    return (this.#querying = this.#query().finally(() => this.#schedule()))
  }

  /** The next query starts an interval after the last one ended, so that a slow source has one at a time. */
  #schedule(): void {
    if (!this.#abort.signal.aborted) this.#timer = setTimeout(() => void this.start(), this.#options.intervalMs).unref()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#abort.abort()
    await this.#querying
  }

  async #query(): Promise<void> {
    const { name, intervalMs, find, onChange, onFailure } = this.#options
    const { signal } = this.#abort
    if (signal.aborted) return
    try {
      const groups = await find(AbortSignal.any([signal, AbortSignal.timeout(Math.max(intervalMs, 10_000))]))
      this.#failure = undefined
      if (JSON.stringify(groups) === JSON.stringify(this.#groups)) return
      this.#groups = groups
      onChange()
    } catch (error) {
      if (signal.aborted) return
      const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
      if (this.#failure === undefined) onFailure(message)
      this.#failure = message
    }
  }
}
