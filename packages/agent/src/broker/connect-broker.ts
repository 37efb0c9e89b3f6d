// Handles the capture requests of a Broker, from now on or of the past, one at a time. A second request is rejected with the
// time to retry. Loaded only if a Broker is configured. Never throws into the agent.
import type { Event, Handling, MatchedEvent } from '@hearth/broker'
import { BrokerClient, BrokerError, CONTENT_TYPE, EVENT_TYPE, msOfTtl } from '@hearth/broker'
import type { KeyValue, Profiles } from '@hearth/profile/recording'
import type { BrokerSettings } from '../configuration/options.ts'
import { withoutTracing } from '../export/suppress-tracing.ts'
import { reasonOf } from '../record/reason-of.ts'
import type { Detail } from '../record/profiles/build-profiles.ts'
import type { Captured, ProcessCaptures } from '../record/threads/process-captures.ts'
import type { ProfileKind } from '../record/recorder-options.ts'
import type { CaptureRequest } from './capture-request.ts'
import { RESPONSE_MS, readCaptureRequest } from './capture-request.ts'
import { chooseRate, ratesOf } from './capture-rate.ts'
import { CAPTURE_ID, captureSpan, counterMetrics, telemetryEvent } from './capture-telemetry.ts'
import type { FittedProfiles } from './fit-profiles.ts'
import { fitProfiles } from './fit-profiles.ts'
import { identityOf } from './identity.ts'

export interface BrokerOptions {
  readonly settings: BrokerSettings
  readonly resource: readonly KeyValue[]
  /** The kinds that are recorded. */
  readonly kinds: readonly ProfileKind[]
  /** The captures of all threads of this process. */
  readonly captures: ProcessCaptures
  /** How far back a capture can reach. */
  readonly ringSeconds: number
  /** False if profiles must have no timestamps, whatever a capture requests. */
  readonly timestamps: boolean
  /** Sends profiles that are too large for a response. Returns whether they were acknowledged in time. */
  readonly deliver: (profiles: Profiles, timeoutMillis: number) => Promise<boolean>
  /** The number of exports that were given up so far. */
  readonly dropped: () => number
  readonly onProblem: (problem: string) => void
  /** For tests. */
  readonly firstWaitMs?: number
  readonly metricsEveryMs?: number
}

export interface BrokerConnection {
  readonly client: BrokerClient
  stop(): Promise<void>
}

const LOOK_BACK_SECONDS = 'profiling.look_back.seconds'
/** 10 minutes at 100 Hz are about 2 MB per thread. At 1000 Hz, ten times as much. */
const MAX_DURATION_MS = 600_000
const MAX_RESPONSE_BYTES = 15 * 1024 * 1024
/** A thread that does not respond within this time is missing from the capture. */
const MAX_WORKERS_MS = 5000
const METRICS_EVERY_MS = 60_000
/** The minimum retry time, if the running capture ends soon. */
const MIN_RETRY_MS = 200

export function connectBroker(options: BrokerOptions): BrokerConnection {
  return new Captures(options)
}

interface Running {
  readonly captureId: string
  readonly endsAtMs: number
  readonly abort: AbortController
}

class Captures implements BrokerConnection {
  readonly client: BrokerClient
  readonly #options: BrokerOptions
  readonly #startMs = Date.now()
  readonly #timer: NodeJS.Timeout
  #running: Running | undefined
  #answered = 0
  #failed = 0
  #reported = ''

