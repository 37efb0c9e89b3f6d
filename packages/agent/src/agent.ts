// The agent: a recorder, an exporter, and a timer between the two. It never throws into the application, never prints to its
// stdout, and never keeps it from exiting.
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
import { reasonOf } from './record/reason-of.ts'
import { WorkerExporter } from './export/worker-exporter.ts'
import type { CaptureRange } from './record/threads/process-captures.ts'
import { ProcessCaptures } from './record/threads/process-captures.ts'
import type { ProfileKind } from './record/recorder-options.ts'
import { Recorder } from './record/recorder.ts'
import { WorkerCaptures } from './record/threads/worker-captures.ts'
import { mainThreadReceives, receiveFromWorkers } from './record/threads/worker-channel.ts'
import { detectResource } from './resource/detect-resource.ts'
import { VERSION } from './record/version.ts'

export interface AgentOptions extends Settings {
  /** Receives the profiles instead of an endpoint or a file. */
  readonly exporter?: ProfilesExporter
  /** Receives problems. The default prints them to stderr. */
  readonly onProblem?: (problem: string) => void
}

export interface SpanIdentity {
  /** Hexadecimal, as in `span.spanContext()`. */
  readonly traceId: string
  readonly spanId?: string
}

/** Selects the last `seconds`, a time range in Unix nanoseconds, the samples of a span, or a combination of these. */
export interface CaptureOptions {
  readonly seconds?: number
  readonly from?: bigint
  readonly until?: bigint
  readonly spanContext?: SpanIdentity
  readonly kinds?: readonly ProfileKind[]
}

const NANOS_PER_MILLI = 1_000_000n
/** How long `capture` waits for worker threads. A busy one responds at its next event loop turn. */
const WORKERS_MILLIS = 1000

const NO_EXPORTER: ProfilesExporter = {
  dropped: 0,
  send: () => {},
  flush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
}

export class Agent {
  /** Resolves when recording has started or failed to start. Never rejects. */
  readonly ready: Promise<void>
  readonly configuration: Configuration
  readonly #exporter: ProfilesExporter
  readonly #onProblem: (problem: string) => void
  #recorder: Recorder | undefined
  #captures: ProcessCaptures | undefined
  /** Set in a worker: its part of the captures of the process. */
  #workerCaptures: WorkerCaptures | undefined
  #closeWorkers: (() => void) | undefined
  #broker: BrokerConnection | undefined
  #timer: NodeJS.Timeout | undefined
  #unhook: (() => void) | undefined
  /** The collection under way. Collections run one after another. */
  #collecting: Promise<void> = Promise.resolve()
  #collections = 0
  #flushing: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  /** True when everything was sent at exit. Recording the rest of the exit is pointless. */
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

  /** The kinds of profiles that cannot be recorded here, each with the reason. */
  get missing(): readonly string[] {
    return this.#recorder?.missing ?? []
  }

  /** The number of exports that were given up. */
  get dropped(): number {
    return this.#exporter.dropped
  }

  /** Sends everything recorded so far. Ends after `timeoutMillis` at the latest. Never rejects. */
  flush(timeoutMillis = this.configuration.destination.timeoutMillis): Promise<void> {
    return this.#flush(timeoutMillis, false)
  }

