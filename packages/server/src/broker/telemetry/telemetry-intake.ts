// Stores spans, logs and metrics of Telemetry messages. Messages that arrive while a write is in progress are batched into
// the next one. When the queue is full, the oldest messages are dropped and counted.
import type { Component, Event, Telemetry } from '@hearth/broker'
import { BrokerError, CONTENT_TYPE, isJsonContent, telemetry as telemetryCodec } from '@hearth/broker'
import { FormatError } from '@hearth/profile'
import type { KeyValue, LogRecord, Resource, Span } from '@hearth/signals'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DecodedRequest } from '../../receive/receiver.ts'
import { batchId } from '../../receive/request-id.ts'
import { Refusal } from '../../receive/refusal.ts'
import type { Payload } from '../../store/keeper.ts'
import { Queue } from '../components/queue.ts'

const MAX_WAITING = 2000
const MAX_BYTES = 32 * 2 ** 20
/** Messages per write, and their size. The main thread encodes a batch in about 15 ms. */
const BATCH = 256
const BATCH_BYTES = 2 ** 20
const TRIES = 5
const SAMPLED = 1
const CLIENT = 'hearth-broker'

/** The sender of telemetry. */
export interface TelemetrySource {
  readonly tenant: string
  readonly component: Component
  readonly environment: string
  readonly attributes: Readonly<Record<string, string>>
}

interface Waiting {
  readonly source: TelemetrySource
  readonly telemetry: Telemetry
  readonly bytes: number
  /** Bytes that identify the content: a component that sends it again sends the same. */
  readonly content: readonly Uint8Array[]
}

export interface TelemetryIntakeOptions {
  readonly receive: (request: DecodedRequest) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

export interface TelemetryCounts {
  readonly queued: number
  readonly kept: number
  readonly dropped: number
}

export class TelemetryIntake {
  readonly #options: TelemetryIntakeOptions
  readonly #waiting = new Queue<Waiting>()
  #bytes = 0
  #kept = 0
  #dropped = 0
  #pumping: Promise<void> | undefined

  constructor(options: TelemetryIntakeOptions) {
    this.#options = options
  }

  get counts(): TelemetryCounts {
    return { queued: this.#waiting.length, kept: this.#kept, dropped: this.#dropped }
  }

  add(source: TelemetrySource, telemetry: Telemetry, bytes: number, content: readonly Uint8Array[]): void {
    this.#waiting.push({ source, telemetry, bytes, content })
    this.#bytes += bytes
    while (this.#waiting.length > MAX_WAITING || this.#bytes > MAX_BYTES) {
      this.#take()
      this.#dropped++
    }
    this.#pumping ??= this.#pump().finally(() => (this.#pumping = undefined))
  }

  /** Resolves when all waiting messages are stored or dropped. */
  async flush(): Promise<void> {
    await this.#pumping
  }

  #take(): Waiting | undefined {
    const first = this.#waiting.shift()
    if (first !== undefined) this.#bytes -= first.bytes
    return first
  }

  async #pump(): Promise<void> {
    // Wait one turn, so that messages that arrive together share a batch.
    await sleep(0)
    while (this.#waiting.length > 0) {
      const byTenant = new Map<string, Waiting[]>()
      let bytes = 0
      for (let n = 0; n < BATCH && bytes < BATCH_BYTES; n++) {
        const next = this.#take()
        if (next === undefined) break
        bytes += next.bytes
        const { tenant } = next.source
        byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), next])
      }
      await Promise.all([...byTenant].map(([tenant, waiting]) => this.#store(tenant, waiting)))
    }
  }

  async #store(tenant: string, waiting: readonly Waiting[]): Promise<void> {
    const common = {
      encoding: 'protobuf',
      transport: 'broker',
      identity: { tenant, token: '' },
      client: CLIENT,
    } as const
    try {
      await Promise.all(payloadsOf(waiting).map(payload => this.#receive({ ...common, ...payload })))
      this.#kept += waiting.length
    } catch (error) {
      this.#dropped += waiting.length
      this.#options.onError(error)
    }
  }

  /** Retries while the store is temporarily full. */
  async #receive(request: DecodedRequest): Promise<void> {
    for (let left = TRIES; ; left--) {
      try {
        await this.#options.receive(request)
        return
      } catch (error) {
        const seconds = error instanceof Refusal ? error.retryAfterSeconds : undefined
        if (seconds === undefined || left <= 1) throw error
        await sleep(seconds * 1000)
      }
    }
  }
}

