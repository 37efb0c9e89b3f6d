// One request of any signal, from its opened bytes to its answer: decode, reject what cannot be kept, keep the rest. The
// transports know HTTP and gRPC; everything that is the same for both is here.
import { createHash } from 'node:crypto'
import type { Identity } from '../access/gatekeeper.ts'
import type { Keeper, Payload, Signal } from '../store/keeper.ts'
import { RefusedError } from '../store/keeper.ts'
import { decodePayload, withinLimits } from './decode-payload.ts'
import { Code, Refusal, busy } from './refusal.ts'
import { Rejects } from './rejects.ts'

export interface Incoming {
  readonly signal: Signal
  readonly encoding: 'protobuf' | 'json'
  readonly transport: 'grpc' | 'http' | 'in-process' | 'broker'
  readonly body: Uint8Array
  readonly identity: Identity
  readonly client: string
}

export interface Outcome {
  readonly signal: Signal
  /** Profiles, spans, log records or data points. */
  readonly rejected: number
  /** Why; empty where nothing was rejected. */
  readonly message: string
}

/** What there is to count. */
export interface ReceiveEvents {
  received(
    request: {
      readonly signal: Signal
      readonly transport: string
      readonly encoding: string
      readonly client: string
    },
    generation: string,
    bytes: number,
    /** Of profiles. */
    samples: number,
  ): void
  rejected(signal: Signal, reason: string, count: number): void
  refused(signal: Signal, refusal: Refusal): void
}

/** A profile of another format, pushed. */
export interface Pushed {
  readonly identity: Identity
  readonly client: string
  readonly body: Uint8Array
  readonly format: string
  /** What besides the body makes this push another one: the service it is for, and so on. */
  readonly label: string
  /** http unless given. */
  readonly transport?: 'http' | 'broker'
}

export interface ReceiverOptions {
  readonly keeper: Keeper
  readonly maxAttributes: number
  readonly events: ReceiveEvents
  /** Told of what has been committed, once: not of the same request sent again. Must not throw. */
  readonly onKept?: (tenant: string, payload: Payload) => void
}

export class Receiver {
  readonly #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Resolves when what was not rejected is committed. Throws Refusal. */
  async receive(incoming: Incoming): Promise<Outcome> {
    const { signal, body, identity, client } = incoming
    const { keeper, events, onKept } = this.#options
    const rejects = new Rejects()
    const { payload, generation } = decodePayload(incoming, this.#options, rejects)
    events.received(incoming, generation, body.length, samplesIn(payload))
    for (const [reason, count] of rejects.reasons) events.rejected(signal, reason, count)
    const kept = await committed(
      keeper.keep({
        tenant: identity.tenant,
        client,
        id: requestId(signal, body),
        bytes: body.length,
        generation,
        rejected: rejects.count,
        payload,
      }),
    )
    if (kept === 'kept') onKept?.(identity.tenant, payload)
    return { signal, rejected: rejects.count, message: rejects.message() }
  }

  /** What was pushed in another format and is in the model already. Throws Refusal. */
  async keepProfiles(payload: Extract<Payload, { signal: 'profiles' }>, from: Pushed): Promise<void> {
    const { identity, client, body, format, label, transport = 'http' } = from
    const rejects = new Rejects()
    withinLimits(payload.profiles, this.#options, rejects)
    // One file is one thing: it is not taken in part.
    if (rejects.count > 0) throw new Refusal(400, Code.invalidArgument, 'attributes', rejects.message())
    this.#options.events.received(
      { signal: 'profiles', transport, encoding: 'other', client },
      format,
      body.length,
      samplesIn(payload),
    )
    const id = requestId(label, body)
    const { tenant } = identity
    await committed(
      this.#options.keeper.keep({ tenant, client, id, bytes: body.length, generation: format, rejected: 0, payload }),
    )
  }
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

/** `label` is the signal. The same request sent again has the same id; tenants are told apart where ids are compared. */
export function requestId(label: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(label).update('\0').update(body).digest().subarray(0, 16)
}
