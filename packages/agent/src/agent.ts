// The agent: a recorder, an exporter, and a clock between the two. Nothing that it does throws into the application, prints to
// its stdout, or keeps it from ending.
import { isMainThread } from 'node:worker_threads'
import type { KeyValue, Profiles } from '@hearth/profile/recording'
import type { BrokerConnection } from './broker/connect-broker.ts'
import { configure } from './configuration/configure.ts'
import type { Variables } from './configuration/environment.ts'
import type { Configuration, Settings } from './configuration/options.ts'
import { hookExit } from './exit-hooks.ts'
import type { ProfilesExporter } from './export/exporter.ts'
import { openExporter } from './export/open-exporter.ts'
import { guarded, problemReporter } from './export/problem-reporter.ts'
import { reasonOf } from './export/transport.ts'
import { WorkerExporter } from './export/worker-exporter.ts'
import type { CaptureRange } from './record/threads/process-captures.ts'
import { ProcessCaptures } from './record/threads/process-captures.ts'
import type { ProfileKind } from './record/recorder.ts'
import { Recorder } from './record/recorder.ts'
import { WorkerCaptures } from './record/threads/worker-captures.ts'
import { mainThreadReceives, receiveFromWorkers } from './record/threads/worker-channel.ts'
import { detectResource } from './resource/detect-resource.ts'
import { VERSION } from './version.ts'

export interface AgentOptions extends Settings {
  /** Takes the profiles instead of an endpoint or a file. */
  readonly exporter?: ProfilesExporter
  /** Is told what goes wrong, instead of a line on stderr. */
  readonly onProblem?: (problem: string) => void
}

export interface SpanIdentity {
  /** Hex, as `span.spanContext()` has them. */
  readonly traceId: string
  readonly spanId?: string
}

/** The last so many seconds, or a stretch of time as unix nanoseconds, or what ran for a span; or several of these at once. */
export interface CaptureOptions {
  readonly seconds?: number
  readonly from?: bigint
  readonly until?: bigint
  readonly spanContext?: SpanIdentity
  readonly kinds?: readonly ProfileKind[]
}

const NANOS = 1_000_000n
/** How long `capture` waits for worker threads: those that are busy answer at their next turn. */
const WORKERS_MILLIS = 1000

const NOWHERE: ProfilesExporter = {
  dropped: 0,
  send: () => {},
  flush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
}

export class Agent {
  /** When recording has begun, or failed to. Never rejects. */
  readonly ready: Promise<void>
  readonly configuration: Configuration
  readonly #exporter: ProfilesExporter
  readonly #onProblem: (problem: string) => void
  #recorder: Recorder | undefined
  #captures: ProcessCaptures | undefined
  /** In a worker: its part in captures of the process. */
  #workerCaptures: WorkerCaptures | undefined
  #closeWorkers: (() => void) | undefined
  #broker: BrokerConnection | undefined
  #timer: NodeJS.Timeout | undefined
  #unhook: (() => void) | undefined
  /** Collects one at a time. */
  #collecting: Promise<void> = Promise.resolve()
  #collections = 0
  #flushing: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  /** Set once the process has come to its end with everything sent; recording more of the end is of no use. */
  #isFlushedAtExit = false

  /** Use `start`. */
  constructor(options: AgentOptions, variables: Variables) {
    this.#onProblem = guarded(options.onProblem ?? problemReporter())
    this.configuration = configure(options, variables, this.#onProblem)
    const resource = detectResource(this.configuration, VERSION)
    const service = resource.find(({ key }) => key === 'service.name')?.value
    const serviceName = typeof service === 'string' ? service : ''
    this.#exporter = options.exporter ?? this.#open(serviceName)
    this.ready = this.configuration.disabled
      ? Promise.resolve()
      : this.#start({ ...this.configuration, resource, onProblem: this.#onProblem })
  }

  /** What cannot be recorded here, and why. */
  get missing(): readonly string[] {
    return this.#recorder?.missing ?? []
  }

  /** Exports that were given up. */
  get dropped(): number {
    return this.#exporter.dropped
  }

  /** Sends what was recorded so far. Ends after `timeoutMillis` at the latest; never rejects. */
  flush(timeoutMillis = this.configuration.destination.timeoutMillis): Promise<void> {
    return this.#flush(timeoutMillis, false)
  }

  async #flush(timeoutMillis: number, isUrgent: boolean): Promise<void> {
    const deadline = Date.now() + timeoutMillis
    // Nothing of the agent keeps the process running by itself, but somebody waits here.
    await within(timeoutMillis, async () => {
      await this.ready
      await this.#collect(isUrgent)
    })
    await this.#guard(() => this.#exporter.flush(Math.max(0, deadline - Date.now())))
  }

