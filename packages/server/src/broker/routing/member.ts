// The two ends of a request: its requester and the member that responds.
import type { Component, Event } from '@hearth/broker'
import type { Delivery } from './delivery.ts'
import type { Sender } from './sender.ts'

/** One replica, subscribed at this broker or at another one. */
export interface Member {
  /** With its broker id. */
  readonly component: Component
  /** The number of waiting events and unanswered requests. */
  readonly load: number
  readonly isFull: boolean
  /** Requests that it has not responded to. */
  readonly unanswered: Set<PendingRequest>
  /**
   * Queues the event, or makes its sender wait for room. Returns false if there is no room and the sender cannot wait. Throws
   * BrokerError if the member is unreachable.
   */
  offer(delivery: Delivery): boolean
}

/** The sender of a request: a component, the server itself, or another broker on behalf of a component. */
export interface Requester extends Sender {
  /** Requests it waits for. */
  readonly openRequests: Set<PendingRequest>
  /** Delivers a response, or makes `sender` wait for room. Returns false if it cannot wait. Default: the requester itself waits. */
  respond(response: Response, sender?: Sender): boolean
  /** Announces a response that takes a while. Call the returned function after the response. */
  expectResponse(): () => void
}

export type Response = Pick<Delivery, 'event' | 'since' | 'bytes' | 'onDropped'>

export interface PendingRequest {
  /** The parts of the request that are needed later. Requests can be large and numerous. */
  readonly request: Event
  readonly requester: Requester
  readonly member: Member
  readonly since: number
  readonly timer: NodeJS.Timeout
}