  constructor(options: BrokerOptions) {
    this.#options = options
    const { settings, resource, kinds, ringSeconds, firstWaitMs } = options
    const { component, context, attributes } = identityOf(resource)
    const types = kinds.map(kind => (kind === 'allocations' ? 'alloc|allocations' : kind)).join('|')
    this.client = withoutTracing(
      () =>
        new BrokerClient({
          ...settings,
          component,
          context,
          definition: {
            routes: [
              { id: 0, rule: `Type(\`${EVENT_TYPE.capture}\`) && Path(\`/profiles/{profile_type:${types}}\`)` },
              { id: 1, rule: `Type(\`${EVENT_TYPE.captureCancel}\`) && Category(MESSAGE)` },
            ],
            // Requests that target this process, whatever their kind: it reports itself what it does not record.
            defaultHandler: true,
            envVarSchema: { MAX_DURATION_MS: { type: 'Number' } },
            profileTypes: kinds,
            // Tells triggers whether to request past or future samples.
            attributes: ringSeconds > 0 ? { ...attributes, [LOOK_BACK_SECONDS]: String(ringSeconds) } : attributes,
          },
          onEvent: (matched, handling) => this.#handle(matched, handling),
          onState: state => {
            if (state.kind === 'ready') this.#reported = ''
            else if (state.kind !== 'connecting' && state.error !== undefined) this.#report(state.error)
          },
          ...(firstWaitMs !== undefined && { limits: { firstWaitMs } }),
        }),
    )
    this.#timer = setInterval(() => this.#sendMetrics(), options.metricsEveryMs ?? METRICS_EVERY_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#running?.abort.abort(new BrokerError('componentGone', 'the agent was stopped'))
    await this.client.stop()
  }

  /** Reports each reason once: a Broker may be unreachable for days. */
  #report(error: BrokerError): void {
    if (this.#reported === error.message) return
    this.#reported = error.message
    this.#options.onProblem(`cannot reach the Broker at ${this.#options.settings.address}: ${error.message}; retrying`)
  }

