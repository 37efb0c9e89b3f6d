// Captures: asks components for profiles, follows who answers, stores what they send as if it had come over OTLP, and says
// that a capture is finished only when all of that is committed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { KeyValue } from '@hearth/profile'
import { traces } from '@hearth/signals'
import type { Log } from '../../observe/log.ts'
import type { Receiver } from '../../receive/receiver.ts'
import { Refusal } from '../../receive/refusal.ts'
import { kindName } from '../telemetry/kind-name.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { StateFiles } from '../state-file.ts'
import { CAPTURE_ID, Capture } from './capture.ts'
import { readAnswer } from './capture-answer.ts'
import type { CaptureInstance, CaptureLog, CaptureRecord } from './capture-record.ts'
import type { CaptureLimits, CaptureRequest } from './capture-request.ts'
import { CAPTURE_LIMITS, CaptureError, captureEvent } from './capture-request.ts'
import { captureSpan } from './capture-span.ts'
import { pickInstances } from './pick-instances.ts'

/** What captures need of the Broker. */
export interface CaptureBroker {
  components(tenant: string, signal?: AbortSignal): Promise<readonly LiveComponent[]> | readonly LiveComponent[]
  /** Rejects with BrokerError. Whoever was asked is told to stop where the time is over or the signal aborts. */
  request(tenant: string, event: Event, signal?: AbortSignal): Promise<Event>
}

export interface CapturesOptions {
  readonly broker: CaptureBroker
  readonly receiver: Receiver
  /** When everything that was committed can be found by questions. */
  readonly settled: () => Promise<void>
  readonly files: StateFiles<CaptureLog>
  readonly log: Log
  readonly version: string
  readonly limits?: Partial<CaptureLimits>
}

/** Captures that have ended and are still told of, of each tenant. */
const KEPT = 200
const CLIENT = 'hearth broker'
/** A store that takes nothing for a moment must not cost a profile that cannot be had again. */
const STORE_TRIES = 5
const STORE_WAIT_MS = 1000
/** Questions may be behind by this much before a capture is called finished all the same, though they do not find it yet. */
const SETTLE_MS = 30_000

export class Captures {
  readonly #options: CapturesOptions
  readonly #limits: CaptureLimits
  readonly #running = new Map<string, Capture>()
  /** By tenant, the latest first. */
  readonly #ended = new Map<string, CaptureRecord[]>()
  /** Which capture and instance a request was for, also after the capture has ended. */
  readonly #asked = new Map<string, Asked>()
  readonly #ending = new Set<Promise<void>>()
  #keeping = 0
  #isClosed = false

  constructor(options: CapturesOptions) {
    this.#options = options
    this.#limits = { ...CAPTURE_LIMITS, ...options.limits }
  }

