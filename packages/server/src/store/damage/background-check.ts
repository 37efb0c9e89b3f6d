// Checks all parts of the embedded store again and again while the server runs, at a limited rate. The place is kept in a
// state file, so that restarts do not begin again.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StateFile } from '../../files/state-file.ts'
import type { CommitLog } from '../commit/commit-state.ts'
import type { DamagedParts, Part } from './damaged-parts.ts'

export interface BackgroundCheckOptions {
  readonly damaged: DamagedParts
  readonly dataDirectory: string
  /** All data is checked once in this time, if the rate allows it. */
  readonly periodMs: number
  readonly maxBytesPerSecond: number
  readonly log: CommitLog
  readonly now?: () => number
}

interface Progress {
  /** The last part that was checked, as `TABLE PART`. Empty at the start of a round. */
  readonly after: string
  /** Unix milliseconds of the start of the round, and of the end of the last complete one (0 for none). */
  readonly started: number
  readonly completed: number
}

/** A small store is checked in a few minutes instead of a part per day. */
const MIN_BYTES_PER_SECOND = 2 ** 20
/** A part takes at least this long, so that ten thousand tiny parts do not become a burst. */
const MIN_PART_MS = 20
const RETRY_MS = 60_000

export class BackgroundCheck {
  readonly #options: BackgroundCheckOptions
  readonly #file: StateFile<Progress>
  readonly #stop = new AbortController()
  #progress: Progress
  #running: Promise<void> | undefined

  constructor(options: BackgroundCheckOptions) {
    this.#options = options
    this.#file = new StateFile(join(options.dataDirectory, 'verified.json'), {
      parse: json => {
        const { after, started, completed } = json as Partial<Progress>
        if (typeof after !== 'string' || typeof started !== 'number' || typeof completed !== 'number')
          throw new Error('not the progress of a check')
        return json as Progress
      },
      optional: true,
      durable: false,
      shortLived: true,
    })
    this.#progress = this.#file.read().content ?? { after: '', started: this.#now(), completed: 0 }
  }

  /** Unix milliseconds of the end of the last complete round, or 0. */
  get completed(): number {
    return this.#progress.completed
  }

  start(): void {
    if (this.#options.periodMs > 0) this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Checks the rest of the round. Resolves when all data was checked. */
  async round(): Promise<void> {
    const { damaged, log } = this.#options
    const parts = (await damaged.activeParts()).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const rate = this.#rate(parts)
    for (const part of parts) {
      if (keyOf(part) <= this.#progress.after) continue
      this.#stop.signal.throwIfAborted()
      const begun = this.#now()
      await damaged.check(part, rate)
      await this.#write({ ...this.#progress, after: keyOf(part) })
      const due = Math.max(MIN_PART_MS, (part.bytes / rate) * 1000)
      await sleep(Math.max(0, due - (this.#now() - begun)), undefined, { signal: this.#stop.signal })
    }
    await this.#write({ ...this.#progress, after: '', completed: this.#now() })
    log.info({ parts: parts.length, bytes: sizeOf(parts), damaged: damaged.list.length }, 'checked all stored data')
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.round()
        const next = this.#progress.started + this.#options.periodMs
        await sleep(Math.max(0, Math.min(next - this.#now(), 2 ** 31 - 1)), undefined, { signal })
        await this.#write({ ...this.#progress, started: this.#now() })
      } catch (error) {
        if (signal.aborted) return
        this.#options.log.warn({ err: error }, 'cannot check stored data; it is tried again later')
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** As slow as the period allows, and never faster than the limit. */
  #rate(parts: readonly Part[]): number {
    const { periodMs, maxBytesPerSecond } = this.#options
    const needed = (sizeOf(parts) / Math.max(1, periodMs * 0.9)) * 1000
    return Math.ceil(Math.max(1, Math.min(maxBytesPerSecond, Math.max(MIN_BYTES_PER_SECOND, needed))))
  }

  async #write(progress: Progress): Promise<void> {
    this.#progress = progress
    // Without it, the next start repeats some checks.
    await this.#file.write(progress).catch(() => undefined)
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function keyOf({ table, name }: Part): string {
  return `${table} ${name}`
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0)
}