  /**
   * Profiles of what ran a short while ago, out of the last `ringSeconds`: in this thread, and asked in the main thread also
   * in its workers; undefined if nothing did. Never rejects.
   */
  async capture(options: CaptureOptions = {}): Promise<Profiles | undefined> {
    await this.ready
    try {
      const range = this.#rangeOf(options)
      const capture = this.#captures?.begin({ kinds: range.kinds })
      const captured = await capture?.read(range, WORKERS_MILLIS).finally(() => capture.end())
      return captured?.build()
    } catch (error) {
      this.#onProblem(`nothing could be captured: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** Sends the rest and lets go of everything. Never rejects. */
  stop(timeoutMillis = this.configuration.destination.timeoutMillis): Promise<void> {
    return (this.#stopped ??= this.#stop(timeoutMillis))
  }

  #open(serviceName: string): ProfilesExporter {
    if (this.configuration.disabled) return NOWHERE
    if (!isMainThread && mainThreadReceives()) return new WorkerExporter(this.#onProblem)
    return openExporter(this.configuration, { serviceName, version: VERSION, onProblem: this.#onProblem })
  }

  async #start(options: Parameters<typeof Recorder.start>[0]): Promise<void> {
    try {
      // Before the recorder, so that a worker that is started meanwhile knows.
      if (isMainThread)
        this.#closeWorkers = receiveFromWorkers({
          onProfiles: profiles => this.#exporter.send(profiles),
          onWord: word => this.#captures?.heard(word),
          onProblem: this.#onProblem,
        })
      this.#unhook = hookExit({ flush: () => this.#flushAtExit(), exit: () => this.#exitNow() })
      const recorder = await Recorder.start(options)
      if (this.#stopped !== undefined) return void (await recorder.stop())
      this.#recorder = recorder
      const captures = new ProcessCaptures(recorder, this.configuration.ringSeconds)
      this.#captures = captures
      if (mainThreadReceives()) this.#workerCaptures = new WorkerCaptures(recorder, this.#onProblem)
      // With the native profiler what is missing is missing everywhere, and no news.
      if (!recorder.isNative) for (const missing of recorder.missing) this.#onProblem(missing)
      this.#timer = setInterval(() => {
        this.#isFlushedAtExit = false
        // One that takes longer than the interval must not have others wait behind it, more and more of them.
        if (this.#collections === 0) void this.#collect()
      }, this.configuration.exportIntervalMillis).unref()
      // Workers have no instance of their own: what is asked of the process is asked of its main thread.
      if (isMainThread) void this.#guard(() => this.#connectBroker(recorder, captures, options.resource))
    } catch (error) {
      this.#onProblem(`nothing is recorded: ${reasonOf(error)}`)
    }
  }

  async #connectBroker(recorder: Recorder, captures: ProcessCaptures, resource: readonly KeyValue[]): Promise<void> {
    const { broker: settings } = this.configuration
    if (settings === undefined) return
    // Loaded only here: it takes as much as all the rest of the agent.
    const { connectBroker } = await import('./broker/connect-broker.ts')
    if (this.#stopped !== undefined) return
    this.#broker = connectBroker({
      settings,
      resource,
      kinds: recorder.kinds,
      captures,
      ringSeconds: this.configuration.ringSeconds,
      deliver: (profiles, timeoutMillis) => this.#deliver(profiles, timeoutMillis),
      dropped: () => this.#exporter.dropped,
      onProblem: this.#onProblem,
    })
  }

