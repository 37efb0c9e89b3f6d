// Runs captures: requests profiles from components, tracks their responses, and stores them like OTLP profiles. A capture is
// finished only when all its profiles are committed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { KeyValue } from '@hearth/profile'
import type { Log } from '../../observe/log.ts'
import { pushedFile } from '../../receive/pushed-file.ts'
import type { Receiver } from '../../receive/receiver.ts'
import { requestId } from '../../receive/request-id.ts'
import { Refusal } from '../../receive/refusal.ts'
import { kindName } from '../telemetry/kind-name.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { StateFiles } from '../state-file.ts'
import { CAPTURE_ID, Capture } from './capture.ts'
import { readCaptureResponse } from './capture-response.ts'
import type { CaptureInstance, CaptureLog, CaptureRecord } from './capture-record.ts'
import type { CaptureLimits, CaptureRequest } from './capture-request.ts'
import { CAPTURE_LIMITS, CaptureError, captureEvent } from './capture-request.ts'
import { captureSpan } from './capture-span.ts'
import { DEMO_ATTRIBUTE } from './demo-attribute.ts'
import { pickInstances } from './pick-instances.ts'

/** The approximate size of a capture's span. */
const CAPTURE_SPAN_BYTES = 1024

/** The parts of the Broker that captures use. */
interface CaptureBroker {
  components(tenant: string, signal?: AbortSignal): Promise<readonly LiveComponent[]> | readonly LiveComponent[]
  /** Rejects with BrokerError. On timeout or abort the component is told to stop. */
  request(tenant: string, event: Event, signal?: AbortSignal): Promise<Event>
}

export interface CapturesOptions {
  readonly broker: CaptureBroker
  readonly receiver: Receiver
  /** Resolves when all committed data is visible to queries. */
  readonly settled: () => Promise<void>
  readonly files: StateFiles<CaptureLog>
  readonly log: Log
  readonly version: string
  readonly limits?: Partial<CaptureLimits>
  /** Called when a capture starts, of a user or of a trigger. */
  readonly onStarted?: (capture: Capture) => void
}

/** Number of ended captures to keep per tenant. */
const KEPT = 200
const CLIENT = 'hearth broker'
/** Retries while the store is full, because a capture cannot be repeated. */
const STORE_TRIES = 5
const STORE_WAIT_MS = 1000
/** How long to wait for queries to see the profiles before a capture counts as finished anyway. */
const SETTLE_MS = 30_000

export class Captures {
  readonly #options: CapturesOptions
  readonly #limits: CaptureLimits
  readonly #running = new Map<string, Capture>()
  /** By tenant, latest first. */
  readonly #ended = new Map<string, CaptureRecord[]>()
  /** The capture and instance of each request id, also after the capture has ended. */
  readonly #sent = new Map<string, SentRequest>()
  readonly #ending = new Set<Promise<void>>()
  #keeping = 0
  #isClosed = false

  constructor(options: CapturesOptions) {
    this.#options = options
    this.#limits = { ...CAPTURE_LIMITS, ...options.limits }
  }