  async #flush(timeoutMillis: number, isUrgent: boolean): Promise<void> {
    const deadline = Date.now() + timeoutMillis
    // The agent's own timers do not keep the process running, but the caller waits here.
    await within(timeoutMillis, async () => {
      await this.ready
      await this.#collect(isUrgent)
    })
    await this.#guard(() => this.#exporter.flush(Math.max(0, deadline - Date.now())))
  }

  /**
   * Returns profiles of the last `ringSeconds` of this thread, and, in the main thread, of its workers too. Returns undefined if
   * nothing was recorded. Never rejects.
   */
  async capture(options: CaptureOptions = {}): Promise<Profiles | undefined> {
    await this.ready
    try {
      const range = this.#rangeOf(options)
      const capture = this.#captures?.begin({ kinds: range.kinds })
      const captured = await capture?.read(range, WORKERS_MILLIS).finally(() => capture.end())
      return captured?.build()
    } catch (error) {
      this.#onProblem(`capture failed: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** Sends the rest and releases all resources. Never rejects. */
  stop(timeoutMillis = this.configuration.destination.timeoutMillis): Promise<void> {
    return (this.#stopped ??= this.#stop(timeoutMillis))
  }

  #open(serviceName: string): ProfilesExporter {
    if (this.configuration.disabled) return NO_EXPORTER
    if (!isMainThread && mainThreadReceives()) return new WorkerExporter(this.#onProblem)
    return openExporter(this.configuration, {
      serviceName,
      version: VERSION,
      onProblem: this.#onProblem,
      inThread: isMainThread && !import.meta.url.endsWith('.ts'),
    })
  }

  async #start(options: Parameters<typeof Recorder.start>[0]): Promise<void> {
    try {
      // Before the recorder starts, so that a worker that starts meanwhile finds the receiver.
      if (isMainThread)
        this.#closeWorkers = receiveFromWorkers({
          onProfiles: profiles => this.#exporter.send(profiles),
          onMessage: message => this.#captures?.receive(message),
          onProblem: this.#onProblem,
        })
      this.#unhook = hookExit({ flush: () => this.#flushAtExit(), exit: () => this.#exitNow() })
      const recorder = await Recorder.start(options)
      if (this.#stopped !== undefined) return void (await recorder.stop())
      this.#recorder = recorder
      const captures = new ProcessCaptures(recorder, this.configuration.ringSeconds)
      this.#captures = captures
      if (mainThreadReceives()) this.#workerCaptures = new WorkerCaptures(recorder, this.#onProblem)
      // The native profiler lacks the same kinds everywhere, so that is not worth a warning.
      if (!recorder.isNative) for (const missing of recorder.missing) this.#onProblem(missing)
      this.#timer = setInterval(() => {
        this.#isFlushedAtExit = false
        // A collection that takes longer than the interval must not queue up others behind it.
        if (this.#collections === 0) void this.#collect()
      }, this.configuration.exportIntervalMillis).unref()
      // Workers have no instance of their own: the main thread handles Broker requests for the whole process.
      if (isMainThread) void this.#guard(() => this.#connectBroker(recorder, captures, options.resource))
    } catch (error) {
      this.#onProblem(`recording failed to start: ${reasonOf(error)}`)
    }
  }

  async #connectBroker(recorder: Recorder, captures: ProcessCaptures, resource: readonly KeyValue[]): Promise<void> {
    const { broker: settings } = this.configuration
    if (settings === undefined) return
    // Loaded only here, because it is as large as the rest of the agent.
    const { connectBroker } = await import('./broker/connect-broker.ts')
    if (this.#stopped !== undefined) return
    this.#broker = connectBroker({
      settings,
      resource,
      kinds: recorder.kinds,
      captures,
      ringSeconds: this.configuration.ringSeconds,
      timestamps: this.configuration.timestamps,
      deliver: (profiles, timeoutMillis) => this.#deliver(profiles, timeoutMillis),
      dropped: () => this.#exporter.dropped,
      onProblem: this.#onProblem,
    })
  }

  /** Returns whether the profiles were acknowledged in time. */
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

  /** Flushes once, even if several reasons to exit coincide, such as a signal and an empty event loop. */
  #flushAtExit(): Promise<void> {
    if (this.#isFlushedAtExit) return Promise.resolve()
    return (this.#flushing ??= this.#flush(this.configuration.exitTimeoutMillis, true).then(() => {
      this.#isFlushedAtExit = true
      this.#flushing = undefined
    }))
  }

  /** Nothing asynchronous completes in the 'exit' event, but a file can still be written. */
  #exitNow(): void {
    this.#endCaptures()
    if (this.#exporter.isSynchronous !== true || this.#isFlushedAtExit) return
    try {
      const profiles = this.#recorder?.stopNow()
      if (profiles !== undefined) this.#exporter.send(profiles)
    } catch (error) {
      this.#onProblem(`the last profiles are lost: ${reasonOf(error)}`)
    }
  }

  #endCaptures(): void {
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
      this.#endCaptures()
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
    const now = BigInt(Date.now()) * NANOS_PER_MILLI
    const back = BigInt(Math.round((seconds ?? this.configuration.ringSeconds) * 1e9))
    const end = until ?? now
    return {
      from: from ?? end - back,
      until: end,
      // Heap profiles have no timestamps, so the past cannot be selected.
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

/** Waits for the work, but at most `millis`. Keeps the process running meanwhile. */
async function within(millis: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, millis)))
  await Promise.race([work(), timeout])
  clearTimeout(timer)
}

let current: Agent | undefined

/** Starts the agent of this thread, or returns the running one. */
export function start(options: AgentOptions = {}): Agent {
  return (current ??= new Agent(options, process.env))
}

/** Stops the agent of this thread. It can be started again afterwards. */
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
