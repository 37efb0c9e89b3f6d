// One request of any signal, from its content to its outcome: decode, reject invalid items, hand the rest to the store. The
// transports know HTTP and gRPC; everything they share is here. Requests that are decoded already (pushed files, the Broker's
// telemetry, the server's own profile) take the same path after decoding.
import { createHash } from 'node:crypto'
import type { Profiles } from '@hearth/profile'
import type { Identity } from '../access/gatekeeper.ts'
import type { Keeper, Payload, Signal } from '../store/keeper.ts'
import { RefusedError } from '../store/keeper.ts'
import type { Admission } from './admission.ts'
import { checkPayload, decodePayload } from './decode-payload.ts'
import { measurePayload } from './measure-payload.ts'
import { Code, Refusal, busy } from './refusal.ts'
import { Rejects } from './rejects.ts'
import type { EncodedBody } from './decode-payload.ts'

interface Sender {
  readonly identity: Identity
  readonly client: string
  readonly transport: 'grpc' | 'http' | 'in-process' | 'broker'
  /** The version of the profiles format that the sender stated. Empty or undefined if it stated none. */
  readonly version?: string
}

/** A request as it came over the wire, decompressed. */
type EncodedRequest = Sender & EncodedBody

/** A request that was decoded elsewhere or made in this process. */
export interface DecodedRequest extends Sender {
  readonly payload: Payload
  /** The encoding that it was sent in, for metrics. */
  readonly encoding: 'protobuf' | 'json' | 'other' | 'none'
  /** The format of profiles, or the generation of OTLP; empty for other signals. */
  readonly generation: string
  /** Identifies the content: a retry has the same id. See requestId, batchId and columnsId. */
  readonly id: Uint8Array
  /** The size of the content: as sent, or in memory if it was never encoded. */
  readonly bytes: number
  /** True if the request is rejected as a whole when an item is invalid, as a file is. */
  readonly isAtomic?: boolean
}

export type Incoming = EncodedRequest | DecodedRequest

export interface Outcome {
  readonly signal: Signal
  /** The number of profiles, spans, log records or data points. */
  readonly rejected: number
  /** The reasons and warnings; empty if there are none. */
  readonly message: string
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
  refused(signal: Signal, refusal: Refusal): void
}

export interface ReceiverOptions {
  readonly keeper: Keeper
  readonly admission: Admission
  readonly maxAttributes: number
  readonly events: ReceiveEvents
  /** Called once for each committed request, and not for duplicates. Must not throw. */
  readonly onKept?: (tenant: string, payload: Payload) => void
}

export class Receiver {
  readonly #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Resolves when the accepted items are committed. Throws Refusal. */
  async receive(incoming: Incoming): Promise<Outcome> {
    if ('payload' in incoming) return this.#receive(incoming)
    const { admission } = this.#options
    const admitted = admission.admitDecoding(measurePayload(incoming, admission.limit))
    try {
      return await this.#receive(incoming)
    } finally {
      admitted.release()
    }
  }

  async #receive(incoming: Incoming): Promise<Outcome> {
    const { encoding, transport, client, version = '' } = incoming
    const { tenant } = incoming.identity
    const { keeper, events, onKept } = this.#options
    const rejects = new Rejects()
    const request = 'payload' in incoming ? incoming : decoded(incoming, rejects)
    const { id, bytes, generation } = request
    const payload = checkPayload(request.payload, this.#options, rejects)
    const { signal } = payload
    if (request.isAtomic === true && rejects.count > 0)
      throw new Refusal(400, Code.invalidArgument, 'attributes', rejects.message())
    events.received({ signal, transport, encoding, client, version }, generation, bytes, samplesIn(payload))
    for (const [reason, count] of rejects.reasons) events.rejected(signal, reason, count)
    if (rejects.keptFields > 0) events.unknownFields(signal, 'kept', rejects.keptFields)
    if (rejects.droppedFields > 0) events.unknownFields(signal, 'dropped', rejects.droppedFields)
    const kept = await committed(
      keeper.keep({ tenant, client, id, bytes, generation, rejected: rejects.count, payload }),
    )
    if (kept === 'kept') onKept?.(tenant, payload)
    return { signal, rejected: rejects.count, message: rejects.message() }
  }
}

function decoded(request: EncodedRequest, rejects: Rejects): DecodedRequest {
  const { signal, body } = request
  return { ...request, ...decodePayload(request, rejects), id: requestId(signal, body), bytes: body.length }
}

async function committed<Kept>(keeping: Promise<Kept>): Promise<Kept> {
  try {
    return await keeping
  } catch (error) {
    if (error instanceof RefusedError) throw busy(error.reason, error.message, error.retryAfterSeconds)
    throw error
  }
}

function samplesIn(payload: Payload): number {
  return payload.signal === 'profiles' ? payload.profiles.samples.length : 0
}

/**
 * The id of a request with a body. `label` is the signal, or whatever else distinguishes requests with the same body. The
 * store compares ids within a tenant.
 */
export function requestId(label: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(label).update('\0').update(body).digest().subarray(0, ID_LENGTH)
}

/** The id of a request made of several parts. */
export function batchId(label: string, parts: Iterable<Uint8Array | string>): Uint8Array {
  const hash = createHash('sha256').update(label).update('\0')
  // With lengths, so that parts cannot run into each other.
  for (const part of parts) hash.update(`${part.length}\0`).update(part)
  return hash.digest().subarray(0, ID_LENGTH)
}

/** The id and the size of profiles that were never encoded. */
export function columnsId({ dictionary, samples, profiles }: Profiles): { id: Uint8Array; bytes: number } {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const tables = [strings, functions, mappings, locations, stacks, links, attributes, profiles]
  const pools = [samples, samples.values, samples.timestamps]
  const arrays = [...new Set([...tables, ...pools].map(({ ints }) => ints))]
  const parts = [dictionary.bytes, ...arrays.map(ints => new Uint8Array(ints.buffer, ints.byteOffset, ints.byteLength))]
  return { id: batchId('columns', parts), bytes: parts.reduce((sum, part) => sum + part.length, 0) }
}

const ID_LENGTH = 16
