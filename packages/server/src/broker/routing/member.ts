// The two ends of a request: its requester and the member that responds.
import type { Component, Event } from '@hearth/broker'
import type { Delivery } from './delivery.ts'

/** One replica, subscribed at this broker or at another one. */
export interface Member {
  /** With its broker id. */
  readonly component: Component
  /** The number of waiting events and unanswered requests. */
  readonly load: number
  readonly isFull: boolean
  /** Requests that it has not responded to. */
  readonly unanswered: Set<PendingRequest>
  /** Returns false if the queue is full. Throws BrokerError if the member is unreachable. */
  offer(delivery: Delivery): boolean
}

/** The sender of a request: a component, the server itself, or another broker on behalf of a component. */
export interface Requester {
  /** Requests it waits for. */
  readonly openRequests: Set<PendingRequest>
  /** Delivers the response. `since` is the time at which its ttl was measured. Returns false if the queue is full. */
  respond(event: Event, since: number, bytes: number): boolean
}

export interface PendingRequest {
  /** The parts of the request that are needed later. Requests can be large and numerous. */
  readonly request: Event
  readonly requester: Requester
  readonly member: Member
  readonly since: number
  readonly timer: NodeJS.Timeout
}
