// One running capture: its changing record, and the clients that wait for changes.
import { bytesOfHex } from '../../store/hex.ts'
import { randomBytes } from 'node:crypto'
import type { SpanContext } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureInstance, CaptureRecord } from './capture-record.ts'
import type { CaptureRequest } from './capture-request.ts'
import { defined } from '../../query/defined.ts'
import { environmentOf, instanceOf, serviceOf } from './pick-instances.ts'

/** The attribute that marks profiles and spans of a capture. */
export const CAPTURE_ID = 'profiling.capture.id'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export class Capture {
  readonly tenant: string
  readonly request: CaptureRequest
  readonly targets: readonly LiveComponent[]
  /** Abort to stop waiting for all instances. */
  readonly stop = new AbortController()
  /** Resolves with the final record. */
  readonly ended: Promise<CaptureRecord>
  #resolveEnded: (record: CaptureRecord) => void = () => {}
  readonly #record: Mutable<CaptureRecord>
  readonly #waiting = new Set<() => void>()

  constructor(tenant: string, request: CaptureRequest, by: string, targets: readonly LiveComponent[], now: bigint) {
    this.tenant = tenant
    this.request = request
    this.targets = targets
    this.ended = new Promise(resolve => (this.#resolveEnded = resolve))
    const id = randomHex(16)
    const { service, environment, instance, all, type, durationMs, frequencyHz, lookBack, parent } = request
    const { traceId, spanId, labels, reason } = request
    this.#record = {
      id,
      state: 'running',
      version: 0,
      service,
      all,
      type,
      durationMs,
      ...defined({ environment, instance, frequencyHz, traceId, spanId, labels: labels && { ...labels } }),
      ...(lookBack === undefined
        ? {}
        : { lookBack: { from: lookBack.from.toString(), to: lookBack.until.toString() } }),
      reason,
      by,
      requested: now.toString(),
      span: {
        traceId: parent?.traceId ?? randomHex(16),
        spanId: randomHex(8),
        ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      },
      answered: 0,
      failed: 0,
      instances: targets.map(instanceRecord),
      selector: `{${CAPTURE_ID}="${id}"}`,
    }
  }

  get id(): string {
    return this.#record.id
  }

  get record(): CaptureRecord {
    return { ...this.#record }
  }

  get isRunning(): boolean {
    return this.#record.state === 'running'
  }

  /** The parent span for the capture events. */
  get span(): SpanContext {
    const { traceId, spanId } = this.#record.span
    return { traceId: bytesOfHex(traceId), spanId: bytesOfHex(spanId), traceState: '', flags: 1 }
  }

  /** Updates the record of an instance. */
  update(index: number, change: Partial<CaptureInstance>): void {
    const instances = this.#record.instances.with(index, { ...this.#record.instances[index], ...change })
    const count = (state: CaptureInstance['state']) => instances.filter(instance => instance.state === state).length
    this.#change({ instances, answered: count('answered'), failed: count('failed') })
  }

  /** Extends the time range of the capture's profiles. */
  widen(from: bigint, to: bigint): void {
    const { from: before, to: after } = this.#record
    this.#change({
      from: (before === undefined || from < BigInt(before) ? from : BigInt(before)).toString(),
      to: (after === undefined || to > BigInt(after) ? to : BigInt(after)).toString(),
    })
  }

  end(state: Exclude<CaptureRecord['state'], 'running'>, now: bigint): void {
    this.#change({ state, ended: now.toString() })
    this.#resolveEnded(this.record)
  }

  /** Returns the record once its version exceeds `after`, the capture has ended, or the timeout has passed. */
  async changed(after: number, milliseconds: number, signal: AbortSignal): Promise<CaptureRecord> {
    if (this.#record.version > after || !this.isRunning || milliseconds <= 0 || signal.aborted) return this.record
    await new Promise<void>(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
    return this.record
  }

  #change(change: Partial<CaptureRecord>): void {
    Object.assign(this.#record, change, { version: this.#record.version + 1 })
    // Each callback removes itself from the Set, which is safe during iteration.
    for (const done of this.#waiting) done()
  }
}

function instanceRecord(live: LiveComponent): CaptureInstance {
  const { app, hash, brokerId } = live.component
  const optional = {
    namespace: app,
    version: live.attributes['service.version'] ?? hash,
    environment: environmentOf(live),
  }
  return {
    instance: instanceOf(live),
    service: serviceOf(live),
    ...(Object.fromEntries(Object.entries(optional).filter(([, text]) => text !== '')) as typeof optional),
    broker: brokerId,
    state: 'pending',
    profileIds: [],
  }
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
