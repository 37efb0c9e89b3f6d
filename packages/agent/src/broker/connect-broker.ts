// Answers what a Broker asks of this process: captures of what it records, from now on or looking back. One at a time; what
// is asked meanwhile is told to come again. Loaded only where a Broker is configured, and nothing here throws into the agent.
import type { Event, Handling, MatchedEvent } from '@hearth/broker'
import { BrokerClient, BrokerError, CONTENT_TYPE, EVENT_TYPE, msOfTtl } from '@hearth/broker'
import type { KeyValue, Profiles } from '@hearth/profile/recording'
import type { BrokerSettings } from '../configuration/options.ts'
import { withoutTracing } from '../export/suppress-tracing.ts'
import { reasonOf } from '../export/transport.ts'
import type { Detail } from '../record/profiles/build-profiles.ts'
import type { Captured, ProcessCaptures } from '../record/threads/process-captures.ts'
import type { ProfileKind } from '../record/recorder.ts'
import type { CaptureRequest } from './capture-request.ts'
import { ANSWER_MS, readCaptureRequest } from './capture-request.ts'
import { chooseRate, ratesOf } from './capture-rate.ts'
import { CAPTURE_ID, captureSpan, counterMetrics, telemetryEvent } from './capture-telemetry.ts'
import type { Fitted } from './fit-profiles.ts'
import { fitProfiles } from './fit-profiles.ts'
import { identityOf } from './identity.ts'

export interface BrokerOptions {
  readonly settings: BrokerSettings
  readonly resource: readonly KeyValue[]
  /** What is recorded, */
  readonly kinds: readonly ProfileKind[]
  /** and of whom. */
  readonly captures: ProcessCaptures
  /** How far it can look back. */
  readonly ringSeconds: number
  /** Sends profiles that are too large for an answer, and says whether they got through in time. */
  readonly deliver: (profiles: Profiles, timeoutMillis: number) => Promise<boolean>
  /** Exports that were given up so far. */
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
/** 100 Hz for ten minutes are some 2 MB a thread, 1000 Hz ten times that. */
const MAX_DURATION_MS = 600_000
const MAX_ANSWER_BYTES = 15 * 1024 * 1024
/** A thread that is busy for longer has its samples left out. */
const MOST_WORKERS_MS = 5000
const METRICS_EVERY_MS = 60_000
/** After which asking again is worth it where the end of the running capture is near. */
const LEAST_RETRY_MS = 200

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
  #toldAbout = ''

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
            // What is sent to this very process, of whatever kind: it says itself what it does not record.
            defaultHandler: true,
            envVarSchema: { MAX_DURATION_MS: { type: 'Number' } },
            profileTypes: kinds,
            // So that triggers know whether to ask for what has been, or for what comes.
            attributes: ringSeconds > 0 ? { ...attributes, [LOOK_BACK_SECONDS]: String(ringSeconds) } : attributes,
          },
          onEvent: (matched, handling) => this.#handle(matched, handling),
          onState: state => {
            if (state.kind === 'ready') this.#toldAbout = ''
            else if (state.kind !== 'connecting' && state.error !== undefined) this.#tell(state.error)
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

  /** Once for each reason: a Broker that is away may be so for days. */
  #tell(error: BrokerError): void {
    if (this.#toldAbout === error.message) return
    this.#toldAbout = error.message
    this.#options.onProblem(`no Broker at ${this.#options.settings.address}: ${error.message}; trying again`)
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
      maxBytes: MAX_ANSWER_BYTES,
    })
    this.#begin(request, startMs, handling.signal)
    let profileIds: readonly string[] = []
    let error: string | undefined
    try {
      const deadlineMs = startMs + msOfTtl(event.ttl)
      const { notes, ...captured } = await this.#capture(request, deadlineMs)
      const { maxBytes } = request
      const fitted = fitProfiles(detail => captured.build(detail), detailOf(request), maxBytes)
      if (fitted === undefined) throw new BrokerError('notFound', ['nothing was recorded', ...notes].join('; '))
      profileIds = idsOf(fitted.profiles)
      const answer = await this.#answer(fitted, profileIds, notes, deadlineMs)
      this.#answered++
      return answer
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

  /** Throws where another one runs. */
  #begin({ captureId, durationMs }: CaptureRequest, startMs: number, signal: AbortSignal): void {
    if (this.#running !== undefined) {
      const retryAfterMs = Math.max(LEAST_RETRY_MS, this.#running.endsAtMs - startMs)
      throw new BrokerError('busy', 'another capture runs', { retryAfterMs })
    }
    const abort = new AbortController()
    signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true })
    this.#running = { captureId, endsAtMs: startMs + durationMs, abort }
  }

  /** Has to be through by then, with time left to answer. */
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
      const workersMs = Math.min(MOST_WORKERS_MS, Math.max(ANSWER_MS / 2, deadlineMs - Date.now() - ANSWER_MS))
      const captured = await capture.read({ from, until, kinds: [kind], traceId, spanId, threadId }, workersMs)
      return { ...captured, notes: [...notes, ...captured.notes] }
    } finally {
      capture.end()
    }
  }

  async #answer(
    { profiles, bytes, isTruncated, dropped }: Fitted,
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
    // Stored is what the backend has acknowledged; what it has not may still get there later, but nobody can count on it.
    const deliveryMs = Math.max(ANSWER_MS / 2, deadlineMs - Date.now() - ANSWER_MS / 2)
    if (!(await this.#options.deliver(profiles, deliveryMs)))
      throw new BrokerError(
        'contentTooLarge',
        'the profile is too large for an answer, and could not be sent by OTLP either',
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
    // Without a Broker nobody wants to know, least of all later.
    if (broker !== undefined) this.client.send({ ...telemetryEvent(content), target: broker })
  }
}

function idsOf({ profiles }: Profiles): readonly string[] {
  return Array.from({ length: profiles.length }, (_, i) => Buffer.from(profiles.id(i)).toString('hex'))
}

function detailOf({ timestamps, labels, reason, captureId }: CaptureRequest): Detail {
  const marks = { ...labels, ...(reason !== '' && { 'profiling.capture.reason': reason }), [CAPTURE_ID]: captureId }
  return { timestamps, attributes: Object.entries(marks).map(([key, value]) => ({ key, value })) }
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
