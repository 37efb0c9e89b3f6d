// Sends profiles to an OTLP backend. Encodes right away, then sends a bounded queue in the background, one request at a time,
// and retries while the backend is unavailable. Nothing here throws or rejects. Only a flush that a caller waits for keeps the
// process running.
import type { Profiles } from '@hearth/profile/recording'
import type { BackOffLimits } from './back-off.ts'
import { BACK_OFF, waitMillis } from './back-off.ts'
import type { Compress } from './compress.ts'
import type { ProfilesExporter } from './exporter.ts'
import type { QueueLimits, QueuedPayload } from './payload-queue.ts'
import { PayloadQueue } from './payload-queue.ts'
import { withoutTracing } from './suppress-tracing.ts'
import type { Outcome, Transport } from './transport.ts'
import { reasonOf } from '../record/reason-of.ts'

export interface OtlpExporterOptions {
  readonly transport: Transport
  readonly encode: (profiles: Profiles) => Uint8Array
  readonly compress: Compress
  /** The name of the destination in messages. */
  readonly destination: string
  readonly onProblem: (problem: string) => void
  readonly limits?: QueueLimits
  readonly backOff?: BackOffLimits
}

/** Older payloads are dropped: the backend would reject them. */
const MAX_AGE_MILLIS = 15 * 60_000

interface Flusher {
  readonly deadline: number
  /** The last attempt that had started before the flush. */
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
  /** The time until which the server requested a pause, in Unix milliseconds. */
  #resumeAt = 0
  /** Ends the wait for the next attempt. */
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
      this.#drop(1, `encoding failed: ${reasonOf(error)}`)
    }
    this.#start()
  }

  flush(timeoutMillis: number): Promise<void> {
    if (this.#queue.length === 0 || this.#isClosed || this.#resumeAt > Date.now() + timeoutMillis)
      return Promise.resolve()
    return new Promise(resolve => {
      // Not unreferenced: a caller waits, and the sockets do not keep the process running.
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
    if (left > 0) this.#drop(left, 'the agent stopped before they were sent')
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
      else if (Date.now() - head.since > MAX_AGE_MILLIS) this.#settle({ kind: 'rejected', why: outcome.why })
      else await this.#wait(outcome, attempt)
    }
    this.#isRunning = false
    this.#endFlushes()
  }

  async #try(head: QueuedPayload): Promise<Outcome> {
    const { compress, transport } = this.#options
    try {
      if (!head.isCompressed) this.#queue.compressed(await compress(head.bytes))
      if (this.#isClosed) return { kind: 'rejected', why: 'closed' }
      return await withoutTracing(() => transport.send(head.bytes))
    } catch (error) {
      return { kind: 'rejected', why: reasonOf(error) }
    }
  }

  #settle(outcome: Exclude<Outcome, { kind: 'retry' }>): void {
    const { destination, onProblem } = this.#options
    this.#failures = 0
    this.#queue.remove()
    if (outcome.kind === 'rejected') this.#drop(1, `${destination} rejected them (${outcome.why})`)
    else if (outcome.kind === 'partial') {
      const { rejected, message } = outcome
      onProblem(
        rejected === 0n
          ? `${destination} accepted profiles with a warning: ${message}`
          : `${destination} rejected ${rejected} profiles: ${message}`,
      )
    }
  }

  async #wait(outcome: Extract<Outcome, { kind: 'retry' }>, attempt: number): Promise<void> {
    const { destination, onProblem, backOff = BACK_OFF } = this.#options
    this.#queue.release()
    this.#failures++
    if (this.#failures === 1) onProblem(`sending profiles to ${destination} failed (${outcome.why}); retrying`)
    const wait = waitMillis(this.#failures, outcome.afterMillis, backOff)
    // A flush ends as soon as waiting longer is pointless.
    for (const flusher of this.#flushers) {
      const isUseless =
        outcome.afterMillis === undefined ? flusher.after < attempt : Date.now() + wait > flusher.deadline
      if (isUseless) flusher.done()
    }
    // A flush that came during this attempt gets its own, unless the server requested a pause.
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
    this.#options.onProblem(`dropped ${count} exports: ${why} (${this.#dropped} so far)`)
  }

  #endFlushes(): void {
    for (const flusher of this.#flushers) flusher.done()
  }
}
