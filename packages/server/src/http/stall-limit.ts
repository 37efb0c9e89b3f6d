// Disconnects clients that do not read their response: it holds memory, and during a stream a query slot.
import type { ServerResponse } from 'node:http'

export interface StallLimit {
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number
  /** The precision: it is disconnected at most this much later. */
  readonly stepMs: number
}

export const STALL_LIMIT: StallLimit = { stallMs: 60_000, stepMs: 5000 }

/**
 * Node's own timeout starts again once whenever a part of the data was sent before, so that it takes up to twice as long. Here it
 * is a short step, and the steps without progress are summed.
 */
export function limitStalls(response: ServerResponse, { stallMs, stepMs }: StallLimit = STALL_LIMIT): void {
  let since = 0
  let last = 0
  response.setTimeout(stepMs, () => {
    const now = Date.now()
    // Without waiting bytes, the client is not the one that stalls. A longer pause between steps means progress.
    const isWaiting = response.writableLength > 0 || response.writableNeedDrain
    if (!isWaiting || now - last > 1.5 * stepMs) since = now - stepMs
    last = now
    if (isWaiting && now - since >= stallMs) response.destroy()
    else response.socket?.setTimeout(stepMs)
  })
}
