// One request of any signal, from its content to its outcome. The transports know HTTP and gRPC; everything they share is here.
// Threads read the content and write its rows, see threads/writer.ts. Payloads that are decoded already (the Broker's telemetry, the
// server's own profile, captures) take the same path: profiles as columns, and messages encoded in batches of bounded size.
import type { Identity } from '../access/gatekeeper.ts'
import type { Payload, Signal } from '../store/keeper.ts'
import { RefusedError } from '../store/keeper.ts'
import { columnsContent } from './columns-content.ts'
import type { Content } from './content.ts'
import type { EncodedBody } from './decode-payload.ts'
import { encodePayload, otlpContent } from './otlp-content.ts'
import type { Refusal } from './refusal.ts'
import { busy } from './refusal.ts'
import type { Writer, WriterRequest, WriterResult } from './threads/writer.ts'

interface Sender {
  readonly identity: Identity
  readonly client: string
  readonly transport: 'grpc' | 'http' | 'in-process' | 'broker'
  /** The version of the profiles format that the sender stated. Empty or undefined if it stated none. */
  readonly version?: string
}

/** A body that is compressed if it has a Content-Encoding. */
export interface SentContent {
  readonly body: Uint8Array
  readonly contentEncoding?: string
}

/** OTLP as it came over the wire. */
type OtlpRequest = Sender & EncodedBody & SentContent

/** Another content as it came over the wire. */
export interface ContentRequest extends Sender, SentContent {
  readonly content: Content
}

/** A request that was decoded elsewhere or made in this process. */
export interface DecodedRequest extends Sender {
  readonly payload: Payload
  /** The encoding that it was sent in, for metrics. */
  readonly encoding: 'protobuf' | 'json' | 'other' | 'none'
  /** Identifies the content: a retry has the same id. See request-id.ts. */
  readonly id: Uint8Array
  /** The size of the content: as sent, or in memory if it was never encoded. */
  readonly bytes: number
  /** The format of profiles that were a file. They are rejected as a whole if a part is invalid. */
  readonly format?: string
}

export type Incoming = OtlpRequest | ContentRequest | DecodedRequest

export interface Outcome {
  readonly signal: Signal
  /** The number of profiles, spans, log records or data points. */
  readonly rejected: number
  /** The reasons and warnings; empty if there are none. */
  readonly message: string
  /** The response of the content reader to the sender. */
  readonly response?: unknown
}

/** Events that metrics count. */
export interface ReceiveEvents {
  received(
    request: {
      readonly signal: Signal
      readonly transport: string
      readonly encoding: string
      readonly client: string
      readonly version: string
    },
    generation: string,
    bytes: number,
    /** The number of samples in profiles. */
    samples: number,
  ): void
  rejected(signal: Signal, reason: string, count: number): void
  /** Fields that OTLP does not define: stored with their message, or dropped. */
  unknownFields(signal: Signal, outcome: 'kept' | 'dropped', count: number): void
  /** Values that a rule removed or hashed. */
  redacted?(signal: Signal, rule: string, count: number): void
  refused(signal: Signal, refusal: Refusal): void
}

export interface ReceiverOptions {
  readonly writer: Writer
  readonly events: ReceiveEvents
  /** Called once for each committed request in which the observer of its thread found something. Must not throw. */
  readonly onObserved?: (tenant: string, observed: unknown) => void
}

export class Receiver {
  readonly #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Resolves when the accepted items are committed. The body may be moved to another thread. Throws Refusal. */
  async receive(incoming: Incoming): Promise<Outcome> {
    const { writer, events, onObserved } = this.#options
    const { transport, client, version = '', identity } = incoming
    const encoding = 'encoding' in incoming ? incoming.encoding : 'other'
    const result = await committed(writer.write(writerRequest(incoming)))
    const { signal = 'profiles', generation, bytes, samples, rejected, message, reasons, response } = result
    if (result.signal !== undefined)
      events.received({ signal, transport, encoding, client, version }, generation, bytes, samples)
    for (const [reason, count] of reasons) events.rejected(signal, reason, count)
    if (!result.isDuplicate) for (const [rule, count] of result.redacted) events.redacted?.(signal, rule, count)
    if (result.keptFields > 0) events.unknownFields(signal, 'kept', result.keptFields)
    if (result.droppedFields > 0) events.unknownFields(signal, 'dropped', result.droppedFields)
    if (!result.isDuplicate && result.observed !== undefined) onObserved?.(identity.tenant, result.observed)
    return { signal, rejected, message, ...(response === undefined ? {} : { response }) }
  }
}

function writerRequest(incoming: Incoming): WriterRequest {
  const { client, identity } = incoming
  const sender = { tenant: identity.tenant, client }
  if ('payload' in incoming) {
    const { payload, id, bytes, format } = incoming
    const known = { ...sender, contentEncoding: '', id, bytes }
    if (payload.signal === 'profiles') {
      const { profiles } = payload
      const content = columnsContent({ profiles, ...(format === undefined ? {} : { format }) })
      return { ...known, content, body: new Uint8Array(0) }
    }
    const content = otlpContent({ signal: payload.signal, encoding: 'protobuf' })
    return { ...known, content, body: encodePayload(payload) }
  }
  const { body, contentEncoding = '' } = incoming
  if ('content' in incoming) return { ...sender, content: incoming.content, body, contentEncoding }
  const { signal, encoding } = incoming
  return { ...sender, content: otlpContent({ signal, encoding }), body, contentEncoding }
}

async function committed(writing: Promise<WriterResult>): Promise<WriterResult> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof RefusedError) throw busy(error.reason, error.message, error.retryAfterSeconds)
    throw error
  }
}