  /** Whether they got through in time. */
  async #deliver(profiles: Profiles, timeoutMillis: number): Promise<boolean> {
    const { dropped } = this.#exporter
    this.#exporter.send(profiles)
    await this.#exporter.flush(timeoutMillis)
    return this.#exporter.dropped === dropped && (this.#exporter.waiting ?? 0) === 0
  }

  #collect(isUrgent = false): Promise<void> {
    this.#collections++
    return (this.#collecting = this.#collecting.then(async () => {
      await this.#guard(async () => {
        const profiles = await this.#recorder?.collect(isUrgent)
        if (profiles !== undefined) this.#exporter.send(profiles)
      })
      this.#collections--
    }))
  }

  /** Several reasons to end may come at once, as a signal and then the end of all work. */
  #flushAtExit(): Promise<void> {
    if (this.#isFlushedAtExit) return Promise.resolve()
    return (this.#flushing ??= this.#flush(this.configuration.exitTimeoutMillis, true).then(() => {
      this.#isFlushedAtExit = true
      this.#flushing = undefined
    }))
  }

  /** In the 'exit' event nothing that waits is finished any more, but a file can be written. */
  #exitNow(): void {
    this.#leaveCaptures()
    if (this.#exporter.isSynchronous !== true || this.#isFlushedAtExit) return
    try {
      const profiles = this.#recorder?.stopNow()
      if (profiles !== undefined) this.#exporter.send(profiles)
    } catch (error) {
      this.#onProblem(`the last profiles are lost: ${reasonOf(error)}`)
    }
  }

  #leaveCaptures(): void {
    this.#captures?.close()
    this.#workerCaptures?.end()
    this.#workerCaptures = undefined
  }

  async #stop(timeoutMillis: number): Promise<void> {
    const deadline = Date.now() + timeoutMillis
    clearInterval(this.#timer)
    this.#unhook?.()
    await within(timeoutMillis, async () => {
      await this.ready
      await this.#broker?.stop()
      await this.#collecting
      this.#leaveCaptures()
      await this.#guard(async () => {
        const profiles = await this.#recorder?.stop()
        if (profiles !== undefined) this.#exporter.send(profiles)
      })
    })
    this.#recorder = this.#captures = undefined
    this.#closeWorkers?.()
    await this.#guard(() => this.#exporter.flush(Math.max(0, deadline - Date.now())))
    await this.#guard(() => this.#exporter.shutdown())
  }

  #rangeOf({ seconds, from, until, spanContext, kinds }: CaptureOptions): CaptureRange {
    const now = BigInt(Date.now()) * NANOS
    const back = BigInt(Math.round((seconds ?? this.configuration.ringSeconds) * 1e9))
    const end = until ?? now
    return {
      from: from ?? end - back,
      until: end,
      // Heap profiles have no times: of those there is nothing to look back at.
      kinds: (kinds ?? this.configuration.kinds).filter(kind => kind !== 'heap' && kind !== 'allocations'),
      traceId: spanContext?.traceId,
      spanId: spanContext?.spanId,
    }
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#onProblem(reasonOf(error))
    }
  }
}

/** Waits for the work, but not longer than so, and keeps the process running meanwhile. */
async function within(millis: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, millis)))
  await Promise.race([work(), timeout])
  clearTimeout(timer)
}

let current: Agent | undefined

/** Starts the agent of this thread; one that runs already is returned as it is. */
export function start(options: AgentOptions = {}): Agent {
  return (current ??= new Agent(options, process.env))
}

/** Afterwards the agent can be started anew. */
export async function stop(timeoutMillis?: number): Promise<void> {
  const agent = current
  await agent?.stop(timeoutMillis)
  if (current === agent) current = undefined
}

export async function flush(timeoutMillis?: number): Promise<void> {
  await current?.flush(timeoutMillis)
}

export async function capture(options?: CaptureOptions): Promise<Profiles | undefined> {
  return current?.capture(options)
}
