// The requests of a tenant that are not answered: who asked, who has to answer, and until when.
import type { Event } from '@hearth/broker'
import type { Member } from './group.ts'

/** A component, the server itself, or another broker for one of its own. */
export interface Asker {
  /** Requests that it waits for. */
  readonly asked: Set<PendingRequest>
  /** `since`: when the event's ttl was what it says. False where the answer found no room. */
  answer(event: Event, since: number, bytes: number): boolean
}

/** Somebody in this process who waits for an answer. */
export class Waiter implements Asker {
  readonly asked = new Set<PendingRequest>()
  readonly #onAnswer: (event: Event) => void

  constructor(onAnswer: (event: Event) => void) {
    this.#onAnswer = onAnswer
  }

  answer(event: Event): boolean {
    this.#onAnswer(event)
    return true
  }
}

export interface PendingRequest {
  /** What is still needed of it: there may be many, and each may have been large. */
  readonly request: Event
  readonly asker: Asker
  readonly member: Member
  readonly since: number
  readonly timer: NodeJS.Timeout
}

/** So many requests that ended without an answer are remembered: a late profile is worth keeping. */
const MOST_LATE = 4096
const NOTHING = new Uint8Array(0)
const LONGEST_PARAM = 256

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
    parties: Pick<PendingRequest, 'asker' | 'member' | 'since'>,
    timeoutMs: number,
    onTimeout: (pending: PendingRequest) => void,
  ): PendingRequest {
    const timer = setTimeout(() => {
      this.close(pending, true)
      onTimeout(pending)
    }, timeoutMs)
    const pending: PendingRequest = { request: remembered(request), ...parties, timer }
    this.#pending.set(request.id, pending)
    parties.asker.asked.add(pending)
    parties.member.unanswered.add(pending)
    return pending
  }

  /** Whether or not it is over. */
  get(id: string): PendingRequest | undefined {
    return this.#pending.get(id) ?? this.#late.get(id)
  }

  /** What `member` answers; undefined where it was not asked. */
  find(id: string, member: Member): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    return pending?.member === member ? pending : undefined
  }

  /** The same for what is over, once. The component may have another stream by now. */
  takeLate(id: string, member: Member): PendingRequest | undefined {
    const late = this.#late.get(id)
    if (late?.member.component.id !== member.component.id) return undefined
    this.#late.delete(id)
    return late
  }

  /** `unanswered`: an answer may still come. */
  close(pending: PendingRequest, unanswered: boolean): void {
    const { request, asker, member, timer } = pending
    clearTimeout(timer)
    if (!this.#pending.delete(request.id)) return
    asker.asked.delete(pending)
    member.unanswered.delete(pending)
    if (!unanswered) return
    this.#late.set(request.id, pending)
    if (this.#late.size > MOST_LATE) for (const id of this.#late.keys()) return void this.#late.delete(id)
  }
}

/** By which a capture is known and called off. */
function remembered(request: Event): Event {
  const { capture_id: id, reason } = request.params
  const params = Object.entries({ capture_id: id, reason }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= LONGEST_PARAM,
  )
  return { ...request, content: NOTHING, values: {}, params: Object.fromEntries(params) }
}