  /** Returns when the instances have been asked. Throws CaptureError. */
  async start(tenant: string, request: CaptureRequest, by: string): Promise<Capture> {
    this.#check(tenant, request)
    const components = await this.#options.broker.components(tenant)
    const targets = pickInstances(components, request, live => this.#runningOn(tenant, live))
    if (targets.length > this.#limits.instances) {
      const advice = 'name an environment or an instance'
      throw new CaptureError(
        'argument',
        `${targets.length} instances fit, and ${this.#limits.instances} may be asked; ${advice}`,
      )
    }
    return this.#begin(tenant, request, by, targets)
  }

  /** The same of components that are known already. Throws CaptureError. */
  startAt(tenant: string, request: CaptureRequest, by: string, targets: readonly LiveComponent[]): Capture {
    this.#check(tenant, request)
    return this.#begin(tenant, request, by, targets)
  }

  isRunningOn(tenant: string, live: LiveComponent): boolean {
    return this.#runningOn(tenant, live) > 0
  }

  /** The latest first. */
  list(tenant: string): readonly CaptureRecord[] {
    const running = [...this.#running.values()].filter(capture => capture.tenant === tenant).toReversed()
    return [...running.map(({ record }) => record), ...this.#endedOf(tenant)]
  }

  find(tenant: string, id: string): CaptureRecord | undefined {
    return this.#capture(tenant, id)?.record ?? this.#endedOf(tenant).find(record => record.id === id)
  }

  /** The record when it has changed since version `after`, or has ended, or after so long. */
  async changed(
    tenant: string,
    id: string,
    after: number,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<CaptureRecord | undefined> {
    await this.#capture(tenant, id)?.changed(after, milliseconds, signal)
    return this.find(tenant, id)
  }

  /** Undefined where there is none; one that has ended stays as it is. */
  cancel(tenant: string, id: string): CaptureRecord | undefined {
    const capture = this.#capture(tenant, id)
    capture?.stop.abort()
    return this.find(tenant, id)
  }

  /** A profile that nobody here waits for: too late, sent unasked, or for somebody else. It is kept all the same. Throws BrokerError. */
  async keepProfile(tenant: string, live: LiveComponent, event: Event): Promise<void> {
    const asked = this.#asked.get(event.parentId)
    this.#asked.delete(event.parentId)
    if (this.#keeping >= MOST_KEEPING) {
      this.#options.log.warn({ component: live.component }, 'a profile was dropped: too many come at once')
      throw new BrokerError('busy', 'too many profiles come at once')
    }
    this.#keeping++
    try {
      if (asked === undefined) return void (await this.#store(tenant, live, event, unaskedMarks(event), event.id))
      const { capture, index } = asked
      const known = await this.#take(capture, index, event)
      capture.update(index, { ...known, late: true })
      this.#keepRecord(capture)
    } catch (error) {
      this.#options.log.warn({ err: error, component: live.component }, 'a profile could not be kept')
      throw error
    } finally {
      this.#keeping--
    }
  }

  /** Cancels what goes on, and waits for what is being stored. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const capture of this.#running.values()) capture.stop.abort()
    await Promise.allSettled(this.#ending)
    await this.#options.files.settled()
  }

  #check(tenant: string, { durationMs, lookBack, maxBytes }: CaptureRequest): void {
    const { durationMs: longest, bytes, running } = this.#limits
    if (this.#isClosed) throw new CaptureError('busy', 'the server is shutting down')
    if (!(durationMs > 0) || durationMs > longest)
      throw new CaptureError('argument', `a capture takes up to ${longest / 1000} s`)
    if (maxBytes !== undefined && (maxBytes < 1 || maxBytes > bytes))
      throw new CaptureError('argument', `an answer may have up to ${bytes} bytes`)
    if (lookBack !== undefined && lookBack.from >= lookBack.until)
      throw new CaptureError('argument', 'what is looked back at must begin before it ends')
    const going = [...this.#running.values()].filter(capture => capture.tenant === tenant).length
    if (going >= running) throw new CaptureError('busy', `${going} captures are going on; more may not at a time`)
  }

  #begin(tenant: string, request: CaptureRequest, by: string, targets: readonly LiveComponent[]): Capture {
    const { bytes } = this.#limits
    const capture = new Capture(tenant, { ...request, maxBytes: request.maxBytes ?? bytes }, by, targets, nowNano())
    this.#running.set(capture.id, capture)
    const ending = this.#run(capture).finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return capture
  }

  async #run(capture: Capture): Promise<void> {
    const asked = capture.targets.map((_, index) => this.#ask(capture, index))
    await Promise.all(asked)
    await this.#end(capture)
  }

  /** Never rejects: what goes wrong is in the record. */
  async #ask(capture: Capture, index: number): Promise<void> {
    const { tenant, request, stop } = capture
    const { component } = capture.targets[index]
    const event = captureEvent(capture.id, request, component, capture.span)
    this.#asked.set(event.id, { capture, index })
    if (this.#asked.size > MOST_ASKED) this.#asked.delete(this.#asked.keys().next().value ?? '')
    try {
      const answering = this.#options.broker.request(tenant, event, stop.signal)
      capture.update(index, { state: 'running' })
      const answer = await answering
      this.#asked.delete(event.id)
      capture.update(index, { ...(await this.#take(capture, index, answer)), state: 'answered' })
    } catch (error) {
      if (stop.signal.aborted) return capture.update(index, { state: 'cancelled' })
      const { kind, message, retryAfterMs } = brokerError(error)
      if (kind !== 'timeout') this.#asked.delete(event.id)
      if (kind === 'unexpected') this.#options.log.error({ err: error }, 'a capture failed')
      const failure = { code: kindName(kind), message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      capture.update(index, { state: 'failed', error: failure })
    }
  }

  /** What an instance has answered, committed. Throws BrokerError. */
  async #take(capture: Capture, index: number, answer: Event): Promise<Partial<CaptureInstance>> {
    const { tenant, request, targets } = capture
    if (answer.content.length > (request.maxBytes ?? this.#limits.bytes))
      throw new BrokerError('contentTooLarge', `the answer has ${answer.content.length} bytes`)
    const { parent } = request
    const marks = [
      { key: CAPTURE_ID, value: capture.id },
      { key: 'profiling.capture.reason', value: request.reason },
      ...(parent === undefined
        ? []
        : [
            { key: 'profiling.capture.trace_id', value: parent.traceId },
            { key: 'profiling.capture.span_id', value: parent.spanId },
          ]),
    ]
    const { known, range } = await this.#store(tenant, targets[index], answer, marks, `${capture.id} ${index}`)
    const now = nowNano()
    const from = range?.from ?? request.lookBack?.from ?? BigInt(capture.record.requested)
    capture.widen(from, (range?.to ?? now) + 1n)
    return known
  }

  async #store(tenant: string, live: LiveComponent, event: Event, marks: readonly KeyValue[], label: string) {
    const answer = readAnswer(event, live, marks)
    const { profiles } = answer
    if (profiles === undefined) return answer
    const identity = { tenant, token: '' }
    const from = { identity, client: CLIENT, body: event.content, format: 'otlp', label, transport: 'broker' as const }
    for (let tries = 1; ; tries++) {
      try {
        await this.#options.receiver.keepProfiles({ signal: 'profiles', profiles }, from)
        return answer
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.retryAfterSeconds === undefined) throw new BrokerError('invalid', `the answer: ${error.message}`)
        if (tries === STORE_TRIES) throw new BrokerError('busy', `the store takes nothing: ${error.message}`)
        await sleep(STORE_WAIT_MS)
      }
    }
  }

  async #end(capture: Capture): Promise<void> {
    const { record, stop, tenant } = capture
    const state = stop.signal.aborted ? 'cancelled' : record.answered > 0 ? 'finished' : 'failed'
    const ended = nowNano()
    await this.#keepSpan(tenant, { ...record, state, ended: ended.toString() })
    const settling = new AbortController()
    await Promise.race([
      this.#options.settled(),
      sleep(SETTLE_MS, undefined, { signal: settling.signal }).catch(() => undefined),
    ]).catch((error: unknown) => this.#options.log.warn({ err: error }, 'a capture is finished before it can be found'))
    settling.abort()
    capture.end(state, ended)
    this.#running.delete(capture.id)
    this.#keepRecord(capture)
  }

  async #keepSpan(tenant: string, record: CaptureRecord): Promise<void> {
    const { receiver, log, version } = this.#options
    try {
      await receiver.receive({
        signal: 'traces',
        encoding: 'protobuf',
        transport: 'in-process',
        body: traces.encode(captureSpan(record, version)),
        identity: { tenant, token: '' },
        client: CLIENT,
      })
    } catch (error) {
      // The profiles are there; the way to them from the trace is all that is missing.
      log.warn({ err: error, capture: record.id }, 'the span of a capture could not be kept')
    }
  }

  #keepRecord({ tenant, record }: Capture): void {
    if (record.state === 'running') return
    const others = this.#endedOf(tenant).filter(({ id }) => id !== record.id)
    const captures = [record, ...others]
      .toSorted((a, b) => Number(BigInt(b.requested) - BigInt(a.requested)))
      .slice(0, KEPT)
    this.#ended.set(tenant, captures)
    const { files, log } = this.#options
    files
      .writeSoon(tenant, { captures })
      .catch((error: unknown) => log.error({ err: error }, 'captures cannot be noted'))
  }

  #endedOf(tenant: string): readonly CaptureRecord[] {
    let ended = this.#ended.get(tenant)
    if (ended === undefined) this.#ended.set(tenant, (ended = this.#read(tenant)))
    return ended
  }

  #read(tenant: string): CaptureRecord[] {
    try {
      return this.#options.files.read(tenant)?.captures ?? []
    } catch (error) {
      this.#options.log.error({ err: error }, 'the captures of before cannot be read')
      return []
    }
  }

  #capture(tenant: string, id: string): Capture | undefined {
    const capture = this.#running.get(id)
    return capture?.tenant === tenant ? capture : undefined
  }

  #runningOn(tenant: string, { component }: LiveComponent): number {
    let count = 0
    for (const capture of this.#running.values()) {
      if (capture.tenant !== tenant) continue
      const { instances } = capture.record
      count += capture.targets.filter(
        (target, index) =>
          target.component.id === component.id &&
          target.component.brokerId === component.brokerId &&
          (instances[index].state === 'running' || instances[index].state === 'asked'),
      ).length
    }
    return count
  }
}

interface Asked {
  readonly capture: Capture
  readonly index: number
}

/** Profiles that come unasked and wait for the store, in memory. */
const MOST_KEEPING = 64
/** Requests whose answers may still come. */
const MOST_ASKED = 4096

/** What the sender says of it; `continuous` where it sends on and on. */
function unaskedMarks({ params }: Event): readonly KeyValue[] {
  const marks = [
    { key: CAPTURE_ID, value: params['capture_id'] },
    { key: 'profiling.capture.reason', value: params['reason'] },
  ]
  return marks.filter((mark): mark is { key: string; value: string } => typeof mark.value === 'string')
}

function nowNano(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

function brokerError(error: unknown): BrokerError {
  return error instanceof BrokerError ? error : new BrokerError('unexpected', 'the server failed; its log says why')
}
