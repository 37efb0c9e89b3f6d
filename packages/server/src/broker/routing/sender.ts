// Back-pressure: a sender waits while the receiver has no room for its events.

/** The sender of an event, which waits while the receiver has no room for it. */
export interface Sender {
  /** Call when an event of it starts to wait. Returns false if it cannot wait. */
  hold(bytes: number): boolean
  /** Call when an event of it no longer waits. */
  release(bytes: number): void
}
