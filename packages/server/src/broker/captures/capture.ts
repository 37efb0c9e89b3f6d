// One capture while it goes on: its record, which changes, and those who wait for changes.
import { randomBytes } from 'node:crypto'
import type { SpanContext } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureInstance, CaptureRecord } from './capture-record.ts'
import type { CaptureRequest } from './capture-request.ts'
import { environmentOf, instanceOf, serviceOf } from './pick-instances.ts'

/** The attribute by which profiles and spans of a capture are known. */
export const CAPTURE_ID = 'profiling.capture.id'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export class Capture {
  readonly tenant: string
  readonly request: CaptureRequest
  readonly targets: readonly LiveComponent[]
  /** Ends the waiting for every instance. */
  readonly stop = new AbortController()
  /** With the record as it is at the end. */
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
      ...given({ environment, instance, frequencyHz, traceId, spanId, labels: labels && { ...labels } }),
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

  /** As it is now. */
  get record(): CaptureRecord {
    return { ...this.#record }
  }

  get isRunning(): boolean {
    return this.#record.state === 'running'
  }

  /** For the events that ask: answers belong below this span. */
  get span(): SpanContext {
    const { traceId, spanId } = this.#record.span
    return { traceId: bytesOf(traceId), spanId: bytesOf(spanId), traceState: '', flags: 1 }
  }

  /** Changes what is known of an instance. */
  update(index: number, change: Partial<CaptureInstance>): void {
    const instances = this.#record.instances.with(index, { ...this.#record.instances[index], ...change })
    const count = (state: CaptureInstance['state']) => instances.filter(instance => instance.state === state).length
    this.#change({ instances, answered: count('answered'), failed: count('failed') })
  }

  /** Profiles of the capture lie in this stretch of time. */
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

  /** The record when it is of a later version than `after`, or has ended, or after so long. */
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
    // Each takes itself out, which a Set allows for.
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
    state: 'asked',
    profileIds: [],
  }
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

/** Without what is undefined, as exact optional properties want it. */
function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