  /** Resolves when the requests are sent. Throws CaptureError. */
  async start(tenant: string, request: CaptureRequest, by: string): Promise<Capture> {
    this.#check(tenant, request)
    const components = await this.#options.broker.components(tenant)
    const targets = pickInstances(components, request, live => this.#runningOn(tenant, live))
    if (targets.length > this.#limits.instances) {
      const advice = 'name an environment or an instance'
      throw new CaptureError(
        'argument',
        `${targets.length} instances match, the limit is ${this.#limits.instances}; ${advice}`,
      )
    }
    return this.#begin(tenant, request, by, targets)
  }

  /** Starts a capture of given components. Throws CaptureError. */
  startAt(tenant: string, request: CaptureRequest, by: string, targets: readonly LiveComponent[]): Capture {
    this.#check(tenant, request)
    return this.#begin(tenant, request, by, targets)
  }

  isRunningOn(tenant: string, live: LiveComponent): boolean {
    return this.#runningOn(tenant, live) > 0
  }

  /** Running and ended captures, latest first. */
  list(tenant: string): readonly CaptureRecord[] {
    const running = [...this.#running.values()].filter(capture => capture.tenant === tenant).toReversed()
    return [...running.map(({ record }) => record), ...this.#endedOf(tenant)]
  }

  find(tenant: string, id: string): CaptureRecord | undefined {
    return this.#capture(tenant, id)?.record ?? this.#endedOf(tenant).find(record => record.id === id)
  }

  /** Returns the record once its version exceeds `after`, the capture has ended, or the timeout has passed. */
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

  /** Returns undefined if there is no such capture. An ended capture stays unchanged. */
  cancel(tenant: string, id: string): CaptureRecord | undefined {
    const capture = this.#capture(tenant, id)
    capture?.stop.abort()
    return this.find(tenant, id)
  }

  /** Stores a profile that no running capture waits for: late, unrequested, or requested by another client. Throws BrokerError. */
  async keepProfile(tenant: string, live: LiveComponent, event: Event): Promise<void> {
    const sent = this.#sent.get(event.parentId)
    this.#sent.delete(event.parentId)
    if (this.#keeping >= MAX_KEEPING) {
      this.#options.log.warn({ component: live.component }, 'dropped a profile: too many at once')
      throw new BrokerError('busy', 'too many profiles at once')
    }
    this.#keeping++
    try {
      if (sent === undefined) return void (await this.#store(tenant, live, event, unrequestedMarks(event), event.id))
      const { capture, index } = sent
      const fields = await this.#accept(capture, index, event)
      capture.update(index, { ...fields, late: true })
      this.#keepRecord(capture)
    } catch (error) {
      this.#options.log.warn({ err: error, component: live.component }, 'cannot store a profile')
      throw error
    } finally {
      this.#keeping--
    }
  }

  /** Cancels and removes captures. Their profiles stay. */
  async forget(tenant: string, isForgotten: (record: CaptureRecord) => boolean): Promise<void> {
    const running = [...this.#running.values()].filter(each => each.tenant === tenant && isForgotten(each.record))
    for (const { stop } of running) stop.abort()
    await Promise.all(running.map(({ ended }) => ended))
    const captures = this.#endedOf(tenant).filter(record => !isForgotten(record))
    this.#ended.set(tenant, captures)
    await this.#options.files.writeSoon(tenant, { captures })
  }

  /** Cancels running captures and waits for pending writes. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const capture of this.#running.values()) capture.stop.abort()
    await Promise.allSettled(this.#ending)
    await this.#options.files.settled()
  }

  #check(tenant: string, { durationMs, lookBack, maxBytes }: CaptureRequest): void {
    const { durationMs: maxDurationMs, bytes, running } = this.#limits
    if (this.#isClosed) throw new CaptureError('busy', 'the server is shutting down')
    if (!(durationMs > 0) || durationMs > maxDurationMs)
      throw new CaptureError('argument', `duration must be more than 0 and at most ${maxDurationMs / 1000} s`)
    if (maxBytes !== undefined && (maxBytes < 1 || maxBytes > bytes))
      throw new CaptureError('argument', `maxBytes must be between 1 and ${bytes}`)
    if (lookBack !== undefined && lookBack.from >= lookBack.until)
      throw new CaptureError('argument', 'the look-back range must start before it ends')
    const count = [...this.#running.values()].filter(capture => capture.tenant === tenant).length
    if (count >= running) throw new CaptureError('busy', `too many concurrent captures (${count}); wait for one to end`)
  }

  #begin(tenant: string, request: CaptureRequest, by: string, targets: readonly LiveComponent[]): Capture {
    const { bytes } = this.#limits
    const capture = new Capture(tenant, { ...request, maxBytes: request.maxBytes ?? bytes }, by, targets, nowNano())
    this.#running.set(capture.id, capture)
    this.#options.onStarted?.(capture)
    const ending = this.#run(capture).finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return capture
  }

  async #run(capture: Capture): Promise<void> {
    await Promise.all(capture.targets.map((_, index) => this.#request(capture, index)))
    await this.#end(capture)
  }

  /** Never rejects. Errors go into the record. */
  async #request(capture: Capture, index: number): Promise<void> {
    const { tenant, stop } = capture
    const { component } = capture.targets[index]
    const sent = captureEvent(capture, component, this.#limits.graceMs)
    // The Broker's own spans would stay in the traces of a removed demo.
    const event = demoMark(capture.targets).length === 0 ? sent : { ...sent, parentSpan: undefined }
    this.#sent.set(event.id, { capture, index })
    if (this.#sent.size > MAX_SENT) this.#sent.delete(this.#sent.keys().next().value ?? '')
    try {
      const responding = this.#options.broker.request(tenant, event, stop.signal)
      capture.update(index, { state: 'running' })
      const response = await responding
      this.#sent.delete(event.id)
      capture.update(index, { ...(await this.#accept(capture, index, response)), state: 'answered' })
    } catch (error) {
      if (stop.signal.aborted) return capture.update(index, { state: 'cancelled' })
      const { kind, message, retryAfterMs } = brokerError(error)
      if (kind !== 'timeout') this.#sent.delete(event.id)
      if (kind === 'unexpected') this.#options.log.error({ err: error }, 'a capture failed')
      const failure = { code: kindName(kind), message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      capture.update(index, { state: 'failed', error: failure })
    }
  }

  /** Stores an instance's response and returns the fields for its record. Throws BrokerError. */
  async #accept(capture: Capture, index: number, response: Event): Promise<Partial<CaptureInstance>> {
    const { tenant, request, targets } = capture
    if (response.content.length > (request.maxBytes ?? this.#limits.bytes))
      throw new BrokerError('contentTooLarge', `the response has ${response.content.length} bytes`)
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
    const { fields, range } = await this.#store(tenant, targets[index], response, marks, `${capture.id} ${index}`)
    const now = nowNano()
    const from = range?.from ?? request.lookBack?.from ?? BigInt(capture.record.requested)
    capture.widen(from, (range?.to ?? now) + 1n)
    return fields
  }

  async #store(tenant: string, live: LiveComponent, event: Event, marks: readonly KeyValue[], label: string) {
    const response = readCaptureResponse(event, live, marks)
    const { profiles } = response
    if (profiles === undefined) return response
    const identity = { tenant, token: '' }
    const { content: body } = event
    const file = { identity, client: CLIENT, body, format: 'otlp', label, transport: 'broker' } as const
    for (let tries = 1; ; tries++) {
      try {
        await this.#options.receiver.receive(pushedFile(profiles, file))
        return response
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.retryAfterSeconds === undefined)
          throw new BrokerError('invalid', `invalid response: ${error.message}`)
        if (tries === STORE_TRIES) throw new BrokerError('busy', `the store is full: ${error.message}`)
        await sleep(STORE_WAIT_MS)
      }
    }
  }

  async #end(capture: Capture): Promise<void> {
    const { record, stop } = capture
    const state = stop.signal.aborted ? 'cancelled' : record.answered > 0 ? 'finished' : 'failed'
    const ended = nowNano()
    await this.#keepSpan(capture, { ...record, state, ended: ended.toString() })
    const settling = new AbortController()
    await Promise.race([
      this.#options.settled(),
      sleep(SETTLE_MS, undefined, { signal: settling.signal }).catch(() => undefined),
    ]).catch((error: unknown) => this.#options.log.warn({ err: error }, 'a capture ended before queries can see it'))
    settling.abort()
    capture.end(state, ended)
    this.#running.delete(capture.id)
    this.#keepRecord(capture)
  }

  async #keepSpan({ tenant, targets }: Capture, record: CaptureRecord): Promise<void> {
    const { receiver, log, version } = this.#options
    try {
      await receiver.receive({
        payload: { signal: 'traces', traces: captureSpan(record, version, demoMark(targets)) },
        encoding: 'none',
        transport: 'in-process',
        id: requestId('capture span', Buffer.from(record.id)),
        bytes: CAPTURE_SPAN_BYTES,
        identity: { tenant, token: '' },
        client: CLIENT,
      })
    } catch (error) {
      // The profiles are stored. Only the link from the trace is missing.
      log.warn({ err: error, capture: record.id }, 'cannot store the span of a capture')
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
      .catch((error: unknown) => log.error({ err: error }, 'cannot write the list of captures'))
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
      this.#options.log.error({ err: error }, 'cannot read the list of captures')
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
          (instances[index].state === 'running' || instances[index].state === 'pending'),
      ).length
    }
    return count
  }
}

interface SentRequest {
  readonly capture: Capture
  readonly index: number
}

/** Maximum number of unrequested profiles in memory that wait for the store. */
const MAX_KEEPING = 64
/** Maximum number of requests that may still receive a response. */
const MAX_SENT = 4096

/** Marks from the sender's parameters. The reason of continuous profiles is `continuous`. */
function unrequestedMarks({ params }: Event): readonly KeyValue[] {
  const marks = [
    { key: CAPTURE_ID, value: params['capture_id'] },
    { key: 'profiling.capture.reason', value: params['reason'] },
  ]
  return marks.filter((mark): mark is { key: string; value: string } => typeof mark.value === 'string')
}

/** The attribute of the demo, if the capture is of its processes only. */
function demoMark(targets: readonly LiveComponent[]): readonly KeyValue[] {
  const isDemo = targets.every(({ attributes }) => attributes[DEMO_ATTRIBUTE] === 'true')
  return isDemo ? [{ key: DEMO_ATTRIBUTE, value: 'true' }] : []
}

export function nowNano(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}

function brokerError(error: unknown): BrokerError {
  return error instanceof BrokerError ? error : new BrokerError('unexpected', 'internal error; see the server log')
}