  async #handle(
    { event, env }: MatchedEvent & { readonly event: Event },
    handling: Handling,
  ): Promise<Partial<Event> | undefined> {
    if (event.type === EVENT_TYPE.captureCancel) return this.#cancel(event)
    if (event.type !== EVENT_TYPE.capture) return undefined
    const { kinds, captures } = this.#options
    const startMs = Date.now()
    const request = readCaptureRequest(event, env, {
      kinds,
      threadIds: captures.threads.map(({ id }) => id),
      maxDurationMs: MAX_DURATION_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    this.#begin(request, startMs, handling.signal)
    let profileIds: readonly string[] = []
    let error: string | undefined
    try {
      const deadlineMs = startMs + msOfTtl(event.ttl)
      const { notes, ...captured } = await this.#capture(request, deadlineMs)
      const { maxBytes } = request
      const fitted = fitProfiles(detail => captured.build(detail), this.#detailOf(request), maxBytes)
      if (fitted === undefined) throw new BrokerError('notFound', ['nothing was recorded', ...notes].join('; '))
      profileIds = idsOf(fitted.profiles)
      const response = await this.#respond(fitted, profileIds, notes, deadlineMs)
      this.#answered++
      return response
    } catch (failure) {
      error = reasonOf(failure)
      this.#failed++
      throw failure
    } finally {
      this.#running = undefined
      const { captureId, kind: type, reason } = request
      const outcome = { event, captureId, type, reason, startMs, endMs: Date.now(), profileIds, error }
      this.#sendTelemetry({ spans: [captureSpan(outcome)], metrics: this.#metrics() })
    }
  }

  #cancel(event: Event): undefined {
    const { capture_id: id } = event.params
    if (this.#running !== undefined && this.#running.captureId === id)
      this.#running.abort.abort(new BrokerError('unexpected', 'the capture was cancelled'))
    return undefined
  }

  /** Throws if another capture is running. */
  #begin({ captureId, durationMs }: CaptureRequest, startMs: number, signal: AbortSignal): void {
    if (this.#running !== undefined) {
      const retryAfterMs = Math.max(MIN_RETRY_MS, this.#running.endsAtMs - startMs)
      throw new BrokerError('busy', 'another capture is running', { retryAfterMs })
    }
    const abort = new AbortController()
    signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true })
    this.#running = { captureId, endsAtMs: startMs + durationMs, abort }
  }

  #detailOf({ timestamps, labels, reason, captureId }: CaptureRequest): Detail {
    const marks = { ...labels, ...(reason !== '' && { 'profiling.capture.reason': reason }), [CAPTURE_ID]: captureId }
    return {
      timestamps: timestamps && this.#options.timestamps,
      attributes: Object.entries(marks).map(([key, value]) => ({ key, value })),
    }
  }

  /** Ends early enough to leave time for the response. */
  async #capture(request: CaptureRequest, deadlineMs: number): Promise<Captured> {
    const { kind, durationMs, traceId, spanId, threadId } = request
    const { signal } = this.#running!.abort
    const { frequencyHz, notes } = chooseRate(request)
    const capture = this.#options.captures.begin({ kinds: [kind], frequencyHz })
    try {
      await capture.begun
      const from = request.from ?? nowNanos()
      await pause(kind === 'heap' ? 0 : durationMs, signal)
      const until = request.until ?? nowNanos()
      const workersMs = Math.min(MAX_WORKERS_MS, Math.max(RESPONSE_MS / 2, deadlineMs - Date.now() - RESPONSE_MS))
      const captured = await capture.read({ from, until, kinds: [kind], traceId, spanId, threadId }, workersMs)
      return { ...captured, notes: [...notes, ...captured.notes] }
    } finally {
      capture.end()
    }
  }

  async #respond(
    { profiles, bytes, isTruncated, dropped }: FittedProfiles,
    ids: readonly string[],
    notes: readonly string[],
    deadlineMs: number,
  ): Promise<Partial<Event>> {
    const rates = ratesOf(profiles)
    const allNotes = rates.length > 1 ? [...notes, `recorded at ${rates.join(' and ')} Hz`] : notes
    const params = {
      profile_id: ids[0],
      sample_count: profiles.samples.length,
      dropped,
      truncated: isTruncated,
      ...(rates.length > 0 && { frequency_hz: rates[0] }),
      ...(allNotes.length > 0 && { notes: [...allNotes] }),
    }
    if (bytes !== undefined) return { params, contentType: CONTENT_TYPE.profiles, content: bytes }
    // "stored" means that the backend has acknowledged the profile. An unacknowledged one may still arrive later.
    const deliveryMs = Math.max(RESPONSE_MS / 2, deadlineMs - Date.now() - RESPONSE_MS / 2)
    if (!(await this.#options.deliver(profiles, deliveryMs)))
      throw new BrokerError(
        'contentTooLarge',
        'the profile is too large for a response, and sending it over OTLP failed; raise max_bytes or shorten the capture',
      )
    const content = Buffer.from(JSON.stringify({ profile_id: ids[0], stored: true }))
    return { params, contentType: CONTENT_TYPE.json, content }
  }

  #metrics(): ReturnType<typeof counterMetrics> {
    const counters = [
      {
        name: 'hearth.agent.captures',
        description: 'Captures that were answered with a profile',
        value: this.#answered,
      },
      { name: 'hearth.agent.captures.failed', description: 'Captures that failed', value: this.#failed },
      {
        name: 'hearth.agent.exports.dropped',
        description: 'Exports that were given up',
        value: this.#options.dropped(),
      },
    ]
    return counterMetrics(counters, this.#startMs, Date.now())
  }

  #sendMetrics(): void {
    this.#sendTelemetry({ metrics: this.#metrics() })
  }

  #sendTelemetry(content: Parameters<typeof telemetryEvent>[0]): void {
    const { broker } = this.client
    // Telemetry is dropped while no Broker is connected.
    if (broker !== undefined) this.client.send({ ...telemetryEvent(content), target: broker })
  }
}

function idsOf({ profiles }: Profiles): readonly string[] {
  return Array.from({ length: profiles.length }, (_, i) => Buffer.from(profiles.id(i)).toString('hex'))
}

function nowNanos(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

/** Rejects with the reason of the signal. Does not keep the process running. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason instanceof Error ? signal.reason : new BrokerError('unexpected', 'aborted'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms).unref()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
