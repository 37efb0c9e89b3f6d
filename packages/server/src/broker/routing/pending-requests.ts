// The unanswered requests of a tenant: requester, responder and timeout.
import type { Event } from '@hearth/broker'
import type { Member, PendingRequest, Requester, Response } from './member.ts'

/** Code of this process that waits for a response. */
export class LocalRequester implements Requester {
  readonly openRequests = new Set<PendingRequest>()
  readonly #onResponse: (event: Event) => void

  constructor(onResponse: (event: Event) => void) {
    this.#onResponse = onResponse
  }

  respond({ event }: Response): boolean {
    this.#onResponse(event)
    return true
  }

  /** The caller waits for its response, and the number of callers is limited elsewhere. */
  hold(): boolean {
    return true
  }

  release(): void {}

  expectResponse(): () => void {
    return () => {}
  }
}

/** Maximum number of expired requests to remember. A late profile is still stored. */
const MAX_LATE = 4096
const NOTHING = new Uint8Array(0)
const MAX_PARAM_LENGTH = 256

export class PendingRequests {
  readonly #pending = new Map<string, PendingRequest>()
  readonly #late = new Map<string, PendingRequest>()

  get size(): number {
    return this.#pending.size
  }

  all(): readonly PendingRequest[] {
    return [...this.#pending.values()]
  }

  has(id: string): boolean {
    return this.#pending.has(id)
  }

  open(
    request: Event,
    parties: Pick<PendingRequest, 'requester' | 'member' | 'since'>,
    timeoutMs: number,
    onTimeout: (pending: PendingRequest) => void,
  ): PendingRequest {
    const timer = setTimeout(() => {
      this.close(pending, true)
      onTimeout(pending)
    }, timeoutMs)
    const pending: PendingRequest = { request: remembered(request), ...parties, timer }
    this.#pending.set(request.id, pending)
    parties.requester.openRequests.add(pending)
    parties.member.unanswered.add(pending)
    return pending
  }

  /** Returns a pending or expired request. */
  get(id: string): PendingRequest | undefined {
    return this.#pending.get(id) ?? this.#late.get(id)
  }

  /** Returns the request that `member` responds to, or undefined if it received no such request. */
  find(id: string, member: Member): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    return pending?.member === member ? pending : undefined
  }

  /** Returns and forgets an expired request. Matches by component id, since the component may have reconnected. */
  takeLate(id: string, member: Member): PendingRequest | undefined {
    const late = this.#late.get(id)
    if (late?.member.component.id !== member.component.id) return undefined
    this.#late.delete(id)
    return late
  }

  /** `unanswered`: a late response may still arrive. */
  close(pending: PendingRequest, unanswered: boolean): void {
    const { request, requester, member, timer } = pending
    clearTimeout(timer)
    if (!this.#pending.delete(request.id)) return
    requester.openRequests.delete(pending)
    member.unanswered.delete(pending)
    if (!unanswered) return
    this.#late.set(request.id, pending)
    if (this.#late.size > MAX_LATE) for (const id of this.#late.keys()) return void this.#late.delete(id)
  }
}

/** Keeps the parameters that identify and cancel a capture. */
function remembered(request: Event): Event {
  const { capture_id: id, reason } = request.params
  const params = Object.entries({ capture_id: id, reason }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= MAX_PARAM_LENGTH,
  )
  return { ...request, content: NOTHING, values: {}, params: Object.fromEntries(params) }
}
