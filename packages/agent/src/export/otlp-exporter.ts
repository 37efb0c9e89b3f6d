// Sends profiles to an OTLP backend: encodes at once, then works through a bounded queue in the background, one request at a
// time, with patience for a backend that is away. Nothing here throws or rejects, and nothing keeps the process running but a
// flush that somebody waits for.
import type { Profiles } from '@hearth/profile/recording'
import type { BackOffLimits } from './back-off.ts'
import { BACK_OFF, waitMillis } from './back-off.ts'
import type { Compress } from './compress.ts'
import type { ProfilesExporter } from './exporter.ts'
import type { QueueLimits, Waiting } from './payload-queue.ts'
import { PayloadQueue } from './payload-queue.ts'
import { withoutTracing } from './suppress-tracing.ts'
import type { Outcome, Transport } from './transport.ts'
import { reasonOf } from './transport.ts'

export interface OtlpExporterOptions {
  readonly transport: Transport
  readonly encode: (profiles: Profiles) => Uint8Array
  readonly compress: Compress
  /** For messages. */
  readonly destination: string
  readonly onProblem: (problem: string) => void
  readonly limits?: QueueLimits
  readonly backOff?: BackOffLimits
}

/** Older payloads are given up: their backend would not want them any more. */
const MOST_AGE_MILLIS = 15 * 60_000

interface Flusher {
  readonly deadline: number
  /** The last try that had begun before. */
  readonly after: number
  readonly done: () => void
}

export class OtlpExporter implements ProfilesExporter {
  readonly #options: OtlpExporterOptions
  readonly #queue: PayloadQueue
  readonly #flushers = new Set<Flusher>()
  #dropped = 0
  #isRunning = false
  #isClosed = false
  #tries = 0
  #failures = 0
  /** Until when the server asked for peace, as unix milliseconds. */
  #resumeAt = 0
  /** Ends the wait for the next try. */
  #wake: (() => void) | undefined

  constructor(options: OtlpExporterOptions) {
    this.#options = options
    this.#queue = new PayloadQueue(options.limits)
  }

  get dropped(): number {
    return this.#dropped
  }

  get waiting(): number {
    return this.#queue.length
  }

  send(profiles: Profiles): void {
    if (this.#isClosed) return
    try {
      const dropped = this.#queue.push(this.#options.encode(profiles), Date.now())
      if (dropped > 0) this.#drop(dropped, 'the queue is full')
    } catch (error) {
      this.#drop(1, `profiles could not be encoded: ${reasonOf(error)}`)
    }
    this.#start()
  }

  flush(timeoutMillis: number): Promise<void> {
    if (this.#queue.length === 0 || this.#isClosed || this.#resumeAt > Date.now() + timeoutMillis)
      return Promise.resolve()
    return new Promise(resolve => {
      // Not unref'ed: somebody waits, and the sockets will not keep the process for it.
      const timer = setTimeout(() => flusher.done(), timeoutMillis)
      const flusher: Flusher = {
        deadline: Date.now() + timeoutMillis,
        after: this.#tries,
        done: () => {
          clearTimeout(timer)
          this.#flushers.delete(flusher)
          resolve()
        },
      }
      this.#flushers.add(flusher)
      if (this.#resumeAt === 0) this.#wake?.()
      this.#start()
    })
  }

  shutdown(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    const left = this.#queue.clear()
    if (left > 0) this.#drop(left, 'they were not sent before the end')
    this.#options.transport.close()
    this.#wake?.()
    this.#endFlushes()
    return Promise.resolve()
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    for (let head = this.#queue.take(); head !== undefined && !this.#isClosed; head = this.#queue.take()) {
      const attempt = ++this.#tries
      const outcome = await this.#try(head)
      if (this.#isClosed) break
      if (outcome.kind !== 'retry') this.#settle(outcome)
      else if (Date.now() - head.since > MOST_AGE_MILLIS) this.#settle({ kind: 'refused', why: outcome.why })
      else await this.#wait(outcome, attempt)
    }
    this.#isRunning = false
    this.#endFlushes()
  }

  async #try(head: Waiting): Promise<Outcome> {
    const { compress, transport } = this.#options
    try {
      if (!head.isCompressed) this.#queue.compressed(await compress(head.bytes))
      if (this.#isClosed) return { kind: 'refused', why: 'closed' }
      return await withoutTracing(() => transport.send(head.bytes))
    } catch (error) {
      return { kind: 'refused', why: reasonOf(error) }
    }
  }

  #settle(outcome: Exclude<Outcome, { kind: 'retry' }>): void {
    const { destination, onProblem } = this.#options
    this.#failures = 0
    this.#queue.remove()
    if (outcome.kind === 'refused') this.#drop(1, `${destination} refused them (${outcome.why})`)
    else if (outcome.kind === 'partial') {
      const { rejected, message } = outcome
      onProblem(
        rejected === 0n
          ? `${destination} took profiles, and says: ${message}`
          : `${destination} rejected ${rejected} profiles: ${message}`,
      )
    }
  }

  async #wait(outcome: Extract<Outcome, { kind: 'retry' }>, attempt: number): Promise<void> {
    const { destination, onProblem, backOff = BACK_OFF } = this.#options
    this.#queue.release()
    this.#failures++
    if (this.#failures === 1) onProblem(`${destination} does not take profiles (${outcome.why}); trying again`)
    const wait = waitMillis(this.#failures, outcome.afterMillis, backOff)
    // Who waits for a flush is told as soon as it is clear that waiting longer would be of no use.
    for (const flusher of this.#flushers) {
      const isUseless =
        outcome.afterMillis === undefined ? flusher.after < attempt : Date.now() + wait > flusher.deadline
      if (isUseless) flusher.done()
    }
    // A flush that came during this try wants one of its own, unless the server asked for a pause.
    if (outcome.afterMillis === undefined && this.#flushers.size > 0) return
    this.#resumeAt = outcome.afterMillis === undefined ? 0 : Date.now() + wait
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, wait).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
    this.#resumeAt = 0
  }

  #drop(count: number, why: string): void {
    this.#dropped += count
    this.#options.onProblem(`profiles of ${count} exports are lost: ${why} (${this.#dropped} so far)`)
  }

  #endFlushes(): void {
    for (const flusher of this.#flushers) flusher.done()
  }
}