/** The payloads of all signals in a batch, each with its id and size. */
function payloadsOf(waiting: readonly Waiting[]): Pick<DecodedRequest, 'payload' | 'id' | 'bytes'>[] {
  const resourceSpans = []
  const resourceLogs = []
  const resourceMetrics = []
  const bytes = { traces: 0, logs: 0, metrics: 0 }
  for (const { source, telemetry, bytes: size } of waiting) {
    const resource = resourceOf(source)
    const around = { scope: undefined, schemaUrl: '' }
    const spans = telemetry.spans.filter(isSampled)
    const logRecords = telemetry.logRecords.map(record => inTrace(record, telemetry.traceId))
    const { metrics } = telemetry
    if (spans.length > 0) resourceSpans.push({ resource, scopeSpans: [{ ...around, spans }], schemaUrl: '' })
    if (logRecords.length > 0) resourceLogs.push({ resource, scopeLogs: [{ ...around, logRecords }], schemaUrl: '' })
    if (metrics.length > 0) resourceMetrics.push({ resource, scopeMetrics: [{ ...around, metrics }], schemaUrl: '' })
    // A message with several signals counts towards each by the number of items.
    const perItem = size / Math.max(1, spans.length + logRecords.length + metrics.length)
    bytes.traces += Math.round(perItem * spans.length)
    bytes.logs += Math.round(perItem * logRecords.length)
    bytes.metrics += Math.round(perItem * metrics.length)
  }
  const payloads: Payload[] = []
  if (resourceSpans.length > 0) payloads.push({ signal: 'traces', traces: { resourceSpans } })
  if (resourceLogs.length > 0) payloads.push({ signal: 'logs', logs: { resourceLogs } })
  if (resourceMetrics.length > 0) payloads.push({ signal: 'metrics', metrics: { resourceMetrics } })
  const parts = waiting.flatMap(({ source, content }) => [JSON.stringify(source), ...content])
  return payloads.map(payload => {
    const { signal } = payload
    return { payload, id: batchId(signal, parts), bytes: signal === 'profiles' ? 0 : bytes[signal] }
  })
}

/**
 * The resource of a component. Attributes from its registration replace the defaults from its Broker identity, which is
 * lower-case and short. The `kubefox.*` attributes always come from its stream's identity.
 */
export function resourceOf({ tenant, component, environment, attributes }: TelemetrySource): Resource {
  const { type, app, name, hash, id } = component
  const all = new Map<string, string>([
    ['service.name', name],
    ['service.namespace', app],
    ['service.instance.id', id],
    ['service.version', hash],
    ['deployment.environment.name', environment],
    ...Object.entries(attributes),
    ['kubefox.platform', tenant],
    ['kubefox.component.type', type],
    ['kubefox.component.app', app],
    ['kubefox.component.name', name],
    ['kubefox.component.hash', hash],
    ['kubefox.component.id', id],
  ])
  const given = [...all].filter(([, value]) => value !== '')
  return {
    attributes: given.map(([key, value]): KeyValue => ({ key, value })),
    droppedAttributesCount: 0,
    entityRefs: [],
  }
}

/** Bit 0 of the flags means sampled. Senders that do not use flags leave them 0. */
function isSampled({ flags }: Span): boolean {
  return flags === 0 || (flags & SAMPLED) !== 0
}

function inTrace(record: LogRecord, traceId: Uint8Array): LogRecord {
  return record.traceId.length > 0 || traceId.length === 0 ? record : { ...record, traceId }
}

/** Throws BrokerError. */
export function readTelemetry({ content, contentType }: Event): Telemetry {
  try {
    if (isJsonContent(contentType)) return telemetryCodec.decodeJson(content)
    if (contentType === '' || contentType.startsWith(CONTENT_TYPE.protobuf)) return telemetryCodec.decode(content)
  } catch (error) {
    if (error instanceof FormatError) throw new BrokerError('invalid', error.message)
    throw error
  }
  throw new BrokerError('unknownContentType', `telemetry must be ${CONTENT_TYPE.protobuf}, not ${contentType}`)
}
